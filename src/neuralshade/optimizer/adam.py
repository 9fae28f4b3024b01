"""Adam, of all numbers each step or of touched cells only. Device half: adam.slang."""

from collections.abc import Sequence
from typing import Protocol

import torch
from torch.optim.adam import adam


class Optimizer(Protocol):
    """What an engine asks of an optimizer; ``state`` holds everything a restart needs."""

    def step(self, rate_factor: float) -> None: ...
    def state(self) -> dict[str, torch.Tensor]: ...
    def load_state(self, state: dict[str, torch.Tensor]) -> None: ...


class Adam:
    """Adam over all parameters of one group.

    theta -= rate * m' / (sqrt(v') + epsilon), m and v running means of the gradient and its
    square, ' the correction for their start at zero. float32. ``penalty`` times theta is added to
    the gradient first, which is that of penalty / 2 * |theta|^2.
    Source: Kingma and Ba 2015, algorithm 1; the update itself is torch.optim.Adam's fused one,
    without that class, which loads a second's worth of PyTorch's compiler to decorate itself.
    """

    def __init__(
        self,
        parameters: Sequence[torch.nn.Parameter],
        rate: float,
        betas: tuple[float, float] = (0.9, 0.99),
        epsilon: float = 1e-8,
        penalty: float = 0.0,
    ):
        self.parameters = list(parameters)
        self.rate, self.betas, self.epsilon, self.penalty = rate, betas, epsilon, penalty
        # from the start, so that a state is always whole
        self.counts = [torch.zeros((), device=p.device) for p in self.parameters]
        self.means, self.squares = (
            [torch.zeros_like(p, requires_grad=False) for p in self.parameters] for _ in range(2)
        )
        self._rate: float | torch.Tensor = rate  # of the next step
        self._skip: torch.Tensor | None = None

    def step(self, rate_factor: float) -> None:
        """Step once along the gradients, with the step size times ``rate_factor``."""
        self._rate = self.rate * rate_factor
        self.step_as_set()

    @torch.no_grad()
    def step_as_set(self) -> None:
        """Step once along the gradients, with the step size that was set last."""
        every = zip(self.parameters, self.means, self.squares, self.counts, strict=True)
        moved = [(p, p.grad, *moments) for p, *moments in every if p.grad is not None]
        if moved:
            parameters, gradients, means, squares, counts = map(list, zip(*moved, strict=True))
            adam(
                parameters, gradients, means, squares, [], counts, fused=True, amsgrad=False,
                beta1=self.betas[0], beta2=self.betas[1], lr=self._rate, weight_decay=self.penalty,
                eps=self.epsilon, maximize=False, found_inf=self._skip,
                capturable=self._skip is not None,
            )  # fmt: skip

    def record(self, skip: torch.Tensor) -> None:
        """Get ready for steps that a CUDA graph holds.

        ``skip``: float32 []; a step is none where it is 1, as the device reads it.
        """
        self._rate, self._skip = torch.tensor(self.rate, device=skip.device), skip

    def set_rate(self, rate_factor: float) -> None:
        """Let steps that were recorded have the step size times ``rate_factor`` from now on."""
        assert isinstance(self._rate, torch.Tensor), "steps are recorded first"
        self._rate.fill_(self.rate * rate_factor)

    def moments(self, parameter: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the live moments of a parameter; zeros for one that is not stepped."""
        for own, *moments in zip(self.parameters, self.means, self.squares, strict=True):
            if own is parameter:
                return moments[0], moments[1]
        return torch.zeros_like(parameter), torch.zeros_like(parameter)

    def state(self) -> dict[str, torch.Tensor]:
        """Return the live moments and counts by name."""
        names = ("step", "exp_avg", "exp_avg_sq")
        every = zip(self.counts, self.means, self.squares, strict=True)
        return {
            f"{index}.{name}": value
            for index, values in enumerate(every)
            for name, value in zip(names, values, strict=True)
        }

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Overwrite moments and counts with those that ``state`` returned once."""
        for name, value in self.state().items():
            value.copy_(state[name])


class LatentAdam(Adam):
    """Adam of latents, which stay in [0, 1]; those whose gradient is None stay as they are.

    Every latent moves in every step, by what its moments still have of earlier samples.
    """

    @torch.no_grad()
    def step_as_set(self) -> None:
        """Step once along the gradients, with the step size that was set last."""
        super().step_as_set()
        for p in self.parameters:
            if p.grad is not None:
                p.clamp_(0, 1)


class TouchedAdam:
    """Adam that leaves a grid cell, its moments and its count alone while no sample hits it.

    Plain Adam keeps moving a cell by its momentum long after its last gradient; with few
    samples per step and many cells that drowns the gradients of the cells that were hit.
    A cell is one position of a [features, height, width] or [entries, features] tensor; it is
    touched when any of its features has a gradient other than 0.
    Source: sparse Adam of Mueller et al. 2022, Instant NGP, section 4 ("skip Adam steps for
    hash table entries whose gradient is exactly 0"), with a step count per cell.
    """

    def __init__(
        self,
        parameters: Sequence[torch.nn.Parameter],
        rate: float,
        betas: tuple[float, float] = (0.9, 0.99),
        epsilon: float = 1e-8,
    ):
        self.parameters = list(parameters)
        self.rate, self.betas, self.epsilon = rate, betas, epsilon
        self.cells = [
            (torch.zeros_like(p), torch.zeros_like(p), self._cell_zeros(p)) for p in parameters
        ]

    @staticmethod
    def _feature_axis(p: torch.Tensor) -> int:
        return 0 if p.dim() == 3 else 1

    def _cell_zeros(self, p: torch.Tensor) -> torch.Tensor:
        return torch.zeros_like(p).sum(self._feature_axis(p), keepdim=True)

    @torch.no_grad()
    def step(self, rate_factor: float) -> None:
        """Step the touched cells once, with the step size times ``rate_factor``."""
        (b1, b2), rate = self.betas, self.rate * rate_factor
        for p, (m, v, count) in zip(self.parameters, self.cells, strict=True):
            if p.grad is None:
                continue
            hit = (p.grad != 0).any(self._feature_axis(p), keepdim=True).float()
            count += hit
            m += (p.grad - m) * (hit * (1 - b1))
            v += (p.grad.square() - v) * (hit * (1 - b2))
            m_hat = m / (1 - b1**count).clamp_(min=1e-12)  # count 0: m is 0, keep it so
            v_hat = v / (1 - b2**count).clamp_(min=1e-12)
            p.sub_(hit * rate * m_hat / (v_hat.sqrt_() + self.epsilon))

    def state(self) -> dict[str, torch.Tensor]:
        """Return the live moments and counts by name."""
        names = ("exp_avg", "exp_avg_sq", "count")
        return {
            f"{index}.{name}": value
            for index, cell in enumerate(self.cells)
            for name, value in zip(names, cell, strict=True)
        }

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Overwrite moments and counts with those that ``state`` returned once."""
        for name, value in self.state().items():
            value.copy_(state[name])


GRID_OPTIMIZERS: dict[str, type[Adam] | type[TouchedAdam]] = {
    "adam": Adam,
    "touched_adam": TouchedAdam,
}
