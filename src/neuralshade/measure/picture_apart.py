"""Picture in the textures of equal bytes that a GPU samples, measured by a process."""

from __future__ import annotations

from collections.abc import Sequence

from neuralshade.asset.texture.texture_format import FORMATS
from neuralshade.measure.astc import squares_within
from neuralshade.measure.rival_process import RivalProcess, measured_apart
from neuralshade.measure.verdict import SAME_BYTES
from neuralshade.source.picture import Picture

TASK = "neuralshade.measure.picture_rivals:picture_rivals"  # which only that process loads
BC1 = FORMATS["bc1"]


def textures_within(picture: Picture, byte_count: float) -> list[str]:
    """Return the finest ASTC, and BC1, as far as they fit into the bytes."""
    height, width, most = picture.height, picture.width, SAME_BYTES * byte_count
    astc = [f"ASTC {side}x{side}" for side in squares_within(height, width, most)]
    blocks = -(-height // BC1.side_px) * -(-width // BC1.side_px)
    return astc[:1] + ["BC1"] * (blocks * BC1.compressed_bytes <= most)


def psnr_apart(
    picture: Picture, names: Sequence[str], process: RivalProcess | None = None
) -> dict[str, float | None]:
    """Return the PSNR in dB of a picture in textures by name, of ``measured_apart``.

    None for ASTC where its encoder is not installed.
    """
    return measured_apart(TASK, {"names": list(names)}, [picture.as_float()], process)
