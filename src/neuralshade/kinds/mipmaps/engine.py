"""Training engine of all mip levels of a texture set, in Slang on the GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.kernels.step.step_state import STATE, StepState
from neuralshade.engine.step_queue import BEGINNING, StepQueue
from neuralshade.gpu.gpu import Dispatch, Gpu, Kernel, KernelText
from neuralshade.kinds.mipmaps.kernels import (
    GROUP,
    NO_SKIES,
    NUMBERS,
    PAIR,
    PAIRS_SHADED,
    LevelSizes,
    Skies,
    mipmaps_text,
    pairs_table,
)

Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]
SUBMITTED_SHADINGS = 2**26  # recorded in one submission, about: a long one may be taken for a hang
SUBMITTED_STEPS = 1024  # at most
LEAST_LOSS = 1e-3  # of the start: maps of one color have none, and then a step's loss means nothing


@dataclass(frozen=True)
class TileShare:
    """Share of a level's texels in a dispatch: one of ``parts`` of its tiles.

    Without tiles it is all texels, and each group of a judge sees one of ``parts`` of the pairs.
    """

    parts: int = 1
    part: int = 0
    tile: int = 0  # side in texels of level 0, a power of two
    thin: int = 1  # one of so many texels of a column is used


WHOLE = TileShare()


@dataclass(frozen=True)
class MipTraining:
    """Training settings; ``rates`` of albedo, slopes, roughness and metallic."""

    pairs: int = 16  # of directions, in one step
    pool: int = 128  # pairs whose references are held at once
    reuse: int = 4  # passes through a pool before the next one
    rates: tuple[float, float, float, float] = (0.02, 0.02, 0.005, 0.02)
    betas: tuple[float, float] = (0.8, 0.95)
    epsilon: float = 1e-8
    diffuse: str = "Lambert"
    near: tuple[float, ...] = (1.0,)  # weights of pairs near a mirror's, see LevelSizes.table
    skies: Skies = NO_SKIES

    @property
    def pool_skies(self) -> int:
        """Return the number of skies of a pool: those of all steps of one pass."""
        return self.pool // self.pairs * self.skies.count

    @property
    def reference_count(self) -> int:
        """Return the number of pairs with references, those of skies included."""
        return self.pool + self.pool_skies * self.skies.lights


class MipEngine:
    """Trains ``values`` [NUMBERS, texels] of all levels but 0 of the maps in ``base``.

    ``base`` float32 [2, H * W, 4]: albedo and roughness, normal and metallic. Losses are relative
    to those of the initial ``values``, a box filter's, under the same lights: losses depend more
    on a step's lights than on training. ``draw_pairs`` returns, for a pool's number and size,
    directions to the light and the eye, float32 [n, 2, 3], and which are near a mirror's, bool
    [n]; ``draw_skies``, for a pool's number and a count of skies, directions to all their lights
    and eyes, and each light's brightness. ``weights``: ``level_weights``, None: all equal.
    """

    def __init__(
        self,
        gpu: Gpu,
        levels: LevelSizes,
        training: MipTraining,
        base: Floats,
        values: Floats,
        draw_pairs: Any,
        draw_skies: Any = None,
        weights: Floats | None = None,
    ):
        self.gpu, self.levels, self.training = gpu, levels, training
        self.draw_pairs, self.draw_skies = draw_pairs, draw_skies
        self.texels, self.weighted = levels.texels, weights is not None
        self.groups = -(-self.texels // GROUP)
        self._pool = -1
        self._losses: dict[int, float] = {}  # of ``start``, by the first pair of a step
        self._start, self._sums = gpu.buffer(values), gpu.buffer(size=4 * self.groups)
        self._bound: dict[str, Any] = {
            "levels": gpu.buffer(levels.table(training.near)),
            "base": gpu.buffer(base),
            "references": gpu.buffer(size=8 * training.reference_count * self.texels),
            "pool": gpu.buffer(size=PAIR.itemsize * training.reference_count),
            "values": gpu.buffer(values),
            "moments": gpu.buffer(size=8 * NUMBERS * self.texels),
            "states": gpu.buffer(BEGINNING.pair()),
            "group_sums": gpu.buffer(size=4 * self.groups),
            "passes": gpu.buffer(size=32),
            "rate_factors": gpu.buffer(size=4 * SUBMITTED_STEPS),
            "paces": gpu.buffer(size=8 * SUBMITTED_STEPS),
        }
        if weights is not None:
            self._bound["weights"] = gpu.buffer(weights)
        entries = ("train_texels", "shade_level", "begin_steps", "end_steps", "lose_texels")
        gpu.prepare([KernelText(self._text(1), entry, fast_math=True) for entry in entries])
        self._shade = self.kernel("shade_level")
        self._steps = gpu.steps([
            (self.kernel("begin_steps"), 1),
            (self.kernel("train_texels"), self.groups),
            (self.kernel("end_steps"), 1),
        ])  # fmt: skip
        start = self.kernel("lose_texels", values=self._start, group_sums=self._sums)
        self._lose = gpu.steps([(start, self.groups)])
        self.queue = StepQueue(gpu, self._bound["states"], None, SUBMITTED_STEPS)

    def kernel(self, entry: str, chains: int = 1, **others: Any) -> Kernel:
        """Return an entry point, bound to the engine's buffers and to ``others``."""
        t = self.training
        adam = {"rate": 1.0, "beta1": t.betas[0], "beta2": t.betas[1], "epsilon": t.epsilon}
        variables = {
            **self._bound, "adam": adam,
            "rates": np.array(t.rates, np.float32), "texels": self.texels,
            "pool_size": t.pool, "groups": self.groups, **others,
        }  # fmt: skip
        return self.gpu.kernel(self._text(chains), entry, variables, fast_math=True)

    def _text(self, chains: int) -> str:
        t = self.training
        return mipmaps_text(t.diffuse, t.pairs, chains, t.skies, self.weighted)

    @property
    def steps_a_pool(self) -> int:
        """Return the number of steps that use a pool."""
        return self.training.pool // self.training.pairs * self.training.reuse

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step sizes; return the last step's loss over the start's.

        1 is a box filter's loss under the same lights.
        """
        loss = self.queue.advance(rate_factors, self._send).loss
        return loss / max(self._start_loss(self.queue.next_step - 1), LEAST_LOSS)

    def _start_loss(self, step: int) -> float:
        """Return the loss of the start under a step's lights, which are still in the pool."""
        place = step % (self.training.pool // self.training.pairs)
        if place not in self._losses:
            commands = self.gpu.commands()
            commands.upload(self._bound["passes"], 0, np.array([place, 0, 0, 0], np.uint32))
            commands.run(self._lose)
            commands.submit()
            sums = self._sums.read().view(np.float32)[: self.groups]
            terms = self.texels * self.training.pairs
            self._losses[place] = float(sums.sum(dtype=np.float64)) / terms
        return self._losses[place]

    def _send(self, rate_factors: Sequence[float]) -> None:
        """Submit at most SUBMITTED_STEPS steps, with a new pool when it is due."""
        shaded = self.training.pairs + 2 * self.training.skies.pairs  # lights of skies twice
        most = max(1, SUBMITTED_SHADINGS // (self.texels * shaded))
        done = 0
        while done < len(rate_factors):
            count = min(self._left_of_pool(), most, len(rate_factors) - done)
            commands = self.queue.begin(count)
            factors = np.array(rate_factors[done : done + count], np.float32)
            commands.upload(self._bound["rate_factors"], 0, factors)
            commands.upload(self._bound["passes"], 0, np.array([count, 0, 0, 0], np.uint32))
            commands.run(self._steps)
            self.queue.end(commands, count)
            done += count

    def _left_of_pool(self) -> int:
        """Return the number of steps left in the pool, after drawing a new one if due."""
        pool = self.queue.next_step // self.steps_a_pool
        if pool != self._pool:
            self._draw_pool(pool)
            self._pool = pool
        return (pool + 1) * self.steps_a_pool - self.queue.next_step

    def _draw_pool(self, pool: int) -> None:
        """Compute the references of a pool's pairs, followed by those of its skies' lights."""
        t = self.training
        pairs, near = self.draw_pairs(pool, t.pool)
        if not t.skies.count:
            self.set_pool(pairs, near=near)
            return
        lights, bright = self.draw_skies(pool, t.pool_skies)
        weights = np.concatenate([np.ones(len(pairs), np.float32), bright])
        near = np.concatenate([near, np.zeros(len(lights), np.bool_)])
        self.set_pool(np.concatenate([pairs, lights]), weights, near)

    @property
    def state_now(self) -> StepState:
        """Return the state after the last step that was waited for."""
        return self.queue.state

    def set_pool(
        self, pairs: Floats, weights: Floats | None = None, near: Bools | None = None
    ) -> None:
        """Compute the references of ``pairs`` [n, 2, 3], n <= those held, for all levels.

        ``weights`` [n]: brightness of each light for ``judge`` and skies; by default 1.
        ``near`` [n]: pairs that count as near a mirror's in training; by default none.
        """
        self.load_pool(pairs, weights, near)
        width, height = self.levels.sizes[0]
        at_once = max(1, SUBMITTED_SHADINGS // (width * height))
        for first in range(0, len(pairs), at_once):
            count = min(at_once, len(pairs) - first)
            for level in range(1, len(self.levels.sizes)):
                self.make_references(level, first, count)

    def load_pool(
        self, pairs: Floats, weights: Floats | None = None, near: Bools | None = None
    ) -> None:
        """Load the pairs of ``set_pool`` without references, for judges."""
        assert len(pairs) <= self.training.reference_count
        self._pool, self._losses = -1, {}
        bright = np.ones(len(pairs), np.float32) if weights is None else weights
        mirrored = np.zeros(len(pairs), np.bool_) if near is None else near
        self._upload("pool", pairs_table(pairs, bright, mirrored))

    def make_references(self, level: int, first: int, count: int, share: TileShare = WHOLE) -> None:
        """Compute a level's references of so many pairs, from those of the level before."""
        groups = (self.groups_of(level, share), -(-count // PAIRS_SHADED))
        self.run_level(level, first, count, (self._shade, groups), share=share)

    def groups_of(self, level: int, share: TileShare = WHOLE) -> int:
        """Return the number of groups for the texels of a level, or of its share."""
        width, height = self.levels.sizes[level]
        parts = share.parts * share.thin if share.tile else 1
        return -(-(width * height) // (GROUP * parts))

    def run_level(
        self,
        level: int,
        first: int,
        count: int,
        dispatch: Dispatch,
        together: int = 1,
        share: TileShare = WHOLE,
    ) -> None:
        """Run a dispatch for one level, or its share, and so many pairs of the pool."""
        commands = self.gpu.commands()
        own = [share.tile >> level, share.part, share.parts, share.thin]
        passes = np.array([[level, first, count, together], own], np.uint32)
        commands.upload(self._bound["passes"], 0, passes)
        commands.run(self.gpu.steps([dispatch]))
        commands.submit()

    def values(self) -> Floats:
        """Return the trained numbers of all levels but 0: float32 [NUMBERS, texels]."""
        raw = self._bound["values"].read().view(np.float32)
        return raw[: NUMBERS * self.texels].reshape(NUMBERS, -1).copy()

    def set_values(self, values: Floats) -> None:
        """Set other numbers [NUMBERS, texels], to train or to judge them."""
        self._upload("values", values)

    def _upload(self, name: str, values: npt.NDArray[Any]) -> None:
        commands = self.gpu.commands()
        commands.upload(self._bound[name], 0, values)
        commands.submit()

    def state(self) -> dict[str, torch.Tensor]:
        """Return the state for a restart, without the recipe, by name."""
        moments = self._bound["moments"].read().view(np.float32)[: 2 * NUMBERS * self.texels]
        return {
            "values": torch.from_numpy(self.values()),
            "moments": torch.from_numpy(moments.copy()),
            "step_state": self.queue.saved(),
        }

    def load_state(self, state: Mapping[str, torch.Tensor]) -> None:
        """Restore what ``state`` returned; ValueError for a state of other levels."""
        shapes = {"values": (NUMBERS, self.texels), "moments": (2 * NUMBERS * self.texels,),
                  "step_state": (STATE.itemsize,)}  # fmt: skip
        for name, shape in shapes.items():
            if tuple(state[name].shape) != shape:
                raise ValueError(f"{name}: got {tuple(state[name].shape)}, need {shape}")
        self._upload("values", state["values"].numpy())
        self._upload("moments", state["moments"].numpy())
        self.queue.restart(StepState.of(state["step_state"].numpy()))
        self._pool = -1
