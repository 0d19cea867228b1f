"""Loads of any number of tasks in three orders, and the commands of each side."""

import os
import subprocess
import sys

from jobs import BULK, CACHE, SPECS, Bench, same_counts
from measure import Contestant, remove

# Commands that change the generator's lines. One line in sixteen has spaces.
LOADS = {
    "random": "",
    "upsert": """ | sed -E 's/"priority": ?1/"priority":2/' | shuf""",
    "sorted": """ | sed 's/^{"id": /{"id":/' | LC_ALL=C sort -s -t, -k1,1""",
}
UPSERT = "--threads 2 --tags diff --upsert mem --skip".split()


def make_load(tools: str, folder: str, rows: int, load: str) -> str:
    """Returns the file of a load. It is gzipped at level 1, because it is only read here."""
    path = os.path.join(folder, f"growth-{rows}-{load}.ndjson.gz")
    if os.path.exists(path):
        return path
    if load == "random":
        generator = f"{sys.executable} {os.path.join(tools, 'gen.py')}"
        source = f"{generator} --rows {rows} --stdout ndjson"
    else:
        source = f"gzip -dc {make_load(tools, folder, rows, 'random')}"
    command = f"{source}{LOADS[load]} | gzip -1 > {path}.part && mv {path}.part {path}"
    subprocess.run(["bash", "-o", "pipefail", "-c", command], check=True)
    return path


def load_spec(work: str, budget: str | None) -> str:
    """Writes the import's spec, with a budget if one is given, and returns its path."""
    with open(os.path.join(SPECS, "import.yaml")) as file:
        text = file.read()
    text = text.replace("model.yaml", os.path.join(SPECS, "model.yaml"))
    if budget:
        text = text.replace("stages:", f"budget: {{ memory: {budget} }}\nstages:")
    path = os.path.join(work, f"load-{budget or 'default'}.yaml")
    with open(path, "w") as file:
        file.write(text)
    return path


def load_command(bench: Bench, spec: str, store: str, file: str) -> list[str]:
    """Returns the command of etl's import of a load."""
    return [bench.etl, "run", spec, "--set", f"store={store}", "--set", f"data={file}"]


def load_contestants(bench: Bench, spec: str, load: str, file: str) -> list[Contestant]:
    """Returns both sides of a load; `upsert` works on the store of the previous load."""
    store, other = bench.path("ours.sqlite"), bench.path("theirs.sqlite")
    ours = load_command(bench, spec, store, file)
    options = [*CACHE, *UPSERT] if load == "upsert" else BULK
    prepare = (lambda path: None) if load == "upsert" else remove
    return [
        Contestant("reference", bench.theirs("import", *options, file), lambda: prepare(other)),
        Contestant("etl", ours, lambda: prepare(store), lambda: same_counts(bench)),
    ]
