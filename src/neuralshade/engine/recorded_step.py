"""Recorded step: a PyTorch training step as a CUDA graph.

A small network's step is hundreds of kernels of a few microseconds, and the host takes longer to
start them than they run: on an H200 a material's step took 6 to 10 ms one by one. Replayed,
all of them are one launch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from neuralshade.base.garbage import no_collection
from neuralshade.optimizer.adam import Adam

WARM_UPS = 3  # steps that change nothing, in which libraries choose their kernels


class RecordedStep:
    """Runs ``gradients`` and then ``adams`` as one launch; what they read and write stays in place.

    ``gradients`` returns a loss [] and leaves its gradients alone, which ``adams`` step along; a
    step of which one is not finite moves nothing, and is counted in ``skips``.
    """

    def __init__(
        self, gradients: Callable[[], torch.Tensor], adams: Sequence[Adam], device: torch.device
    ):
        self._gradients, self._adams = gradients, adams
        self._skip, self._skips = (torch.zeros((), device=device) for _ in range(2))
        self.loss = torch.zeros((), device=device)  # of the last step
        self._graph: torch.cuda.CUDAGraph | None = None
        for adam in adams:
            adam.record(self._skip)

    def run(self, rate_factor: float) -> None:
        """Run one step with the step sizes times ``rate_factor``."""
        if self._graph is None:
            self._graph = self._recorded()
        for adam in self._adams:
            adam.set_rate(rate_factor)
        self._graph.replay()

    def forget(self) -> None:
        """Record the next step anew: what a step does has changed."""
        self._graph = None

    def skips(self) -> int:
        """Return how many steps were skipped since the last call."""
        count = int(self._skips)
        self._skips.zero_()
        return count

    def _recorded(self) -> torch.cuda.CUDAGraph:
        """Return one step as a graph; nothing is trained by recording it."""
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):
            for _ in range(WARM_UPS):
                self._step(torch.ones_like(self._skip))
        torch.cuda.current_stream().wait_stream(beside)
        graph = torch.cuda.CUDAGraph()
        # a graph in garbage that is freed meanwhile ends the recording
        with no_collection(), torch.cuda.graph(graph):
            self._step(torch.zeros_like(self._skip))
        self._skips.zero_()
        return graph

    def _step(self, skip: torch.Tensor) -> None:
        """Run a step without reporting to the host; skip it if ``skip`` is 1."""
        loss = self._gradients()
        parameters = [p for adam in self._adams for p in adam.parameters]
        gradients = [p.grad for p in parameters if p.grad is not None]
        finite = torch.nn.utils.get_total_norm(gradients).isfinite()
        self._skip.copy_(torch.maximum(skip, 1.0 - finite.float()))
        self._skips.add_(self._skip)
        for adam in self._adams:
            adam.step_as_set()
        self.loss.copy_(loss)
