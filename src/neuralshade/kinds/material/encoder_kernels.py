"""Encoder stage of a material's fit on a GPU, in fused kernels."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace

import torch

from neuralshade.engine.engine_choice import choose_kernels
from neuralshade.engine.joined_network import JoinedNetwork
from neuralshade.engine.kernel_path import TrainingPath, training_paths
from neuralshade.engine.kernel_plan import refusal_of
from neuralshade.engine.kernels.step.step_state import StepState
from neuralshade.engine.network_trainer import NetworkTrainer
from neuralshade.engine.step_texts import Training, step_texts
from neuralshade.engine.torch_engine import Batch, TorchEngine
from neuralshade.engine.trainer_state import MOMENTS, OF_NETWORK, network_optimizer_state
from neuralshade.gpu.gpu import Gpu, run_once, write_once
from neuralshade.kinds.material.device_samples import DeviceSamples, check_samples
from neuralshade.kinds.material.encoded import EncodedLobes, GraphValues
from neuralshade.kinds.material.encoded_task import EncodedTasks
from neuralshade.kinds.material.encoder_steps import EncoderSteps, encoder_state
from neuralshade.kinds.material.engine import OF_ENCODER, EncodedField
from neuralshade.kinds.material.field import encoding_of, log_decoder
from neuralshade.kinds.material.log_loss import FLOOR, log_loss
from neuralshade.kinds.material.read_out import NAMES, ReadOut
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.sample_prefetch import floats_on
from neuralshade.kinds.material.step_thinning import NAMES as COUNTED
from neuralshade.kinds.material.step_thinning import State, split_state
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.optimizer.soap import Soap

ON_DEVICE = ("gpu.steps", "gpu.scale")  # of a state: ignored by PyTorch's steps


class EncoderNetworks:
    """Kernels for the networks of ``field``: its encoder, and its decoder with the read-out.

    The decoder is trained by ``path``, the encoder by a path that ``kernels`` allows. The numbers
    of ``field`` are not part of any text; KernelEncoderSteps uploads them.
    """

    def __init__(
        self, drawn: DeviceSamples, field: EncodedField, training: Training, path: TrainingPath,
        kernels: str,
    ):  # fmt: skip
        self.drawn, self.path, gpu = drawn, path, drawn.gpu
        self.training = training
        own, sampler = encoding_of(field), drawn.sampler
        lobes = copy.deepcopy(own.lobes).cpu()
        lobes.freeze_read_out()
        read_by = EncodedLobes(lobes, own.varied)
        values = GraphValues(sampler.mean, sampler.spread)
        self.read_out = ReadOut(gpu, read_by, training, share=1)
        self.tasks = EncodedTasks(drawn, values, read_by, self.read_out, FLOOR)
        self.encoder = JoinedNetwork(
            gpu, Field(values, copy.deepcopy(field.encoder).cpu()), self.tasks.encoder,
            replace(training, frozen_layers=0),
            _encoder_path(gpu, field.encoder, kernels),
        )  # fmt: skip
        self.decoder = Field(read_by, log_decoder(field.network))

    def prepare(self) -> None:
        """Compile the kernels of a step but its samples' in advance, in the order of need."""
        gpu = self.drawn.gpu
        self.encoder.prepare()
        task = self.tasks.decoder(self.encoder)
        step_texts(gpu, self.decoder, task, self.training, self.path).prepare(gpu)
        gpu.prepare([ReadOut.text(exact=self.training.exact)])

    def trainer(self, rng: torch.Generator) -> NetworkTrainer:
        """Return the trainer of both networks."""
        task = self.tasks.decoder(self.encoder)
        return NetworkTrainer(self.drawn.gpu, self.decoder, task, self.training, rng, self.path,
                              vectors=False)  # fmt: skip


