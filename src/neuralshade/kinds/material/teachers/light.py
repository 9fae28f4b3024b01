"""What a teacher's light must be: finite, and of 0 or more. Device half: light.slang."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError

Floats = npt.NDArray[np.float32]

# Of light below 0, so much is rounding: MaterialX's is a sum less what shines by itself.
ROUNDED = 1e-3
LIGHT = f"""static const float TEACHER_ROUNDED = {ROUNDED};
#include "neuralshade/kinds/material/teachers/light.slang"
"""


def check_finite(owner: str, what: str, found: Floats, **asked: Floats) -> None:
    """Refuse values that are not finite.

    Args:
        owner: the file, or what else messages call the material.
        what: the function that answered.
        found: float32 [n, C].
        asked: float32 [n, ...] each, what it was asked, by its names there.

    Raises: ConfigError, saying at which place, and of how many.
    """
    bad = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(bad):
        places = _places(bad, len(found), asked)
        raise ConfigError(f"{owner}: {what} is not finite at {places}, need numbers. Look for a "
                          "division by 0 or a root of less.")  # fmt: skip


def check_light(owner: str, what: str, found: Floats, **asked: Floats) -> None:
    """Refuse light that is not finite, or below 0; see ``check_finite``."""
    check_finite(owner, what, found, **asked)
    bad = np.flatnonzero((found < 0).any(axis=1))
    if len(bad):
        places = _places(bad, len(found), asked)
        raise ConfigError(f"{owner}: {what} is below 0 at {places}, need light of 0 or more. Clamp "
                          "it, or the colors that it reads.")  # fmt: skip


def _places(bad: npt.NDArray[np.intp], count: int, asked: Mapping[str, Floats]) -> str:
    """Return where the first of the bad is, and how many more there are."""
    place = ", ".join(f"{name} {np.round(values[bad[0]].astype(float), 4).tolist()}"
                      for name, values in asked.items())  # fmt: skip
    return f"{place} (and {len(bad) - 1:,} more of {count:,} places)"
