"""Lit plane: a tiled plane receding to the horizon, on which mip levels matter."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from neuralshade.base.progress_scope import counted, counted_part
from neuralshade.engine.threads import side_by_side
from neuralshade.measure.plane.mip_filters import Floats, Maps
from neuralshade.measure.plane.plane_view import Doubles, PlaneView, Window
from neuralshade.measure.plane.texel_levels import NUMBERS, RANDOM, Integers, TexelLevels
from neuralshade.model.microfacet import Surface, dot, shade

SAMPLES = 128  # of a pixel, at most
FEWEST = 6  # samples of a pixel's footprint, along either of its axes
LOWEST_EYE = 0.01  # least cosine between eye and normal
DENSEST = 2  # samples in a texel, along either of its axes
SMALLEST_SQUARE = 1e-24  # of a length used as divisor
GENERALIZED_GOLDEN = 1.1347241384015194  # x^(RANDOM + 1) = x + 1

ROWS = 16  # of a picture shaded together with one texel a pixel: calls dominate

TexelsAt = Callable[[Integers, Doubles], torch.Tensor]


@dataclass(frozen=True)
class Planes:
    """Pictures of one view, each float32 [H, W, 3], linear."""

    view: PlaneView
    taps: int
    reference: Floats
    filtered: Floats
    pictures: dict[str, Floats]  # of chains, by name


def draw_planes(
    base: Maps, chains: Mapping[str, Sequence[Maps]], view: PlaneView, taps: int = 1
) -> Planes:
    """Return the plane's reference, shaded before filtering, and the picture of each of ``chains``.

    Args:
        base: level 0.
        chains: levels 1 and on of each, all of the same sizes; at least one.
        view: camera and light.
        taps: at most, as in ``plane_picture``.
    """
    levels = TexelLevels.sharing(base, chains)
    drawn = {}
    for name, own in levels.items():
        with counted_part(f"drawing the plane of {name}"):
            drawn[name] = plane_picture(own, view, taps)
    first = next(iter(levels.values()))
    with counted_part("drawing the plane shaded first"):
        filtered = plane_filtered(first, view, taps)
    with counted_part("drawing the plane as it is"):
        return Planes(view, taps, plane_reference(first, view), filtered, drawn)


def plane_picture(
    chain: Sequence[Maps] | TexelLevels,
    view: PlaneView,
    taps: int = 1,
    window: Window | None = None,
) -> Floats:
    """Return the plane as a GPU shows it that samples ``chain`` and shades once a pixel.

    Trilinear filtering. The level is that at which the longer axis of a pixel's footprint is one
    texel long; with several taps, spread along that axis and as many as the ratio of the axes,
    that at which each tap's part of it is.

    Args:
        chain: level 0 first.
        view: camera and light.
        taps: at most; 1 is isotropic.
        window: the part to draw; None is all.

    Returns:
        float32 [H, W, 3] of the window, linear, not negative.

    Source: EXT_texture_filter_anisotropic, its example equations.
    """
    levels = chain if isinstance(chain, TexelLevels) else TexelLevels.of(chain)

    def texels_at(row: Integers, col: Doubles) -> torch.Tensor:
        footprint = _Footprint.of(levels, view, row, col, taps)
        found = torch.zeros(len(col), NUMBERS)
        for tap in range(footprint.taps):
            found += levels.trilinear(*footprint.place(tap), footprint.level)
        return (found / footprint.taps)[:, None]

    # taps are counted by row
    return _picture(view, texels_at, window, ROWS if taps == 1 else 1)


def plane_filtered(
    chain: Sequence[Maps] | TexelLevels,
    view: PlaneView,
    taps: int = 1,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Floats:
    """Return ``plane_picture`` with lossless levels: shaded first, then filtered.

    Every sample is replaced by the mean of shaded texels of level 0, weighted by that sample's
    filter. Blur in this picture cannot be removed by better texels in these levels.

    Args:
        chain: level 0 first; of the others, only the sizes matter.
        view: camera and light.
        taps: at most, as in ``plane_picture``.
        samples: of a pixel.
        seed: of the samples.

    Returns:
        float32 [H, W, 3], linear, not negative.

    Source: Pharr et al. 2024, Filtering After Shading With Stochastic Texture Filtering.
    """
    levels = chain if isinstance(chain, TexelLevels) else TexelLevels.of(chain)

    def texels_at(row: Integers, col: Doubles) -> torch.Tensor:
        footprint = _Footprint.of(levels, view, row, col, taps)
        u = _spread(len(col), samples, np.random.default_rng([seed, row[0]]))
        x, y = footprint.place(np.arange(samples) * footprint.taps // samples)
        return levels.drawn(x, y, footprint.level[:, None], u)

    return _picture(view, texels_at)


def plane_reference(
    base: Maps | TexelLevels,
    view: PlaneView,
    samples: int = SAMPLES,
    seed: int = 0,
    window: Window | None = None,
) -> Floats:
    """Return the plane's reference: in each pixel, the mean of all that it covers, shaded.

    A texel is a uniform square, as for the training of levels. All of a pixel is seen from the
    direction of its center, as in ``plane_picture``: the two differ only by the maps' filtering.

    Args:
        base: level 0.
        view: camera and light.
        samples: at most about that many in a pixel; DENSEST squared for each texel that it covers
            where those are fewer, but at least FEWEST squared, or ``samples`` if that is less.
        seed: of the samples.
        window: the part to draw; None is all.

    Returns:
        float32 [H, W, 3] of the window, linear, not negative.
    """
    levels = base if isinstance(base, TexelLevels) else TexelLevels.of([base])

    def texels_at(rows: Integers, col: Doubles) -> torch.Tensor:
        row = rows[0]
        right, down = view.steps(row, col)
        texels = np.array([right, abs(down[0, 1])]) * levels.width[0]
        across, along = _counts(DENSEST * texels, samples)
        # of the whole row: a pixel is the same in every window
        jitter = np.random.default_rng([seed, row]).random((2, view.width, along, across))
        jitter = jitter[:, col.astype(np.int64)]
        in_row = row + (np.arange(along)[:, None] + jitter[0]) / along
        in_col = (col - 0.5)[:, None, None] + (np.arange(across) + jitter[1]) / across
        x, y = view.points(in_row, in_col)
        return levels.nearest(x.reshape(len(col), -1), y.reshape(len(col), -1))

    return _picture(view, texels_at, window)


def _picture(
    view: PlaneView, texels_at: TexelsAt, window: Window | None = None, at_once: int = 1
) -> Floats:
    """Return the picture of ``texels_at`` (rows and centers of columns): [n, texels, NUMBERS].

    ``at_once``: rows whose pixels are requested together.
    """
    drawn = window or view.whole
    top, end = drawn.rows.start, drawn.rows.stop
    picture = np.full((len(drawn.rows), len(drawn.cols), 3), view.sky, np.float32)
    middles: Doubles = np.array(drawn.cols, np.float64) + 0.5
    wi = view.to_light()

    @torch.inference_mode()  # inference mode is per thread
    def draw(first: int) -> None:
        rows = np.arange(first, min(first + at_once, end))
        row, col = np.repeat(rows, len(middles)), np.tile(middles, len(rows))
        texels = texels_at(row, col)
        wo = view.to_eye(row, col)[:, None]
        normal = _facing(_unit(texels[..., 3:6]), wo)
        surface = Surface(texels[..., :3], normal, texels[..., 6], texels[..., 7])
        lit = math.pi * shade(surface, wi, wo)
        shown = (lit + view.sky * surface.albedo).mean(1).numpy()
        picture[first - top : rows[-1] + 1 - top] = shown.reshape(len(rows), -1, 3)

    begins = range(max(view.horizon, top), end, at_once)
    for _ in counted("drawing a lit plane", side_by_side(draw, begins), len(begins)):
        pass
    return picture


def _facing(normal: torch.Tensor, wo: torch.Tensor) -> torch.Tensor:
    """Return normals [..., 3]; those that face away from the eye are bent towards it.

    As in renderers: a mapped normal may face away from an eye above the plane, and towards the
    horizon, where one texel covers rows of pixels, they would all be black.
    """
    missing = (LOWEST_EYE - dot(normal, wo)).clamp(min=0)
    return _unit(normal + missing[..., None] * wo)


def _unit(vectors: torch.Tensor) -> torch.Tensor:
    """Return vectors [..., 3] of length 1.

    PyTorch's norm is many times slower where the three are not contiguous.
    """
    return vectors * dot(vectors, vectors).clamp(min=SMALLEST_SQUARE).rsqrt()[..., None]


@dataclass(frozen=True)
class _Footprint:
    """The footprints of a row's pixels."""

    x: Doubles  # [n]
    y: Doubles
    axis: Doubles  # [n, 2], the longer one
    taps: int
    level: Doubles  # [n]

    @classmethod
    def of(
        cls, levels: TexelLevels, view: PlaneView, row: Integers, col: Doubles, taps: int
    ) -> _Footprint:
        right, down = view.steps(row, col)
        lengths = np.linalg.norm(down, axis=1)
        longer, shorter = np.maximum(lengths, right), np.minimum(lengths, right)
        count = min(taps, math.ceil(float((longer / shorter).max())))
        level = np.log2(longer * levels.width[0] / count).clip(0, len(levels.first) - 1)
        across = np.stack([right, np.zeros_like(right)], axis=1)
        axis = np.where((lengths > right)[:, None], down, across)
        x, y = view.points(row + 0.5, col)
        return cls(x, y, axis, count, level)

    def place(self, tap: Integers | int) -> tuple[Doubles, Doubles]:
        """Return x and y of taps: [n, taps], or [n] for one."""
        part = (np.asarray(tap) + 0.5) / self.taps - 0.5
        x, y, axis = self.x, self.y, self.axis
        if part.ndim:
            x, y, axis = x[:, None], y[:, None], axis[:, None]
        return x + part * axis[..., 0], y + part * axis[..., 1]


def _counts(counts: Doubles, samples: int) -> tuple[int, int]:
    """Return the numbers of samples of a pixel across and along."""
    fewest = min(FEWEST, math.sqrt(samples))
    wide, long = np.maximum(counts, fewest).tolist()
    wide = max(fewest, wide / math.sqrt(max(1, wide * long / samples)))
    return math.ceil(wide), math.ceil(min(long, samples / wide))


def _spread(pixels: int, samples: int, draw: np.random.Generator) -> Doubles:
    """Return evenly spread points of a cube, shifted in each pixel: [RANDOM, pixels, samples].

    Source: Roberts 2018, The Unreasonable Effectiveness of Quasirandom Sequences.
    """
    steps = GENERALIZED_GOLDEN ** -np.arange(1.0, RANDOM + 1)
    shift = draw.random((RANDOM, pixels, 1))
    points = steps[:, None, None] * np.arange(samples) + shift
    return np.asarray(points - np.floor(points))
