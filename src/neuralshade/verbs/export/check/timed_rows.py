"""Rows of a check: the golden ones, repeated until time can be measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neuralshade.model.shader_form import Golden

Floats = npt.NDArray[np.float32]
ROWS = 65_536  # at which a function is timed; a power of two


@dataclass(frozen=True)
class CheckRun:
    """Result of one program."""

    results: Floats  # [n, numbers of a result], of the golden rows
    ns: float | None  # a row, wall clock; None where nothing was timed
    on: str  # what it ran on


def many_rows(golden: Golden, rows: int = ROWS) -> Floats:
    """Return golden rows repeated: float32 [rows, numbers of a row]."""
    times = -(-rows // len(golden.inputs))
    return np.ascontiguousarray(np.tile(golden.inputs, (times, 1))[:rows], np.float32)


def error_of(golden: Golden, answers: Floats) -> float:
    """Return the largest difference from golden rows, in the measure of their tolerance.

    Infinity where a number is not finite.
    """
    off = np.abs(answers.astype(np.float64) - golden.outputs)
    if golden.relative_to is not None:
        off = off / (np.abs(golden.outputs) + golden.relative_to)
    return float(off.max()) if np.isfinite(off).all() else float("inf")
