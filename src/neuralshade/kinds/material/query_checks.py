"""Argument checks of BSDF queries, with conversion to float32.

``at`` names the argument in errors: method and argument, "eval.uv".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.errors import ConfigError, ShapeError
from neuralshade.kinds.material.levels import levels_of
from neuralshade.kinds.material.references.reference_bsdf import places

Floats = npt.NDArray[np.float32]

UNIT = 1e-3  # tolerance of a direction's length
ROUNDED = 1e-5  # tolerance of a share's range
BELOW_ONE = np.nextafter(np.float32(1), np.float32(0))


def check_places(
    verb: str, uv: npt.ArrayLike, level: npt.ArrayLike, shares: Sequence[float]
) -> tuple[Floats, Floats]:
    """Return places, [n, 2 + V], and their levels, [n].

    Args:
        verb: the method, for errors.
        uv: [n, 2], or [n, 2 + V] with a share in [0, 1] of each varied input.
        level: a number, or [n].
        shares: the V shares of places without.

    Raises: ShapeError for another shape, and for numbers that are not finite; ConfigError for a
        share beyond [0, 1].
    """
    form = "[n, 2]" + (f" or, with shares of inputs, [n, {2 + len(shares)}]" if shares else "")
    at = _numbers(f"{verb}.uv", uv, form)
    if at.ndim != 2 or at.shape[1] not in (2, 2 + len(shares)):
        raise ShapeError(f"{verb}.uv: got shape {list(at.shape)}, need {form}. Put each place into "
                         "a row of its own.")  # fmt: skip
    _check_range(f"{verb}.uv", at[:, 2:], "shares of varied inputs", ROUNDED)
    levels = _numbers(f"{verb}.level", level, "one number or [n]")
    if levels.shape not in ((), (len(at),)):
        raise ShapeError(f"{verb}.level: got shape {list(levels.shape)}, need one number or "
                         f"[{len(at)}], as many as places. Change it.")  # fmt: skip
    return places(at, shares), levels_of(levels, len(at))


def check_directions(at: str, vectors: npt.ArrayLike, count: int) -> Floats:
    """Return ``count`` directions, [n, 3], of length 1.

    Raises: ShapeError as for ``check_places``; ConfigError for another length.
    """
    found = _rows(at, vectors, count)
    lengths = np.sqrt(np.einsum("ij,ij->i", found, found))
    bad = np.flatnonzero(np.abs(lengths - 1) > UNIT)
    if len(bad):
        raise ConfigError(f"{at}: got a direction of length {lengths[bad[0]]:.4g} in row {bad[0]}, "
                          "need length 1. Divide each by its length.")  # fmt: skip
    return found


def check_uniform(at: str, numbers: npt.ArrayLike, count: int) -> Floats:
    """Return float32 [n, 3] in [0, 1); 1 becomes the number below.

    Raises: ShapeError as for ``check_places``; ConfigError for numbers beyond.
    """
    found = _rows(at, numbers, count)
    _check_range(at, found, "numbers", 0.0)
    return np.minimum(found, BELOW_ONE)


def columns(rows: Floats) -> torch.Tensor:
    """Return vectors [n, 3] as columns: float32 [3, n]."""
    return torch.from_numpy(np.ascontiguousarray(rows.T))


def _rows(at: str, rows: npt.ArrayLike, count: int) -> Floats:
    """Return float32 [count, 3], checked."""
    found = _numbers(at, rows, f"[{count}, 3]")
    if found.shape != (count, 3):
        raise ShapeError(f"{at}: got shape {list(found.shape)}, need [{count}, 3], a row for each "
                         "place of uv. Repeat what is for all.")  # fmt: skip
    return found


def _numbers(at: str, values: Any, form: str) -> Floats:
    """Return finite numbers as writable float32: PyTorch warns of read-only ones."""
    try:
        with np.errstate(over="ignore"):
            found = np.require(np.asarray(values, np.float32), requirements=["C", "W"])
    except (TypeError, ValueError, RuntimeError) as error:
        raise ShapeError(f"{at}: got no numbers ({error}), need floats {form}. Pass an array or a "
                         "list of rows.") from error  # fmt: skip
    if not np.isfinite(found).all():
        raise ShapeError(f"{at}: got NaN or infinity, need finite numbers. Replace them first.")
    return found


def _check_range(at: str, found: Floats, what: str, slack: float) -> None:
    """Raise ConfigError for numbers beyond [0, 1] by more than ``slack``."""
    if found.size and not (found.min() >= -slack and found.max() <= 1 + slack):
        raise ConfigError(f"{at}: got {what} from {found.min():.4g} to {found.max():.4g}, need "
                          "them from 0 to 1. Change them.")  # fmt: skip
