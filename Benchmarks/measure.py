"""Runs commands in turn and takes the figures of each whole process with wait4."""

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
    """What one process took: seconds, and its peak memory in MB."""

    wall: float
    cpu: float
    peak: float


@dataclass
class Contestant:
    """A command that does a job.

    `prepare` makes what it starts from and is not timed; `check` looks at what it left, and
    raises where that is wrong: a fast wrong answer is none.
    """

    name: str
    command: list[str]
    prepare: Callable[[], None] = lambda: None
    check: Callable[[], None] = lambda: None


def run(
    command: list[str], pause: Callable[[], None] | None = None, every: float = 40
) -> Figures:
    """Runs a command to its end; one that fails ends the benchmark with what it said.

    With `pause` it is stopped every so many seconds while that is called, which is not timed.
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
                # It would stand for ever.
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
    """Whether a process ends before so many seconds are over; it is left to be waited for."""
    end = os.pidfd_open(pid)
    try:
        return bool(select.select([end], [], [], seconds)[0])
    finally:
        os.close(end)


def in_turn(contestants: list[Contestant], rounds: int) -> dict[str, list[Figures]]:
    """A B A B …: neighbours in time share the machine's mood, so their ratio means something."""
    taken: dict[str, list[Figures]] = {one.name: [] for one in contestants}
    for _ in range(rounds):
        for one in contestants:
            one.prepare()
            os.sync()
            taken[one.name].append(run(one.command))
            one.check()
    return taken


def ratios(ours: list[Figures], theirs: list[Figures]) -> list[float]:
    """Our wall time over theirs, pair by pair."""
    return [a.wall / b.wall for a, b in zip(ours, theirs)]


def median(values: list[float]) -> float:
    return statistics.median(values)


def remove(*paths: str) -> None:
    """Removes files, folders, and what SQLite and we keep beside a store."""
    for path in paths:
        for end in ("", "-wal", "-shm", "-journal", ".etl-lock"):
            if os.path.isdir(path + end):
                shutil.rmtree(path + end)
            elif os.path.exists(path + end):
                os.remove(path + end)
