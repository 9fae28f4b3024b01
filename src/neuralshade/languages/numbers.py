"""Number literals of all shading languages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

LANES = "xyzw"


def number(value: float, half: bool = False) -> str:
    """Return a finite number's text with a point or an exponent, so that it is a float.

    As short as possible: parsing returns the same float32, or float16.
    """
    rounded = np.float16(value) if half else np.float32(value)
    text = np.format_float_scientific(rounded, unique=True, trim="-", exp_digits=1)
    plain = np.format_float_positional(rounded, unique=True, trim="-")
    short = plain if len(plain) <= len(text) + 1 else text.replace("e+", "e")
    return short if "." in short or "e" in short else f"{short}.0"


def vector(values: Sequence[float] | npt.NDArray[np.floating], half: bool = False) -> str:
    """Return a constructor of two to four numbers, or one number alone."""
    listed = ", ".join(number(value, half) for value in values)
    kind = "half" if half else "float"
    return listed if len(values) == 1 else f"{kind}{len(values)}({listed})"


def lane(prefix: str, index: int) -> str:
    """Return number ``index`` of the float4 PREFIX0, PREFIX1 ..."""
    return f"{prefix}{index // 4}.{LANES[index % 4]}"


def fours(count: int) -> int:
    """Return how many float4 hold so many numbers."""
    return -(-count // 4)
