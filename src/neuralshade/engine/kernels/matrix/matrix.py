"""Training steps on matrix units. Device half: matrix.cs.slang."""

from __future__ import annotations

from dataclasses import dataclass, replace

from neuralshade.model.mlp import MLP

SIDE = 16  # of a fragment
LANES = 32  # threads of a wave
WAVES, FEW_WAVES = 8, 4  # in a group; few where there are few samples a group
TILE = WAVES * SIDE  # samples that a group takes at once, with WAVES
SHARED_BYTES = 48 * 1024  # of group-shared memory
RESERVED_BYTES = 1024  # of group-shared memory beside a group's own, on CUDA
WIDEST = 128  # hidden layer, and input
SUM_NUMBERS = 112  # per thread that sums may take in registers; beyond, they lie in memory
FEW_NUMBERS = 44  # per thread of sums and activations: so few leave room for twice the groups
MANY_SAMPLES = 1024  # per multiprocessor, from where on several small groups beat a large one


@dataclass(frozen=True)
class MatrixPlan:
    """Distribution of a network over the waves of a group; the constants of the device half."""

    inputs_padded: int
    hidden_padded: int
    phases: int  # in which a tile's rows are shared
    splits: int  # waves that sum the same block of weights
    stages_last: bool  # the last layer's weights are kept in group-shared memory,
    stages_middle: bool  # the middle layers',
    first_tiles: int  # and of the first layer's inputs so many times 16
    weight_words: int  # of group-shared memory that weights take, 16 bytes each
    sums_in_registers: bool
    groups: int
    tiles: int  # that the groups share
    waves: int
    mma: bool  # fragments by PTX's mma.sync, else by cooperative matrices
    buffers: int  # in which rows are shared; with two, layers take turns
    repeats_first: bool  # the first layer runs again on the way back: registers are scarce
    shared_bytes: int  # of group-shared memory that the kernel takes

    align = SIDE
    halves = True

    @property
    def threads(self) -> int:
        """Return the threads of a group."""
        return self.waves * LANES

    @property
    def slots(self) -> int:
        """Return how many partial sums of the gradient there are."""
        return self.groups * self.splits

    def with_groups(self, most: int) -> MatrixPlan:
        """Return the plan for up to ``most`` groups; the kernel's text stays the same."""
        return replace(self, groups=min(most, self.tiles))


def fits_matrices(network: MLP) -> str | None:
    """Return why ``network`` cannot run on matrices; None where it can."""
    first, last = network.members[0].weight, network.members[-1].weight
    hidden = len(network.members) - 1
    if first.shape[1] > WIDEST:
        return f"its input is {first.shape[1]} wide, beyond {WIDEST}"
    if hidden and not SIDE <= first.shape[0] <= WIDEST:
        return f"its hidden layers are {first.shape[0]} wide, not {SIDE} to {WIDEST}"
    if last.shape[0] > SIDE:
        return f"it has {last.shape[0]} outputs, more than {SIDE}"
    return None


