"""What a person sees of a user's task: what was trained, and whether its derivatives are right."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from neuralshade.fitting.facts import MOST_SHOWN, result_facts
from neuralshade.kinds.shader.check_gradients import GradientRow
from neuralshade.kinds.shader.fit import ShaderResult

GRADIENTS_NOTE = """\
numbers: compared, at the start and moved a little, of all that the member has
largest error: between derivative and difference, of those that the verdict is about
allowed: 0.2 % of that derivative, 0.1 % of the largest, 3 x what the difference is unsure by
of largest: the error as a share of the member's largest derivative"""


def task_facts(result: ShaderResult) -> dict[str, Any]:
    """Return the result as plain JSON data; of large members their shapes only."""
    return result_facts(result)


def print_task(result: ShaderResult) -> None:
    """Print what a fit reached, and small trained members."""
    print(f"{result.asset}: loss {result.loss:.4g} in {result.asset_bytes:,} bytes")
    print(f"{result.steps:,} steps in {result.seconds:.1f} s on {result.device}, "
          f"{result.samples_per_second / 1e6:.2f} M threads/s")  # fmt: skip
    for name, array in result.members.items():
        if array.size <= MOST_SHOWN:
            print(f"  {name} = {np.array2string(array, precision=6, separator=', ', prefix='  ')}")


def print_losses(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a task's mean loss over random numbers of no fit."""
    for row in rows:
        print(f"{row['name']}: loss {row['loss']:.6g} +- {row['standard_error']:.2g} (standard "
              f"error) over {row['steps']:,} x {row['threads']:,} threads, random numbers of no "
              "fit")  # fmt: skip


def print_gradients(rows: Sequence[GradientRow]) -> None:
    """Print the table of derivatives beside differences, and what its columns are."""
    table = Table(box=None, pad_edge=False)
    table.add_column("member")
    for title in ("numbers", "largest error", "allowed", "of largest"):
        table.add_column(title, justify="right")
    for title in ("where", "derivative, difference", "verdict"):
        table.add_column(title)
    for row in rows:
        pair = f"{row.derivative:.6g}, {row.difference:.6g}"
        table.add_row(row.member, f"{row.numbers:,} of {row.size:,}", f"{row.error:.3g}",
                      f"{row.allowed:.3g}", f"{row.relative:.2g}", f"{row.where}, {row.place}",
                      pair, row.verdict)  # fmt: skip
    person = sys.stdout is not None and sys.stdout.isatty()
    Console(width=None if person else 160, markup=False).print(table)
    for row in rows:
        for line in _left_open(row):
            print(f"{row.member}: {line}")
    print(GRADIENTS_NOTE)


def _left_open(row: GradientRow) -> list[str]:
    """Return what was compared without an answer, and why."""
    lines = []
    if row.kinks:
        lines.append(f"{row.kinks:,} comparisons are at a kink, where both sides' slopes differ")
    if row.lost:
        lines.append(f"{row.lost:,} comparisons are lost in the rounding of the loss")
    if row.undefined:
        first, *others = row.undefined
        more = f" and {len(others):,} more" if others else ""
        lines.append(f"not compared at {first}{more}: the loss is no number on a side of it")
    return lines