class KernelEncoderSteps(EncoderSteps):
    """Encoder steps in fused kernels.

    ``field`` and the optimizers stay in PyTorch, and are updated by ``fetch``.
    """

    def __init__(
        self, field: EncodedField, recipe: MaterialRecipe, networks: EncoderNetworks,
        rng: torch.Generator,
    ):  # fmt: skip
        super().__init__(field, recipe)
        self.networks, self.trainer = networks, networks.trainer(rng)
        # for its state alone
        self._named = TorchEngine(field, _no_batch, log_loss, self.optimizers, rng)
        self._fetched = 0  # steps that ``field`` has seen
        self._loss = 0.0
        self._send({"skipped": torch.tensor(0), "rng": rng.get_state()})

    @property
    def skipped(self) -> int:
        return self.trainer.skipped

    def advance(self, rate_factors: Sequence[float]) -> float:
        first, skipped = self.trainer.state_now.step, self.skipped
        self._loss = self.trainer.advance(rate_factors)
        if self.skipped > skipped:
            self._check(first, len(rate_factors))
        return self._loss

    @torch.no_grad()
    def fetch(self) -> None:
        now = self.trainer.state_now
        if now.step == self._fetched:
            return
        for network, soap, kept in (
            (self.field.network, self.decoder_soap, self.trainer.kept),
            (self.field.encoder, self.encoder_soap, self.networks.encoder.kept),
        ):
            state = kept.named(now)
            for name, p in network.named_parameters():
                p.copy_(state[f"field.network.{name}"])
            soap.load_state(network_optimizer_state(state))
        read, out = encoding_of(self.field).lobes.read, self.networks.read_out
        numbers, moments = out.numbers(), out.state()
        for name in NAMES:
            getattr(read, name).copy_(numbers[name])
            self._fill_moments(getattr(read, name), moments, f"{name}.")
        for count in self.adam.counts:
            count.fill_(now.applied)
        self._named.skipped, self._fetched = now.skipped, now.step

    def state(self) -> State:
        self.fetch()
        now = self.trainer.state_now
        steps = torch.tensor([now.step, now.applied, now.good, now.skipped])
        loss = torch.tensor(self._loss, dtype=torch.float64)
        more = (torch.tensor(now.step), loss, steps, torch.tensor(now.scale))
        names = (*COUNTED, *ON_DEVICE)
        return encoder_state(self._named.state() | dict(zip(names, more, strict=True)), now.step)

    def load_state(self, state: State) -> None:
        own = split_state(state, OF_ENCODER)[1]
        self._named.load_state(own)
        self._loss = float(own.get("loss", torch.zeros(())))
        device = {name: own[name] for name in ON_DEVICE if name in own}
        self._send({"skipped": own["skipped"], "rng": own["rng"], **device})

    def _send(self, begun: State) -> None:
        """Upload field and optimizers; ``begun``: state with the step counts."""
        encoder = _network_state(self.field.encoder, self.encoder_soap)
        self.networks.encoder.load(begun | encoder)
        self.trainer.load_state(begun | _network_state(self.field.network, self.decoder_soap))
        read, out = encoding_of(self.field).lobes.read, self.networks.read_out
        out.write({name: getattr(read, name) for name in NAMES})
        out.load_state({
            f"{name}.{sort}": moment for name in NAMES
            for sort, moment in zip(MOMENTS, self.adam.moments(getattr(read, name)), strict=True)
        })  # fmt: skip
        self._fetched = self.trainer.state_now.step

    def _fill_moments(self, p: torch.Tensor, state: State, prefix: str) -> None:
        for sort, moment in zip(MOMENTS, self.adam.moments(p), strict=True):
            moment.copy_(state[f"{prefix}{sort}"])

    def _check(self, first: int, count: int) -> None:
        """Draw the samples of skipped steps again, and check the reference's values.

        Raises: ConfigError, with the place, if a value is not finite.
        """
        drawn, tasks, gpu = self.networks.drawn, self.networks.tasks, self.networks.drawn.gpu
        states = gpu.buffer(StepState(0, 0, 0, 0, 1.0).pair())
        dispatch, device = tasks.drawing(states), next(self.field.parameters()).device
        for step in range(first, first + count):
            write_once(gpu, states, StepState(step, 0, 0, 0, 1.0).pair())
            run_once(gpu, [dispatch])
            gpu.wait()  # PyTorch reads them in another stream
            rows = tasks.samples["drawn_rows"]
            check_samples(drawn.reference, floats_on(device, rows, drawn.batch, drawn.words))


def _encoder_path(gpu: Gpu, encoder: MLP, kernels: str) -> TrainingPath:
    """Return the path that trains an encoder: the requested one, if it supports it."""
    requested = [path for path in training_paths(gpu.adapter) if path == kernels]
    refused = any(refusal_of(path, encoder) is not None for path in requested)
    return choose_kernels(gpu, encoder, "auto", "auto" if refused else kernels)


def _network_state(network: MLP, soap: Soap) -> State:
    """Return a network and its optimizer's state by their names in a trainer's state."""
    state = {f"field.network.{name}": p.detach() for name, p in network.named_parameters()}
    return state | {f"{OF_NETWORK}{name}": value for name, value in soap.state().items()}


def _no_batch(rng: torch.Generator) -> Batch:
    raise AssertionError("kernels run these steps")
