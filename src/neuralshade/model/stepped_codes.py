"""Quantized codes with steps, read by shaders as in the asset. Device half: stepped_codes.slang."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.model.composite import members_of
from neuralshade.model.encoding import Encoding
from neuralshade.model.grid import Grid
from neuralshade.model.parameters import SlangType
from neuralshade.model.quantize import LEVELS

WORD_BITS = 32


class SteppedCodes:
    """Codes of 4 or 8 bits without gaps, behind the steps of the encoding's columns.

    ``folded``: without the steps, which are in the weights of the next layer.
    ``in_bytes``: folded codes in a ``ByteAddressBuffer``, for GPUs that load bytes.

    Args:
        encoding: one that ``takes_codes``.
        codes: whole numbers, shaped like ``encoding.parameters()``: see ``quantize.LEVELS``.
        steps: float32 [features] for each of these.
        bits: of a code, 4 or 8.
    """

    def __init__(
        self,
        encoding: Encoding,
        codes: Sequence[torch.Tensor],
        steps: Sequence[torch.Tensor],
        bits: int,
    ):
        assert takes_codes(encoding, bits), (encoding, bits)
        self.bits, self.folded, self.in_bytes = bits, False, False
        of_column = np.zeros(encoding.width, np.float32)
        left = iter(steps)
        for part, first in members_of(encoding):
            if not isinstance(part, Grid):
                continue
            for table in part.tables():
                of_column[first : first + table.features] = next(left).numpy()
                first += table.features
        low = LEVELS[bits].low
        whole = encoding.flatten([level.float() - low for level in codes]).numpy().astype(np.uint32)
        self.words = np.concatenate([of_column.view(np.uint32), _packed(whole, bits)])
        self.steps = encoding.width
        self._gains = torch.from_numpy(np.where(of_column > 0, 2.0**bits * of_column, 1.0)).float()

    def folded_into(self, weight: torch.Tensor) -> tuple[SteppedCodes, torch.Tensor]:
        """Return codes that are read without their steps, and weights that include the steps.

        A look-up is then a product per column shorter. Both are unchanged where float16
        could not hold the weights.

        Args:
            weight: float32 [units, columns], of the next layer.
        """
        scaled = weight.detach() * self._gains
        if not scaled.abs().max() <= torch.finfo(torch.float16).max:
            return self, weight
        found = copy(self)
        found.folded, found.steps, found.words = True, 0, self.words[self.steps :]
        return found, scaled

    def read_by_bytes(self) -> SteppedCodes:
        """Return the codes for byte loads, where the steps are folded; else these."""
        found = copy(self)
        found.in_bytes = self.folded
        return found

    def slang(self) -> SlangType:
        """Return the Slang type that reads ``words``, with ``slang_members``."""
        name = f"SteppedCodes<{self.bits}{', true' * self.folded}>"
        if self.in_bytes:
            name = f"SteppedBytes<{self.bits}>"
        return SlangType(name, frozenset({"neuralshade.model.stepped_codes"}))

    @property
    def slang_buffer(self) -> str:
        """Return the Slang type of the buffer that holds ``words``."""
        return "ByteAddressBuffer" if self.in_bytes else "StructuredBuffer<uint>"

    def slang_members(self, buffer: str) -> str:
        """Return the members of that struct, for the buffer's name ``buffer``."""
        return buffer if self.in_bytes else f"{buffer}, {self.steps}u"


def takes_codes(encoding: Encoding, bits: int) -> bool:
    """Return whether a shader can read an encoding's numbers as codes of so many bits.

    True where all are those of dense or hash grids, and there are some.
    """
    trained = [part for part, _ in members_of(encoding) if any(True for _ in part.parameters())]
    return bits in LEVELS and bool(trained) and all(isinstance(part, Grid) for part in trained)


def _packed(codes: npt.NDArray[np.uint32], bits: int) -> npt.NDArray[np.uint32]:
    """Return words of as many codes as each holds, the first one lowest."""
    in_word = WORD_BITS // bits
    rows = np.pad(codes, (0, -len(codes) % in_word)).reshape(-1, in_word)
    packed: npt.NDArray[np.uint32] = np.bitwise_or.reduce(
        rows << (bits * np.arange(in_word, dtype=np.uint32)), axis=1
    )
    return packed
