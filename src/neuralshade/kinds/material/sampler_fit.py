"""Sampler stage of a material's fit: how often directions are drawn from which lobe.

Feature map and decoder are finished and are read as their file stores them. The sampler fits what a
path tracer integrates, the decoder's light; the reference is not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import torch

from neuralshade.engine.recorded_step import RecordedStep
from neuralshade.engine.threads import Threads
from neuralshade.kinds.material.field import encoding_of
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.step_thinning import (
    StepThinning,
    join_states,
    restore_state,
    split_state,
)
from neuralshade.model.field import Field
from neuralshade.model.lobe_sampler import LobeSampler, luminance, sampler_loss
from neuralshade.optimizer.adam import Adam
from neuralshade.sampler.material_directions import hemisphere

BATCH = 2048
PREFETCHED = 16  # steps whose directions are drawn at once, in the time of one
RATE = 1e-2  # Adam's, the network being small
MOST = 20.0  # of a sample's weight: a single direction that lobes miss would dominate a step
PREFIX = "sampler."


class FieldEngine(Protocol):
    """Trainer of the map and the decoder."""

    @property
    def batch(self) -> int: ...
    @property
    def device(self) -> torch.device: ...  # where PyTorch trains
    @property
    def every(self) -> int: ...  # steps of the fit for each of PyTorch's
    @property
    def skipped(self) -> int: ...
    @property
    def stages_begun(self) -> int: ...
    @property
    def setup_count(self) -> int: ...
    def advance(self, rate_factors: Sequence[float]) -> float: ...
    def state(self) -> dict[str, torch.Tensor]: ...
    def load_state(self, state: dict[str, torch.Tensor]) -> None: ...


def untrained_sampler(recipe: MaterialRecipe) -> LobeSampler:
    """Return the untrained sampler: all parts equally likely, lobes as wide as the decoder's."""
    rng = torch.Generator().manual_seed(recipe.seed)
    sampler = LobeSampler(recipe.features, recipe.lobes, recipe.varied_count, rng=rng)
    for parameter in sampler.network.members[-1].parameters():
        torch.nn.init.zeros_(parameter)
    return sampler


