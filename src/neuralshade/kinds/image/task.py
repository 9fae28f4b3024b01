"""Training task of a picture on the device. Device half: task.slang."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.kernels.step.gradients import grid_parts, grid_variables
from neuralshade.engine.task import TaskText
from neuralshade.gpu.gpu import Gpu
from neuralshade.loss.pointwise import slang_loss
from neuralshade.model.encoding import Encoding
from neuralshade.sampler.draw import lattice_shape
from neuralshade.source.target import device_pixels

SAMPLERS = {"lattice": "LatticeSampler", "pixels": "PixelSampler", "positions": "PositionSampler"}

TEXT = """
typealias Encoding = {encoding};
typealias Task = ImageTask<
    {channels}, {weighted}, Encoding, {loss}, {sampler}, {target}, {parameters}, {gradients}>;

StructuredBuffer<{number}> grid_numbers;
{gradient_buffers}StructuredBuffer<{pixel}> picture;
uniform int2 picture_size;
uniform uint2 lattice;
uniform uint seed;
uniform uint crowded;
static const uint COPIES = {copies};

{parameters} grid()
{{
    return {{ grid_numbers }};
}}

Task make_task(uint group)
{{
    {sampler} sampler = {{ {sampler_fields} }};
    {target} target = {{ picture, picture_size }};
    {gradients} gradients = {{ {gradient_fields} }};
    return {{ sampler, target, grid(), gradients, seed }};
}}
"""


def image_task(
    gpu: Gpu,
    encoding: Encoding,
    pixels: npt.NDArray[Any],
    loss: str,
    sampling: str,
    batch: int,
    seed: int,
    *,
    alpha_weighted: bool = False,
    halves: bool,
    gradients: str,
) -> TaskText:
    """Return the task of fitting ``pixels`` [H, W, C], uploaded to the device.

    ``alpha_weighted``: errors of color count by the last channel. ``halves``: grid numbers are
    read as packed float16, else as float32. ``gradients``: how those of grids are summed, a key
    of GRADIENTS.
    """
    height, width, channels = pixels.shape
    target, element, stored = device_pixels(pixels)
    half, compared = encoding.sized_slang("Image"), slang_loss(loss)
    imports = (
        half.modules
        | compared.modules
        | {
            "neuralshade.engine.kernels.step.gradients",
            "neuralshade.kinds.image.task",
            "neuralshade.model.parameters",
            "neuralshade.sampler.draw",
            "neuralshade.source.target",
        }
    )
    text = TEXT.format(
        encoding=half.type,
        channels=channels,
        weighted=int(alpha_weighted),
        loss=compared.type,
        sampler=SAMPLERS[sampling],
        sampler_fields="lattice.x, lattice.y" if sampling == "lattice" else "",
        target=target,
        **grid_parts(gradients, halves=halves),
        pixel=element,
    )
    lines = "".join(f"import {name};\n" for name in sorted(imports))
    return TaskText(
        lines + half.declarations + text,
        {
            "picture": gpu.buffer(stored),
            "picture_size": np.array([width, height], np.int32),
            "lattice": np.array(lattice_shape(batch, height, width), np.uint32),
            **half.uniforms,
            **{name: gpu.buffer(words) for name, words in encoding.fixed_buffers("Image").items()},
            **grid_variables(encoding, gradients, seed),
        },
        position="uv",
        small_samples=encoding.number_count() == 0,
    )
