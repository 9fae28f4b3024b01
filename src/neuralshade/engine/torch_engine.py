"""PyTorch engine: training steps on any torch device, for any task."""

import ctypes
import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from neuralshade.base.interrupt import signals_deferred
from neuralshade.engine.threads import Threads
from neuralshade.loss.pointwise import Loss, loss_named
from neuralshade.model.field import Field
from neuralshade.optimizer.adam import Optimizer
from neuralshade.optimizer.average import WeightAverage

MOST_THREADS = 1024  # limit for the count in a checkpoint
HOLD_STEPS = 12  # run and undone to choose a number of threads for a repeatable fit
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of mallopt(3)
MMAP_BYTES = 32 * 2**20  # the most that glibc takes
TRIM_BYTES = 256 * 2**20  # free memory at the end of the heap that stays with the process

Batch = tuple[torch.Tensor, torch.Tensor]  # the field's output and its target: [C, N]


class _Beginning(torch.autograd.Function):
    """A number whose gradient is ``d_predicted``.

    Its gradient is requested instead: a tensor's backward with an argument loads PyTorch's
    symbolic shapes, 487 modules with SymPy (0.3 s, and 2.7 s before they are compiled).
    """

    @staticmethod
    def forward(ctx: Any, predicted: Any, d_predicted: Any) -> torch.Tensor:
        ctx.save_for_backward(d_predicted)
        return d_predicted.new_zeros(())

    @staticmethod
    def backward(ctx: Any, _: torch.Tensor) -> Any:
        return *ctx.saved_tensors, None


@dataclass
class TorchEngine:
    """Runs steps: draw, encode, forward, loss, backward, optimizers.

    ``load_batch`` runs before each step; ``task`` draws a batch, or reads the loaded one, and
    evaluates ``field`` there. Where that multiplies in float16, the
    loss gradient is multiplied by ``scale`` on its way back, so that small gradients do not
    vanish. A step whose gradient is not finite is skipped and counted in ``skipped``.
    """

    field: Field
    task: Callable[[torch.Generator], Batch]
    loss: str | Loss
    optimizers: Sequence[Optimizer]
    rng: torch.Generator
    scale: float = 1.0
    average: WeightAverage | None = None
    repeatable: bool = False  # hold on to one number of threads, for equal bits
    skipped: int = 0
    load_batch: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.parameters = list(self.field.parameters())
        self.compare = loss_named(self.loss) if isinstance(self.loss, str) else self.loss
        on_cpu = self.parameters[0].device.type == "cpu"
        self.threads = Threads(torch.get_num_threads() if on_cpu else 1)
        if on_cpu:
            keep_heap()

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step size; return the last step's mean loss."""
        if self.repeatable and not self.threads.held:
            self._hold_threads()
        factors, losses = iter(rate_factors), []
        self.threads.run(len(rate_factors), lambda: losses.append(self._step(next(factors))))
        return float(losses[-1])

    def _hold_threads(self) -> None:
        """Choose the number of threads for good, by steps that are undone again."""
        before = {name: value.clone() for name, value in self.state().items()}
        self.threads.run(HOLD_STEPS, lambda: self._step(0.0))
        self.load_state({**before, "threads": torch.tensor(self.threads.count)})

    def _step(self, rate_factor: float) -> torch.Tensor:
        self.load_batch()
        loss = self._gradients()
        if self._gradients_are_finite():
            self._unscale()
            for optimizer in self.optimizers:
                optimizer.step(rate_factor)
            if self.average is not None:
                self.average.update()
        else:
            self.skipped += 1
        return loss

    def _gradients(self) -> torch.Tensor:
        """Compute one batch's gradients, times ``scale``; return its mean loss."""
        predicted, target = self.task(self.rng)
        loss, d_predicted = self.compare(predicted.detach().float(), target)
        for p in self.parameters:
            p.grad = None
        share = d_predicted.mul_(self.scale / d_predicted.numel()).to(predicted.dtype)
        _Beginning.apply(predicted, share).backward()
        return loss.mean()

    def _gradients_are_finite(self) -> bool:
        gradients = [p.grad for p in self.parameters if p.grad is not None]
        return bool(torch.nn.utils.get_total_norm(gradients).isfinite())

    def _unscale(self) -> None:
        if self.scale != 1.0:
            gradients = [p.grad for p in self.parameters if p.grad is not None]
            torch._foreach_mul_(gradients, 1.0 / self.scale)

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Give the field the averaged weights, if any, inside the block."""
        if self.average is None:
            yield
            return
        trained = [p.detach().clone() for p in self.parameters]
        try:
            self._set_parameters(self.average.values())
            yield
        finally:
            with signals_deferred():  # a signal between two tensors would leave a mixture
                self._set_parameters(trained)

    @torch.no_grad()
    def _set_parameters(self, values: Sequence[torch.Tensor]) -> None:
        for p, value in zip(self.parameters, values, strict=True):
            p.copy_(value)

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that a restart needs besides the recipe, by name."""
        state = {"rng": self.rng.get_state(), "skipped": torch.tensor(self.skipped)}
        state["threads"] = torch.tensor(self.threads.count)
        state |= {f"field.{name}": p.detach() for name, p in self.field.named_parameters()}
        for index, optimizer in enumerate(self.optimizers):
            state |= {f"optimizer.{index}.{k}": v for k, v in optimizer.state().items()}
        if self.average is not None:
            state |= {f"average.{k}": v for k, v in self.average.state().items()}
        return state

    @torch.no_grad()
    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Load the result of ``state``; the next step is as if training had never stopped."""
        self.rng.set_state(state["rng"])
        self.skipped = int(state["skipped"])
        if not 1 <= int(state["threads"]) <= MOST_THREADS:
            raise ValueError(f"threads: got {int(state['threads'])}")
        if self.repeatable:
            self.threads.hold(int(state["threads"]))
        for name, p in self.field.named_parameters():
            p.copy_(state[f"field.{name}"])
        for index, optimizer in enumerate(self.optimizers):
            optimizer.load_state(_below(state, f"optimizer.{index}."))
        if self.average is not None:
            self.average.load_state(_below(state, "average."))


def _below(state: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}


@functools.cache
def keep_heap() -> None:
    """Ask glibc to serve buffers of up to 32 MB from its heap; elsewhere do nothing.

    By default every buffer of a batch is mapped afresh, and touching it costs a page fault
    per 4 KB: a quarter of a step's time when measured (2.44 ms against 1.89 ms). The setting
    holds for the process; at most 256 MB more stay with it.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, MMAP_BYTES)
        mallopt(M_TRIM_THRESHOLD, TRIM_BYTES)
