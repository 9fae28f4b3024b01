"""How long work takes: on a GPU by its own timestamps, elsewhere by the host's clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.gpu_engine import GpuEngine

if TYPE_CHECKING:
    import slangpy

MOST_SUBMISSIONS = 64  # between two readings of a GpuClock
CALL_SECONDS = 0.02  # of GPU work per reading; far above what a reading costs
MOST_STEPS = 2048  # per reading
RATE_FACTOR = 0.01  # of the step size while timing: weights stay finite however long it takes


@dataclass(frozen=True)
class Patience:
    """How thoroughly to measure."""

    warm_seconds: float  # of the same work first: a GPU that idled runs at a third of its clock
    repeats: int  # of which the median counts


class GpuClock:
    """Stands in for a device and adds a timestamp to both ends of each command encoder.

    Everything else is the device's own, so an engine is timed as it is, uploads included.
    """

    def __init__(self, device: slangpy.Device):
        import slangpy as spy

        self._device, self._begun = device, 0
        self._pool = device.create_query_pool(
            type=spy.QueryType.timestamp, count=2 * MOST_SUBMISSIONS
        )
        self._pool.reset()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def create_command_encoder(self) -> _TimedEncoder:
        """Return an encoder that begins with a timestamp and finishes with another."""
        first = 2 * self._begun
        self._begun += 1
        assert self._begun <= MOST_SUBMISSIONS, "read the clock before so many submissions"
        encoder = self._device.create_command_encoder()
        encoder.write_timestamp(self._pool, first)
        return _TimedEncoder(encoder, self._pool, first + 1)

    def read(self) -> float:
        """Wait for all submissions since the last reading; return the sum of their seconds."""
        self._device.wait()
        if self._begun == 0:
            return 0.0
        stamps = np.array(self._pool.get_timestamp_results(0, 2 * self._begun))
        self._begun = 0
        self._pool.reset()
        return float((stamps[1::2] - stamps[0::2]).sum())


class _TimedEncoder:
    def __init__(self, encoder: Any, pool: Any, last: int):
        self._encoder, self._pool, self._last = encoder, pool, last

    def __getattr__(self, name: str) -> Any:
        return getattr(self._encoder, name)

    def finish(self) -> Any:
        self._encoder.write_timestamp(self._pool, self._last)
        return self._encoder.finish()


@contextmanager
def clocked(engine: GpuEngine) -> Iterator[GpuClock]:
    """Let ``engine`` submit through a GpuClock inside the block."""
    device = engine.gpu
    clock = GpuClock(device)
    engine.gpu = clock
    try:
        yield clock
    finally:
        device.wait()
        engine.gpu = device


def gpu_step_seconds(engine: GpuEngine, patience: Patience) -> float:
    """Return the median GPU time of one training step, several in a submission, in seconds."""
    with clocked(engine) as clock:
        return _median_per_call(
            lambda count: float(engine.advance([RATE_FACTOR] * count)), clock, patience
        )


def gpu_inference_seconds(engine: GpuEngine, uv: npt.NDArray[Any], patience: Patience) -> float:
    """Return the median GPU time of evaluating ``uv`` float32 [N, 2] once, in seconds.

    Only the evaluation itself: no transfers, no rounding of weights before it.
    """
    engine.round_mean()
    kernel, groups, _ = engine.inference.positions_kernel(uv)

    def evaluate(count: int) -> None:
        encoder = engine.gpu.create_command_encoder()
        with encoder.begin_compute_pass() as into:
            for _ in range(count):
                kernel.record(into, [groups])
        engine.gpu.submit_command_buffer(encoder.finish())

    with clocked(engine) as clock:
        return _median_per_call(evaluate, clock, patience)


def _median_per_call(work: Callable[[int], object], clock: GpuClock, patience: Patience) -> float:
    """Return GPU seconds per unit of ``work``, done in readings of CALL_SECONDS or so."""
    work(1)  # compiles, which warms nothing
    clock.read()
    count, end = 1, time.perf_counter() + patience.warm_seconds
    while True:
        work(count)
        taken = clock.read() / count
        if time.perf_counter() >= end:
            break
        count = max(1, min(MOST_STEPS, 2 * count, round(CALL_SECONDS / max(taken, 1e-9))))
    readings = []
    for _ in range(patience.repeats):
        work(count)
        readings.append(clock.read() / count)
    return median(readings)


def wall_seconds(work: Callable[[], object], patience: Patience) -> float:
    """Return the median wall time of ``work``, which waits for its own end, in seconds."""
    work()  # compiles, which warms nothing
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
    """Wait for everything that a torch device was given to do."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()
