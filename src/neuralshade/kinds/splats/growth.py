"""Placement of Gaussians: initial ones, and those added where the error is large."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.model.gaussian import COLOR, SMALLEST_PX, Compositing, stored_of

Floats = npt.NDArray[np.float32]
UNIFORM_SHARE = 0.3  # of the initial centers; the others are drawn by the picture's gradient
FIRST_SIZE = 0.5  # initial standard deviation over the distance of neighbors
ADDED_SIZE = 0.35  # the same, of one that is added later
FIRST_OPACITY = 0.0  # its logit
OVERLAP = 2 * np.pi * FIRST_SIZE**2  # initial sum of weights at a pixel


def first_cloud(
    target: Floats, count: int, compositing: Compositing, rng: np.random.Generator,
    background: Floats, *, alpha_weighted: bool = False,
) -> Floats:  # fmt: skip
    """Return ``count`` Gaussians that roughly approximate ``target`` [H, W, C].

    Many small ones where it varies, larger ones elsewhere: attributes float32 [A, count].
    Variation of color is weighted by alpha where its errors are.
    """
    density = UNIFORM_SHARE / target[..., 0].size + (1 - UNIFORM_SHARE) * _changes(
        _counted(target, target) if alpha_weighted else target)  # fmt: skip
    centers, index = drawn_centers(density, count, rng)
    size = FIRST_SIZE / np.sqrt(density.reshape(-1)[index] * count)
    colors = target.reshape(-1, target.shape[2])[index]
    if compositing.kind == "sum":
        colors = (colors - background) / OVERLAP
    return _cloud(centers, size, colors, compositing)


def added_cloud(
    target: Floats, drawn: Floats, count: int, size_px: float, compositing: Compositing,
    rng: np.random.Generator, *, alpha_weighted: bool = False,
) -> Floats:  # fmt: skip
    """Return ``count`` Gaussians where ``drawn`` differs most from ``target``: [A, count]."""
    off = target - drawn
    counted = _counted(off, target) if alpha_weighted else off
    error = np.einsum("hwc,hwc->hw", off, counted)  # NumPy's sum over so few takes longer
    total = float(error.sum(dtype=np.float64))
    density = error / total if total > 0 else np.full_like(error, 1 / error.size)
    centers, index = drawn_centers(density, count, rng)
    shown = target - drawn if compositing.kind == "sum" else target
    colors = shown.reshape(-1, target.shape[2])[index]
    size = np.full(count, ADDED_SIZE * size_px, np.float32)
    return _cloud(centers, size, colors, compositing)


def drawn_centers(
    density: Floats, count: int, rng: np.random.Generator
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return positions in pixels [2, count] drawn by ``density`` [H, W], and their pixels.

    Stratified: they cover the density evenly.
    """
    width = density.shape[1]
    upto = np.cumsum(density.reshape(-1), dtype=np.float64)
    at = (np.arange(count) + rng.random(count)) / count * upto[-1]
    index = np.searchsorted(upto, at, side="right").clip(max=density.size - 1)
    inside = rng.random((2, count))
    return (np.stack([index % width, index // width]) + inside).astype(np.float32), index


def _counted(values: Floats, target: Floats) -> Floats:
    """Return ``values`` [H, W, C], color multiplied by the alpha of ``target``."""
    alpha = target[..., -1:].clip(0, 1)
    return np.concatenate([values[..., :-1] * alpha, values[..., -1:]], axis=2)


def _changes(target: Floats) -> Floats:
    """Return the normalised gradient magnitude of the picture: [H, W], sum 1."""
    grey = target.mean(axis=2)
    squares = np.zeros_like(grey)
    for axis in range(2):
        if grey.shape[axis] > 1:
            squares += np.square(np.gradient(grey, axis=axis))
    change = np.sqrt(squares)
    total = float(change.sum(dtype=np.float64))
    return change / total if total > 0 else np.full_like(change, 1 / change.size)


def _cloud(centers: Floats, size: Any, colors: Floats, compositing: Compositing) -> Floats:
    logs = np.log(np.maximum(size, SMALLEST_PX * 2))
    rows = [centers, np.stack([logs, logs]), np.zeros((1, len(logs))),
            stored_of(torch.from_numpy(colors.T.copy())).numpy()]  # fmt: skip
    if compositing.opacity:
        rows.append(np.full((1, len(logs)), FIRST_OPACITY))
    assert len(rows[2]) + 4 == COLOR
    return np.concatenate(rows).astype(np.float32)
