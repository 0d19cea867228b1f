"""Builds the commands that are measured and the data that they use."""

import os
import subprocess
import sys


def build_product(name: str, root: str) -> str:
    """Builds a product in release as the README does, and returns the path of the command."""
    build = ["swift", "build", "-c", "release", "--static-swift-stdlib"]
    build += ["--product", name, "--package-path", root]
    subprocess.run(build, check=True, stdout=sys.stderr)
    folder = subprocess.check_output([*build, "--show-bin-path"], text=True).strip()
    return os.path.join(folder, name)


def tools_folder(root: str) -> str:
    """Returns the folder of the generator, the reference, and its peers, next to the checkout."""
    return os.path.join(os.path.dirname(root), "shared", "bench")


def memory() -> str | None:
    """Returns a folder in memory, or None. In memory, the disk causes no noise."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def build_reference(tools: str, folder: str) -> str:
    """Builds the reference and returns its command. Prints the compiler's output only if it fails."""
    path = os.path.join(folder, "ref")
    make = ["make", "-s", "-C", os.path.join(tools, "ref"), f"OUT={path}"]
    made = subprocess.run(make, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode:
        raise SystemExit(f"{' '.join(make)}\nended with {made.returncode}:\n{made.stdout}")
    return path


def make_data(tools: str, folder: str, rows: int) -> str:
    """Runs the generator, unless its files exist, and returns their folder."""
    made = os.path.join(folder, str(rows))
    if not os.path.exists(os.path.join(made, "tasks.json")):
        generator = os.path.join(tools, "gen.py")
        subprocess.run(
            [sys.executable, generator, "--rows", str(rows), "--out", folder],
            check=True,
            stdout=sys.stderr,
        )
    return made
