"""Code refinement after training: coordinate descent on the quantized codes of grids.

Quantization rounds each number alone, but a pixel reads four texels of each grid: codes beside the
nearest are often better together. The decoder is linearized at each pixel (Gauss-Newton), and every
code in turn takes the integer with the least squared error of that model (coordinate descent). A
code costs a few products, where evaluating the decoder costs thousands. Then the decoder is
evaluated: rows whose error has not fallen get their codes back, so the error never rises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from neuralshade.base.progress_scope import ProgressScope, part, working
from neuralshade.engine.code_bands import Band, Lattice, Level, bands_of
from neuralshade.engine.code_windows import Window, searched_rows, window_of
from neuralshade.engine.threads import side_by_side
from neuralshade.loss.pointwise import alpha_weights
from neuralshade.model.axis_stencil import GatherStencil
from neuralshade.model.mlp import MLP

BAND_PIXELS = 2**16  # per thread: outputs x features float32 of each are kept
BLOCK_PIXELS = 2**13  # their activations fit a core's cache
DAMPING = 0.1  # relative increase of a code's curvature: the decoder is not linear


def descend_codes(
    network: MLP,
    levels: Sequence[Level],
    lattices: Sequence[Lattice],
    passes: int,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Move the codes of ``levels`` so that ``network`` is nearer to the targets of ``lattices``.

    Args:
        network: with its stored numbers.
        levels: their codes change in place, and with them the encoding of the lattices.
        lattices: all that read a level. Outputs are clamped to [0, 1].
        passes: over all codes; fewer where none moves any more.
        stopped: called before each band of rows; True ends the search with its result so far.

    Returns:
        number of codes that moved. The squared error has not risen.
    """
    found = [_BandSearch(network, levels, lattices, band)
             for band in bands_of(levels, lattices, BAND_PIXELS)]  # fmt: skip
    groups = _disjoint_groups(found)

    def improved(band: _BandSearch) -> int:
        return 0 if stopped() else band.improve()

    def every_band() -> Iterator[int]:
        for some in groups:
            yield from side_by_side(improved, some)

    with working("searching codes"), part("searching codes", passes * len(found)) as work:
        return run_passes(passes, every_band, work)


def run_passes(passes: int, every_band: Callable[[], Iterable[int]], work: ProgressScope) -> int:
    """Return the number of codes that move in ``passes`` passes, or fewer if none moves any more.

    ``every_band``: runs a pass, and yields the number of moved codes band by band.
    """
    total = 0
    for _ in range(passes):
        moved = 0
        for count in every_band():
            moved += count
            work.done += 1
        total += moved
        if not moved:
            break
    return total


def _disjoint_groups(bands: list[_BandSearch]) -> list[list[_BandSearch]]:
    """Return groups of bands without common pixels: threads may share a group.

    The result does not depend on the number of threads.
    """
    groups = [bands[0::2], bands[1::2]]
    if not any(_overlap(group) for group in groups):
        return groups
    return [[band] for band in bands]


def _overlap(bands: list[_BandSearch]) -> bool:
    return any(
        len(torch.cat(rows)) != len(torch.cat(rows).unique())
        for rows in zip(*(search.band.rows for search in bands), strict=True)
    )


@dataclass(frozen=True)
class _BandSearch:
    """Search over the codes of a band."""

    network: MLP
    levels: Sequence[Level]
    lattices: Sequence[Lattice]
    band: Band

    @torch.no_grad()  # set per thread
    def improve(self) -> int:
        """Move the band's codes once; return how many moved."""
        seen = [_LatticeRows(self.network, lattice, rows, index) for index, (lattice, rows)
                in enumerate(zip(self.lattices, self.band.rows, strict=True))
                if len(rows)]  # fmt: skip
        if not seen:
            return 0
        before = [level.codes[:, own].clone() for level, own in self._owned()]
        for level, own in reversed(list(self._owned())):
            _descend(level, own, seen)
            level.apply(own)
        if sum(one.error_now() for one in seen) < sum(one.error for one in seen):
            pairs = zip(self._owned(), before, strict=True)
            return sum(int((level.codes[:, own] != old).sum()) for (level, own), old in pairs)
        for (level, own), old in zip(self._owned(), before, strict=True):
            level.codes[:, own] = old
            level.apply(own)
        return 0

    def _owned(self) -> Iterator[tuple[Level, slice]]:
        return zip(self.levels, self.band.own, strict=True)


