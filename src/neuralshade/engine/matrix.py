"""Training steps on cooperative matrices. Device half: matrix.cs.slang."""

from dataclasses import dataclass

from neuralshade.model.mlp import MLP

SIDE = 16  # of a fragment
LANES = 32  # threads of a wave
WAVES, FEW_WAVES = 8, 4  # in a group; few where there are few samples a group
TILE = WAVES * SIDE  # samples that a group takes at once, with WAVES
SHARED_BYTES = 48 * 1024  # of group-shared memory
WIDEST = 128  # hidden layer, and input
SUM_NUMBERS = 112  # per thread that sums may take in registers; beyond, they lie in memory


@dataclass(frozen=True)
class MatrixPlan:
    """How a group's waves share a network; the constants of the device half."""

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
    waves: int

    align = SIDE
    halves = True

    @property
    def slots(self) -> int:
        """Return how many partial sums of the gradient there are."""
        return self.groups * self.splits


def fits_matrices(network: MLP) -> str | None:
    """Return why ``network`` cannot run on matrices, or None where it can."""
    first, last = network.members[0].weight, network.members[-1].weight
    hidden = len(network.members) - 1
    if first.shape[1] > WIDEST:
        return f"its input is {first.shape[1]} wide, beyond {WIDEST}"
    if hidden and not SIDE <= first.shape[0] <= WIDEST:
        return f"its hidden layers are {first.shape[0]} wide, not {SIDE} to {WIDEST}"
    if last.shape[0] > SIDE:
        return f"it has {last.shape[0]} outputs, more than {SIDE}"
    return None


def matrix_plan(network: MLP, batch: int, groups: int) -> MatrixPlan:
    """Return the plan for a network that ``fits_matrices``."""
    layers = len(network.members) - 1
    first = network.members[0].weight
    inputs = _up(first.shape[1])
    hidden = _up(first.shape[0]) if layers else SIDE
    tiles = hidden // SIDE
    waves = FEW_WAVES if batch <= groups * FEW_WAVES * SIDE else WAVES
    phases = 1 if max(hidden, inputs) <= 32 or waves == FEW_WAVES else 2
    rows = waves * SIDE // phases
    splits = min(max(1, waves // tiles**2), rows // SIDE)  # each sums 16 samples at least
    sharers = waves // splits
    blocks = -(-tiles * tiles // sharers) * max(0, layers - 1)
    blocks += -(-tiles * (inputs // SIDE) // sharers)
    stride = max(hidden, inputs) // 8 + 1
    free = SHARED_BYTES // 16 - 2 * rows * stride
    stages_last, stages_middle, first_tiles, words = _staged(
        free, layers, inputs, hidden, network.members[-1].weight.shape[0]
    )
    return MatrixPlan(
        inputs,
        hidden,
        phases,
        splits,
        stages_last,
        stages_middle,
        first_tiles,
        words,
        8 * blocks <= SUM_NUMBERS,
        min(groups, -(-batch // (waves * SIDE))),
        waves,
    )


def _staged(
    free: int, layers: int, inputs: int, hidden: int, outputs: int
) -> tuple[bool, bool, int, int]:
    """Return which weights ``free`` words of group-shared memory hold, and the words they take.

    The middle layers come first: they are read most. The last layer's fragments read 16 rows.
    """
    if layers == 0:
        return False, False, 0, 0
    stride = hidden // 8 + 1
    last, middle = outputs * stride, (layers - 1) * hidden * stride
    stages_middle = layers > 1 and max(last + middle, SIDE * stride) <= free
    used = last + (middle if stages_middle else 0)
    if max(used, SIDE * stride) > free:
        return False, stages_middle, 0, used
    tiles = inputs // SIDE
    while tiles and used + hidden * 2 * tiles > free:
        tiles -= 1
    used += hidden * 2 * tiles
    return True, stages_middle, tiles, max(used, SIDE * stride)


def matrix_constants(plan: MatrixPlan, layers: int, *, many: bool = False) -> str:
    """Return the plan as the text that the device half is compiled with.

    ``many``: many_steps.cs.slang follows, which writes the weights that this reads.
    """
    quads, slices = plan.hidden_padded // 4, 1
    while slices * 2 * quads <= plan.waves * LANES and slices < plan.waves * SIDE // plan.phases:
        slices *= 2
    return (
        f"#define MANY_STEPS {int(many)}\n"
        f"#define STAGES_LAST {int(plan.stages_last)}\n"
        f"#define STAGES_MIDDLE {int(plan.stages_middle)}\n"
        f"#define FIRST_TILES {plan.first_tiles}\n"
        f"#define SUMS_IN_REGISTERS {int(plan.sums_in_registers)}\n"
        f"#define NO_HIDDEN_LAYERS {int(layers == 0)}\n"
        f"static const int FIRST_STRIDE = {2 * plan.first_tiles};\n"
        f"static const uint WEIGHT_WORDS = {plan.weight_words};\n"
        f"static const int WAVES = {plan.waves};\n"
        f"static const int INPUTS_PADDED = {plan.inputs_padded};\n"
        f"static const int HIDDEN_PADDED = {plan.hidden_padded};\n"
        f"static const int PHASES = {plan.phases};\n"
        f"static const int SPLITS = {plan.splits};\n"
        f"static const int BIAS_SLICES = {slices};\n"
    )


def _up(size: int) -> int:
    return -(-size // SIDE) * SIDE
