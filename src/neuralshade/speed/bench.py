"""Benchmark behind `neuralshade bench`: training and inference, beside PyTorch."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from neuralshade.base.lazy_import import import_object
from neuralshade.engine.kernel_plan import path_of
from neuralshade.engine.network_trainer import SUBMITTED_STEPS, NetworkTrainer
from neuralshade.gpu.clock import Patience
from neuralshade.gpu.device import AdapterInfo
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds import all_kinds
from neuralshade.speed.gpu_memory import buffer_bytes, used_bytes
from neuralshade.speed.roofline import (
    Ceilings,
    bytes_per_step,
    flops_per_sample,
    measure_ceilings,
    reached,
)
from neuralshade.speed.timing import (
    RATE_FACTOR,
    clocked,
    gpu_inference_seconds,
    gpu_step_seconds,
    wall_seconds,
)
from neuralshade.speed.torch_twin import Timed, TorchTwin, torch_twin

EPOCH_BATCH, EPOCH_STEPS = 1024, 128  # of RTXNS, samples/SimpleTraining
Row = dict[str, Any]


@dataclass(frozen=True)
class BenchPlan:
    """Amount of measurement."""

    batches: tuple[int, ...]
    inference_batch: int
    epoch_steps: int
    epochs: int
    host_repeats: int
    recorded_steps: int  # in one submission, to time the recording
    patience: Patience
    torch_patience: Patience


FULL = BenchPlan(
    tuple(2**power for power in (14, 16, 18, 20, 21)), 2**22, EPOCH_STEPS, 100,
    200, SUBMITTED_STEPS, Patience(1.2, 7), Patience(1.0, 5),
)  # fmt: skip
QUICK = BenchPlan(
    (2**10, 2**12), 2**14, EPOCH_STEPS, 10, 50, SUBMITTED_STEPS, Patience(1.0, 3), Patience(0.3, 3)
)
SOFTWARE = BenchPlan((2**10, 2**12), 2**12, 8, 1, 2, 4, Patience(0.0, 1), Patience(0.0, 1))


def bench(
    *,
    quick: bool = False,
    device: str | None = None,
    kernels: str = "auto",
    torch: bool = True,
    observer: Callable[[str], None] = lambda stage: None,
) -> dict[str, Any]:
    """Time the GPU engine on this machine, and PyTorch on the same GPU, else on the CPU.

    Four networks (docs/bench.md lists them) learn a synthetic picture. GPU times are the
    GPU's own timestamps, medians after a second of the same work; PyTorch's are wall times.

    Args:
        quick: small batches and few repetitions; a software adapter is always measured so, and
            with a smaller network C.
        device: API of the GPU engine (cuda, vulkan, metal, d3d12); the best one if None.
        kernels: auto, wgmma, matrix or fma.
        torch: whether PyTorch is timed, too; the ceilings are, either way.
        observer: called with a line on the next measurement.

    Returns:
        Plain JSON data. ``adapter``: name, api, software. ``torch``: device, description,
        version, or None where it was left out. ``quick``: whether it was. ``notes``: what a
        reader must know, lines.
        ``ceilings``: half_flops and copy_bytes, per second, or None. ``training``: a row per
        network and batch: network, about, batch, kernels, step_us, samples_per_second, torch
        (samples/s or None), ratio, flops_per_sample, bytes_per_step, product_share,
        memory_share (of the ceilings), limit ("products", "memory" or None), skipped_steps.
        ``epoch``: network, steps, batch, epochs, milliseconds, torch, ratio. ``inference``:
        network, batch, kernels, samples_per_second, torch, ratio. ``host``, of a step: network,
        batch, wall_us, gpu_us, host_us (the difference), submit_us (of one alone, not waited
        for), record_us (of many at once). ``memory``: network, batch, bytes, opening_bytes (of
        the device itself, or None), source. Where torch is a time, ratio is still how often
        faster the GPU engine is.

    Raises: ConfigError for another device or kernels; DeviceError where it cannot run.
    """
    idle = _taken_by_all()
    gpu = open_gpu("auto" if device is None else device)
    try:
        return _Bench(gpu, kernels, quick, torch, observer).run(idle)
    finally:
        gpu.close()


def _taken_by_all() -> dict[str, int]:
    """Return the bytes in use on each torch GPU, contexts of torch included."""
    found = {}
    for index in range(torch.cuda.device_count()):
        used = used_bytes(torch.device("cuda", index), "")
        found[f"cuda:{index}"] = 0 if used is None else used[0]
    return found


def timed_kind(*, software: bool) -> Timed:
    """Return the benchmark of the first kind in the registry that has one."""
    place = next(kind.timed for kind in all_kinds() if kind.timed is not None)
    found: Timed = import_object(place)(software=software)
    return found


class _Bench:
    """One run: an open device, and its measurements."""

    def __init__(
        self, gpu: Gpu, kernels: str, quick: bool, torch: bool, observer: Callable[[str], None]
    ):
        self.gpu, self.kernels, self.observer = gpu, kernels, observer
        self.adapter: AdapterInfo = gpu.adapter
        self.quick = quick or self.adapter.software
        software = self.adapter.software
        self.plan = SOFTWARE if software else QUICK if quick else FULL
        self.timed = timed_kind(software=software)
        self.networks = self.timed.networks
        twin = torch_twin(self.adapter, self.timed, self.plan.torch_patience)
        self.twin: TorchTwin = replace(twin, runs=torch)

    def run(self, idle: dict[str, int]) -> dict[str, Any]:
        """Measure everything; memory first, before PyTorch takes some."""
        memory = self._memory(self.networks[0], idle)
        ceilings = self._ceilings()
        found: dict[str, list[Row]] = {"training": [], "epoch": [], "inference": [], "host": []}
        for network in self.networks:
            found["training"] += self._training(network, ceilings)
            trainer = self._trainer(network, EPOCH_BATCH)
            found["epoch"].append(self._epoch(network, trainer))
            found["inference"].append(self._inference(network, trainer))
            found["host"].append(self._host(network, trainer))
        about = self.adapter
        return {
            "adapter": {"name": about.name, "api": about.api, "software": about.software},
            "torch": self.twin.about() if self.twin.runs else None,
            "quick": self.quick,
            "notes": self._notes(),
            "ceilings": ceilings and {"half_flops": ceilings.flops, "copy_bytes": ceilings.bytes},
            **found,
            "memory": memory,
        }

    def _trainer(self, network: Any, batch: int) -> NetworkTrainer:
        return self.timed.gpu_trainer(network, batch, self.gpu, self.kernels)

    def _ceilings(self) -> Ceilings | None:
        if not self.twin.same_gpu:
            return None
        self.observer("ceilings: a matrix product, a copy")
        return measure_ceilings(self.twin.device, self.plan.patience, small=self.quick)

    def _training(self, network: Any, ceilings: Ceilings | None) -> list[Row]:
        rows, slowest = [], 0.0
        for batch in self.plan.batches:
            self.observer(f"training {network.name}, {batch:,} samples a step")
            trainer = self._trainer(network, batch)
            seconds = gpu_step_seconds(trainer, self.plan.patience)
            theirs = self.twin.step_seconds(network, batch, slowest)
            slowest = 0.0 if theirs is None else theirs / batch
            flops, moved = flops_per_sample(trainer.field.network), bytes_per_step(trainer)
            rows.append({
                "network": network.name, "about": network.about, "batch": batch,
                "kernels": path_of(trainer.plan),
                "step_us": seconds * 1e6,
                **_rates(batch, seconds, theirs),
                "flops_per_sample": flops, "bytes_per_step": moved,
                **reached(flops * batch, moved, seconds, ceilings),
                "skipped_steps": trainer.skipped,
            })  # fmt: skip
        return rows

    def _epoch(self, network: Any, trainer: NetworkTrainer) -> Row:
        self.observer(f"epochs of {network.name}")
        factors, epochs = [RATE_FACTOR] * self.plan.epoch_steps, self.plan.epochs

        def run() -> None:
            for _ in range(epochs):
                trainer.advance(factors)

        once = Patience(self.plan.patience.warm_seconds, 1)
        seconds = wall_seconds(run, once) / epochs
        step = self.twin.step_seconds(network, EPOCH_BATCH, 0.0)
        theirs = None if step is None else step * len(factors)
        return {
            "network": network.name, "steps": len(factors), "batch": EPOCH_BATCH,
            "epochs": epochs, "milliseconds": seconds * 1e3,
            "torch": None if theirs is None else theirs * 1e3,
            "ratio": None if theirs is None else theirs / seconds,
        }  # fmt: skip

    def _inference(self, network: Any, trainer: NetworkTrainer) -> Row:
        batch = self.plan.inference_batch
        self.observer(f"inference {network.name}, {batch:,} samples")
        uv = np.random.default_rng(0).random((batch, 2), dtype=np.float32)
        seconds = gpu_inference_seconds(trainer, uv, self.plan.patience)
        theirs = self.twin.inference_seconds(network, EPOCH_BATCH, uv)
        path = trainer.inference.path
        rates = _rates(batch, seconds, theirs)
        return {"network": network.name, "batch": batch, "kernels": path, **rates}

    def _host(self, network: Any, trainer: NetworkTrainer) -> Row:
        """Time steps one by one: the wall, the GPU's part of it, and recording alone."""
        self.observer(f"host time of {network.name}")
        readings: list[tuple[float, float]] = []
        with clocked(trainer) as clock:
            end = time.perf_counter() + self.plan.patience.warm_seconds
            while time.perf_counter() < end or len(readings) < self.plan.host_repeats:
                start = time.perf_counter()
                trainer.advance([RATE_FACTOR])
                readings.append((time.perf_counter() - start, clock.read()))
        wall, gpu = np.array(readings[-self.plan.host_repeats :]).T * 1e6
        return {
            "network": network.name, "batch": EPOCH_BATCH, "wall_us": float(np.median(wall)),
            "gpu_us": float(np.median(gpu)), "host_us": float(np.median(wall - gpu)),
            "submit_us": self._submit_seconds(trainer, 1) * 1e6,
            "record_us": self._submit_seconds(trainer, self.plan.recorded_steps) * 1e6,
        }  # fmt: skip

    def _submit_seconds(self, trainer: NetworkTrainer, steps: int) -> float:
        """Return the host time per step of recording and submitting so many at once."""
        readings = []
        for _ in range(self.plan.host_repeats):
            trainer.gpu.wait()
            start = time.perf_counter()
            trainer.submit([RATE_FACTOR] * steps)
            readings.append((time.perf_counter() - start) / steps)
        trainer.gpu.wait()
        return float(np.median(readings))

    def _memory(self, network: Any, idle: dict[str, int]) -> Row:
        """Measure the memory of one fit beyond an open device."""
        self.observer("memory")
        batch = self.plan.batches[-1]
        opened = used_bytes(self.twin.device, self.adapter.name)
        trainer = self._trainer(network, batch)
        trainer.advance([RATE_FACTOR])
        fitted = used_bytes(self.twin.device, self.adapter.name)
        row = {"network": network.name, "batch": batch}
        # of all processes: if another freed memory meanwhile, it is no measure of this one
        if opened is None or fitted is None or fitted[0] <= opened[0]:
            return {**row, "bytes": buffer_bytes(trainer), "opening_bytes": None,
                    "source": "sum of buffer sizes"}  # fmt: skip
        before = idle.get(str(self.twin.device))
        opening = None if before is None else opened[0] - before
        return {**row, "bytes": fitted[0] - opened[0], "opening_bytes": opening,
                "source": fitted[1]}  # fmt: skip

    def _notes(self) -> list[str]:
        notes = []
        if self.adapter.software:
            notes.append(f"{self.adapter.name} is software: batches, repetitions and network C "
                         "are small, and nothing here tells how fast a GPU is")  # fmt: skip
        elif self.quick:
            notes.append("--quick: small batches and few repetitions, which no GPU is fast at")
        if not self.twin.same_gpu and not self.twin.runs:
            notes.append("no ceilings of the GPU were measured: that takes a PyTorch that sees it")
        elif not self.twin.same_gpu:
            notes.append("PyTorch sees no such GPU: it runs on the CPU, and no ceilings of the "
                         "GPU were measured")  # fmt: skip
        return notes


def _rates(batch: int, seconds: float, theirs: float | None) -> Row:
    return {
        "samples_per_second": batch / seconds,
        "torch": None if theirs is None else batch / theirs,
        "ratio": None if theirs is None else theirs / seconds,
    }
