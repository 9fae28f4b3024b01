"""Inference of networks by matrix products of a warp, through CUDA.

Device half: matrix_infer.cs.slang.
"""

from dataclasses import dataclass

from neuralshade.engine.kernels.matrix.matrix import LANES, SIDE
from neuralshade.model.mlp import MLP

WARPS = 8  # of a group
ROW_TILES = 2  # times SIDE samples that a warp takes at once: each fragment of weights serves all
KEPT_WORDS = 48  # of a thread that weights may take, for all tiles; more was slower
ALIGN_BYTES = 1024  # of group-shared memory, whose beginning may have to be moved
PAD_BYTES = 16  # that rows of group-shared memory are longer than their numbers


@dataclass(frozen=True)
class MatrixInferPlan:
    """Layout of group-shared memory; the constants of the device half."""

    inputs_padded: int
    hidden_padded: int
    hidden_layers: int
    outputs: int
    staged_layers: int  # in group-shared memory; other weights are read from device memory

    align = SIDE
    halves = True

    @property
    def infer_threads(self) -> int:
        """Return the threads of a group."""
        return WARPS * LANES

    @property
    def infer_samples(self) -> int:
        """Return the samples that a group takes at once."""
        return WARPS * ROW_TILES * SIDE

    @property
    def infer_shared_bytes(self) -> int:
        """Return the group-shared memory of a launch."""
        return self.own_begin + WARPS * self.own_bytes + ALIGN_BYTES

    @property
    def output_rows(self) -> int:
        """Return how many rows of the last layer's weights products take."""
        return -(-self.outputs // 8) * 8

    @property
    def biases_begin(self) -> int:
        """Return the byte where biases begin, after the weights."""
        return sum(self.layer_bytes(layer) for layer in range(self.staged_layers))

    @property
    def own_begin(self) -> int:
        """Return the byte where the warps' own memory begins."""
        return self.biases_begin + (self.hidden_layers + 1) * 4 * (self.hidden_padded + PAD_BYTES)

    @property
    def own_bytes(self) -> int:
        """Return the bytes of a warp's own memory: rows of inputs, then rows of outputs."""
        row = 2 * self.inputs_padded + PAD_BYTES
        return ROW_TILES * SIDE * (row + max(2 * self.output_rows, 4 * self.outputs))

    @property
    def fragments(self) -> int:
        """Return the words of 16 bytes that all weights and biases take in a thread."""
        hidden, layers = self.hidden_padded // SIDE, self.hidden_layers
        inputs = self.inputs_padded // SIDE
        before = hidden * (inputs + 1) + (layers - 1) * hidden * (hidden + 1) if layers else 0
        last = hidden if layers else inputs
        return before + (last if self.output_rows > 8 else -(-last // 2)) + 1

    @property
    def keeps_weights(self) -> bool:
        """Return whether registers hold all weights."""
        return self.staged_layers > self.hidden_layers and 4 * self.fragments <= KEPT_WORDS

    def layer_bytes(self, layer: int) -> int:
        """Return the bytes of a layer's staged weights."""
        rows = self.output_rows if layer == self.hidden_layers else self.hidden_padded
        return rows * (2 * (self.hidden_padded if layer else self.inputs_padded) + PAD_BYTES)


def matrix_infer_plan(network: MLP, shared_bytes: int) -> MatrixInferPlan:
    """Return the plan for a network that ``fits_matrices``.

    ``shared_bytes``: of group-shared memory that a group may take. 99 KB, the least that a GPU
    with such products has, suffice for all.
    """
    layers = len(network.members) - 1
    rows, columns = network.members[0].weight.shape
    outputs = network.members[-1].weight.shape[0]
    hidden = _up(rows) if layers else SIDE
    for staged in range(layers + 1, -1, -1):
        plan = MatrixInferPlan(_up(columns), hidden, layers, outputs, staged)
        if plan.infer_shared_bytes <= shared_bytes:
            break
    return plan


def matrix_infer_constants(plan: MatrixInferPlan) -> str:
    """Return the plan as constants for the device half."""
    return f"""#define MANY_STEPS 0
#define NO_HIDDEN_LAYERS {int(plan.hidden_layers == 0)}
#define KEEPS_WEIGHTS {int(plan.keeps_weights)}
#define WIDE_OUTPUT {int(plan.output_rows > 8)}
static const int INPUTS_PADDED = {plan.inputs_padded};
static const int HIDDEN_PADDED = {plan.hidden_padded};
static const int STAGED_LAYERS = {plan.staged_layers};
static const uint OUTPUT_ROWS = {plan.output_rows};
static const uint WARPS = {WARPS};
static const uint ROW_TILES = {ROW_TILES};
static const uint KEPT_FRAGMENTS = {plan.fragments if plan.keeps_weights else 1};
static const uint SHARED_BIASES = {plan.biases_begin};
static const uint SHARED_OWN = {plan.own_begin};
static const uint OWN_BYTES = {plan.own_bytes};
"""


def _up(size: int) -> int:
    return -(-size // SIDE) * SIDE
