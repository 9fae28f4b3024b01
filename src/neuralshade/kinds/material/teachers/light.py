"""What a teacher's light must be: finite, and of 0 or more. Device half: light.slang."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError

Floats = npt.NDArray[np.float32]
Pair = tuple[Sequence[float], Sequence[float]]  # wi and wo

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


def check_values(owner: str, found: Floats, uv: Floats, probes: Sequence[Pair]) -> None:
    """Refuse values of ``parameters`` [n, P] that are not finite; see ``check_finite``.

    ``probes``: pairs of whose light they are made, three of each pair, over and over; none where a
    material has values of its own.
    """
    if not probes:
        check_finite(owner, "parameters", found, uv=uv)
    elif not np.isfinite(found).all():
        light = found.reshape(-1, 3)
        columns = zip(*probes, strict=True)
        wi, wo = (np.tile(np.array(w, np.float32), (len(light) // len(probes), 1)) for w in columns)
        check_finite(owner, "eval", light, uv=uv.repeat(len(light) // len(uv), 0), wi=wi, wo=wo)


def _places(bad: npt.NDArray[np.intp], count: int, asked: Mapping[str, Floats]) -> str:
    """Return where the first of the bad is, and how many more there are."""
    place = ", ".join(f"{name} {np.round(values[bad[0]].astype(float), 4).tolist()}"
                      for name, values in asked.items())  # fmt: skip
    return f"{place} (and {len(bad) - 1:,} more of {count:,} places)"
