"""Other tools that do the same jobs, each in its own way and on its own store."""

import os
import shutil
import subprocess
import sys

from jobs import Bench
from measure import Contestant, remove, run

FILES = {"J1": "tasks.ndjson.gz", "J2": "tasks.ndjson.gz", "J3": "tasks.csv", "J4": "tasks.json"}
OUTPUTS = {"J6": "out.ndjson.gz", "J6c": "out.ndjson", "J6v": "out.csv"}
JOINED = "FROM task t LEFT JOIN category c ON c.pk = t.category"
DATES = [f"strftime('%Y-%m-%dT%H:%M:%SZ', {name}, 'unixepoch')" for name in ("createdAt", "completedAt")]
TAGS = "FROM task_tag x JOIN tag g ON g.pk = x.tag WHERE x.task = t.pk)"
JSON_ROWS = (
    f"SELECT json_object('id', t.id, 'title', title, 'notes', notes, 'createdAt', {DATES[0]},"
    f" 'completedAt', {DATES[1]}, 'isCompleted', json(iif(isCompleted, 'true', 'false')),"
    " 'priority', priority, 'estimate', estimate, 'category', c.name,"
    f" 'tags', (SELECT json_group_array(g.name) {TAGS}) {JOINED}"
)
CSV_ROWS = (
    f"SELECT t.id, title, notes, {DATES[0]} createdAt, {DATES[1]} completedAt,"
    " iif(isCompleted, 'true', 'false') isCompleted, priority, estimate, c.name category,"
    f" (SELECT group_concat(g.name, '|') {TAGS} tags {JOINED}"
)
BEGIN = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
DELETE = (
    "BEGIN; DELETE FROM task_tag WHERE task IN (SELECT pk FROM task WHERE isCompleted = 1);"
    " DELETE FROM task WHERE isCompleted = 1; COMMIT"
)
UPDATE = "UPDATE task SET priority = 2 WHERE isCompleted = 0 AND createdAt < 1514764800"


class Peer:
    """A tool with its store and the jobs that it can do."""

    name = ""

    def __init__(self, bench: Bench, folder: str) -> None:
        self.bench = bench
        self.folder = folder
        self.store = bench.path(f"{self.name}.db")
        self.full = bench.path(f"full-{self.name}.db")

    def load(self, file: str) -> list[str]:
        """Returns the command that fills a new store, or upserts into a full one."""
        raise NotImplementedError

    def change(self, job: str) -> list[str] | None:
        """Returns the command of J5 or J5u, or None."""
        return None

    def write(self, job: str, path: str) -> list[str] | None:
        """Returns the command of an export, or None."""
        return None

    def path(self, script: str) -> str:
        return os.path.join(self.folder, script)

    def data(self, file: str) -> str:
        return os.path.join(self.bench.data, file)

    def contestant(self, job: str) -> Contestant | None:
        if job in FILES:
            empty = lambda: remove(self.store)  # noqa: E731
            return Contestant(
                self.name, self.load(FILES[job]), self.fill if job == "J2" else empty
            )
        if job in OUTPUTS:
            path = self.bench.path(f"{self.name}-{OUTPUTS[job]}")
            command = self.write(job, path)
            prepare = lambda: (remove(path), self.fill())  # noqa: E731
        else:
            command = self.change(job) if job in ("J5", "J5u") else None
            prepare = self.fill
        return Contestant(self.name, command, prepare) if command else None

    def fill(self) -> None:
        """Replaces the store by a copy of a full one, which is built once."""
        if not os.path.exists(self.full):
            remove(self.store)
            run(self.load("tasks.ndjson.gz"))
            shutil.copy(self.store, self.full)
        remove(self.store)
        shutil.copy(self.full, self.store)


class SQLiteShell(Peer):
    name = "sqlite3"

    def load(self, file: str) -> list[str]:
        kind = file.split(".")[1]
        return [
            self.path("sqlite3_cli.sh"), kind, "full", self.store, self.data(file),
            self.data("categories.csv"),
        ]

    def change(self, job: str) -> list[str] | None:
        return ["sqlite3", self.store, f"{BEGIN} {DELETE if job == 'J5' else UPDATE}"]

    def write(self, job: str, path: str) -> list[str] | None:
        rows = CSV_ROWS if job == "J6v" else JSON_ROWS
        flags = "-csv -header" if job == "J6v" else ""
        into = "| gzip -6 >" if job == "J6" else ">"
        return ["bash", "-o", "pipefail", "-c", f'sqlite3 {flags} {self.store} "{rows}" {into} {path}']


class Python(Peer):
    name = "Python"

    def load(self, file: str) -> list[str]:
        kind = file.split(".")[1]
        return [
            sys.executable, self.path("stdlib_load.py"), kind, "full", self.store, self.data(file),
            self.data("categories.csv"),
        ]

    def write(self, job: str, path: str) -> list[str] | None:
        kind = "csv" if job == "J6v" else "ndjson"
        return [sys.executable, self.path("stdlib_export.py"), kind, self.store, path, "6"]


class DuckDB(Peer):
    name = "DuckDB"

    def __init__(self, bench: Bench, folder: str, python: str) -> None:
        super().__init__(bench, folder)
        self.command = [python, self.path("duck.py")]

    def load(self, file: str) -> list[str]:
        kind = file.split(".")[1]
        return [
            *self.command, "load", kind, "full", self.store, self.data(file),
            self.data("categories.csv"),
        ]

    def change(self, job: str) -> list[str] | None:
        return [*self.command, "delete", self.store] if job == "J5" else None

    def write(self, job: str, path: str) -> list[str] | None:
        return [*self.command, "export", "csv" if job == "J6v" else "ndjson", self.store, path]


def installed(bench: Bench, tools: str, python: str) -> list[Peer]:
    """Returns the tools that are installed."""
    folder = os.path.join(tools, "peers")
    peers: list[Peer] = [Python(bench, folder)]
    if shutil.which("sqlite3"):
        peers.append(SQLiteShell(bench, folder))
    if subprocess.run([python, "-c", "import duckdb"], capture_output=True).returncode == 0:
        peers.append(DuckDB(bench, folder, python))
    return peers
