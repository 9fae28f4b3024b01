"""Spheres of a material over the range of each varied input, the network's below its teacher's."""

from __future__ import annotations

from typing import Any

import numpy as np

from neuralshade.base.work import counted
from neuralshade.kinds.material.judging.evaluate import Compared
from neuralshade.kinds.material.judging.judge import on_screen
from neuralshade.kinds.material.judging.lit import key_light, sphere
from neuralshade.measure.display import PagePicture, shown

STEPS = 5  # of a range, its ends among them
SIDE_PX = 192


def varied_rows(compared: Compared) -> list[tuple[str, list[PagePicture]]]:
    """Return of each varied input its name, and pictures: of the material, then of the network.

    All other inputs are as the asset was opened with.
    """
    varied = compared.opened.varied
    return [(one.name, _row(compared, number))
            for number, one in counted("drawing over ranges", list(enumerate(varied)),
                                       len(varied))]  # fmt: skip


def _row(compared: Compared, number: int) -> list[PagePicture]:
    """Return the material at STEPS values of an input, then the network there."""
    seen, one = sphere(SIDE_PX, SIDE_PX), compared.opened.varied[number]
    halves: dict[str, list[PagePicture]] = {"Material": [], "Network": []}
    for share in np.linspace(0, 1, STEPS):
        shares: list[Any] = list(compared.opened.shares)
        shares[number] = share
        at = seen.at(shares)
        shades = (compared.teacher.eval, compared.opened.eval)
        for title, shade in zip(halves, shades, strict=True):
            picture = on_screen(at.lit(shade, key_light()))
            halves[title].append(shown(f"{title}, {one.value(share):g}", "", picture))
    return halves["Material"] + halves["Network"]
