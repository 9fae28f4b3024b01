"""Kernel task of a feature map and its decoder on device-drawn samples. Device half: task.slang."""

from __future__ import annotations

from typing import Any

from neuralshade.engine.kernels.step.gradients import grid_parts, grid_variables
from neuralshade.engine.task import TaskText
from neuralshade.gpu.gpu import Dispatch
from neuralshade.kinds.material.device_samples import DeviceSamples
from neuralshade.kinds.material.field import MaterialEncoding
from neuralshade.kinds.material.read_out import SUMS, ReadOut

TEXT = """
typealias Encoding = {encoding};
{read_sums}typealias Task =
    MaterialTask<Encoding, {parameters}, {gradients}, ReadGradients, {numbers}>;

StructuredBuffer<{number}> grid_numbers;
{gradient_buffers}StructuredBuffer<float4> samples;
uniform uint crowded;
uniform float loss_floor;
static const uint COPIES = {copies};

{parameters} grid()
{{
    return {{ grid_numbers }};
}}

Task make_task(uint group)
{{
    {gradients} gradients = {{ {gradient_fields} }};
    return {{ samples, grid(), gradients, read_gradients(), loss_floor }};
}}
"""
NAME = "Material"


def material_task(
    drawn: DeviceSamples, encoding: MaterialEncoding, read_out: ReadOut, floor: float, *,
    halves: bool, gradients: str,
) -> TaskText:  # fmt: skip
    """Return the training task with samples of ``drawn``, drawn anew for each step.

    ``read_out``: trained read-out of ``encoding``. ``floor``: see the device half. ``halves``: the
    map's numbers are packed float16, else float32. ``gradients``: how they are summed, a key of
    GRADIENTS.
    """
    half = encoding.sized_slang(NAME)
    imports = half.modules | {
        "neuralshade.engine.kernels.step.gradients",
        "neuralshade.kinds.material.task",
        "neuralshade.model.parameters",
    }
    lines = "".join(f"import {name};\n" for name in sorted(imports))
    parts = grid_parts(gradients, halves=halves)
    batch = drawn.batch
    buffers = drawn.buffers(batch)

    def before(bound: dict[str, Any]) -> list[Dispatch]:
        sampled = {**buffers, "drawn_states": bound["states"],
                   "drawn_values": drawn.gpu.buffer(size=4)}  # fmt: skip
        return [drawn.kernel(batch, sampled, keeps_values=False)]

    variables = {
        "samples": buffers["drawn_rows"],
        "loss_floor": floor,
        **{name: read_out.buffer for name in encoding.fixed_buffers(NAME)},
        "read_sums": read_out.sums,
        **half.uniforms,
        **grid_variables(encoding, gradients, drawn.seed),
    }
    text = TEXT.format(encoding=half.type, numbers=encoding.dimensions,
                       read_sums=SUMS[read_out.training.exact], **parts)  # fmt: skip
    return TaskText(lines + half.declarations + text, variables, before, read_out.after)
