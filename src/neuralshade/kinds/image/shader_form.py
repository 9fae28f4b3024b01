"""A fitted picture for a shader of one's own: one buffer, and the text that reads it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.kinds.image.opened import OpenedImage
from neuralshade.kinds.kind import AssetLike
from neuralshade.model.parameters import SlangHalf, pack_halves

TEXT = """{imports}
{declarations}
typealias Encoding = {encoding};
typealias Network = {network};
typealias Numbers = {numbers};
typealias Weights = LaterParameters<PackedParameters>;

/// Return the encoding's numbers, and the network's behind them.
Numbers numbers_of(StructuredBuffer<uint> asset) {{ return {{ {start} }}; }}
Weights weights_of(StructuredBuffer<uint> asset) {{ return {{ {{ asset }}, {first} }}; }}
"""
MODULES = {"encoding", "parameters"}  # of neuralshade.model, which every such text names


@dataclass(frozen=True)
class ShaderForm:
    """What a shader takes to evaluate a fitted picture."""

    words: npt.NDArray[np.uint32]  # for a StructuredBuffer<uint>
    text: str  # Slang: imports, Encoding, Network, numbers_of(buffer), weights_of(buffer)


def shader_form(asset: AssetLike, name: str = "Asset") -> ShaderForm:
    """Return a fitted picture as a shader reads it.

    ``encode<Encoding>(uv, numbers_of(buffer))`` gives what ``Network.eval`` takes beside
    ``weights_of(buffer)``; results are in the fitted picture's color space, not clamped.

    Args:
        asset: path of an asset of kind image, or what ``load`` returned.
        name: an identifier that begins what the text declares besides the names above.

    Returns: words that hold grids of 4 or 8 bits as the file does, all else as float16, two in a
        word; as many bytes as ``memory_bytes`` of the opened asset says.

    Raises: AssetError for another file.
    """
    opened = OpenedImage.read(asset)
    field, codes = opened.field, opened.codes
    encoding, network = field.encoding.slang(name), field.network.slang()
    weights = torch.nn.utils.parameters_to_vector(field.network.parameters()).detach().numpy()
    if codes is not None:
        numbers, words = codes.slang(), np.concatenate([codes.words, pack_halves(weights)])
        start, first = "asset, uint(Encoding.WIDTH)", "2u * Numbers.words_of<Encoding>()"
    else:
        numbers, start = SlangHalf("PackedParameters", frozenset()), "asset"
        grid = field.encoding.flatten(list(field.encoding.parameters())).numpy()
        first = f"{len(grid)}u"
        words = pack_halves(np.concatenate([grid, weights]))
    modules = encoding.modules | network.modules | numbers.modules
    modules |= {f"neuralshade.model.{module}" for module in MODULES}
    text = TEXT.format(
        imports="\n".join(f"import {module};" for module in sorted(modules)),
        declarations=encoding.declarations,
        encoding=encoding.type, network=network.type, numbers=numbers.type, start=start,
        first=first,
    )  # fmt: skip
    return ShaderForm(words, text)
