"""Training steps on cooperative matrices. Device half: matrix.cs.slang."""

from dataclasses import dataclass

from neuralshade.model.mlp import MLP

SIDE = 16  # of a fragment
WAVES = 8  # of 32 threads in a group
TILE = WAVES * SIDE  # samples that a group takes at once
SHARED_BYTES = 48 * 1024  # of group-shared memory
WIDEST = 128  # hidden layer, and input
SUM_NUMBERS = 72  # per thread that sums may take in registers; beyond, they lie in memory


@dataclass(frozen=True)
class MatrixPlan:
    """How a group's waves share a network; the constants of the device half."""

    inputs_padded: int
    hidden_padded: int
    phases: int  # in which a tile's rows are shared
    splits: int  # waves that sum the same block of weights
    staged: bool  # middle layers' weights are kept in group-shared memory
    sums_in_registers: bool
    groups: int

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
    phases = 1 if max(hidden, inputs) <= 32 else 2
    rows = TILE // phases
    splits = min({1: 8, 2: 2}.get(tiles, 1), rows // SIDE)  # each sums 16 samples at least
    sharers = WAVES // splits
    blocks = -(-tiles * tiles // sharers) * max(0, layers - 1)
    blocks += -(-tiles * (inputs // SIDE) // sharers)
    stride = max(hidden, inputs) // 8 + 1
    shared = 16 * rows * (2 * stride + SIDE // 8 + 1)
    staged = 16 * max(0, layers - 1) * hidden * (hidden // 8 + 1)
    return MatrixPlan(
        inputs,
        hidden,
        phases,
        splits,
        0 < staged <= SHARED_BYTES - shared,
        8 * blocks <= SUM_NUMBERS,
        min(groups, -(-batch // TILE)),
    )


def matrix_constants(plan: MatrixPlan, layers: int) -> str:
    """Return the plan as the text that the device half is compiled with."""
    pairs, slices = plan.hidden_padded // 2, 1
    while slices * 2 * pairs <= WAVES * 32 and slices < TILE // plan.phases:
        slices *= 2
    return (
        f"#define STAGED {int(plan.staged)}\n"
        f"#define SUMS_IN_REGISTERS {int(plan.sums_in_registers)}\n"
        f"#define NO_HIDDEN_LAYERS {int(layers == 0)}\n"
        f"static const int INPUTS_PADDED = {plan.inputs_padded};\n"
        f"static const int HIDDEN_PADDED = {plan.hidden_padded};\n"
        f"static const int PHASES = {plan.phases};\n"
        f"static const int SPLITS = {plan.splits};\n"
        f"static const int BIAS_SLICES = {slices};\n"
    )


def _up(size: int) -> int:
    return -(-size // SIDE) * SIDE
