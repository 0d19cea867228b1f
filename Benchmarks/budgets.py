"""Committed figures, and the check that measured figures are within them."""

import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "budgets.json")
# The factor by which a ratio may grow.
RATIO_SLACK = 1.2
# Allocations are counted exactly, but threads meet in a different order in each run, which changes
# the count by a few per thousand records.
ALLOCATION_SLACK = 1.05
ALLOCATIONS_MORE = 10.0


def read() -> dict:
    if not os.path.exists(FILE):
        return {}
    with open(FILE) as file:
        return json.load(file)


def write(part: str, found: dict[str, float]) -> None:
    """Replaces the measured figures of one part, and keeps the others."""
    budgets = read()
    budgets.setdefault(part, {}).update(found)
    with open(FILE, "w") as file:
        json.dump(budgets, file, indent=2, sort_keys=True, ensure_ascii=False)
        file.write("\n")


def over(part: str, found: dict[str, float], limit) -> list[str]:
    """Returns a line for each figure above the limit of its committed one, or without one."""
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
