"""Runs commands in turn and gets the figures of each process with wait4."""

import os
import select
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Figures:
    """The wall and CPU seconds of one process, and its peak memory in MB."""

    wall: float
    cpu: float
    peak: float


@dataclass
class Contestant:
    """A command that does a job.

    `prepare` creates the starting point and is not timed. `check` inspects the result, and raises
    if it is wrong.
    """

    name: str
    command: list[str]
    prepare: Callable[[], None] = lambda: None
    check: Callable[[], None] = lambda: None


def run(
    command: list[str], pause: Callable[[], None] | None = None, every: float = 40
) -> Figures:
    """Runs a command until it exits. If it fails, ends the benchmark with its output.

    With `pause`, the command is stopped every `every` seconds while `pause` runs. This time is not
    counted.
    """
    stopped = 0.0
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said
        )
        while pause and not ends_within(process.pid, every):
            process.send_signal(signal.SIGSTOP)
            left = time.monotonic()
            try:
                pause()
            except BaseException:
                # A stopped process would never end.
                process.kill()
                raise
            stopped += time.monotonic() - left
            process.send_signal(signal.SIGCONT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began - stopped
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise SystemExit(
                f"{' '.join(command)}\nended with {process.returncode}:\n"
                + said.read().decode(errors="replace")
            )
    return Figures(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def ends_within(pid: int, seconds: float) -> bool:
    """Returns whether a process ends within `seconds`. The caller still has to wait for it."""
    end = os.pidfd_open(pid)
    try:
        return bool(select.select([end], [], [], seconds)[0])
    finally:
        os.close(end)


def in_turn(contestants: list[Contestant], rounds: int) -> dict[str, list[Figures]]:
    """Runs A B A B …. Adjacent runs meet the machine in a similar state, so their ratio is useful."""
    taken: dict[str, list[Figures]] = {one.name: [] for one in contestants}
    for _ in range(rounds):
        for one in contestants:
            one.prepare()
            os.sync()
            taken[one.name].append(run(one.command))
            one.check()
    return taken


def ratios(ours: list[Figures], theirs: list[Figures]) -> list[float]:
    """Returns the ratio of our wall time to theirs, pair by pair."""
    return [a.wall / b.wall for a, b in zip(ours, theirs)]


def median(values: list[float]) -> float:
    return statistics.median(values)


def remove(*paths: str) -> None:
    """Removes files and folders, and the files that SQLite and etl keep next to a store."""
    for path in paths:
        for end in ("", "-wal", "-shm", "-journal", ".etl-lock"):
            if os.path.isdir(path + end):
                shutil.rmtree(path + end)
            elif os.path.exists(path + end):
                os.remove(path + end)
