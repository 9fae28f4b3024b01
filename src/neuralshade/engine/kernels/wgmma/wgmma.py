"""Training steps on Hopper's warpgroup products, through CUDA. Device half: wgmma.cs.slang."""

from dataclasses import dataclass

from neuralshade.model.mlp import MLP

SIDE = 16  # columns of a fragment
WARPGROUP = 128  # threads
TILE = 64  # samples that a warpgroup takes at once
WIDTH = 64  # of the hidden layers, filled up
WIDEST_INPUT = 64
MOST_SUMS = 128  # float32 of a thread's registers that sums of gradients may take
WIDE_BYTES, NARROW_BYTES = TILE * 128, TILE * 32  # of 64 rows in group-shared memory
FEW_SUMS = 64  # of them: three warpgroups fit a multiprocessor, else two
MANY_TILES = 16  # of a multiprocessor
APART_TILES = 4  # of a multiprocessor: with fewer, three at once share them unevenly
LAUNCH_REGISTERS = 128  # of a thread of a group of four warpgroups
FEWER_REGISTERS, MORE_REGISTERS = 112, 176  # of those three that hand some over, and of the fourth
TWO_GROUPS_TILES = 12  # of one: with fewer, two groups are as fast as three, with fewer sums
HALF_TILES = 4  # that a group sums on average: its sums may then be rounded to float16 on their way
INFER_WARPGROUPS = 4  # of a group that evaluates: they share weights, two groups fit
ALIGN_BYTES = 1024  # of group-shared memory, whose beginning may have to be moved


@dataclass(frozen=True)
class WgmmaPlan:
    """Distribution of a batch over warpgroups; the constants of the device half."""

    inputs: int
    hidden_layers: int
    groups: int
    warpgroups: int  # of a group
    tiles: int  # of a batch
    outputs: int
    apart: bool = False  # whether a further warpgroup sums the gradients of weights

    align = SIDE
    halves = True

    @property
    def threads(self) -> int:
        """Return the threads of a group."""
        return (self.warpgroups + self.apart) * WARPGROUP

    @property
    def slots(self) -> int:
        """Return how many partial sums of the gradient there are."""
        return self.groups

    @property
    def shared_bytes(self) -> int:
        """Return the group-shared memory of a launch of the training kernels."""
        tiles = self.inputs // SIDE + 1  # of the inputs and a column of ones
        own = 4 * WIDE_BYTES + 2 * tiles * NARROW_BYTES + self.output_bytes
        adding = 1 if self.apart else self.warpgroups
        sums = 4 * (adding * self.hidden_layers * WIDTH + self.warpgroups * 4 * (SIDE + 1))
        return self._weight_bytes + self.warpgroups * own + SIDE * 128 + sums

    @property
    def inputs_padded(self) -> int:
        """Return the columns of a product's left factor."""
        return _up(self.inputs)

    @property
    def output_bytes(self) -> int:
        """Return the bytes of a warpgroup's outputs in a training kernel, besides other rows."""
        return 0 if self.apart else NARROW_BYTES

    @property
    def infer_shared_bytes(self) -> int:
        """Return that of the inference kernels."""
        own = self.inputs_padded // SIDE * NARROW_BYTES + self.infer_output_bytes
        return self._weight_bytes + INFER_WARPGROUPS * own

    @property
    def infer_output_bytes(self) -> int:
        """Return the bytes of a warpgroup's outputs there: rows of float16, then all as float32."""
        return max(NARROW_BYTES, TILE * 4 * self.outputs)

    @property
    def infer_threads(self) -> int:
        """Return the threads of a group for inference."""
        return INFER_WARPGROUPS * WARPGROUP

    @property
    def infer_samples(self) -> int:
        """Return the samples that it processes at once."""
        return INFER_WARPGROUPS * TILE

    @property
    def _weight_bytes(self) -> int:
        tiles, layers = self.inputs_padded // SIDE, self.hidden_layers
        weights = (layers - 1) * WIDE_BYTES + SIDE * 128 + tiles * NARROW_BYTES
        return ALIGN_BYTES + weights + 128 * (layers + 1)


