"""Running mean of the weights, which is often better than the last of them."""

from collections.abc import Sequence

import torch


class WeightAverage:
    """Exponential moving average of parameters: mean = decay * mean + (1 - decay) * p.

    Corrected for its start, so that early means are plain averages of what was seen.
    Source: Polyak and Juditsky 1992; the exponential form as in Kingma and Ba 2015, sec. 7.2.
    """

    def __init__(self, parameters: Sequence[torch.nn.Parameter], decay: float):
        self.parameters = list(parameters)
        self.decay = decay
        self.means = [torch.zeros_like(p) for p in parameters]
        self.count = torch.zeros(())

    @torch.no_grad()
    def update(self) -> None:
        """Add the current parameters to the mean."""
        self.count += 1
        torch._foreach_lerp_(self.means, list[torch.Tensor](self.parameters), 1.0 - self.decay)

    @torch.no_grad()
    def values(self) -> list[torch.Tensor]:
        """Return the mean of each parameter; the parameters themselves before any update."""
        if self.count == 0:
            return [p.detach().clone() for p in self.parameters]
        return [mean / (1.0 - self.decay ** self.count.item()) for mean in self.means]

    def state(self) -> dict[str, torch.Tensor]:
        """Return the live means and their count by name."""
        return {"count": self.count, **{str(i): mean for i, mean in enumerate(self.means)}}

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Load the result of ``state``."""
        for name, value in self.state().items():
            value.copy_(state[name])
