"""Training of a family's prior: a network that predicts trained texels from filtered ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.threads import threads
from neuralshade.errors import AssetError
from neuralshade.kinds.mipmaps.engine import MipEngine
from neuralshade.kinds.mipmaps.family.footprints import INVARIANTS, VECTORS, footprints
from neuralshade.kinds.mipmaps.kernels import (
    MEASURES,
    SMALLEST_ROUGHNESS,
    STEEPEST,
    LevelSizes,
    level_weights,
)
from neuralshade.kinds.mipmaps.mip_judge import MipJudge
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.measure.plane.mip_filters import Floats, Maps
from neuralshade.model.mip_correction import MipCorrection
from neuralshade.optimizer.adam import Adam
from neuralshade.optimizer.schedule import rate_factor
from neuralshade.sampler.directions import draw_pairs

DARK = 0.02  # added to albedo, so that black has no correction
NARROW = 0.02  # added to alpha, which scales an error of slopes
MOST_MISS = 10.0  # of slopes, in widths of the highlight: larger errors count as this
MOST_LOG = 8.0  # of a correction of alpha or albedo: more is always out of range
GREY_WEIGHT = 2.0  # of albedo's logarithm in the loss
EACH_LEVEL = 2**16  # texels of a level to train on, at most
FINE_STEPS = 64  # after the network's corrections, by default
RATES = ("albedo_rate", "slope_rate", "roughness_rate", "metallic_rate")
STARTED_BY = 40_000  # seed, far from those of training and of judging
AT_ONCE = 2**18  # texels to correct at once


@dataclass(frozen=True)
class FamilyTraining:
    """Training settings of the network, stored in the family's file."""

    hidden_layers: int = 2
    hidden_width: int = 32
    steps: int = 1500
    batch: int = 4096  # texels of a step
    rate: float = 3e-3  # Adam step size, cosine to a hundredth
    evenness: float = 0.75  # 1: levels have equal weight, 0: by their texels


@dataclass(frozen=True)
class Examples:
    """Texels of one set, and their trained corrections: targets [T, 5], see MipCorrection.

    ``alpha`` [T] is that of the trained texels, ``weight`` [T] sums up to 1.
    """

    invariants: Floats
    vectors: Floats
    targets: Floats
    alpha: Floats
    weight: Floats


def examples_of(
    base: Maps, levels: LevelSizes, filtered: Floats, trained: Floats, training: FamilyTraining,
    seed: int,
) -> Examples:  # fmt: skip
    """Return the training examples of a set.

    Args:
        filtered: box-filtered numbers of all levels but 0, float32 [NUMBERS, texels].
        trained: the same after training.
        seed: selects texels of levels with more than EACH_LEVEL.
    """
    known = footprints(base, len(levels.sizes) - 1)
    rng, taken, weight = np.random.default_rng(seed), [], []
    width, height = levels.sizes[0]
    counts = np.ones(levels.texels)
    if base.opacity is not None:
        counts = level_weights(base.opacity, levels)[width * height :].astype(np.float64)
    for level, (width, height) in enumerate(levels.sizes[1:], 1):
        inside = width * height
        index = np.arange(inside)
        if inside > EACH_LEVEL:
            index = np.sort(rng.choice(inside, EACH_LEVEL, replace=False))
        taken.append(levels.first(level) + index)
        each = inside ** (1 - training.evenness) / len(index)
        weight.append(each * counts[taken[-1]])
    at, weights = np.concatenate(taken), np.concatenate(weight)
    before, after = filtered[:, at], trained[:, at]
    grey = np.log((after[:3].sum(axis=0) + DARK) / (before[:3].sum(axis=0) + DARK))
    width = 2 * np.log(after[5] / before[5])
    targets = np.stack([*(after[3:5] - before[3:5]), width, grey, after[6] - before[6]], axis=1)
    return Examples(known.invariants[at], known.vectors[at], targets.astype(np.float32),
                    np.square(after[5]), (weights / weights.sum()).astype(np.float32))  # fmt: skip


def train_correction(
    sets: Sequence[Examples],
    training: FamilyTraining,
    seed: int,
    observer: Callable[[float], None] = lambda share: None,
) -> MipCorrection:
    """Return a network trained on the sets' examples, each set with equal weight.

    ``observer`` is called with the finished share. Equal seeds give equal bits on the same
    machine.
    """
    rng = torch.Generator().manual_seed(seed)
    network = MipCorrection(INVARIANTS, VECTORS, training.hidden_layers, training.hidden_width,
                            rng=rng)  # fmt: skip
    invariants, vectors, targets, alpha, weight = (
        torch.from_numpy(np.concatenate([getattr(one, name) for one in sets]))
        for name in ("invariants", "vectors", "targets", "alpha", "weight")
    )
    network.see(invariants)
    places = weight.double().cumsum(0)
    adam = Adam(list(network.parameters()), training.rate)
    with threads(1):  # so small a network gains nothing from more, and results are reproducible
        for step in range(training.steps):
            drawn = torch.rand(training.batch, dtype=torch.float64, generator=rng) * places[-1]
            at = torch.searchsorted(places, drawn).clamp(max=len(places) - 1)
            loss = loss_of(network(invariants[at], vectors[at]), targets[at], alpha[at]).mean()
            network.zero_grad(set_to_none=True)
            loss.backward()
            adam.step(rate_factor("cosine", step / training.steps, step, 0.01, 0))
            observer((step + 1) / training.steps)
    return network


