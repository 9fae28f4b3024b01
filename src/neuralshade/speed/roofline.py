"""Roofline: operations and bytes of a training step, and a device's ceilings for both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from neuralshade.engine.network_trainer import NetworkTrainer
from neuralshade.gpu.clock import Patience
from neuralshade.model.mlp import MLP
from neuralshade.speed.timing import wait_for, wall_seconds

PASSES = 3  # forward, gradients of weights, gradients of inputs: as many products each
CORNERS = 4  # that a bilinear look-up reads
ADAM_BYTES = 8 + 16 + 4 + 4  # value and both moments read and written, gradient read and zeroed
MATRIX_SIDE, COPY_BYTES = 8192, 2**30  # of the ceilings
SMALL_SIDE, SMALL_BYTES = 2048, 2**26  # of the ceilings where it must be quick
PRODUCTS_PER_CALL = 8


@dataclass(frozen=True)
class Ceilings:
    """Measured peak rates of a device."""

    flops: float  # per second, of a float16 matrix product
    bytes: float  # per second, read and written, of a copy


def flops_per_sample(network: MLP) -> int:
    """Return the operations of a training step per sample: a multiply-add is two, unpadded."""
    weights = sum(linear.weight.numel() for linear in network.members)
    return 2 * PASSES * weights


def bytes_per_step(trainer: NetworkTrainer) -> int:
    """Return the bytes that a step of a picture's fit must read and write, each number once.

    Picture texels and grid entries (at most those that the batch can touch), gradients of
    grids, Adam of every trained number, and the partial gradients of the network, which are
    written by one dispatch and read by the next.
    """
    look_ups = CORNERS * trainer.training.batch
    stored = 2 if trainer.plan.halves else 4
    picture = trainer.task.variables["picture"].size
    texels = trainer.task.variables["picture_size"].prod()
    moved = picture * min(1.0, look_ups / texels)
    for table in trainer.field.encoding.tables():
        touched = min(table.entries, look_ups) * table.features
        moved += touched * (stored + 4)  # read, and its gradient written
    trained = trainer.grid.count + trainer.network.count
    moved += trained * (ADAM_BYTES + stored)
    moved += 2 * 4 * trainer.plan.slots * trainer.layout.size
    return round(moved)


def reached(
    flops: float, moved: float, seconds: float, ceilings: Ceilings | None
) -> dict[str, Any]:
    """Return the shares of the ceilings that work of ``seconds`` reached, and the limiting one.

    ``limit`` is "products" or "memory", whichever of the two would take longer at its ceiling;
    all three are None without ceilings.
    """
    if ceilings is None:
        return {"product_share": None, "memory_share": None, "limit": None}
    shares = flops / seconds / ceilings.flops, moved / seconds / ceilings.bytes
    limit = "products" if shares[0] >= shares[1] else "memory"
    return {"product_share": shares[0], "memory_share": shares[1], "limit": limit}


def measure_ceilings(device: torch.device, patience: Patience, *, small: bool) -> Ceilings:
    """Multiply float16 matrices and copy bytes on ``device``, the best that PyTorch does."""
    side, size = (SMALL_SIDE, SMALL_BYTES) if small else (MATRIX_SIDE, COPY_BYTES)
    left = torch.randn(side, side, device=device).half()
    product = torch.empty_like(left)
    source = torch.zeros(size, dtype=torch.uint8, device=device)
    copy = torch.empty_like(source)

    def multiply() -> None:
        for _ in range(PRODUCTS_PER_CALL):
            torch.mm(left, left.t(), out=product)
        wait_for(device)

    def move() -> None:
        for _ in range(PRODUCTS_PER_CALL):
            copy.copy_(source)
        wait_for(device)

    flops = PRODUCTS_PER_CALL * 2 * side**3 / wall_seconds(multiply, patience)
    return Ceilings(flops, PRODUCTS_PER_CALL * 2 * size / wall_seconds(move, patience))
