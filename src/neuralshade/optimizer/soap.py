"""SOAP: Adam in the eigenbasis of a layer's gradients, for small networks.

Device half: soap.slang.

Inputs of a decoder vary together: of three lobes about one normal the cosines are nearly the same.
Adam steps each weight alone, and slowly where that is so. Source: Vyas et al. 2024, SOAP: Improving
and Stabilizing Shampoo using Adam, algorithm 3; Gupta et al. 2018, Shampoo, for the axes.
"""

from collections.abc import Sequence

import torch

EVERY = 10  # steps after which axes follow the gradients; as many first ones do, each
KEPT = 0.99  # decay of the gradient means, each step
LONGEST = 5.0  # step along an axis, over the rate; Adam's are hardly ever longer
WIDEST = 64  # side of a matrix that has axes
AXES = "_axes"
NAMES = ("step", "exp_avg", "exp_avg_sq", "left", "right", f"left{AXES}", f"right{AXES}")


class Soap:
    """Adam over all parameters of one group, of matrices along their gradients' axes.

    Of a gradient G running means of G G^T and G^T G are kept, and their eigenvectors, which follow
    by one step of a power iteration in each of the first EVERY steps and then once in so many; a
    matrix's first gradient tells axes alone. In these axes the step is Adam's: m is turned into
    them anew each time, v is kept in them. Where they turn, v says of a new axis what an old one
    saw, which may be next to nothing; so no step along an axis is longer than LONGEST times the
    rate, and a second beta near 1 makes long steps for long. Of vectors, and of matrices wider than
    WIDEST, the step is Adam's own. float32.
    """

    def __init__(
        self,
        parameters: Sequence[torch.nn.Parameter],
        rate: float,
        betas: tuple[float, float] = (0.9, 0.95),
        epsilon: float = 1e-8,
    ):
        self.parameters = list(parameters)
        self.rate, self.betas, self.epsilon = rate, betas, epsilon
        self.kept = []  # of each, by name
        for p in self.parameters:
            with p.device:
                self.kept.append(beginning(p.shape))

    @torch.no_grad()
    def step(self, rate_factor: float) -> None:
        """Step once along the gradients, with the learning rate times ``rate_factor``."""
        for p, kept in zip(self.parameters, self.kept, strict=True):
            if p.grad is not None and _follow(p.grad, kept):
                p.sub_(self.rate * rate_factor * self._direction(p.grad, kept))

    def state(self) -> dict[str, torch.Tensor]:
        """Return the live numbers by name."""
        return {f"{index}.{name}": value for index, kept in enumerate(self.kept)
                for name, value in kept.items()}  # fmt: skip

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Load the result of ``state``.

        Adam's state has no axes: they start over.
        """
        if any(name.endswith(AXES) for name in state):
            for name, value in self.state().items():
                value.copy_(state[name])

    def _direction(self, gradient: torch.Tensor, kept: dict[str, torch.Tensor]) -> torch.Tensor:
        """Process a gradient; return Adam's direction, to be multiplied by the learning rate."""
        first, second = self.betas
        count, mean, square = (kept[name] for name in NAMES[:3])
        count = count - 1 if has_axes(gradient.shape) else count
        mean.lerp_(gradient, 1 - first)
        turned = _turned(gradient, kept)
        square.mul_(second).addcmul_(turned, turned, value=1 - second)
        size = (square / (1 - second**count)).sqrt_().add_(self.epsilon)
        direction = _turned(mean, kept) / (1 - first**count) / size
        if has_axes(gradient.shape):
            direction.clamp_(-LONGEST, LONGEST)
        return _turned(direction, kept, back=True)


def has_axes(shape: Sequence[int]) -> bool:
    """Return whether parameters of this shape are stepped along axes of their own."""
    return len(shape) == 2 and max(shape) <= WIDEST


def beginning(shape: Sequence[int]) -> dict[str, torch.Tensor]:
    """Return the state of a parameter of this shape before its first step, by NAMES."""
    adams = [torch.zeros(()), torch.zeros(*shape), torch.zeros(*shape)]
    if not has_axes(shape):
        return dict(zip(NAMES, adams, strict=False))
    means = [torch.zeros(side, side) for side in shape]
    return dict(zip(NAMES, [*adams, *means, *map(torch.eye, shape)], strict=True))


def _turned(
    values: torch.Tensor, kept: dict[str, torch.Tensor], *, back: bool = False
) -> torch.Tensor:
    """Return a matrix in its axes, or ``back`` from them; unchanged without axes."""
    if not has_axes(values.shape):
        return values
    left, right = (kept[f"{side}{AXES}"] for side in ("left", "right"))
    return left @ values @ right.t() if back else left.t() @ values @ right


def _follow(gradient: torch.Tensor, kept: dict[str, torch.Tensor]) -> bool:
    """Add a gradient to the means of its products, and let the axes follow them in turn.

    Return whether a step can be made: the first gradient only tells axes. In these it has numbers
    on its diagonal alone, and Adam would make steps of what is left of rounding beside them.
    """
    before = int(kept["step"])
    kept["step"].add_(1)
    if not has_axes(gradient.shape):
        return True
    for side, product in (("left", gradient @ gradient.t()), ("right", gradient.t() @ gradient)):
        mean, axes = kept[side], kept[f"{side}{AXES}"]
        mean.lerp_(product, 1 - KEPT)
        if before < EVERY or before % EVERY == 0:
            axes.copy_(torch.linalg.qr(mean @ axes)[0])
    return before > 0
