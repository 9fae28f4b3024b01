"""Small fully connected network. Device half: mlp.slang."""

from typing import Any

import torch

from neuralshade.model.activation import ACTIVATIONS, activate, slang_name
from neuralshade.model.linear import Linear
from neuralshade.model.parameters import SlangType
from neuralshade.model.widths import layer_sizes


class MLP(torch.nn.Module):
    """``hidden_layers`` layers of ``hidden_width`` and one output layer.

    Zero hidden layers make one affine map. ``activation`` follows every hidden layer,
    ``output_activation`` the last. Gradients reach parameters and input.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        hidden_layers: int = 2,
        hidden_width: int = 32,
        activation: str = "relu",
        output_activation: str = "none",
        bias: bool = True,
        *,
        rng: torch.Generator | None,
    ):
        super().__init__()
        kinds = [*[activation] * hidden_layers, output_activation]
        gains = [*[ACTIVATIONS[activation].gain] * hidden_layers, 0.5]
        self.kinds = kinds
        sizes = layer_sizes(inputs, outputs, hidden_layers, hidden_width)
        layers = [Linear(i, o, gain, bias, rng=rng)
                  for (i, o), gain in zip(sizes, gains, strict=True)]  # fmt: skip
        self.layers = torch.nn.ModuleList(layers)
        self.members = tuple(layers)  # the same, typed

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the network's output: [..., inputs] -> [..., outputs]."""
        for layer, kind in zip(self.members, self.kinds, strict=True):
            x = activate(kind, layer(x))
        return x

    def on_columns(self, x: torch.Tensor, compute: torch.dtype) -> torch.Tensor:
        """Return the output for samples stored as columns: [inputs, N] -> [outputs, N].

        The same numbers as ``forward`` up to rounding, with products in ``compute``
        (float32, bfloat16 or float16); parameters' gradients come back in float32.
        """
        rounds = compute == torch.float32  # half products round weights more than 16 bits do
        parameters = [p for layer in self.members for p in layer.stored(rounds)]
        return _ColumnMLP.apply(x, self.kinds, compute, *parameters)

    @torch.no_grad()
    def jacobian(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the output and its derivatives by the input, for samples stored as columns.

        float32 [inputs, N] -> [outputs, N] and [inputs, outputs, N].
        """
        kept = []
        for layer, kind in zip(self.members, self.kinds, strict=True):
            weight, bias = layer.stored(True)
            x = weight @ x if bias is None else torch.addmm(bias[:, None], weight, x)
            pre, x = x, ACTIVATIONS[kind].forward_(x)
            kept.append(x if ACTIVATIONS[kind].keeps_output else pre)
        outputs, count = x.shape
        d = torch.eye(outputs, device=x.device)[:, :, None].expand(-1, -1, count)
        for layer, kind, each in zip(self.members[::-1], self.kinds[::-1], kept[::-1], strict=True):
            d = ACTIVATIONS[kind].backward(d.contiguous(), each[:, None].expand(d.shape))
            weight = layer.stored(True)[0]
            d = (weight.t() @ d.flatten(1)).view(-1, outputs, count)
        return x, d

    def slang(self) -> SlangType:
        """Return the Slang type of this network.

        Its parameters there, in the order of ``parameters()``: layer by layer the weights row
        by row, then the biases, with nothing between.
        """
        first, last = self.members[0].weight, self.members[-1].weight
        sizes = f"{first.shape[1]}, {last.shape[0]}, {len(self.members) - 1}, {first.shape[0]}"
        bias = "false" if self.members[0].bias is None else "true"
        name = f"MLP<{sizes}, {bias}, {slang_name(self.kinds[0])}, {slang_name(self.kinds[-1])}>"
        return SlangType(name, frozenset({"neuralshade.model.activation", "neuralshade.model.mlp"}))


class _ColumnMLP(torch.autograd.Function):
    """The whole network as one autograd step with its backward written by hand.

    Samples are columns: a layer is W @ X, so that the weights stay in cache, rows of X are
    contiguous, and no transpose is ever stored. One node in place of 3 per layer saves the
    time that autograd takes per node, which counts at 8,192 samples a step.
    """

    @staticmethod
    def forward(ctx: Any, x: Any, kinds: Any, compute: Any, *parameters: Any) -> torch.Tensor:
        weights = [w.to(compute) for w in parameters[0::2]]
        biases = [b if b is None else b.to(compute)[:, None] for b in parameters[1::2]]
        inputs, kept = [x.to(compute)], []
        for weight, bias, kind in zip(weights, biases, kinds, strict=True):
            activation = ACTIVATIONS[kind]
            pre = weight @ inputs[-1] if bias is None else torch.addmm(bias, weight, inputs[-1])
            y = activation.forward_(pre)
            kept.append(y if activation.keeps_output else pre)
            inputs.append(y)
        ctx.save_for_backward(*weights, *inputs[:-1], *kept)
        ctx.kinds, ctx.has_bias = kinds, biases[0] is not None
        return inputs[-1]

    @staticmethod
    def backward(ctx: Any, d_y: torch.Tensor) -> Any:
        count = len(ctx.kinds)
        saved = ctx.saved_tensors
        weights, inputs, kept = saved[:count], saved[count : 2 * count], saved[2 * count :]
        d_parameters: list[torch.Tensor | None] = []
        for index in reversed(range(count)):
            d_y = ACTIVATIONS[ctx.kinds[index]].backward(d_y, kept[index])
            d_bias = d_y.sum(1).float() if ctx.has_bias else None
            d_parameters[:0] = [(d_y @ inputs[index].t()).float(), d_bias]
            if index > 0 or ctx.needs_input_grad[0]:
                d_y = weights[index].t() @ d_y
        return d_y if ctx.needs_input_grad[0] else None, None, None, *d_parameters
