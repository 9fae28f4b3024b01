"""Report section of varied inputs: spheres of reference and network over each range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.progress_scope import counted
from neuralshade.kinds.material.judging.evaluate import Comparison
from neuralshade.kinds.material.judging.judge import on_screen
from neuralshade.kinds.material.judging.lit_surfaces import at_centers, sphere
from neuralshade.measure.display import PagePicture, error_picture, shown

Floats = npt.NDArray[np.float32]
STEPS = 5  # of a range, both ends included, shown in a row
BETWEEN = 2  # slider stops between two steps
SIDE_PX = 192
ERROR_SCALE = 4  # of differences in sRGB, around grey
SAME = 1e-6  # shares closer than this are one stop


@dataclass(frozen=True)
class Stop:
    """A value of an input with the pictures of reference, network and difference."""

    value: str
    in_row: bool
    pictures: list[PagePicture]


@dataclass(frozen=True)
class SweptInput:
    """An input, its stops from low to high, and the stop that the asset was opened with."""

    name: str
    stops: list[Stop]
    first: int


def compared_panes(material: Floats, network: Floats, behind: str = "") -> list[PagePicture]:
    """Return both and their difference, [h, w, 3] in sRGB; ``behind``: suffix of their names."""
    error = error_picture(material, network, ERROR_SCALE)
    named = (("Material", material), ("Network", network), ("Difference", error))
    return [shown(f"{name}{behind}", "", picture) for name, picture in named]


def swept_inputs(compared: Comparison) -> list[SweptInput]:
    """Return each varied input over its range; the others stay as the asset was opened."""
    return [_swept(compared, number) for number in range(len(compared.opened.varied))]


def _swept(compared: Comparison, number: int) -> SweptInput:
    one, usual = compared.opened.varied[number], compared.opened.shares[number]
    stops = _stops(usual)
    drawn = [Stop(f"{one.value(share):g}", in_row, _pictures(compared, number, share))
             for share, in_row in counted(f"drawing over {one.name}", stops,
                                          len(stops))]  # fmt: skip
    nearest = min(range(len(stops)), key=lambda stop: abs(stops[stop][0] - usual))
    return SweptInput(one.name, drawn, nearest)


def _stops(usual: float) -> list[tuple[float, bool]]:
    """Return shares of a range, evenly spread, and the default; and which are in the row."""
    even = np.linspace(0, 1, (STEPS - 1) * BETWEEN + 1).tolist()
    stops = [(share, i % BETWEEN == 0) for i, share in enumerate(even)]
    if min(abs(share - usual) for share in even) > SAME:
        stops.append((usual, False))
    return sorted(stops)


def _pictures(compared: Comparison, number: int, share: float) -> list[PagePicture]:
    shares: list[Any] = list(compared.opened.shares)
    shares[number] = share
    at, value = sphere(SIDE_PX, SIDE_PX).at(shares), compared.opened.varied[number].value(share)
    shades = (compared.reference.eval, compared.opened.eval)
    material, network = (on_screen(at.lit_by_default(at_centers(shade), compared.opened.sample))
                         for shade in shades)  # fmt: skip
    return compared_panes(material, network, f", {value:g}")