@dataclass(frozen=True)
class _Shape:
    """A network's sides, filled up to multiples of 16."""

    layers: int  # hidden ones
    inputs: int
    hidden: int
    outputs: int  # as they are

    @property
    def tiles(self) -> int:
        return self.hidden // SIDE

    @property
    def widest(self) -> int:
        return max(self.hidden, self.inputs)

    def sum_numbers(self, waves: int, splits: int) -> tuple[int, int]:
        """Return the numbers that sums take in a thread: of hidden layers' weights, of the last."""
        share = waves // splits
        blocks = -(-(self.tiles**2) // share) * max(0, self.layers - 1)
        blocks += -(-self.tiles * (self.inputs // SIDE) // share)
        last = self.tiles if self.layers else self.inputs // SIDE
        return 8 * blocks, 8 * -(-last // share)


def matrix_plan(
    network: MLP,
    batch: int,
    groups: int,
    *,
    shared_bytes: int = SHARED_BYTES,
    mma: bool = False,
) -> MatrixPlan:
    """Return the plan for a network that ``fits_matrices``.

    Args:
        batch: samples of a step.
        groups: the most that share a batch; with ``mma``, the device's multiprocessors, of
            which each may run several.
        shared_bytes: of group-shared memory that a group may take.
        mma: the kernel is for CUDA, else for cooperative matrices.
    """
    layers = len(network.members) - 1
    rows, columns = network.members[0].weight.shape
    hidden = _up(rows) if layers else SIDE
    shape = _Shape(layers, _up(columns), hidden, network.members[-1].weight.shape[0])
    waves = _waves(shape, batch, groups, mma)
    staged = [
        option
        for phases, buffers in _row_options(mma, waves, shape.widest)
        if (option := _staged(shape, waves, phases, buffers, shared_bytes, int(mma))) is not None
    ]
    best = max(staged, key=lambda option: option.words)  # the first of several
    splits = _splits(shape, waves, best.phases)
    taken = 16 * (best.words + best.rows)
    tiles = -(-batch // (waves * SIDE))
    resident = _resident(shape, waves, splits, shared_bytes, taken) if mma else 1
    return MatrixPlan(
        shape.inputs,
        shape.hidden,
        best.phases,
        splits,
        best.stages_last,
        best.stages_middle,
        best.first_tiles,
        best.words,
        shape.sum_numbers(waves, splits)[0] <= SUM_NUMBERS,
        min(groups * resident, tiles),
        tiles,
        waves,
        mma,
        best.buffers,
        mma and waves == FEW_WAVES,
        taken,
    )


def _splits(shape: _Shape, waves: int, phases: int) -> int:
    return min(max(1, waves // shape.tiles**2), waves // phases)  # each sums 16 samples at least


def _waves(shape: _Shape, batch: int, groups: int, mma: bool) -> int:
    """Return the waves of a group: few for few samples, or where that leaves room for another.

    Few inputs have few on CUDA for any batch, so that all batches share a kernel.
    """
    if batch <= groups * FEW_WAVES * SIDE:
        return FEW_WAVES
    sums = shape.sum_numbers(FEW_WAVES, _splits(shape, FEW_WAVES, 1))[0]
    small = shape.inputs == SIDE or batch >= groups * MANY_SAMPLES
    return FEW_WAVES if mma and small and sums <= SUM_NUMBERS else WAVES


def _resident(shape: _Shape, waves: int, splits: int, shared_bytes: int, taken: int) -> int:
    """Return the estimated number of groups that a multiprocessor runs at once.

    A thread may have 255 registers where 8 waves run on a multiprocessor, 128 where 16 do.
    """
    numbers = sum(shape.sum_numbers(waves, splits)) + 4 * shape.tiles * shape.layers
    by_registers = (2 if numbers <= FEW_NUMBERS else 1) * WAVES // waves
    return min(by_registers, (shared_bytes + RESERVED_BYTES) // (taken + RESERVED_BYTES))


@dataclass(frozen=True)
class _Staged:
    """One use of group-shared memory, in words of 16 bytes; names as in MatrixPlan."""

    phases: int
    buffers: int
    rows: int  # words of the rows that a tile's samples are shared in
    stages_last: bool
    stages_middle: bool
    first_tiles: int
    words: int


def _row_options(mma: bool, waves: int, widest: int) -> list[tuple[int, int]]:
    """Return phases and buffers to try, the fastest first."""
    if mma:
        return [(1, 2), (1, 1), (2, 1)] if widest <= 64 else [(1, 1), (2, 1)]
    return [(1 if widest <= 32 or waves == FEW_WAVES else 2, 1)]


def _staged(
    shape: _Shape, waves: int, phases: int, buffers: int, shared_bytes: int, pad: int
) -> _Staged | None:
    """Return which weights fit group-shared memory beside the rows; None where not even these do.

    The middle layers come first: they are read most. The last layer's fragments read 16 rows.
    ``pad``: words more than a row of the first layer's weights takes.
    """
    hidden, layers = shape.hidden, shape.layers
    rows = 2 * buffers * (waves * SIDE // phases) * (shape.widest // 8 + 1)
    free = shared_bytes // 16 - rows
    if free < 0:
        return None
    if layers == 0:
        return _Staged(phases, buffers, rows, False, False, 0, 0)
    stride = hidden // 8 + 1
    last, middle = shape.outputs * stride, (layers - 1) * hidden * stride
    stages_middle = layers > 1 and max(last + middle, SIDE * stride) <= free
    used = last + (middle if stages_middle else 0)
    if max(used, SIDE * stride) > free:
        return _Staged(phases, buffers, rows, False, stages_middle, 0, used if used <= free else 0)
    tiles = shape.inputs // SIDE
    while tiles and used + hidden * (2 * tiles + pad) > free:
        tiles -= 1
    used += hidden * (2 * tiles + pad) if tiles else 0
    words = max(used, SIDE * stride)
    return _Staged(phases, buffers, rows, True, stages_middle, tiles, words)


def matrix_constants(plan: MatrixPlan, layers: int, *, many: bool = False) -> str:
    """Return the plan as constants for the device half.

    ``many``: many_steps.cs.slang follows, which writes the weights.
    """
    quads, slices = plan.hidden_padded // 4, 1
    while slices * 2 * quads <= plan.waves * LANES and slices < plan.waves * SIDE // plan.phases:
        slices *= 2
    return (
        f"#define MANY_STEPS {int(many)}\n"
        f"#define USES_MMA {int(plan.mma)}\n"
        f"#define STAGES_LAST {int(plan.stages_last)}\n"
        f"#define STAGES_MIDDLE {int(plan.stages_middle)}\n"
        f"#define FIRST_TILES {plan.first_tiles}\n"
        f"#define SUMS_IN_REGISTERS {int(plan.sums_in_registers)}\n"
        f"#define NO_HIDDEN_LAYERS {int(layers == 0)}\n"
        f"static const int FIRST_STRIDE = {2 * plan.first_tiles + int(plan.mma)};\n"
        f"static const uint WEIGHT_WORDS = {plan.weight_words};\n"
        f"static const int WAVES = {plan.waves};\n"
        f"static const int INPUTS_PADDED = {plan.inputs_padded};\n"
        f"static const int HIDDEN_PADDED = {plan.hidden_padded};\n"
        f"static const int PHASES = {plan.phases};\n"
        f"static const int SPLITS = {plan.splits};\n"
        f"static const int BIAS_SLICES = {slices};\n"
        f"static const int BUFFERS = {plan.buffers};\n"
        f"static const bool REPEATS_FIRST = {str(plan.repeats_first).lower()};\n"
    )


def _up(size: int) -> int:
    return -(-size // SIDE) * SIDE
