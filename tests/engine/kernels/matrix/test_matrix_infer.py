"""matrix_infer: plans fit, weights are staged where products look, values are the field's.

Values need CUDA; where weights lie is checked on any device.
"""

import pathlib

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.engine.draw import draw_field
from neuralshade.engine.kernel_plan import choose_infer_plan, infer_plan
from neuralshade.engine.kernels.infer.infer import Inference
from neuralshade.engine.kernels.matrix.matrix_infer import (
    ALIGN_BYTES,
    PAD_BYTES,
    MatrixInferPlan,
    matrix_infer_constants,
    matrix_infer_plan,
)
from neuralshade.engine.layout import NetworkLayout
from neuralshade.errors import DeviceError
from neuralshade.gpu.open import open_gpu
from neuralshade.model.activation import ACTIVATIONS
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.model.registry import build_encoding

GROUP_BYTES = 227 * 1024  # of group-shared memory that a group may have on an H200,
LEAST_BYTES = 99 * 1024  # and on every GPU with such products
CHECKS = pathlib.Path(__file__).with_name("matrix_infer_checks.slang")


def network(inputs: int, outputs: int, layers: int, width: int) -> MLP:
    return MLP(inputs, outputs, layers, width, rng=torch.Generator())


NETWORKS = st.builds(
    network, st.integers(1, 128), st.integers(1, 16), st.integers(0, 8), st.integers(16, 128)
)


@given(mlp=NETWORKS, shared_bytes=st.sampled_from([LEAST_BYTES, 163 * 1024, GROUP_BYTES]))
@settings(max_examples=300, deadline=None)
def test_as_much_is_staged_as_fits(mlp, shared_bytes):
    plan = matrix_infer_plan(mlp, shared_bytes)
    layers = len(mlp.members)
    assert 0 <= plan.staged_layers <= layers
    assert plan.infer_shared_bytes <= shared_bytes
    if plan.staged_layers < layers:
        more = plan.layer_bytes(plan.staged_layers)
        assert plan.infer_shared_bytes + more > shared_bytes
        assert not plan.keeps_weights


PLANS = [  # inputs, outputs, hidden layers, width, group-shared memory
    (12, 3, 0, 16, LEAST_BYTES), (128, 16, 0, 16, LEAST_BYTES), (12, 3, 2, 32, LEAST_BYTES),
    (30, 9, 1, 20, LEAST_BYTES), (1, 8, 4, 48, LEAST_BYTES), (60, 1, 3, 64, LEAST_BYTES),
    (24, 3, 8, 96, GROUP_BYTES), (24, 12, 8, 128, GROUP_BYTES), (128, 3, 3, 128, LEAST_BYTES),
]  # fmt: skip


def test_the_cases_differ_in_what_counts():
    found = [matrix_infer_plan(network(*of), shared_bytes) for *of, shared_bytes in PLANS]
    assert {plan.keeps_weights for plan in found} == {False, True}
    assert {plan.output_rows for plan in found} == {8, 16}
    assert {plan.staged_layers == plan.hidden_layers + 1 for plan in found} == {False, True}


