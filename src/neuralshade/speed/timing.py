"""Timing of work: GPU timestamps where there are any, else the host's clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import numpy.typing as npt
import torch

from neuralshade.engine.network_trainer import NetworkTrainer
from neuralshade.gpu.clock import GpuClock, Patience, median_per_call, steps_seconds

RATE_FACTOR = 0.01  # of the learning rate while timing: weights stay finite


@contextmanager
def clocked(trainer: NetworkTrainer) -> Iterator[GpuClock]:
    """Let ``trainer`` submit its steps through a GpuClock inside the block."""
    gpu, queue = trainer.gpu, trainer.queue
    clock = GpuClock(gpu)
    queue.gpu = clock
    try:
        yield clock
    finally:
        gpu.wait()
        queue.gpu = gpu


def gpu_step_seconds(trainer: NetworkTrainer, patience: Patience) -> float:
    """Return the median GPU time of one training step, several in a submission, in seconds."""
    with clocked(trainer) as clock:
        return median_per_call(
            lambda count: float(trainer.advance([RATE_FACTOR] * count)), clock, patience
        )


def gpu_inference_seconds(
    trainer: NetworkTrainer, positions: npt.NDArray[Any], patience: Patience
) -> float:
    """Return the median GPU time of evaluating ``positions`` float32 [N, D] once, in seconds.

    Only the evaluation itself: no transfers, no rounding of weights before it.
    """
    trainer.round_mean()
    steps, _ = trainer.inference.positions_steps(positions)
    return steps_seconds(trainer.gpu, steps, patience)


def wall_seconds(work: Callable[[], object], patience: Patience) -> float:
    """Return the median wall time of ``work``, which waits for its own end, in seconds."""
    work()  # compiles; not part of the warm-up
    end = time.perf_counter() + patience.warm_seconds
    while time.perf_counter() < end:
        work()
    readings = []
    for _ in range(patience.repeats):
        start = time.perf_counter()
        work()
        readings.append(time.perf_counter() - start)
    return median(readings)


def wait_for(device: torch.device) -> None:
    """Wait for all work of a torch device."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()
