"""GPU engine of a material's fit: encoder first, then map and decoder in kernels.

The encoder is trained on samples that are drawn and evaluated on the device: by kernels, or by
PyTorch if the device is software. After baking, kernels train the map.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import partial

import numpy as np
import torch

from neuralshade.engine.engine_choice import choose_kernels, choose_vectors
from neuralshade.engine.kernels.infer.field_inference import exact_text, field_inference
from neuralshade.engine.kernels.infer.infer_text import ENCODING
from neuralshade.engine.kernels.step.gradients import seed_word
from neuralshade.engine.network_trainer import NetworkTrainer
from neuralshade.engine.pytorch_start import begin_pytorch
from neuralshade.engine.step_texts import MakeTask, Training, step_texts
from neuralshade.engine.trainer_state import MOMENTS
from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.material.device_samples import DeviceSamples, device_sampler, values_on
from neuralshade.kinds.material.encoder_kernels import EncoderNetworks, KernelEncoderSteps
from neuralshade.kinds.material.encoder_steps import EncoderSteps, TorchEncoderSteps
from neuralshade.kinds.material.engine import (
    ENCODED,
    FROZEN,
    OF_READ,
    TRAINED,
    EncodedField,
    Floats,
    MaterialEngine,
    batch_of,
    encoder_of,
    match_mean_light,
)
from neuralshade.kinds.material.field import build_field, encoding_of, log_decoder
from neuralshade.kinds.material.judging.judge import field_shade
from neuralshade.kinds.material.judging.lit_surfaces import Shade
from neuralshade.kinds.material.log_loss import FLOOR
from neuralshade.kinds.material.map_blocks import round_map
from neuralshade.kinds.material.map_rows import OF_BLOCKS, blocks_of_state
from neuralshade.kinds.material.mip_fit import drawing_texts
from neuralshade.kinds.material.read_out import NAMES, TOGETHER, ReadOut
from neuralshade.kinds.material.recipe import NETWORK_BETA2, MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels
from neuralshade.kinds.material.schema import level_sides
from neuralshade.kinds.material.shared import SharedPart
from neuralshade.kinds.material.step_thinning import split_state
from neuralshade.kinds.material.task import material_task
from neuralshade.model.field import Field

# How many steps of levels and of the sampler count as one of PyTorch's, by PyTorch's device beside
# a GPU. On CUDA it is every step: recorded ones cost the host nothing.
EVERY = {"cuda": 1, "cpu": 16, "software": 1}
# What trains the encoder: on an H200 PyTorch's recorded steps took 0.9 ms longer than those of
# kernels; in software, kernels take 13 times as long as PyTorch.
ENCODER = {"hardware": "kernels", "software": "torch"}
LOSS_SCALE = 1024.0
EPSILON = 1e-8  # of all optimizers but the feature map's
BLOCK_BITS = 16  # of a latent that blocks hold: it is not one of 256
OF_ADAM = "adam."  # prefix of the read-out's optimizer numbers in a state


class GpuMaterialEngine(MaterialEngine):
    """Steps of one fit on ``gpu``; see the module."""

    # a map has one texel until it is baked
    resized = ("field.encoding.grid.texels",)

    def __init__(
        self, recipe: MaterialRecipe, reference: ReferenceKernels, gpu: Gpu, kernels: str,
        exact: bool,
        shared: SharedPart | None = None,
    ):  # fmt: skip
        """``shared``: fixed layers of the decoder."""
        self.shared = shared
        self.recipe, self.gpu, self.exact = recipe, gpu, exact
        self.rng = torch.Generator().manual_seed(recipe.seed)
        software = gpu.adapter.software
        self.device = torch.device("cuda" if torch.cuda.is_available() and not software else "cpu")
        begin_pytorch(self.device)  # while kernels are loaded
        whole = batch_of(recipe, on_cpu=software) // TOGETHER  # waves whose lanes all take part
        self.batch = max(1, whole) * TOGETHER
        self.sampler = device_sampler(recipe, reference, self.batch, self.rng)
        self.drawn = DeviceSamples(gpu, reference, self.sampler, self.batch, seed_word(recipe.seed))
        self.training = Training(
            batch=self.batch,
            rate=recipe.rate,
            grid_rate=recipe.latent_rate,
            betas=(recipe.beta1, NETWORK_BETA2),
            epsilon=EPSILON,
            grid_epsilon=recipe.epsilon,
            average=0.0,
            touched=False,
            loss_scale=LOSS_SCALE,
            exact=exact,
            grid_betas=(recipe.beta1, recipe.beta2),
            frozen_layers=0 if shared is None else shared.layers,
            soap=True,
        )
        untrained = build_field(recipe, recipe.size, None)
        self.path = choose_kernels(gpu, log_decoder(untrained.network), "auto", kernels)
        self.every = EVERY["software" if software else self.device.type]
        encoder = encoder_of(recipe, self.sampler.value_count, self.rng)
        field = EncodedField(build_field(recipe, 1, self.rng), encoder)
        networks = None
        if ENCODER["software" if software else "hardware"] == "kernels":
            networks = EncoderNetworks(self.drawn, field, self.training, self.path, kernels)
        self._compile_ahead(untrained, networks)
        reference.check_bright()  # waits for the kernel that evaluates, and is short
        match_mean_light(field.network, self.sampler)
        if shared is not None:
            shared.apply_to(field)
        field = field.to(self.device)
        self.encoder_steps: EncoderSteps
        if networks is None:
            self.encoder_steps = TorchEncoderSteps(field, recipe, self.drawn, self.rng)
        else:
            self.encoder_steps = KernelEncoderSteps(field, recipe, networks, self.rng)
        self.trainer: NetworkTrainer | None = None
        self._phase = ENCODED

    @property
    def phase(self) -> int:
        return self._phase

    @property
    def skipped(self) -> int:
        more = 0 if self.trainer is None else self.trainer.skipped
        return self.encoder_steps.skipped + more

    def advance(self, rate_factors: Sequence[float]) -> float:
        if self.trainer is None:
            return self.encoder_steps.advance(rate_factors)
        return self.trainer.advance(rate_factors)

    def field(self) -> Field:
        if self.trainer is None:
            return self._baked()
        with self.trainer.averaged():
            logs = self.trainer.field
        field = self._built()
        encoding_of(field).blocks = encoding_of(logs).blocks
        field.encoding.load_state_dict(logs.encoding.state_dict())
        field.network.load_state_dict(logs.network.state_dict())
        encoding_of(field).lobes.read.load_state_dict(self.read_out.numbers())
        return field

    def bake(self) -> None:
        trainer, field = self._train(self._baked()), self._encoded_field()
        adam = self.encoder_steps.adam
        trainer.take_over(self.encoder_steps.decoder_soap.state(), int(adam.counts[0]))
        read = {name: getattr(encoding_of(field).lobes.read, name) for name in NAMES}
        self.read_out.load_state({
            f"{name}.{sort}": moment for name, numbers in read.items()
            for sort, moment in zip(MOMENTS, adam.moments(numbers), strict=True)
        })  # fmt: skip
        self._phase = TRAINED

    def freeze(self) -> None:
        assert self.trainer is not None, "a map is baked before it is frozen"
        encoding, field = encoding_of(self.trainer.field), self.field()
        encoding.blocks = round_map(field)
        encoding.grid.texels.data.copy_(encoding_of(field).grid.texels)
        self._hold_map()

    def _hold_map(self) -> None:
        assert self.trainer is not None, "a map is baked before it is frozen"
        self.trainer.freeze_grid([encoding_of(self.trainer.field).grid.texels])
        self._phase = FROZEN

    def shade(self, field: Field) -> Shade:
        if self.gpu.adapter.software:
            return field_shade(field)
        inference = field_inference(self.gpu, _hold_lobes(copy.deepcopy(field)), exact=True)

        def shade(uv: Floats, wi: Floats, wo: Floats) -> Floats:
            level = np.zeros((len(uv), 1), np.float32)
            at = np.concatenate([uv[:, :2], level, wi, wo, uv[:, 2:]], axis=1)
            found: Floats = inference.at_positions(np.ascontiguousarray(at))
            return found

        return shade

    def state(self) -> dict[str, torch.Tensor]:
        own = {"phase": torch.tensor(self._phase)}
        if self.trainer is None:
            return {**own, **self.encoder_steps.state()}
        adam = {f"{OF_ADAM}{name}": value for name, value in self.read_out.state().items()}
        read = {f"{OF_READ}{name}": v for name, v in (self.read_out.numbers() | adam).items()}
        encoding = encoding_of(self.trainer.field)
        blocks = {} if encoding.blocks is None else encoding.blocks.state()
        return {**own, **self.trainer.state(), **read, "range": encoding.ends(), **blocks}

    @torch.no_grad()
    def load_state(self, whole: dict[str, torch.Tensor]) -> None:
        if int(whole["phase"]) == ENCODED:
            self.encoder_steps.load_state(whole)
            return
        state, _ = split_state(whole, OF_BLOCKS)
        field = self._built()
        encoding = encoding_of(field)
        encoding.set_ends(state["range"])
        read, moments = split_state(split_state(state, OF_READ)[1], OF_ADAM)
        encoding.lobes.read.load_state_dict(read)
        texels = state["field.encoding.grid.texels"]
        if texels.shape != encoding.grid.texels.shape:
            raise ValueError(f"texels: got {list(texels.shape)}")
        trainer = self._train(field)
        trainer.load_state(state)
        if moments:  # absent in files of a version that kept it fixed
            self.read_out.load_state(moments)
        self._phase = TRAINED
        if int(state["phase"]) == FROZEN:
            encoding.blocks = blocks_of_state(whole)
            with trainer.averaged():
                self._hold_map()

    def _compile_ahead(self, untrained: Field, networks: EncoderNetworks | None) -> None:
        """Compile the kernels of this fit in the background, in the order of need.

        ``untrained``: a field of the size that kernels train; its numbers are not part of any text.
        ``networks``: what they train first; None if PyTorch trains the encoder.
        """
        recipe, reference = self.recipe, self.sampler.reference
        drawing = drawing_texts(recipe, reference.bsdf)
        reference.prepare(drawing[:1])
        if networks is not None:
            networks.prepare()
        parts = self._parts(untrained, self._read_out_of(untrained))
        step_texts(self.gpu, *parts, self.path).prepare(self.gpu)
        self.gpu.prepare([ReadOut.text(exact=self.exact)])
        reference.prepare(drawing[1:])
        if not self.gpu.adapter.software:  # kernels that judge the map, and then all its levels
            for levels in (1, len(level_sides(recipe.size))):
                stored = _hold_lobes(build_field(recipe, recipe.size, None, levels))
                self.gpu.prepare([exact_text(stored)])

    def _encoded_field(self) -> EncodedField:
        self.encoder_steps.fetch()
        return self.encoder_steps.field

    def _encoder_input(self, uv: Floats) -> torch.Tensor:
        return self.sampler.normalized(values_on(self.device, self.sampler.reference, uv))

    def _baked(self) -> Field:
        """Return the field with the baked map."""
        field, trained = self._built(), self._encoded_field()
        field.network.load_state_dict(trained.network.state_dict())
        encoding = encoding_of(field)
        encoding.lobes.load_state_dict(encoding_of(trained).lobes.state_dict())
        encoding.take_over(self.encoded_map(self.recipe.size))
        return field

    def _built(self) -> Field:
        """Return an untrained field of the whole size."""
        field = build_field(self.recipe, self.recipe.size, None)
        encoding_of(field).mixes = self.shared is None
        return field

    def _train(self, field: Field) -> NetworkTrainer:
        """Train ``field`` in kernels from now on."""
        if encoding_of(field).compressed:
            encoding_of(field).grid.bits = BLOCK_BITS
        self.read_out = self._read_out_of(field)
        self.trainer = NetworkTrainer(
            self.gpu, *self._parts(field, self.read_out), self.rng, self.path,
            choose_vectors(self.gpu, self.path),
        )  # fmt: skip
        for name in encoding_of(field).fixed_buffers(ENCODING):  # trained on
            self.trainer.inference.bound[name] = self.read_out.buffer
        return self.trainer

    def _read_out_of(self, field: Field) -> ReadOut:
        """Return the read-out trainer of ``field``, which owns it from now on."""
        return ReadOut(self.gpu, encoding_of(_hold_lobes(field)), self.training)

    def _parts(self, field: Field, read_out: ReadOut) -> tuple[Field, MakeTask, Training]:
        """Return what kernels train of ``field``, its task, and the training's settings."""
        encoding = encoding_of(field)
        task = partial(material_task, self.drawn, encoding, read_out, FLOOR)
        return Field(encoding, log_decoder(field.network)), task, self.training


def _hold_lobes(field: Field) -> Field:
    """Pass a field's lobes to kernels unchanged; return the field."""
    encoding_of(field).lobes.freeze_read_out()
    return field
