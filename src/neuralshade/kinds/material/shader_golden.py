"""Golden vectors of a fitted material's shader functions, evaluated in Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.material.asset import stored_field
from neuralshade.kinds.material.levels import LARGEST
from neuralshade.kinds.material.map_rows import BLOCKS, CODES, codes_of
from neuralshade.languages.forms import GOLDEN, IN_HALVES, SEED, level_rows
from neuralshade.model.shader_form import Golden

if TYPE_CHECKING:
    from neuralshade.kinds.material.opened import OpenedMaterial

Floats = npt.NDArray[np.float32]

STEPS = 2**12  # of uv: products with a map's side are exact in float32
BELOW = 16  # rows with the light or the eye below the surface, half of them each
SHINY = 4  # one of so many rows has its light near the eye's mirror direction
WIDTH = 0.1  # how near
EDGE = 1e-3  # margin of a random number from 0 and 1
TOLERANCE, LEAST = 5e-5, 0.01  # times (abs(value) + LEAST)
LAST_BIT = 2.0**-23  # of a number near 1
NEAR = 5e-3  # margin of u.x, which selects a lobe, from values that float16 may round to another
LEAST_DRAWN = 0.4  # the same for directions, whose components differ by 2e-5 and more
# Texture units mix in 8 bits: codes differ by less than one, in some of so many directions.
DRAWS, SLACK = 4, 1.5
MOST_SWING = 0.1  # of drawn directions; rows that differ more are left out


def golden_rows(opened: OpenedMaterial, name: str) -> list[Golden]:
    """Return golden rows of ``at``, ``pdf`` and ``sample``, with places beyond the borders."""
    rng = np.random.default_rng(SEED)
    uv = np.float32(rng.integers(-STEPS, 2 * STEPS, (GOLDEN, 2), endpoint=True) / STEPS)
    level = np.float32(rng.uniform(-0.5, opened.levels - 0.5, (GOLDEN, 1)))
    wo, wi = (_upper(rng.normal(size=(GOLDEN, 3))) for _ in range(2))
    wi[::SHINY] = _upper(wo[::SHINY] * (-1, -1, 1)
                         + rng.normal(0, WIDTH, (len(wo[::SHINY]), 3)))  # fmt: skip
    for below, first in ((wi, 1), (wo, 2)):
        below[first : SHINY * BELOW // 2 : SHINY, 2] *= -1
    ends = np.array([(one.low, one.high) for one in opened.varied], np.float32).reshape(-1, 2)
    low, high = ends.T
    shares = rng.random((GOLDEN, len(low)), np.float32)
    values = low + (high - low) * shares
    at = np.concatenate([uv, shares], axis=1)
    light = opened.at(at, wi=wi, wo=wo, level=level[:, 0])
    density = opened.pdf(at, wi, wo, level[:, 0])[:, None]
    moved = _moved(opened)
    units = [None, None] if not moved else [
        SLACK * float(max(_swing(value, one, LEAST).max() for one in others))
        for value, others in (
            (light, [one.at(at, wi=wi, wo=wo, level=level[:, 0]) for one in moved]),
            (density, [one.pdf(at, wi, wo, level[:, 0])[:, None] for one in moved]))
    ]  # fmt: skip
    rows = np.concatenate([uv, level, wi, wo, values], axis=1)
    return [
        Golden(name, rows, light, TOLERANCE, LEAST, IN_HALVES, units[0]),
        level_rows(name, (opened.side, opened.side)),
        Golden(f"{name}_pdf", rows, density, TOLERANCE, LEAST, IN_HALVES, units[1]),
        _drawn_rows(opened, moved, f"{name}_sample", rows, at, rng),
    ]  # fmt: skip


def _moved(opened: OpenedMaterial) -> list[OpenedMaterial]:
    """Return the material with all codes one higher or lower; none if no texture unit reads it."""
    if opened.recipe.latents != "bc7":
        return []
    rng = np.random.default_rng(SEED)
    found: list[OpenedMaterial] = []
    for _ in range(DRAWS):
        signs = rng.choice((-1, 1), opened.recipe.features)
        codes = codes_of(opened.tensors[BLOCKS], opened.side).astype(np.int16) + signs
        moved = {**opened.tensors, CODES: codes.clip(0, LARGEST).astype(np.uint8)}
        del moved[BLOCKS]
        found.append(replace(opened))
        vars(found[-1])["field"] = stored_field(opened.recipe, opened.side, moved)
    return found


def _swing(values: Floats, others: Floats, least: float) -> npt.NDArray[np.float64]:
    """Return how far each row differs, in units of its tolerance."""
    apart = np.abs(others.astype(np.float64) - values) / (np.abs(values) + least)
    found: npt.NDArray[np.float64] = apart.max(axis=1)
    return found


def _drawn_rows(
    opened: OpenedMaterial, moved: Sequence[OpenedMaterial], name: str, rows: Floats, at: Floats,
    rng: np.random.Generator,
) -> Golden:  # fmt: skip
    """Return rows of ``sample``, without those whose density depends on the last bit.

    ``moved``: see ``_moved``.
    """
    rows, at = np.tile(rows, (2, 1)), np.tile(at, (2, 1))
    uv, level, _, wo, values = np.split(rows, [2, 3, 6, 9], axis=1)
    u = np.float32(rng.uniform(EDGE, 1 - EDGE, (len(rows), 3)))
    wi, density = opened.sample(at, wo, u, level[:, 0])
    steps = LAST_BIT * np.eye(3, dtype=np.float32)
    change = sum(np.abs(opened.pdf(at, wi + step, wo, level[:, 0]) - density) for step in steps)
    change = np.maximum(change / (density + LEAST_DRAWN), TOLERANCE / 4)
    change[_chooses_by_little(opened, at, wo, u, level)] = np.inf
    outputs = np.concatenate([wi, density[:, None]], axis=1)
    swing = np.zeros(len(rows))
    for one in moved:
        found = np.column_stack(one.sample(at, wo, u, level[:, 0]))
        swing = np.maximum(swing, _swing(outputs, found, LEAST_DRAWN))
    change[swing > MOST_SWING] = np.inf
    kept = np.sort(np.argsort(change, kind="stable")[:GOLDEN])
    inputs = np.concatenate([uv, level, wo, u, values], axis=1)[kept]
    units = SLACK * float(swing[kept].max()) if moved else None
    return Golden(name, inputs, outputs[kept], TOLERANCE, LEAST_DRAWN, IN_HALVES, units)


def _chooses_by_little(
    opened: OpenedMaterial, at: Floats, wo: Floats, u: Floats, level: Floats
) -> npt.NDArray[np.bool_]:
    """Return where u.x, moved by NEAR, chooses another lobe and so another direction."""
    below, above = (
        opened.sample(at, wo, np.clip(u + np.array((off, 0, 0), np.float32), 0, 1 - EDGE / 2),
                      level[:, 0])[0]
        for off in (-NEAR, NEAR)
    )  # fmt: skip
    return np.any(below != above, axis=1)


def _upper(directions: npt.NDArray[np.float64]) -> Floats:
    """Return directions [n, 3] of length 1, above the surface."""
    directions = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    directions[:, 2] = np.abs(directions[:, 2])
    return directions.astype(np.float32)
