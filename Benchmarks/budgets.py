"""Committed figures, and whether what was measured is within them."""

import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "budgets.json")
# What a ratio may grow by.
RATIO_SLACK = 1.2
# Requests for memory are counted exactly, but threads meet in other orders from run to run, by which
# a few of a thousand records come and go.
ALLOCATION_SLACK = 1.05
ALLOCATIONS_MORE = 10.0


def read() -> dict:
    if not os.path.exists(FILE):
        return {}
    with open(FILE) as file:
        return json.load(file)


def write(part: str, found: dict[str, float]) -> None:
    """Replaces the figures of one part that were measured, and keeps the others."""
    budgets = read()
    budgets.setdefault(part, {}).update(found)
    with open(FILE, "w") as file:
        json.dump(budgets, file, indent=2, sort_keys=True, ensure_ascii=False)
        file.write("\n")


def over(part: str, found: dict[str, float], limit) -> list[str]:
    """A line for each figure that is above what `limit` makes of the committed one, or has none."""
    committed = read().get(part, {})
    lines = []
    for name, value in found.items():
        if name not in committed:
            lines.append(f"{name}: {value}, and {part} has none committed")
        elif value > limit(committed[name]):
            lines.append(f"{name}: {value}, committed {committed[name]}")
    return lines


def ratio_limit(committed: float) -> float:
    return committed * RATIO_SLACK


def allocation_limit(committed: float) -> float:
    return committed * ALLOCATION_SLACK + ALLOCATIONS_MORE
