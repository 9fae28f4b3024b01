"""Checks of a reference's light: finite, not negative, bounded. Device half: light.slang."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.errors import ConfigError
from neuralshade.sampler.material_directions import hemisphere

Floats = npt.NDArray[np.float32]
Pair = tuple[Sequence[float], Sequence[float]]  # wi and wo

# Light below 0 by less than this is rounding: MaterialX's is a difference to emission.
ROUNDED = 1e-3
# Above it, squared errors approach float32's limit; a mirror as smooth as 1e-5 is below.
BRIGHTEST = 1e15
# A material returns at most the light that falls on it; some graphs a little more.
MOST_SENT, SENT_PAIRS = 100.0, 4096
LIGHT = f"""static const float REFERENCE_ROUNDED = {ROUNDED};
#include "neuralshade/kinds/material/references/light.slang"
"""


def check_finite(owner: str, what: str, found: Floats, **arguments: Floats) -> None:
    """Refuse values that are not finite.

    Args:
        owner: the file, or the material's name in messages.
        what: the function that returned them.
        found: float32 [n, C].
        arguments: float32 [n, ...] each, its arguments by name.

    Raises: ConfigError, with the first place and the count.
    """
    if not found.size or (math.isfinite(found.min()) and math.isfinite(found.max())):
        return  # both are NaN if any value is; 50 times as fast as a look at each
    bad = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(bad):
        places = _places(bad, len(found), arguments)
        raise ConfigError(f"{owner}: {what} is not finite at {places}, need numbers. Look for a "
                          "division by 0 or a root of less.")  # fmt: skip


def check_light(owner: str, what: str, found: Floats, **arguments: Floats) -> None:
    """Refuse light that is not finite, below 0 or above BRIGHTEST; see ``check_finite``."""
    if not found.size or (found.min() >= 0 and found.max() <= BRIGHTEST):
        return
    check_finite(owner, what, found, **arguments)
    bad = np.flatnonzero((found > BRIGHTEST).any(axis=1))
    if len(bad):
        places = _places(bad, len(found), arguments)
        raise ConfigError(f"{owner}: {what} is {found[bad[0]].max():.3g} at {places}, need at most "
                          f"{BRIGHTEST:g}. Scale it down.")  # fmt: skip
    bad = np.flatnonzero((found < 0).any(axis=1))
    if len(bad):
        places = _places(bad, len(found), arguments)
        raise ConfigError(f"{owner}: {what} is below 0 at {places}, need light of 0 or more. Clamp "
                          "it, or the colors that it reads.")  # fmt: skip


def check_bright(
    owner: str, answer: Callable[[Floats, Floats, Floats], Floats], inputs: int
) -> None:
    """Refuse a material that returns far more light than falls on it, at most places.

    Its spheres are white under every light, so fits of it cannot be judged.

    Args:
        answer: f * cos of uv, wi and wo, see ``ReferenceKernels.eval``.
        inputs: number of varied inputs behind uv.

    Raises: ConfigError, also for invalid values of ``answer``.
    """
    shares = torch.rand((SENT_PAIRS, 6 + inputs), generator=torch.Generator().manual_seed(0))
    uv, at = shares[:, 4:].contiguous().numpy(), shares[:, :4].t()
    wi, wo = (hemisphere(*at[first : first + 2]).t().contiguous().numpy() for first in (0, 2))
    sent = float(np.median(answer(uv, wi, wo).max(axis=1))) * 2 * math.pi
    if sent > MOST_SENT:
        raise ConfigError(f"{owner}: got about {sent:.3g} times the light that falls on it sent "
                          f"back, need at most {MOST_SENT:g}, and 1 of what keeps energy. Scale "
                          "its colors down.")  # fmt: skip


def check_values(owner: str, found: Floats, uv: Floats, probes: Sequence[Pair]) -> None:
    """Refuse values of ``parameters`` [n, P] that are not finite; see ``check_finite``.

    ``probes``: direction pairs whose light the values are, three a pair, repeated; empty for a
    material with its own values.
    """
    if not probes:
        check_finite(owner, "parameters", found, uv=uv)
    elif not np.isfinite(found).all():
        light = found.reshape(-1, 3)
        columns = zip(*probes, strict=True)
        wi, wo = (np.tile(np.array(w, np.float32), (len(light) // len(probes), 1)) for w in columns)
        check_finite(owner, "eval", light, uv=uv.repeat(len(light) // len(uv), 0), wi=wi, wo=wo)


def _places(bad: npt.NDArray[np.intp], count: int, arguments: Mapping[str, Floats]) -> str:
    """Return the place of the first bad value, and how many more there are."""
    place = ", ".join(f"{name} {np.round(values[bad[0]].astype(float), 4).tolist()}"
                      for name, values in arguments.items())  # fmt: skip
    return f"{place} (and {len(bad) - 1:,} more of {count:,} places)"