def loss_of(corrections: torch.Tensor, targets: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
    """Return the absolute errors of corrections [T, 5] against targets: [T].

    Slopes are scaled by the width of the highlight that they move, of alpha [T].
    """
    miss = (corrections - targets).abs()
    slopes = torch.linalg.vector_norm(miss[:, :2], dim=1)
    slopes = (slopes / (alpha + NARROW)).clamp(max=MOST_MISS)
    return slopes + miss[:, 2] + GREY_WEIGHT * miss[:, 3] + miss[:, 4]


@torch.no_grad()
def missed_share(network: MipCorrection, examples: Examples) -> float:
    """Return the share of a set's corrections that the network misses: 0 is none, 1 is all."""
    e = {name: torch.from_numpy(values) for name, values in vars(examples).items()}
    found = network(e["invariants"], e["vectors"])
    left, all_of_it = (
        float((loss_of(corrections, e["targets"], e["alpha"]) * e["weight"]).sum())
        for corrections in (found, torch.zeros_like(found))
    )
    return left / all_of_it if all_of_it > 0 else 0.0


@torch.no_grad()
def corrected(network: MipCorrection, base: Maps, levels: LevelSizes, filtered: Floats) -> Floats:
    """Return box-filtered numbers [NUMBERS, texels] with the network's corrections."""
    known = footprints(base, len(levels.sizes) - 1)
    parts = [
        network(torch.from_numpy(known.invariants[at : at + AT_ONCE]),
                torch.from_numpy(known.vectors[at : at + AT_ONCE])).numpy()
        for at in range(0, len(known.level), AT_ONCE)
    ]  # fmt: skip
    added = np.concatenate(parts).T
    added[2:4] = added[2:4].clip(-MOST_LOG, MOST_LOG)
    values = filtered.copy()
    values[:3] = (values[:3] * np.exp(added[3])).clip(0, 1)
    values[3:5] = (values[3:5] + added[:2]).clip(-STEEPEST, STEEPEST)
    values[5] = (values[5] * np.exp(added[2] / 2)).clip(SMALLEST_ROUGHNESS, 1)
    values[6] = (values[6] + added[4]).clip(0, 1)
    return values


def fine_tuning(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a fit that starts from a network's corrections.

    By default it ends after FINE_STEPS. Default step sizes shrink in proportion to the number of
    steps, so that what is nearly right stays.
    """
    ends = any(settings.get(name) is not None for name in ("steps", "seconds"))
    found = dict(settings) if ends else {**settings, "steps": FINE_STEPS}
    steps = found.get("steps")
    if isinstance(steps, int) and 0 < steps < FINE_STEPS:
        for name in RATES:
            found.setdefault(name, getattr(MipmapsRecipe, name) * steps / FINE_STEPS)
    return found


def better_levels(
    engine: MipEngine, recipe: MipmapsRecipe, filtered: Floats, values: Floats
) -> list[bool]:
    """Return for each level but 0 whether ``values`` have less error than ``filtered`` ones.

    Judged under one pool of pairs like those of training, with its own seed.
    """
    count = engine.training.pool
    seed = recipe.seed + STARTED_BY
    engine.set_pool(draw_pairs(count, recipe.mirror, recipe.lowest, seed))
    judging = MipJudge(engine, [filtered, values], briefly=True)
    judging.add(count)
    before, after = judging.means()[..., MEASURES.index("symmetric")]
    return [bool(better) for better in after < before]


def by_level(
    levels: LevelSizes, better: Sequence[bool], filtered: Floats, values: Floats
) -> Floats:
    """Return ``values`` on the levels that are ``better``, and ``filtered`` numbers on others."""
    texels = [width * height for width, height in levels.sizes[1:]]
    return np.where(np.repeat(better, texels), values, filtered)


def network_of(
    tensors: Mapping[str, npt.NDArray[Any]], training: Mapping[str, Any], place: Any
) -> MipCorrection:
    """Return the network of a family's file; AssetError for numbers of another form."""
    network = MipCorrection(INVARIANTS, VECTORS, training["hidden_layers"],
                            training["hidden_width"], rng=None)  # fmt: skip
    try:
        network.load_state_dict({n: torch.from_numpy(v.copy()) for n, v in tensors.items()})
    except RuntimeError as error:
        raise AssetError(
            f"{place}: got the numbers of another network than this version has, need one that it "
            "trained. Train the family again."
        ) from error
    return network
