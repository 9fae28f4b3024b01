"""One trainable affine layer. Device half: linear.slang."""

import torch

from neuralshade.model.parameters import SlangType
from neuralshade.model.quantize import fake_quantize


class Linear(torch.nn.Module):
    """Affine layer ``y = W x + b``.

    ``weight`` [outputs, inputs] starts uniform in [-k, k] with k = gain * (3 / inputs)^0.5,
    which keeps the variance of the signal; ``bias`` [outputs], absent where ``bias`` is
    False, starts at zero. Equal ``rng`` states give equal bytes.
    Source of the bound: He et al. 2015, Delving Deep into Rectifiers, eq. 10.
    """

    bits: int = 32

    def __init__(
        self, inputs: int, outputs: int, gain: float, bias: bool, *, rng: torch.Generator | None
    ):
        super().__init__()
        bound = gain * (3.0 / inputs) ** 0.5
        weight = torch.empty(outputs, inputs).uniform_(-bound, bound, generator=rng)
        self.weight = torch.nn.Parameter(weight)
        self.bias = torch.nn.Parameter(torch.zeros(outputs)) if bias else None

    def stored(self, round_to_16: bool = True) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Return weight and bias as the asset will hold them; biases have at least 16 bits.

        Rounding to 16 bits is left out where ``round_to_16`` is False.
        """
        if self.bits >= 16 and not round_to_16:
            return self.weight, self.bias
        bias = None if self.bias is None else fake_quantize(self.bias, max(self.bits, 16))
        return fake_quantize(self.weight, self.bits), bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return ``x W^T + b``: [..., inputs] -> [..., outputs]."""
        return torch.nn.functional.linear(x, *self.stored())

    def slang(self) -> SlangType:
        """Return the Slang type of this layer; its parameters there: weight, bias."""
        outputs, inputs = self.weight.shape
        bias = "false" if self.bias is None else "true"
        name = f"Linear<{inputs}, {outputs}, {bias}>"
        return SlangType(name, frozenset({"neuralshade.model.linear"}))
