"""Training steps in PyTorch on CUDA, recorded once as a graph of kernels and replayed.

A small network's step is hundreds of kernels of a few microseconds, and the host takes longer to
start them than they run: on an H200 a material's step took 6 to 10 ms one by one. Replayed,
all of them are one launch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch

from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.loss.pointwise import LOSSES
from neuralshade.optimizer.adam import Adam

WARM_UPS = 3  # steps that change nothing, in which libraries choose their kernels


@dataclass
class RecordedEngine(TorchEngine):
    """``TorchEngine`` on CUDA, whose ``task`` reads its batch where ``bring`` puts it.

    ``bring`` runs on the host before each step. What the task does, and where parameters lie, stays
    the same until ``forget``. The optimizers are ``Adam``; there is no average.
    """

    bring: Callable[[], None] = lambda: None
    _graph: torch.cuda.CUDAGraph | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        device = self.parameters[0].device
        self._skip, self._skips = (torch.zeros((), device=device) for _ in range(2))
        self._loss = torch.zeros((), device=device)
        self._adams = [adam for adam in self.optimizers if isinstance(adam, Adam)]
        if len(self._adams) != len(self.optimizers) or self.average is not None:
            raise TypeError("a recorded step has Adam alone")
        for adam in self._adams:
            adam.record(self._skip)

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step size; return the last step's mean loss."""
        for factor in rate_factors:
            self.bring()
            if self._graph is None:
                self._graph = self._recorded()
            for adam in self._adams:
                adam.set_rate(factor)
            self._graph.replay()
        self.skipped += int(self._skips)
        self._skips.zero_()
        return float(self._loss)

    def forget(self) -> None:
        """Record the next step anew: what a step does has changed."""
        self._graph = None

    def _recorded(self) -> torch.cuda.CUDAGraph:
        """Return one step as a graph; nothing is trained by recording it."""
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):
            for _ in range(WARM_UPS):
                self._step_on_device(torch.ones_like(self._skip))
        torch.cuda.current_stream().wait_stream(beside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._step_on_device(torch.zeros_like(self._skip))
        self._skips.zero_()
        return graph

    def _step_on_device(self, skip: torch.Tensor) -> None:
        """Run a step of which the host is told nothing; skip it if ``skip`` is 1."""
        predicted, wanted = self.task(self.rng)
        loss, d_predicted = LOSSES[self.loss](predicted.detach().float(), wanted)
        for p in self.parameters:
            p.grad = None
        predicted.backward(d_predicted.mul_(self.scale / d_predicted.numel()).to(predicted.dtype))
        gradients = [p.grad for p in self.parameters if p.grad is not None]
        finite = torch.nn.utils.get_total_norm(gradients).isfinite()
        self._skip.copy_(torch.maximum(skip, 1.0 - finite.float()))
        self._skips.add_(self._skip)
        self._unscale()
        for adam in self._adams:
            adam.step_as_set()
        self._loss.copy_(loss.mean())
