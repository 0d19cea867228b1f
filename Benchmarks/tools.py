"""Builds what is measured, and the data that it works on."""

import os
import subprocess
import sys


def build_product(name: str, root: str) -> str:
    """Makes a release build; the path of the command."""
    build = ["swift", "build", "-c", "release", "--product", name, "--package-path", root]
    subprocess.run(build, check=True, stdout=sys.stderr)
    folder = subprocess.check_output([*build, "--show-bin-path"], text=True).strip()
    return os.path.join(folder, name)


def make_data(tools: str, folder: str, rows: int) -> str:
    """Runs the generator, unless its files are there already; their folder."""
    made = os.path.join(folder, str(rows))
    if not os.path.exists(os.path.join(made, "tasks.json")):
        generator = os.path.join(tools, "gen.py")
        subprocess.run(
            [sys.executable, generator, "--rows", str(rows), "--out", folder],
            check=True,
            stdout=sys.stderr,
        )
    return made
