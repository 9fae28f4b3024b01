"""What an inference evaluates: pixels of a picture or listed positions.

Device half: infer.view.slang.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.source.crop import Crop

VIEW = np.dtype(
    [
        ("first", "<f4", 2),
        ("extent", "<f4", 2),
        ("size_px", "<u4", 2),
        ("count", "<u4"),
        ("begin", "<u4"),
        ("groups", "<u4"),
        ("unused", "<u4"),
    ]
)


def pixels_view(width: int, height: int, crop: Crop) -> npt.NDArray[Any]:
    """Return the view of all pixels that cover ``crop``."""
    view = np.zeros(1, VIEW)
    u0, v0, u1, v1 = crop
    view["first"], view["extent"], view["size_px"] = (u0, v0), (u1 - u0, v1 - v0), (width, height)
    view["count"] = width * height
    return view


def listed_view(count: int) -> npt.NDArray[Any]:
    """Return the view of the first ``count`` listed positions."""
    view = np.zeros(1, VIEW)
    view["count"] = count
    return view