def fits_wgmma(network: MLP) -> str | None:
    """Return why ``network`` cannot run on warpgroup products; None where it can."""
    first, last = network.members[0].weight, network.members[-1].weight
    layers = len(network.members) - 1
    if layers == 0:
        return "it has no hidden layers"
    if _up(first.shape[0]) != WIDTH:
        return f"its hidden layers are {first.shape[0]} wide, not {WIDTH - SIDE + 1} to {WIDTH}"
    if first.shape[1] > WIDEST_INPUT:
        return f"its input is {first.shape[1]} wide, beyond {WIDEST_INPUT}"
    if last.shape[0] > SIDE:
        return f"it has {last.shape[0]} outputs, more than {SIDE}"
    if _sums(_up(first.shape[1]), layers) > MOST_SUMS:
        return f"sums for {layers} hidden layers do not fit the registers"
    return None


def wgmma_plan(
    network: MLP, batch: int, multiprocessors: int, *, small_samples: bool = False
) -> WgmmaPlan:
    """Return the plan for a network that ``fits_wgmma``.

    A multiprocessor runs as many warpgroups as its registers allow: of one group, which share
    weights and add their sums up. In large batches of large networks a fourth one sums for three,
    where each group has one tile a second one for the first. That leaves the others few registers,
    so it is for ``small_samples`` (those of TaskText). Groups of small networks have one for any
    batch, so that all batches share a kernel.
    """
    width = network.members[0].weight.shape[1]
    inputs, layers = _up(width), len(network.members) - 1
    tiles = -(-batch // TILE)
    few = _sums(inputs, layers) <= FEW_SUMS
    one_each, many = tiles <= multiprocessors, tiles >= APART_TILES * multiprocessors
    apart = small_samples and not few and (one_each or many)
    if one_each:
        groups, warpgroups = tiles, 1
    elif few and inputs <= SIDE:
        each = 2 if tiles < TWO_GROUPS_TILES * multiprocessors else 3
        groups, warpgroups = min(tiles, each * multiprocessors), 1
    elif inputs > SIDE and not few and not apart and tiles >= MANY_TILES * multiprocessors:
        groups, warpgroups = 2 * multiprocessors, 1
    else:
        warpgroups = 3 if few or apart else 2
        groups = min(multiprocessors, -(-tiles // warpgroups))
    outputs = network.members[-1].weight.shape[0]
    return WgmmaPlan(width, layers, groups, warpgroups, tiles, outputs, apart)


def wgmma_constants(plan: WgmmaPlan, *, many: bool = False) -> str:
    """Return the plan as constants for the training kernels.

    ``many``: many_steps.cs.slang follows, which writes the weights.
    """
    from neuralshade.engine.kernels.wgmma.first_product import first_product  # on Hopper alone

    handed = plan.apart and plan.warpgroups > 1  # else each thread may have as many as it needs
    halves = many and plan.tiles <= HALF_TILES * plan.slots
    beside = plan.inputs % SIDE == 0  # else the ones are among what fills inputs up
    columns = plan.inputs if beside else plan.inputs // 8 * 8 + 8
    return first_product(columns, beside=beside) + _constants(
        plan,
        plan.warpgroups,
        plan.output_bytes,
        f"""#define MANY_STEPS {int(many)}
#define HALF_PARTIALS {int(halves)}
static const int SUMS_APART = {int(plan.apart)};
static const int LAUNCH_REGISTERS = {LAUNCH_REGISTERS};
static const int FEWER_REGISTERS = {FEWER_REGISTERS if handed else 0};
static const int MORE_REGISTERS = {MORE_REGISTERS if handed else 0};
static const bool TRAINS = true;
""",
    )


def wgmma_infer_constants(plan: WgmmaPlan) -> str:
    """Return the plan as constants for the inference kernels."""
    return _constants(
        plan,
        INFER_WARPGROUPS,
        plan.infer_output_bytes,
        """#define MANY_STEPS 0
static const int SUMS_APART = 0;
static const bool TRAINS = false;
""",
    )


def _constants(plan: WgmmaPlan, warpgroups: int, output_bytes: int, more: str) -> str:
    return f"""{more}static const int INPUTS_PADDED = {plan.inputs_padded};
static const int WARPGROUPS = {warpgroups};
static const uint OUTPUT_BYTES = {output_bytes}; // of a warpgroup
"""


def _sums(inputs: int, layers: int) -> int:
    """Return the float32 numbers that a thread's sums take."""
    return (layers - 1) * WIDTH // 2 + inputs // 2 + SIDE // 2


def _up(size: int) -> int:
    return -(-size // SIDE) * SIDE
