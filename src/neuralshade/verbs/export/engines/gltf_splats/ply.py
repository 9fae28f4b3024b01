"""PLY of splats as the training code of 3D Gaussian Splatting writes it.

Its axes are those of that code: x to the right, y down, z away from the viewer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.verbs.export.engines.gltf_splats.geometry import FlatSplats
from neuralshade.verbs.export.engines.gltf_splats.glb import SH_0, THIN

COLUMNS = ("x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0",
           "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3")  # fmt: skip


def ply(splats: FlatSplats, colors: npt.NDArray[Any]) -> bytes:
    """Return a file of splats; ``colors`` [N, 3], sRGB-encoded."""
    scales, angles = splats.axes
    still, opacities = np.zeros(len(angles)), splats.opacities
    logits = np.log(opacities / (1 - opacities))
    # Turned by half a turn about x: angles in the plane change their sign
    rows = [splats.positions * [1, -1, -1], np.stack([still, still, still], 1),
            (colors - 0.5) / SH_0, logits[:, None], np.log(scales),
            np.full((len(angles), 1), np.log(THIN)),
            np.stack([np.cos(angles / 2), still, still, -np.sin(angles / 2)], 1)]  # fmt: skip
    numbers = np.concatenate(rows, axis=1).astype("<f4")
    assert numbers.shape[1] == len(COLUMNS)
    head = ["ply", "format binary_little_endian 1.0", "comment written by neuralshade export",
            f"element vertex {len(numbers)}", *(f"property float {one}" for one in COLUMNS),
            "end_header", ""]  # fmt: skip
    return "\n".join(head).encode() + numbers.tobytes()
