"""A user's task on random numbers that its fit has not seen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from neuralshade.asset.asset import Header
from neuralshade.engine.choose import choose_engine
from neuralshade.errors import ConfigError
from neuralshade.kinds.shader.build import BuiltTask, build_shader_engine
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.measure.table import Table

STEPS = 64  # of as many threads as the fit's: their means tell how sure the mean of all is
STREAM = 0x9E3779B9  # between the seed of the fit and that of what it is judged by
SEEDS = 2**32  # different ones on the device


# Of an interface much like mipmaps' LevelsAsset: no kind knows another.
class TaskAsset(Protocol):
    """An opened asset of a task, as far as it is evaluated."""

    @property
    def recipe(self) -> ShaderRecipe: ...
    @property
    def header(self) -> Header: ...
    @property
    def path(self) -> str: ...
    @property
    def module(self) -> Mapping[str, Any]: ...
    @property
    def task(self) -> BuiltTask: ...


def evaluate_shader(opened: TaskAsset, device: str | None = None) -> Table:
    """Return the mean loss of a trained task over random numbers of a stream of their own.

    ``thread.step`` goes on from the fit's last step. A loss that draws nothing is the same in
    every step: its standard error is 0.

    Args:
        opened: the asset, with the values that its members are given now.
        device: API; by default the best that answers.

    Returns:
        One row: name, loss (mean over all), standard_error (of that mean, from the means of the
        steps), steps, threads (of a step).

    Raises: ConfigError for a loss that is no number, DeviceError where neither a GPU nor software
        Vulkan answers; AssetError, PictureError for pictures that are not there.
    """
    recipe = replace(opened.recipe, seed=(opened.recipe.seed + STREAM) % SEEDS)
    with closing(choose_engine("gpu", device)) as chosen:
        assert chosen.gpu is not None
        engine = build_shader_engine(opened.task, recipe, chosen.gpu)
        first = int(opened.header.training["steps"])
        means = np.empty(STEPS)
        for i in range(STEPS):
            engine.set_step(first + i)
            means[i] = engine.losses().mean(dtype=np.float64)
    if not np.isfinite(means).all():
        raise ConfigError(f"{opened.path}: got a loss that is no number for random numbers "
                          "of no fit, need finite ones. Guard divisions, roots and logarithms near "
                          "0.")  # fmt: skip
    error = float(means.std(ddof=1)) / math.sqrt(STEPS)
    row = {"name": opened.module["name"], "loss": float(means.mean()), "standard_error": error,
           "steps": STEPS, "threads": engine.training.count}  # fmt: skip
    told = (f"{row['name']}: loss {row['loss']:.6g} +- {error:.2g} (standard error) over "
            f"{STEPS:,} x {row['threads']:,} threads, random numbers of no fit")  # fmt: skip
    return Table([row], lines=(told,))
