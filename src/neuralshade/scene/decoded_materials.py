"""Which of a scene's materials decoders of frames evaluate, and which one each."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from neuralshade.gpu.gpu import Gpu
from neuralshade.model.frame_decoder import Framed, FrameDecoder
from neuralshade.model.scattering import Scattering
from neuralshade.scene.material_sort import MOST_MATERIALS

Decoding = Literal["matrices", "any", "none"]
NO_DECODER = 0xFFFFFFFF


@dataclass(frozen=True)
class DecodedMaterials:
    """Decoders, one of an architecture each, and their materials one after the other."""

    decoders: Sequence[FrameDecoder]
    places: Mapping[int, int]  # of a stage's material among those that are decoded
    table: npt.NDArray[np.uint32]  # [places + 1, 4]: decoder, index there, side in texels, 0

    @property
    def rest(self) -> int:
        """Return the place of all else, the table's last row, which has NO_DECODER."""
        return len(self.places)


def decoded_materials(
    gpu: Gpu, materials: Sequence[Scattering], decoding: Decoding
) -> DecodedMaterials | None:
    """Return what decoders of frames evaluate.

    None where that is nothing, and where materials are more than points are sorted by.

    Args:
        gpu: what they run on.
        materials: of a stage.
        decoding: matrices: those that the device evaluates on its matrix units; any: all that a
            decoder takes, by loops, too; none.
    """
    alike: dict[Hashable, list[int]] = {}
    for index, one in enumerate(materials):
        if one.framed is not None and _is_decoded(gpu, one.framed, decoding):
            alike.setdefault(one.framed.architecture, []).append(index)
    count = sum(len(members) for members in alike.values())
    if not 1 <= count < MOST_MATERIALS:
        return None
    decoders, places = list[FrameDecoder](), dict[int, int]()
    table = np.zeros((count + 1, 4), np.uint32)
    table[count, 0] = NO_DECODER
    for members in alike.values():
        all_framed = [one for one in (materials[index].framed for index in members) if one]
        for own, (index, framed) in enumerate(zip(members, all_framed, strict=True)):
            places[index] = len(places)
            table[places[index], :3] = len(decoders), own, framed.side
        decoders.append(all_framed[0].decoder(gpu, all_framed))
    return DecodedMaterials(decoders, places, table)


def _is_decoded(gpu: Gpu, framed: Framed, decoding: Decoding) -> bool:
    return decoding == "any" or (decoding == "matrices" and framed.path(gpu) != "fma")
