"""Held-out loss: a user's task on random numbers that its fit has not used."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.shader.build import BuiltTask, build_shader_engine
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.measure.table import Table

STEPS = 64  # with the fit's threads; the spread of their means gives the standard error
STREAM = 0x9E3779B9  # offset from the seed of the fit to the one for evaluation
SEEDS = 2**32  # distinct ones on the device


def loss_row(
    task: BuiltTask, recipe: ShaderRecipe, gpu: Gpu, first: int, name: str, place: str
) -> dict[str, Any]:
    """Return the mean loss of a task over a separate stream of random numbers.

    A loss without random numbers is equal in every step: its standard error is 0.

    Args:
        task: with the current values of its members.
        first: the step to start at, as ``thread.step``: the fit's last.
        name, place: of the module, and of the asset, for errors.

    Returns:
        name, loss (mean over all), standard_error (of that mean, from the means of the steps),
        steps, threads (of a step).

    Raises: ConfigError for a loss that is not finite; KernelError.
    """
    engine = build_shader_engine(task, replace(recipe, seed=(recipe.seed + STREAM) % SEEDS), gpu)
    means = np.empty(STEPS)
    for i in range(STEPS):
        engine.set_step(first + i)
        means[i] = engine.losses().mean(dtype=np.float64)
    if not np.isfinite(means).all():
        raise ConfigError(f"{place}: got a loss that is no number for random numbers "
                          "of no fit, need finite ones. Guard divisions, roots and logarithms near "
                          "0.")  # fmt: skip
    error = float(means.std(ddof=1)) / math.sqrt(STEPS)
    return {"name": name, "loss": float(means.mean()), "standard_error": error, "steps": STEPS,
            "threads": engine.training.count}  # fmt: skip


def loss_table(row: dict[str, Any]) -> Table:
    """Return the row of ``loss_row`` as a table, with one line that prints it."""
    line = (f"{row['name']}: loss {row['loss']:.6g} +- {row['standard_error']:.2g} "
            f"(standard error) over {row['steps']:,} x {row['threads']:,} threads, random numbers "
            "of no fit")  # fmt: skip
    return Table([row], lines=(line,))
