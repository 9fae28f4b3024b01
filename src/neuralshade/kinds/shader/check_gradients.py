"""Command neuralshade check-gradients: derivatives against central differences of the loss."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.engine_choice import choose_engine
from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import from_dict
from neuralshade.kinds.shader.build import build_shader_engine, build_task
from neuralshade.kinds.shader.engine import ShaderEngine
from neuralshade.kinds.shader.finite_differences import (
    NO_GRADIENT,
    NOISE,
    NOT_SMOOTH,
    WIDTHS,
    Slope,
    allowed_error,
    judge,
    overall,
    slope_of,
)
from neuralshade.kinds.shader.gradient_table import GradientRow, GradientRows
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.kinds.shader.source import ShaderSource, load_shader
from neuralshade.kinds.shader.task import number_name
from neuralshade.model.trainable import FREE, Member

MOST_NUMBERS = 64  # compared per member; larger ones are sampled
MOVED_SHARE = 0.1  # perturbation of numbers, relative to the member's size
THREADS = "64x64"
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class _Compared:
    index: int  # in the member
    place: str
    derivative: float
    slope: Slope | None
    verdict: str
    allowed: float

    @property
    def error(self) -> float:
        return 0.0 if self.slope is None else abs(self.derivative - self.slope.middle)


def check_gradients(
    task: str | os.PathLike[str] | ShaderSource,
    *,
    values: Mapping[str, Any] | None = None,
    device: str | None = None,
    widths: Sequence[float] = WIDTHS,
    **settings: Any,
) -> GradientRows:
    """Compare the derivatives of a task's trained members with central differences of its loss.

    Both use the same random numbers. All numbers of small members are compared, a sample of large
    ones; at their initial values, and with all numbers perturbed a little, since zeros often lie
    at kinks and symmetries. Differences are taken over each width, and the one that changed least
    from the width before is used. A derivative is right within the sum of 0.2 % of it, 0.1 % of
    the member's largest, and three times the uncertainty: that change and four roundings of a
    float32 loss. Where the one-sided slopes tend to different limits there is a kink, and any
    derivative between the limits is accepted as undecidable. A member whose derivatives and
    differences are all 0 has no gradient: the loss does not depend on it.

    Args:
        task: a .slang file with a struct Task, or a ShaderSource.
        values: of members, as for ``fit_shader``.
        device: cuda, vulkan, metal or d3d12.
        widths: of steps to both sides, two or more, in decreasing order, each as a share of the
            root mean square of the member's numbers.
        settings: fields of ShaderRecipe that determine the loss: threads and seed.

    Returns:
        One row for each trained member, in the module's order.

    Raises: as ``fit_shader``; ConfigError also for a gradient that is not finite.
    """
    source = task if isinstance(task, ShaderSource) else load_shader(task)
    recipe = from_dict(ShaderRecipe, {"threads": THREADS, "steps": 1} | settings)
    _check_widths(widths)
    built = build_task(source, values or {}, recipe.seed)
    members, rng = built.task.members, np.random.default_rng(recipe.seed)
    places = {"start": built.start, "moved": moved(built.start, members, rng)}
    found: dict[str, list[_Compared]] = {member.name: [] for member in members}
    with closing(choose_engine("gpu", device)) as chosen:
        assert chosen.gpu is not None
        engine = build_shader_engine(built, recipe, chosen.gpu)
        for place, numbers in places.items():
            engine.set_values(numbers)
            gradient = _gradient(engine, place)
            for member in members:
                own = gradient[member.first : member.first + member.size]
                chosen_numbers = drawn_numbers(own, rng)
                found[member.name] += _compare(engine, member, own, chosen_numbers, numbers,
                                               place, widths)  # fmt: skip
    return GradientRows(_row(member, found[member.name]) for member in members)


def _gradient(engine: ShaderEngine, place: str) -> Floats:
    try:
        return engine.gradient()
    except ConfigError as error:
        if place == "start":
            raise
        raise ConfigError(f"{error} So it is where numbers are moved a little from their start: a "
                          "[Range] keeps them where the loss is one.") from error  # fmt: skip


def _check_widths(widths: Sequence[float]) -> None:
    if len(widths) < 2 or not all(a > b > 0 for a, b in pairwise(widths)):
        raise ConfigError(f"widths: got {list(widths)}, need two or more, each smaller than the "
                          "one before and above 0. Leave them out.")  # fmt: skip


def moved(start: Floats, members: Sequence[Member], rng: np.random.Generator) -> Floats:
    """Return ``start`` with small random perturbations, within the members' ranges."""
    numbers = start.copy()
    for member in members:
        own = slice(member.first, member.first + member.size)
        by = MOVED_SHARE * usual_size(start[own])
        numbers[own] += (by * rng.standard_normal(member.size)).astype(np.float32)
        if member.low > -FREE and member.high < FREE:  # also away from the edges
            margin = MOVED_SHARE * (member.high - member.low)
            numbers[own] = numbers[own].clip(member.low + margin, member.high - margin)
        numbers[own] = numbers[own].clip(member.low, member.high)
    return numbers


