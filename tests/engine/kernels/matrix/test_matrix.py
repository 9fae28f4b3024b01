"""matrix: plans keep to what a device has, and the kernels' CUDA text is as it should be.

Sums of gradients are checked in test_training_slang.py, on a GPU.
"""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from neuralshade.engine.kernel_plan import train_text
from neuralshade.engine.kernels.matrix.matrix import (
    FEW_WAVES,
    SHARED_BYTES,
    SIDE,
    WAVES,
    MatrixPlan,
    matrix_constants,
    matrix_plan,
)
from neuralshade.errors import DeviceError
from neuralshade.gpu import cuda_packages
from neuralshade.gpu.cuda_compiler import compile_cuda
from neuralshade.gpu.cuda_text import patched_text
from neuralshade.gpu.slang_export import export_slang
from neuralshade.kinds.image.task import image_task
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.model.registry import build_encoding

MULTIPROCESSORS = 132
HOPPER_BYTES = 227 * 1024  # of group-shared memory for one group
BUILT = [  # encoding, hidden layers and width
    pytest.param("frequency:octaves=3", 4, 64, marks=pytest.mark.slow),  # large, unrolled
    pytest.param("one_blob:bins=9", 0, 16, marks=pytest.mark.slow),
    ("identity", 1, 48),
]


def network(inputs: int, outputs: int, layers: int, width: int) -> MLP:
    return MLP(inputs, outputs, layers, width, "relu", "none", True, rng=torch.Generator())


def rows_bytes(plan: MatrixPlan) -> int:
    """Return what two rows a sample take, in each buffer: inputs and gradients of a layer."""
    stride = 2 * max(plan.hidden_padded, plan.inputs_padded) + SIDE  # bytes
    return 2 * plan.buffers * (plan.waves * SIDE // plan.phases) * stride


@pytest.mark.parametrize("mma, kilobytes", [(False, 48), (True, 36), (True, 99), (True, 227)])
@pytest.mark.parametrize("inputs, width", [(1, 16), (17, 33), (128, 64), (12, 128)])
@pytest.mark.parametrize("layers", [0, 1, 2, 4, 8])
def test_plans_keep_to_group_shared_memory(mma, kilobytes, inputs, width, layers):
    for outputs in (1, 16):
        for batch in (100, 10_000, 1_000_000):
            plan = matrix_plan(
                network(inputs, outputs, layers, width), batch, MULTIPROCESSORS,
                shared_bytes=kilobytes * 1024, mma=mma,
            )  # fmt: skip
            assert plan.shared_bytes == 16 * plan.weight_words + rows_bytes(plan)
            assert plan.shared_bytes <= kilobytes * 1024
            assert plan.waves % plan.splits == 0
            assert plan.waves // plan.phases >= plan.splits  # each sums 16 samples of a phase


def test_cooperative_matrices_take_what_they_took():
    """The numbers behind docs/performance.md."""
    plan = matrix_plan(network(24, 3, 4, 64), 2**18, MULTIPROCESSORS)
    assert (plan.phases, plan.buffers, plan.waves, plan.groups) == (2, 1, WAVES, 132)
    assert (plan.stages_last, plan.stages_middle, plan.first_tiles) == (True, True, 1)
    assert plan.shared_bytes <= SHARED_BYTES and not plan.mma


def test_with_more_memory_all_weights_are_staged_and_layers_take_turns():
    plan = matrix_plan(
        network(24, 3, 4, 64), 2**16, MULTIPROCESSORS, shared_bytes=HOPPER_BYTES, mma=True
    )
    assert (plan.phases, plan.buffers, plan.first_tiles) == (1, 2, 2)
    assert plan.stages_last and plan.stages_middle


@pytest.mark.parametrize(
    "inputs, layers, width, batch, waves, groups",
    [
        (12, 4, 64, 2**10, FEW_WAVES, 16),  # no more than there are tiles
        (20, 4, 64, 2**16, WAVES, 132),
        (12, 4, 64, 2**16, FEW_WAVES, 264),  # few inputs: as with other batches
        (20, 3, 64, 2**18, FEW_WAVES, 264),
        (20, 2, 32, 2**16, WAVES, 264),  # few registers
        (16, 2, 32, 2**16, FEW_WAVES, 528),
        (12, 2, 128, 2**20, WAVES, 132),  # the sums of four waves would not fit the registers
    ],
)
def test_groups_of_a_multiprocessor(inputs, layers, width, batch, waves, groups):
    plan = matrix_plan(
        network(inputs, 3, layers, width), batch, MULTIPROCESSORS,
        shared_bytes=HOPPER_BYTES, mma=True,
    )  # fmt: skip
    assert (plan.waves, plan.groups) == (waves, groups)


def test_groups_may_be_set_once_the_device_tells_how_many_it_runs():
    plan = matrix_plan(network(12, 3, 4, 64), 1000, 132, shared_bytes=HOPPER_BYTES, mma=True)
    assert plan.tiles == 16
    assert plan.with_groups(9).groups == 9 == plan.with_groups(9).slots
    assert plan.with_groups(400).groups == 16
    assert matrix_constants(plan.with_groups(9), 4) == matrix_constants(plan, 4)


def cuda_text(encoding_name: str, layers: int, width: int, batch: int) -> str:
    rng = torch.Generator()
    encoding = build_encoding(encoding_name, rng)
    mlp = MLP(encoding.width, 3, layers, width, "leaky_relu", "none", True, rng=rng)
    plan = matrix_plan(mlp, batch, MULTIPROCESSORS, shared_bytes=HOPPER_BYTES, mma=True)
    memory = SimpleNamespace(buffer=lambda values: values)  # nothing runs
    task = image_task(
        memory, encoding, np.zeros((8, 8, 3), np.float32), "l2", "positions", batch, 0,
        halves=True, gradients="half",
    )  # fmt: skip
    text = train_text(plan, Field(encoding, mlp), task, many=False)
    return patched_text(export_slang(text, "train"), "train").code


@pytest.mark.parametrize("encoding, layers, width", BUILT)
def test_cuda_text_multiplies_by_tensor_cores_and_follows_no_masks(encoding, layers, width):
    pytest.importorskip("slangpy")
    code = cuda_text(encoding, layers, width, 2**18)
    kernel = code[code.index("struct GlobalParams_0") :]
    assert "neuralshade_multiply_add_halves(" in kernel
    assert "neuralshade_multiply_add_floats(" in kernel
    assert "__ballot_sync" not in kernel  # several instructions at each branch
    assert "__shared__" not in kernel  # an array of fixed size would end at 48 KB


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90a"])  # without and with stmatrix
def test_cuda_text_compiles(architecture):
    pytest.importorskip("slangpy")
    try:
        cuda_packages.nvrtc()
    except DeviceError as error:
        pytest.skip(str(error))
    code = cuda_text("identity", 2, 32, 2**18)
    made = compile_cuda(code, architecture, fast_math=True)
    assert made.cubin.startswith(b"\x7fELF")
