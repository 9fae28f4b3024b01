"""Materials of a scene that batched decoders evaluate."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from neuralshade.gpu.gpu import Gpu
from neuralshade.model.batched_decoder import BatchedDecoder, BatchedMaterial
from neuralshade.model.scattering import Scattering
from neuralshade.scene.material_sort import MOST_MATERIALS

Decoding = Literal["matrices", "any", "none"]
NO_DECODER = 0xFFFFFFFF


@dataclass(frozen=True)
class DecodedMaterials:
    """Decoders, one for each architecture, and their materials in order."""

    decoders: Sequence[BatchedDecoder]
    places: Mapping[int, int]  # from a scene's material index to its row in ``table``
    table: npt.NDArray[np.uint32]  # [places + 1, 4]: decoder, index there, side in texels, 0

    @property
    def rest(self) -> int:
        """Return the table's last row, for all other materials; it has NO_DECODER."""
        return len(self.places)


def decoded_materials(
    gpu: Gpu, materials: Sequence[Scattering], decoding: Decoding
) -> DecodedMaterials | None:
    """Return the materials that batched decoders evaluate.

    None where there are none, or more than material_sort supports.

    Args:
        gpu: the device.
        materials: of a scene.
        decoding: matrices: only what the device evaluates on its matrix units; any: also through
            loops; none.
    """
    alike: dict[Hashable, list[int]] = {}
    for index, one in enumerate(materials):
        if one.batched is not None and _is_decoded(gpu, one.batched, decoding):
            alike.setdefault(one.batched.architecture, []).append(index)
    count = sum(len(members) for members in alike.values())
    if not 1 <= count < MOST_MATERIALS:
        return None
    decoders, places = list[BatchedDecoder](), dict[int, int]()
    table = np.zeros((count + 1, 4), np.uint32)
    table[count, 0] = NO_DECODER
    for members in alike.values():
        all_batched = [one for one in (materials[index].batched for index in members) if one]
        for own, (index, batched) in enumerate(zip(members, all_batched, strict=True)):
            places[index] = len(places)
            table[places[index], :3] = len(decoders), own, batched.side
        decoders.append(all_batched[0].decoder(gpu, all_batched))
    return DecodedMaterials(decoders, places, table)


def _is_decoded(gpu: Gpu, batched: BatchedMaterial, decoding: Decoding) -> bool:
    return decoding == "any" or (decoding == "matrices" and batched.path(gpu) != "fma")
