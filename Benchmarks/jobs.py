"""The jobs: the commands of each side, their starting point, and the check of the result."""

import gzip
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from measure import Contestant, remove, run

SPECS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "specs")
BULK = "--threads 2 --bulk --cache 64000 --icache 2000 --multi 16 --workers 1 --quiet".split()
CACHE = "--quiet --cache 200000".split()
# The maximum of etl's time as a ratio to the reference's, or to the named tool's.
GOALS = {
    "J1": (1.2, ""),
    "J2": (1.0, ""),
    "J3": (1.2, ""),
    "J4": (1.2, ""),
    "J5": (1.1, ""),
    "J5u": (1.2, "sqlite3"),
    "J6": (0.65, ""),
    "J6c": (1.3, ""),
    "J6v": (1.3, ""),
    "J7": (1.2, ""),
    "J7d": (1.6, ""),
    "J8": (2.0, ""),
}


@dataclass
class Bench:
    """The paths of the commands, the data, and the working folder."""

    etl: str
    reference: str
    # Contains `tasks.ndjson.gz`, `tasks.csv`, and `tasks.json`.
    data: str
    # Stores, outputs, specs, and reports of runs. It is on tmpfs, so that the disk causes no noise.
    work: str

    def __post_init__(self) -> None:
        specs = shutil.ignore_patterns("runs", "rejects")
        shutil.copytree(SPECS, self.path("specs"), ignore=specs, dirs_exist_ok=True)

    def path(self, name: str) -> str:
        return os.path.join(self.work, name)

    def ours(self, spec: str, *sets: str) -> list[str]:
        command = [self.etl, "run", os.path.join(self.path("specs"), spec + ".yaml")]
        for one in (f"store={self.path('ours.sqlite')}", *sets):
            command += ["--set", one]
        return command

    def theirs(self, job: str, *options: str) -> list[str]:
        return [self.reference, job, "--db", self.path("theirs.sqlite"), *options]


def counts(path: str) -> tuple[int, int, int]:
    """Returns the numbers of tasks, links to tags, and completed tasks."""
    with closing(sqlite3.connect(path)) as store:
        join = store.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'"
        ).fetchone()[0]
        return store.execute(
            f"SELECT count(*), (SELECT count(*) FROM {join}), sum(ZISCOMPLETED) FROM ZTASK"
        ).fetchone()


def same_counts(bench: Bench) -> None:
    """Fails if the counts of both stores differ."""
    ours, theirs = counts(bench.path("ours.sqlite")), counts(bench.path("theirs.sqlite"))
    if ours != theirs:
        raise SystemExit(f"tasks, links, completed: {ours} in ours, {theirs} in the reference's")


def imports(bench: Bench, file: str, spec: str) -> list[Contestant]:
    data = os.path.join(bench.data, file)
    store, other = bench.path("ours.sqlite"), bench.path("theirs.sqlite")
    return [
        Contestant("reference", bench.theirs("import", *BULK, data), lambda: remove(other)),
        Contestant(
            "etl",
            bench.ours(spec, f"data={data}"),
            lambda: remove(store),
            lambda: same_counts(bench),
        ),
    ]


