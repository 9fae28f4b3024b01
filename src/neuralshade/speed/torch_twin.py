"""PyTorch counterpart of the GPU engine in `neuralshade bench`: same networks, same work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy.typing as npt
import torch

from neuralshade.engine.engine_choice import choose_precision
from neuralshade.engine.network_trainer import NetworkTrainer
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.gpu.clock import Patience
from neuralshade.gpu.device import AdapterInfo
from neuralshade.gpu.gpu import Gpu
from neuralshade.speed.timing import RATE_FACTOR, wait_for, wall_seconds

STEPS = 4  # per reading
LONGEST_STEP = 0.5  # seconds; batches that would take longer are left out


class Timed(Protocol):
    """Benchmark of a kind: networks, and their trainers."""

    networks: Sequence[Any]  # each with a name and about, a line

    def gpu_trainer(self, network: Any, batch: int, gpu: Gpu, kernels: str) -> NetworkTrainer: ...
    def torch_trainer(self, network: Any, batch: int, device: torch.device) -> TorchEngine: ...


def torch_twin(adapter: AdapterInfo, timed: Timed, patience: Patience) -> TorchTwin:
    """Return PyTorch on the GPU of ``adapter`` where torch sees one of that name, else on the
    CPU. Of several GPUs of one name it is the first.
    """
    names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    for index, name in enumerate(names):
        if not adapter.software and _is_same(name, adapter.name):
            return TorchTwin(torch.device("cuda", index), True, timed, patience)
    if adapter.api == "metal" and torch.backends.mps.is_available():
        return TorchTwin(torch.device("mps"), True, timed, patience)
    return TorchTwin(torch.device("cpu"), False, timed, patience)


def _is_same(one: str, other: str) -> bool:
    """Compare names of a GPU; drivers of AMD and Intel put more around them than torch does."""
    one, other = one.casefold(), other.casefold()
    return one in other or other in one


@dataclass(frozen=True)
class TorchTwin:
    """A torch device, and networks trained on it by the package's own torch engine."""

    device: torch.device
    same_gpu: bool
    timed: Timed
    patience: Patience
    runs: bool = True  # else nothing is timed

    def about(self) -> dict[str, Any]:
        """Return the device's name and description, and the version of torch."""
        described = torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else None
        return {"device": str(self.device), "description": described, "same_gpu": self.same_gpu,
                "version": torch.__version__}  # fmt: skip

    def step_seconds(self, network: Any, batch: int, per_sample: float) -> float | None:
        """Return the wall time of a step.

        None where it does not run, or memory or LONGEST_STEP does not allow it.

        ``per_sample``: seconds at a smaller batch, from which the step's time is estimated.
        """
        if not self.runs or per_sample * batch > LONGEST_STEP:
            return None
        try:
            trainer = self.timed.torch_trainer(network, batch, self.device)
            factors = [RATE_FACTOR] * STEPS
            return wall_seconds(lambda: trainer.advance(factors), self.patience) / STEPS
        except torch.OutOfMemoryError:
            return None
        finally:
            self._release()

    def inference_seconds(self, network: Any, batch: int, uv: npt.NDArray[Any]) -> float | None:
        """Return the wall time of evaluating ``uv`` float32 [N, 2]; None as ``step_seconds``."""
        if not self.runs:
            return None
        try:
            field = self.timed.torch_trainer(network, batch, self.device).field
            at = torch.from_numpy(uv).to(self.device)
            compute = choose_precision("auto", self.device)

            @torch.no_grad()
            def evaluate() -> None:
                for _ in range(STEPS):
                    field.on_samples(at, compute)
                wait_for(self.device)

            return wall_seconds(evaluate, self.patience) / STEPS
        except torch.OutOfMemoryError:
            return None
        finally:
            self._release()

    def _release(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
