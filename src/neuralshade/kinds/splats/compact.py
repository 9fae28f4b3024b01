"""Levels of Gaussians from which a page makes the words of their shader. Its half: rebuild.js."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from neuralshade.kinds.splats.coding.point_order import morton, square_bits
from neuralshade.kinds.splats.shader_lists import CELL_PX, SHORT, SLACK
from neuralshade.model.gaussian import LARGEST_OPACITY
from neuralshade.model.shader_form import Compact

if TYPE_CHECKING:
    from neuralshade.kinds.splats.opened import OpenedSplats

MOST_BITS = 16  # of x and of y that share a word
SCRIPT = "rebuild.js"


def compact_words(opened: OpenedSplats) -> Compact:
    """Return positions along the Z curve, what exceeds it, then each attribute's levels.

    A set of Gaussians is sorted along the curve, so that its steps are small.
    """
    facts, cloud = opened.header.own["cloud"], opened.cloud
    first, step = (np.array(facts[name], np.float64)[:, None] for name in ("first", "step"))
    levels = np.rint(cloud.values.double().numpy() / step - first).astype(np.int64)
    bits = square_bits(facts["levels"][0], facts["levels"][1])
    below = max(0, bits - MOST_BITS)
    place = morton(levels[0] >> below, levels[1] >> below, bits - below)
    rest = levels[:2] & ((1 << below) - 1)
    values = {
        "first": facts["first"], "step": facts["step"], "below": below,
        "channels": len(cloud.background), "width": cloud.width, "height": cloud.height,
        "cutoff": cloud.compositing.cutoff, "cell": CELL_PX, "slack": SLACK, "short": SHORT,
        "opacity": LARGEST_OPACITY * cloud.compositing.opacity,
    }  # fmt: skip
    arrays = tuple(row.astype(np.uint32) for row in (place, *rest, *levels[2:]))
    return Compact(arrays, page_script(), values)


def page_script() -> str:
    """Return the function without indents and comments, which pages need not carry."""
    text = Path(__file__).with_name(SCRIPT).read_text(encoding="ascii")
    lines = [line.strip() for line in text.splitlines()]
    return "\n".join(line for line in lines if line and not line.startswith("//"))