def on_full_stores(
    bench: Bench, theirs: list[str], ours: list[str], compares: bool = True
) -> list[Contestant]:
    """Starts each round with copies of full stores, which are built once."""
    full, full_other = bench.path("full-ours.sqlite"), bench.path("full-theirs.sqlite")
    store, other = bench.path("ours.sqlite"), bench.path("theirs.sqlite")

    def fill(kept: str, used: str, place: int) -> None:
        if not os.path.exists(kept):
            one = imports(bench, "tasks.ndjson.gz", "import")[place]
            one.prepare()
            run(one.command)
            with closing(sqlite3.connect(used)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            shutil.copy(used, kept)
        remove(used)
        shutil.copy(kept, used)

    check = (lambda: same_counts(bench)) if compares else (lambda: None)
    return [
        Contestant("reference", theirs, lambda: fill(full_other, other, 0)),
        Contestant("etl", ours, lambda: fill(full, store, 1), check),
    ]


def exports(bench: Bench, spec: str, name: str, options: str) -> list[Contestant]:
    out, other = bench.path("out"), bench.path("out-theirs")

    def lines(path: str) -> int:
        opened = gzip.open(path) if path.endswith(".gz") else open(path, "rb")
        with opened as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))

    def check() -> None:
        tasks = counts(bench.path("ours.sqlite"))[0]
        header = 1 if name.endswith("csv") else 0
        # Quoted strings may contain line ends, so a CSV file may have more lines.
        found = lines(os.path.join(out, name)) - header
        if found < tasks or (header == 0 and found > tasks):
            raise SystemExit(f"{name} has {found} lines for {tasks} tasks")

    theirs = bench.theirs("export", "--quiet", "--threads", "2", "--cache", "16000", *options.split(), other)
    pair = on_full_stores(bench, theirs, bench.ours(spec, f"out={out}"), compares=False)
    for one in pair:
        fill = one.prepare
        one.prepare = lambda fill=fill: (remove(out, other), fill())
    pair[1].check = check
    return pair


def first_rows(bench: Bench) -> list[Contestant]:
    """Imports a hundred rows, from the start of the process to its end."""
    small = bench.path("first")
    os.makedirs(small, exist_ok=True)
    with gzip.open(os.path.join(bench.data, "tasks.ndjson.gz"), "rt") as source:
        with gzip.open(os.path.join(small, "tasks.ndjson.gz"), "wt") as target:
            for _, line in zip(range(100), source):
                target.write(line)
    return imports(Bench(bench.etl, bench.reference, small, bench.work), "tasks.ndjson.gz", "import")


def all_jobs(
    bench: Bench, peers: list
) -> dict[str, tuple[str, Callable[[], list[Contestant]]]]:
    """Returns the jobs by name: a description and a function that creates the contestants."""
    return {
        name: (words, lambda name=name, pair=pair: pair() + peers_of(name, peers))
        for name, (words, pair) in pairs_of(bench).items()
    }


def peers_of(job: str, peers: list) -> list[Contestant]:
    """Returns the contestants of other tools that can do a job."""
    made = [peer.contestant(job) for peer in peers]
    return [one for one in made if one]


def pairs_of(bench: Bench) -> dict[str, tuple[str, Callable[[], list[Contestant]]]]:
    gz = os.path.join(bench.data, "tasks.ndjson.gz")
    again = bench.theirs(
        "import", *CACHE, *"--threads 2 --tags diff --upsert mem --skip".split(), gz
    )
    delete = bench.theirs("delete", *CACHE, "--how", "sql")
    update = bench.theirs("update", *CACHE)
    return {
        "J1": ("import .ndjson.gz, empty store", lambda: imports(bench, "tasks.ndjson.gz", "import")),
        "J2": (
            "the same again",
            lambda: on_full_stores(bench, again, bench.ours("import", f"data={gz}")),
        ),
        "J3": ("import .csv", lambda: imports(bench, "tasks.csv", "import-csv")),
        "J4": ("import .json, one array", lambda: imports(bench, "tasks.json", "import")),
        "J5": (
            "delete the completed half",
            lambda: on_full_stores(bench, delete, bench.ours("delete")),
        ),
        "J5u": (
            "update by predicate",
            lambda: on_full_stores(bench, update, bench.ours("update")),
        ),
        "J6": (
            "export .ndjson.gz, level 6",
            lambda: exports(bench, "export-gzip", "tasks.ndjson.gz", "--format ndjson --gz zlib:6"),
        ),
        "J6c": (
            "export .ndjson",
            lambda: exports(bench, "export-ndjson", "tasks.ndjson", "--format ndjson --gz none"),
        ),
        "J6v": (
            "export .csv",
            lambda: exports(bench, "export-csv", "tasks.csv", "--format csv --gz none"),
        ),
        "J8": ("100 rows, start to end", lambda: first_rows(bench)),
    }