def usual_size(numbers: Floats) -> float:
    """Return the root mean square, 1 for zeros."""
    return float(np.sqrt(np.square(numbers, dtype=np.float64).mean())) or 1.0


def drawn_numbers(gradient: Floats, rng: np.random.Generator) -> list[int]:
    """Return indices of numbers to compare: the largest derivatives, others, and zeros."""
    if gradient.size <= MOST_NUMBERS:
        return list(range(gradient.size))
    largest = np.argsort(-np.abs(gradient), kind="stable")[: MOST_NUMBERS // 8]
    rest = np.setdiff1d(np.arange(gradient.size), largest)
    parts = [largest]
    for which, share in ((rest[gradient[rest] != 0], 5), (rest[gradient[rest] == 0], 2)):
        count = min(which.size, share * MOST_NUMBERS // 8)
        parts.append(rng.choice(which, count, replace=False))
    return sorted(int(index) for part in parts for index in part)


def _compare(engine: ShaderEngine, member: Member, gradient: Floats, indices: Sequence[int],
             numbers: Floats, place: str, widths: Sequence[float]) -> list[_Compared]:  # fmt: skip
    losses = engine.losses().astype(np.float64)
    here, size = float(losses.mean()), float(np.abs(losses).mean())
    unit = usual_size(numbers[member.first : member.first + member.size])
    slopes = [
        _slope(engine, member.first + index, float(numbers[member.first + index]),
               [unit * width for width in widths], here, size)
        for index in indices
    ]  # fmt: skip
    steepest = max((abs(slope.middle) for slope in slopes if slope is not None), default=0.0)
    largest = max(float(np.abs(gradient).max()), steepest)
    return [
        _compared(i, place, float(gradient[i]), slope, largest)
        for i, slope in zip(indices, slopes, strict=True)
    ]


def _compared(
    index: int, place: str, derivative: float, slope: Slope | None, largest: float
) -> _Compared:
    verdict = judge(derivative, slope, largest)
    allowed = float("nan") if slope is None else allowed_error(derivative, slope, largest)
    return _Compared(index, place, derivative, slope, verdict, allowed)


def _slope(engine: ShaderEngine, index: int, value: float, steps: Sequence[float], here: float,
           size: float) -> Slope | None:  # fmt: skip
    # the steps after rounding to float32
    sides = np.array([[value - step, value + step] for step in steps]).astype(np.float32)
    losses = np.empty(sides.shape)
    for (row, col), side in np.ndenumerate(sides):
        engine.set_value(index, float(side))
        losses[row, col] = engine.losses().mean(dtype=np.float64)
    engine.set_value(index, value)
    taken = np.abs(sides.astype(np.float64) - value)
    whole = np.isfinite(losses).all(axis=1) & (taken > 0).all(axis=1)
    if whole.sum() < 2:
        return None
    return slope_of(losses[whole], taken[whole], here, size)


def _row(member: Member, compared: Sequence[_Compared]) -> GradientRow:
    verdict = _verdict(compared)
    alike = [c for c in compared if c.verdict == verdict] or compared
    worst = max(alike, key=lambda c: (c.slope is not None, c.error))
    largest = max(abs(c.derivative) for c in compared)
    largest = max(largest, *(abs(c.slope.middle) for c in compared if c.slope is not None), 0.0)
    return GradientRow(
        member.name,
        len({c.index for c in compared}),
        member.size,
        worst.error,
        worst.allowed,
        worst.error / largest if largest else 0.0,
        number_name(member, worst.index),
        worst.place,
        worst.derivative,
        float("nan") if worst.slope is None else worst.slope.middle,
        verdict,
        sum(c.verdict == NOT_SMOOTH for c in compared),
        sum(c.verdict == NOISE and c.slope is not None for c in compared),
        tuple(f"{number_name(member, c.index)}, {c.place}" for c in compared if c.slope is None),
    )


def _verdict(compared: Sequence[_Compared]) -> str:
    known = [c for c in compared if c.slope is not None]
    still = all(c.derivative == 0 and c.error == 0 for c in known)
    if known and still and not any(c.derivative for c in compared):
        return NO_GRADIENT
    return overall([c.verdict for c in compared])