class _LatticeRows:
    """Some rows of a lattice: their errors, and the derivatives by the encoding."""

    def __init__(self, network: MLP, lattice: Lattice, rows: torch.Tensor, index: int):
        self.network, self.lattice, self.rows, self.index = network, lattice, rows, index
        self.first = int(rows[0])
        self.target = lattice.target(rows)
        shape = self.target.shape
        blocks = lattice.encoded(rows).split(BLOCK_PIXELS, dim=1)
        parts = [network.jacobian(x) for x in blocks]
        drawn = torch.cat([part[0] for part in parts], dim=1).view(shape)
        self.slopes = torch.cat([part[1] for part in parts], dim=2).view(-1, *shape)
        outside = (drawn < 0) | (drawn > 1)
        self.residual = drawn.clamp(0, 1) - self.target
        # of a clamped number only the direction back into range has an effect
        self.slopes.mul_(~outside | (self.residual != 0))
        self.weights = _weights_of(lattice, self.target)
        if self.weights is not None:
            self.slopes.mul_(self.weights)
        self.residual = self._weighted(self.residual)
        self.error = float(self.residual.square().sum(dtype=torch.float64))

    def _weighted(self, errors: torch.Tensor) -> torch.Tensor:
        return errors if self.weights is None else errors.mul_(self.weights)

    def error_now(self) -> float:
        """Return the squared error of the network with the current codes."""
        blocks = self.lattice.encoded(self.rows).split(BLOCK_PIXELS, dim=1)
        found = torch.cat([self.network.on_columns(x, torch.float32) for x in blocks], dim=1)
        errors = found.view(self.target.shape).clamp(0, 1).sub_(self.target)
        return float(self._weighted(errors).square().sum(dtype=torch.float64))


def _weights_of(lattice: Lattice, target: torch.Tensor) -> torch.Tensor | None:
    """Return the square roots of the error weights, to multiply [C, rows, width]; None: all 1."""
    channels = None if lattice.weights is None else lattice.weights[:, None, None]
    if lattice.alpha is None:
        return channels
    texels = alpha_weights(target, lattice.alpha).sqrt_()
    return texels if channels is None else texels * channels


@dataclass(frozen=True)
class _Turn:
    """Texels of a level that move together, as no pixel reads two of them, with their stencils.

    Shared by all features; the lists have one entry per lattice.
    """

    place: tuple[torch.Tensor, torch.Tensor]  # their index among the searched codes
    along: list[GatherStencil]
    down: list[GatherStencil]


def _turns(level: Level, own: slice, windows: Sequence[Window]) -> list[_Turn]:
    """Return the turns for all texels of a band."""
    axes, begin = level.axes[0], searched_rows(level, own).start
    columns = [(chosen, [one.along.gather_stencil(chosen, 0, one.along.pixels) for one in windows])
               for chosen in axes[0].colors(slice(0, level.codes.shape[2]))]  # fmt: skip
    rows = [(some, [one.down.gather_stencil(some, one.first, len(one.rows)) for one in windows])
            for some in (color - begin for color in axes[1].colors(own))]  # fmt: skip
    return [_Turn((some[:, None], chosen[None]), along, down)
            for chosen, along in columns for some, down in rows]  # fmt: skip


def _descend(level: Level, own: slice, seen: Sequence[_LatticeRows]) -> None:
    """Move the codes of a band, feature by feature and turn by turn."""
    if own.start == own.stop:
        return
    windows = [window_of(level, own, one.index, one.rows) for one in seen]
    turns = _turns(level, own, windows)
    stencils = [(one.along.lerp_stencil(slice(None)), one.down.lerp_stencil(one.rows))
                for one in windows]  # fmt: skip
    residuals = [window.cut(one.residual) for one, window in zip(seen, windows, strict=True)]
    for feature, codes in enumerate(level.codes[:, searched_rows(level, own)]):
        slopes = [window.cut_slopes(one.slopes[level.first + feature])
                  for one, window in zip(seen, windows, strict=True)]  # fmt: skip
        powers = [slope.square().sum(0) for slope in slopes]
        low = (codes - level.reach).clamp_min_(level.limits[0])
        high = (codes + level.reach).clamp_max_(level.limits[1])
        step = float(level.step[feature])
        for turn in turns:
            pairs = zip(residuals, slopes, strict=True)
            pull = _summed(turn, [(slope * residual).sum(0) for residual, slope in pairs])
            bend = _summed(turn, powers, squared=True)
            wish = pull / (bend * (1 + DAMPING)).clamp_min_(1e-12) / -step
            old = codes[turn.place]
            new = torch.round(old + wish).clamp_(low[turn.place], high[turn.place])
            codes[turn.place] = new
            change = torch.zeros_like(codes)
            change[turn.place] = (new - old) * step
            for residual, slope, (along, down) in zip(residuals, slopes, stencils, strict=True):
                residual.addcmul_(slope, along.spread(down.spread(change.t()).t()))
    for one, window, residual in zip(seen, windows, residuals, strict=True):
        window.paste(residual, one.residual)


def _summed(turn: _Turn, pixels: Sequence[torch.Tensor], *, squared: bool = False) -> torch.Tensor:
    """Return the sum over lattices of ``pixels`` [rows, width], gathered at the turn's texels."""
    total: torch.Tensor | None = None
    for x, along, down in zip(pixels, turn.along, turn.down, strict=True):
        found = down.gather(along.gather(x, squared=squared).t(), squared=squared).t()
        total = found if total is None else total + found
    assert total is not None, "a band is seen by a lattice"
    return total
