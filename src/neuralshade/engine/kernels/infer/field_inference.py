"""Inference of a field: its numbers on a GPU, and the kernels for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neuralshade.engine.kernel_path import inference_path, loads_bytes
from neuralshade.engine.kernel_plan import choose_infer_plan
from neuralshade.engine.kernels.infer.infer import Inference
from neuralshade.engine.kernels.infer.infer_text import infer_text
from neuralshade.engine.kernels.matrix.matrix import SIDE
from neuralshade.engine.layout import NetworkLayout
from neuralshade.gpu.gpu import Gpu, KernelText, write_once
from neuralshade.model.field import Field

if TYPE_CHECKING:
    import torch

    from neuralshade.model.stepped_codes import SteppedCodes


def exact_text(field: Field, entry: str = "draw_positions") -> KernelText:
    """Return the kernel text of an ``exact`` ``field_inference``."""
    layout = NetworkLayout(field.network, 1)
    return KernelText(infer_text(field, layout, False, None, None), entry)


def field_inference(
    gpu: Gpu, field: Field, *, codes: SteppedCodes | None = None, exact: bool = False
) -> Inference:
    """Return an Inference of ``field`` with its current numbers.

    ``codes``: of the encoding, kept in GPU memory in place of its numbers.

    Runs in float16 on cooperative vectors, or on CUDA's matrix units where these take the
    network; otherwise, or if ``exact``, in float32 loops.
    """
    vectors = not exact and inference_path(gpu.adapter) == "vector"
    plan = None if exact else choose_infer_plan(field.network, gpu)
    halves = vectors or plan is not None
    layout = NetworkLayout(field.network, SIDE if halves else 1)
    number = np.float16 if halves else np.float32
    weights: list[torch.Tensor] = list(field.network.parameters())
    if codes is not None:
        codes, weights[0] = codes.folded_into(weights[0])
        codes = codes.read_by_bytes() if loads_bytes(gpu.adapter) else codes
    network = layout.flatten(weights).astype(number)
    if codes is None:
        grid = field.encoding.flatten(list(field.encoding.parameters())).numpy().astype(number)
    else:
        grid = codes.words
    inference = Inference(
        gpu,
        field,
        layout,
        gpu.buffer(network),
        gpu.buffer(grid),
        halves=halves,
        vectors=vectors,
        plan=plan,
        codes=codes,
    )
    commands = gpu.commands()
    inference.refresh(commands)
    commands.submit()
    return inference


def upload_numbers(inference: Inference, field: Field) -> None:
    """Replace the numbers of an ``exact`` ``field_inference`` by a field's current ones.

    The field has the form of the one before: kernels and sizes stay.
    """
    network, grid = inference.network, inference.bound["grid_numbers"]
    layers, encoding = list(field.network.parameters()), field.encoding
    write_once(inference.gpu, network, inference.layout.flatten(layers))
    write_once(inference.gpu, grid, encoding.flatten(list(encoding.parameters())).numpy())