class SamplerTrainer:
    """Training steps of a sampler for a finished field, in PyTorch; on CUDA recorded and replayed.

    The loss is the Kullback-Leibler divergence of the density from f * cos, as luminance over its
    albedo, weighted by that albedo, because noise in dark places is less visible. It is estimated
    at random places and eyes, uniform over the hemisphere, with one direction each. Varied inputs
    are uniform over their ranges, and inputs of the network.
    Source: Mueller et al. 2019, Neural Importance Sampling (gradients of the divergence by
        samples); for a material's network Zeltner et al. 2024, Real-Time Neural Appearance Models.
    """

    def __init__(self, field: Field, sampler: LobeSampler, seed: int, device: torch.device):
        self.device = device
        self.field = field.to(self.device).requires_grad_(False)
        self.sampler = sampler.to(self.device)
        self.parameters = list(self.sampler.parameters())
        self.adam = Adam(self.parameters, RATE, (0.9, 0.99), 1e-8)
        self.rng = torch.Generator().manual_seed(seed)
        self.threads = Threads(1)  # the batch is small; and results do not depend on the cores
        self.skipped = 0
        self._drawn: list[torch.Tensor] | None = None  # of PREFETCHED steps
        self._rng_state, self._used = self.rng.get_state(), 0  # state before; steps used
        self._current: list[torch.Tensor] = []  # of the next step, at fixed addresses
        self._recorded = None if device.type == "cpu" else RecordedStep(
            self._gradients, [self.adam], device)  # fmt: skip

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step size; return the last step's loss."""
        factors, losses = iter(rate_factors), []
        self.threads.run(len(rate_factors), lambda: losses.append(self._step(next(factors))))
        if self._recorded is not None:
            self.skipped += self._recorded.skips()
        return float(losses[-1])

    def _step(self, rate_factor: float) -> torch.Tensor:
        self._load_batch()
        if self._recorded is not None:
            self._recorded.run(rate_factor)
            return self._recorded.loss
        loss = self._gradients()
        gradients = [p.grad for p in self.parameters if p.grad is not None]
        if torch.nn.utils.get_total_norm(gradients).isfinite():
            self.adam.step(rate_factor)
        else:
            self.skipped += 1
        return loss

    def _load_batch(self) -> None:
        """Load the next step's batch."""
        if self._drawn is None:
            self._drawn = self._draw(PREFETCHED * BATCH)
        first = self._used * BATCH
        columns = [each[:, first : first + BATCH] for each in self._drawn]
        if not self._current:
            self._current = [each.clone(memory_format=torch.contiguous_format) for each in columns]
        for held, each in zip(self._current, columns, strict=True):
            held.copy_(each)
        self._used += 1
        if self._used == PREFETCHED:
            self._rng_state, self._used, self._drawn = self.rng.get_state(), 0, None

    def _gradients(self) -> torch.Tensor:
        """Compute the gradients of the current batch; return its loss."""
        latents, shares, wo, wi, target = self._current
        mixture = self.sampler.mixture(encoding_of(self.field).lobes, latents, wo, shares.t())
        loss = sampler_loss(mixture, wi, wo, target[0])
        for parameter in self.parameters:
            parameter.grad = None
        loss.backward()
        return loss.detach()

    @torch.no_grad()
    def _draw(self, count: int) -> list[torch.Tensor]:
        """Return columns: latents, shares, wo, wi, luminance of f * cos over density.

        wi is drawn from all parts equally often, so that no lobe is neglected.
        """
        encoding = encoding_of(self.field)
        u = torch.rand((8 + encoding.varied, count), generator=self.rng).to(self.device)
        shares = u[8:]
        # coarse levels are drawn less often
        level = (len(encoding.grid.sizes) * u[2] ** 3).floor()
        latents = encoding.latents(torch.stack([u[0], u[1], level], dim=1))
        wo = hemisphere(u[3], u[4])
        plain = self.sampler.mixture(encoding.lobes, latents, wo, trained=False)
        wi, density = plain.sample(wo, u[5:8])
        read = encoding.columns(latents, wi, wo, shares.t())
        light = luminance(self.field.network.on_columns(read, torch.float32))
        target = torch.where(density > 0, light / density, 0.0)  # 0 along the surface
        return [latents, shares, wo, wi, target.clamp(max=MOST)[None]]

    def state(self) -> dict[str, torch.Tensor]:
        """Return the state for a restart, without the field, by name."""
        own = {name: p.detach().cpu() for name, p in self.sampler.named_parameters()}
        moments = {f"optimizer.{name}": v.cpu() for name, v in self.adam.state().items()}
        drawn = {"rng": self._rng_state, "taken": torch.tensor(self._used)}
        return {**drawn, "skipped": torch.tensor(self.skipped), **own, **moments}

    @torch.no_grad()
    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Restore what ``state`` returned."""
        self.rng.set_state(state["rng"])
        self._rng_state, self._used, self._drawn = state["rng"], int(state["taken"]), None
        self.skipped = int(state["skipped"])
        for name, parameter in self.sampler.named_parameters():
            parameter.copy_(state[name])
        self.adam.load_state(split_state(state, "optimizer.")[1])


class SampledEngine:
    """Engine of a map and its decoder, followed by that of their sampler."""

    def __init__(self, inner: FieldEngine, recipe: MaterialRecipe, stored: Callable[[], Field]):
        """``stored`` returns the field as a file would store it now."""
        self.inner, self._recipe, self._stored = inner, recipe, stored
        self.trainer: SamplerTrainer | None = None  # until ``begin``
        self.batch = inner.batch
        self.resized = getattr(inner, "resized", ())  # names in a state; see fitting/resuming.py

    @property
    def skipped(self) -> int:
        """Return the number of steps with a gradient that was not finite."""
        return self.inner.skipped + (0 if self.trainer is None else self.trainer.skipped)

    @property
    def stages_begun(self) -> int:
        """Return the number of stages that have begun."""
        return self.inner.stages_begun + (self.trainer is not None)

    @property
    def setup_count(self) -> int:
        """Return how many times kernels were set up for another task."""
        return self.inner.setup_count + (self.trainer is not None)

    @property
    def sampler(self) -> LobeSampler:
        """Return the current sampler."""
        return untrained_sampler(self._recipe) if self.trainer is None else self.trainer.sampler

    def begin(self) -> StepThinning:
        """Start to train the sampler; the field is finished."""
        sampler = untrained_sampler(self._recipe)
        self.trainer = SamplerTrainer(self._stored(), sampler, self._recipe.seed,
                                      self.inner.device)  # fmt: skip
        self._steps = StepThinning(self.trainer, self.inner.every)
        return self._steps

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step sizes; return the last step's loss."""
        return (self.inner if self.trainer is None else self._steps).advance(rate_factors)

    def state(self) -> dict[str, torch.Tensor]:
        """Return the state for a restart, without the recipe, by name."""
        later = None if self.trainer is None else self._steps
        return join_states(self.inner.state(), later, PREFIX)

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Restore what ``state`` returned. Raises: ValueError for a state of another sampler."""
        before, own = split_state(state, PREFIX)
        self.inner.load_state(before)
        self.trainer = None
        if own:
            restore_state(self.begin(), own)
