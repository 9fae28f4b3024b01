"""Kernel tasks of an encoder and its decoder. Device half: encoded_task.slang."""

from __future__ import annotations

from functools import partial
from typing import Any

from neuralshade.engine.joined_network import JoinedNetwork
from neuralshade.engine.step_texts import MakeTask
from neuralshade.engine.task import TaskText
from neuralshade.gpu.gpu import Buffer, Dispatch
from neuralshade.kinds.material.device_samples import DeviceSamples
from neuralshade.kinds.material.encoded import EncodedLobes, GraphValues
from neuralshade.kinds.material.read_out import OUTPUTS, SUMS, ReadOut
from neuralshade.model.parameters import SlangType

DECODER = """
typealias Encoding = {encoding};
{read_sums}typealias Task = DecoderTask<{name}Lobes, {name}Given, ReadGradients, {numbers}>;

StructuredBuffer<float4> samples;
StructuredBuffer<float> latents;
RWStructuredBuffer<float> d_latents;
uniform float loss_floor;

Task make_task(uint group)
{{
    float per_scale = 1.0f / states[TRAINING].scale;
    return {{ samples, latents, d_latents, read_gradients(), loss_floor, per_scale }};
}}
"""
ENCODER = """
typealias Encoding = {encoding};
typealias Task = EncoderTask<Encoding.Position, {name}Given, {features}>;

StructuredBuffer<float> graph_values;
StructuredBuffer<float> d_latents;
uniform float loss_share;

Task make_task(uint group)
{{
    return {{ graph_values, d_latents, loss_share }};
}}
"""
NAMES = ("Decoder", "Encoder")  # prefixes of the declared names of each
KERNELS = ("neuralshade.engine.kernels.step.gradients",
           "neuralshade.engine.kernels.step.step_state",
           "neuralshade.kinds.material.encoded_task")  # fmt: skip


class EncodedTasks:
    """Tasks of both networks on ``drawn`` samples, and the buffers between them.

    ``floor``: see task.slang. ``read_out``: trained read-out of ``lobes``.
    """

    def __init__(
        self, drawn: DeviceSamples, values: GraphValues, lobes: EncodedLobes, read_out: ReadOut,
        floor: float,
    ):  # fmt: skip
        self.drawn, self.values, self.lobes = drawn, values, lobes
        self.read_out, self.floor = read_out, floor
        self.features = lobes.lobes.features
        gpu, batch = drawn.gpu, drawn.batch
        self.samples = drawn.buffers(batch)
        self.graph_values: Buffer = gpu.buffer(size=4 * values.dimensions * batch)
        self.latents, self.d_latents = (
            gpu.buffer(size=4 * self.features * batch) for _ in range(2)
        )

    def drawing(self, states: Buffer) -> Dispatch:
        """Return the dispatch that draws the samples of the step in ``states``."""
        bound = {**self.samples, "drawn_states": states, "drawn_values": self.graph_values}
        return self.drawn.kernel(self.drawn.batch, bound, keeps_values=True)

    def encoder(self, *, halves: bool, gradients: str) -> TaskText:
        """Return the encoder's task; without grids, ``halves`` and ``gradients`` do not matter."""
        half = self.values.slang(NAMES[1])
        gpu, numbers = self.drawn.gpu, self.values.fixed_buffers(NAMES[1])
        buffers = {name: gpu.buffer(values) for name, values in numbers.items()}
        variables = {"graph_values": self.graph_values, "d_latents": self.d_latents,
                     "loss_share": self.features / OUTPUTS, **buffers}  # fmt: skip
        text = ENCODER.format(encoding=half.type, name=NAMES[1], features=self.features)
        return TaskText(_head(half) + text, variables)

    def decoder(self, encoder: JoinedNetwork) -> MakeTask:
        """Return the constructor of the decoder's task; its steps train ``encoder``, too."""
        return partial(self._decoder, encoder)

    def _decoder(self, encoder: JoinedNetwork, *, halves: bool, gradients: str) -> TaskText:
        half, read_out = self.lobes.slang(NAMES[0]), self.read_out

        def before(bound: dict[str, Any]) -> list[Dispatch]:
            return [self.drawing(bound["states"]),
                    encoder.evaluated(self.graph_values, self.latents)]  # fmt: skip

        variables = {
            "samples": self.samples["drawn_rows"],
            "latents": self.latents,
            "d_latents": self.d_latents,
            "loss_floor": self.floor,
            **{name: read_out.buffer for name in self.lobes.fixed_buffers(NAMES[0])},
            "read_sums": read_out.sums,
        }
        text = DECODER.format(encoding=half.type, name=NAMES[0], numbers=self.lobes.dimensions,
                              read_sums=SUMS[read_out.training.exact])  # fmt: skip
        return TaskText(_head(half) + text, variables, before, read_out.after, encoder.trained)


def _head(half: SlangType) -> str:
    """Return the head of a task's text: imports and declarations of its encoding."""
    imports = "".join(f"import {name};\n" for name in sorted(half.modules | set(KERNELS)))
    return imports + half.declarations
