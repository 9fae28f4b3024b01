"""Plan and kernel text of each kernel path: the one place where a path is plugged in."""

from __future__ import annotations

from neuralshade.engine.kernel_path import KernelPath, TrainingPath, inference_paths
from neuralshade.engine.kernels.infer.infer_text import InferPlan
from neuralshade.engine.kernels.matrix.matrix import (
    SHARED_BYTES,
    MatrixPlan,
    fits_matrices,
    matrix_constants,
    matrix_plan,
)
from neuralshade.engine.kernels.matrix.matrix_infer import matrix_infer_plan
from neuralshade.engine.kernels.step.portable import PortablePlan, portable_constants, portable_plan
from neuralshade.engine.kernels.wgmma.wgmma import (
    WgmmaPlan,
    fits_wgmma,
    wgmma_constants,
    wgmma_plan,
)
from neuralshade.engine.layout import sizes_text
from neuralshade.engine.task import TaskText
from neuralshade.gpu.gpu import Gpu
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP

Plan = MatrixPlan | PortablePlan | WgmmaPlan
FusedPlan = MatrixPlan | WgmmaPlan  # whose text many_steps.cs.slang may follow
GROUPS = 132  # sharing a batch, where the driver reports no better number


def refusal_of(path: KernelPath, network: MLP) -> str | None:
    """Return why the kernels of ``path`` cannot take ``network``; None where they can."""
    if path == "wgmma":
        return fits_wgmma(network)
    return fits_matrices(network) if path == "matrix" else None


def build_plan(
    path: TrainingPath,
    network: MLP,
    batch: int,
    gpu: Gpu,
    groups: int | None = None,
    *,
    small_samples: bool = False,
) -> Plan:
    """Return the plan for a network that ``path`` does not refuse.

    ``groups``: at most so many share a batch; None: as many as ``gpu`` runs well.
    ``small_samples``: those of the task's TaskText.
    """
    own = (gpu.multiprocessors if gpu.api == "cuda" else None) or GROUPS
    groups = own if groups is None else groups
    if path == "wgmma":
        return wgmma_plan(network, batch, groups, small_samples=small_samples)
    if path == "fma":
        return portable_plan(network, batch, groups)
    if gpu.api != "cuda":
        return matrix_plan(network, batch, groups)
    shared = max(SHARED_BYTES, gpu.adapter.shared_bytes)
    return matrix_plan(network, batch, groups, shared_bytes=shared, mma=True)


def infer_plan(path: KernelPath, network: MLP, gpu: Gpu) -> InferPlan | None:
    """Return the plan for the inference of a network that ``path`` does not refuse.

    None where no plan is needed: for vectors, or loops.
    """
    if path == "wgmma":
        return wgmma_plan(network, 1, gpu.multiprocessors or 1)
    if path == "matrix" and gpu.api == "cuda":
        return matrix_infer_plan(network, gpu.adapter.shared_bytes)
    return None


def choose_infer_plan(network: MLP, gpu: Gpu) -> InferPlan | None:
    """Return the plan of the fastest products of ``gpu`` for ``network``; None without any."""
    taken = (path for path in inference_paths(gpu.adapter) if refusal_of(path, network) is None)
    return infer_plan(next(taken), network, gpu)


def train_text(plan: Plan, field: Field, task: TaskText, *, many: bool) -> str:
    """Return the module that trains ``field`` on ``task``.

    ``many``: text that includes many_steps.cs.slang follows.
    """
    layers = len(field.network.members) - 1
    if isinstance(plan, WgmmaPlan):
        kernel, constants = "wgmma/wgmma", wgmma_constants(plan, many=many)
    elif isinstance(plan, PortablePlan):
        kernel, constants = "step/portable", portable_constants(plan)
    else:
        kernel, constants = "matrix/matrix", matrix_constants(plan, layers, many=many)
    return "".join([
        "import neuralshade.model.activation;\n",
        task.text,
        sizes_text(field.network),
        constants,
        f'#include "neuralshade/engine/kernels/{kernel}.cs.slang"\n',
    ])  # fmt: skip


def path_of(plan: Plan) -> TrainingPath:
    """Return the path of a plan."""
    if isinstance(plan, WgmmaPlan):
        return "wgmma"
    return "fma" if isinstance(plan, PortablePlan) else "matrix"
