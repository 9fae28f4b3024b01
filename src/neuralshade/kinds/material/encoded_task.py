"""Fitting an encoder and the decoder behind it in kernels. Device half: encoded_task.slang."""

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
from neuralshade.model.parameters import SlangHalf

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
NAMES = ("Decoder", "Encoder")  # begin the names of what is declared for either
KERNELS = ("neuralshade.engine.kernels.step.gradients",
           "neuralshade.engine.kernels.step.step_state",
           "neuralshade.kinds.material.encoded_task")  # fmt: skip


class EncodedTasks:
    """Both networks' tasks, on ``drawn`` samples, and what the one leaves for the other.

    ``floor``: see task.slang. ``read_out``: that of ``lobes``, which is trained too.
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
        """Return what draws the samples of the step that ``states`` tell."""
        bound = {**self.samples, "drawn_states": states, "drawn_values": self.graph_values}
        return self.drawn.kernel(self.drawn.batch, bound, keeps_values=True)

    def encoder(self, *, halves: bool, gradients: str) -> TaskText:
        """Return the encoder's task; neither way of storing grids concerns it."""
        half = self.values.slang(NAMES[1])
        given = {name: self.drawn.gpu.buffer(v) for name, v in self.values.given(NAMES[1]).items()}
        variables = {"graph_values": self.graph_values, "d_latents": self.d_latents,
                     "loss_share": self.features / OUTPUTS, **given}  # fmt: skip
        text = ENCODER.format(encoding=half.type, name=NAMES[1], features=self.features)
        return TaskText(_head(half) + text, variables)

    def decoder(self, encoder: JoinedNetwork) -> MakeTask:
        """Return what makes the decoder's task, in whose steps ``encoder`` is trained."""
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
            **{name: read_out.given for name in self.lobes.given(NAMES[0])},
            "read_sums": read_out.sums,
        }
        text = DECODER.format(encoding=half.type, name=NAMES[0], numbers=self.lobes.dimensions,
                              read_sums=SUMS[read_out.training.exact])  # fmt: skip
        return TaskText(_head(half) + text, variables, before, read_out.after, encoder.trained)


def _head(half: SlangHalf) -> str:
    """Return what stands before a task's text: what it imports, and what its encoding declares."""
    imports = "".join(f"import {name};\n" for name in sorted(half.modules | set(KERNELS)))
    return imports + half.declarations