class Image:
    """Group-shared memory as NumPy lays it out, and what it must hold."""

    def __init__(self, plan: MatrixInferPlan, layout: NetworkLayout, numbers: np.ndarray):
        self.plan, self.layout, self.numbers = plan, layout, numbers
        self.halves = np.full((plan.infer_shared_bytes - ALIGN_BYTES) // 2, 0xFFFF, np.uint16)
        for layer in range(plan.staged_layers):
            self._place_weights(layer)
        for layer in range(plan.hidden_layers + 1):
            self._place_biases(layer)

    def _place_weights(self, layer: int) -> None:
        at, first = self.layout.layers[layer], sum(map(self.plan.layer_bytes, range(layer)))
        rows = self.plan.output_rows if layer == self.plan.hidden_layers else at.padded_rows
        for row in range(rows):
            to = (first + row * (2 * at.padded_cols + PAD_BYTES)) // 2
            source = at.first + row * at.padded_cols
            self.halves[to : to + at.padded_cols] = self.numbers[source : source + at.padded_cols]

    def _place_biases(self, layer: int) -> None:
        last = layer == self.plan.hidden_layers
        columns = self.plan.output_rows if last else self.plan.hidden_padded
        stride = self.plan.hidden_padded + PAD_BYTES
        for column in range(columns):
            eight, pair, half = column // 8, column % 8 // 2, column % 2
            to = self.plan.biases_begin + (layer * 4 + pair) * stride + eight * 8
            for copy in (0, 2):  # for the upper and the lower rows of a fragment
                self.halves[to // 2 + copy + half] = self.numbers[
                    self.layout.layers[layer].first_bias + column
                ]


@pytest.mark.parametrize("case", PLANS, ids=str)
def test_weights_lie_where_products_look(case, dispatch):
    *of, shared_bytes = case
    mlp = network(*of)
    plan = matrix_infer_plan(mlp, shared_bytes)
    layout = NetworkLayout(mlp, plan.align)
    numbers = np.arange(layout.size).astype(np.uint16)  # bits, which are only copied
    sizes = f"static const int HIDDEN_LAYERS = {plan.hidden_layers};\n"
    image = Image(plan, layout, numbers)
    at = dispatch(
        sizes + matrix_infer_constants(plan) + CHECKS.read_text(),
        {"network_words": numbers, "memory": np.full_like(image.halves, 0xFFFF)},
    )
    at.run(("stage", 1))
    found = at.read("memory", np.uint16, image.halves.size)
    np.testing.assert_array_equal(found, image.halves)


@pytest.fixture(scope="module")
def cuda():
    """Give a CUDA device that has matrix products."""
    try:
        gpu = open_gpu("cuda")
    except DeviceError as error:
        pytest.skip(str(error))
    yield gpu
    gpu.close()


def built(encoding: str, layers: int, width: int, outputs: int = 3, hidden: str = "relu",
          output: str = "none", scale: float = 1.0) -> Field:  # fmt: skip
    """Return a field whose numbers are large enough to count, and float16.

    ``scale``: times the usual weights.
    """
    rng = torch.Generator().manual_seed(0)
    encoded = build_encoding(encoding, rng)
    mlp = MLP(encoded.width, outputs, layers, width, hidden, output, rng=rng)
    field = Field(encoded, mlp)
    with torch.no_grad():
        for linear in mlp.members:
            linear.weight.mul_(scale)
            linear.bias.uniform_(-0.3, 0.3, generator=rng)
        for texels in encoded.parameters():
            texels.uniform_(-1, 1, generator=rng)
        for parameter in field.parameters():
            parameter.copy_(parameter.half().float())
    return field


def inference(gpu, field: Field, plan) -> Inference:
    layout = NetworkLayout(field.network, plan.align)
    network = layout.flatten(list(field.network.parameters())).astype(np.float16)
    grid = field.encoding.flatten(list(field.encoding.parameters())).numpy().astype(np.float16)
    return Inference(gpu, field, layout, gpu.buffer(network), gpu.buffer(grid), halves=True,
                     vectors=False, plan=plan)  # fmt: skip


def far(got: np.ndarray, want: np.ndarray) -> float:
    """Return the relative error."""
    return float(np.linalg.norm(got - want) / np.linalg.norm(want))


FAR = 1e-2  # float16 sums of up to 128 products, through up to 9 layers; measured: 2e-3 at most
WAVES = "frequency:octaves=3"
DENSE = "dense_grid:levels=2,features=6,coarsest=3,width=19,height=15 + identity"
HASH = "hash_grid:levels=5,features=3,log2_entries=9,coarsest=4,finest=64"
FIELDS = [
    *[(WAVES, layers, 32, 3) for layers in range(9)],
    *[(WAVES, 2, width, 3) for width in (16, 20, 48, 64, 96, 128)],
    *[(WAVES, 1, 48, outputs) for outputs in (1, 2, 4, 5, 8, 9, 16)],
    (WAVES, 0, 16, 16), ("frequency:octaves=6", 8, 96, 2), ("frequency:octaves=6", 8, 128, 16),
    ("one_blob:bins=64", 1, 128, 3), (DENSE, 2, 32, 3), (DENSE, 0, 16, 3), (HASH, 2, 32, 5),
    ("dense_grid:levels=1,features=4,width=20,height=30 + frequency:octaves=2", 2, 32, 3),
]  # fmt: skip
COUNTS = (1, 31, 257, 5003)  # of positions; tiles are 32, a group's 128 or 256


@pytest.mark.gpu
@pytest.mark.parametrize("case", FIELDS, ids=str)
def test_values_are_those_of_the_field(cuda, case):
    field = built(*case)
    at = inference(cuda, field, infer_plan("matrix", field.network, cuda))
    assert at.path == "matrix"
    uv = np.random.default_rng(1).random((max(COUNTS), 2), dtype=np.float32)
    with torch.no_grad():
        want = field(torch.from_numpy(uv)).numpy()
    for count in COUNTS:
        assert far(at.at_positions(uv[:count]), want[:count]) < FAR, count
    assert far(at.picture(83, 60), draw_field(field, 83, 60)) < FAR


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_every_activation_is_taken(cuda, kind):
    field = built(WAVES, 2, 32, 3, kind, kind, scale=0.3)  # e^x twice stays below 65504
    at = inference(cuda, field, infer_plan("matrix", field.network, cuda))
    assert far(at.picture(40, 30), draw_field(field, 40, 30)) < FAR


@pytest.mark.gpu
@pytest.mark.parametrize("shared_bytes", [LEAST_BYTES, GROUP_BYTES])
@pytest.mark.parametrize("outputs", [3, 12])
def test_weights_that_are_not_staged_are_read(cuda, outputs, shared_bytes):
    field = built("one_blob:bins=64", 4, 112, outputs)
    plan = matrix_infer_plan(field.network, shared_bytes)
    assert (plan.staged_layers < 5) == (shared_bytes == LEAST_BYTES)
    assert far(inference(cuda, field, plan).picture(40, 30), draw_field(field, 40, 30)) < FAR


@pytest.mark.gpu
@pytest.mark.parametrize("outputs", [1, 3, 8, 9, 16])
def test_the_fastest_products_give_the_same(cuda, outputs):
    """Warpgroup products, on a Hopper."""
    field = built("frequency:octaves=4", 3, 64, outputs)
    at = inference(cuda, field, choose_infer_plan(field.network, cuda))
    uv = np.random.default_rng(1).random((5003, 2), dtype=np.float32)
    with torch.no_grad():
        want = field(torch.from_numpy(uv)).numpy()
    for count in COUNTS:
        assert far(at.at_positions(uv[:count]), want[:count]) < FAR, count
    assert far(at.picture(83, 60), draw_field(field, 83, 60)) < FAR


@pytest.mark.parametrize("of, kept", [
    ((12, 3, 2, 32), True), ((12, 16, 0, 16), True), ((16, 9, 1, 32), True),
    ((30, 3, 2, 32), False), ((12, 3, 3, 32), False), ((60, 1, 3, 64), False),
])  # fmt: skip
def test_small_networks_stay_in_registers(of, kept):
    plan = matrix_infer_plan(network(*of), LEAST_BYTES)
    assert plan.keeps_weights == kept
    assert f"#define KEEPS_WEIGHTS {int(kept)}\n" in matrix_infer_constants(plan)
