"""PyTorch's start on a CUDA device, in a thread beside other work."""

import torch

from neuralshade.base.ahead import in_thread


def begin_pytorch(device: torch.device) -> None:
    """Let PyTorch load what its first products and gradients on a CUDA device need.

    Nothing waits for it: what comes first does the rest itself.
    """
    if device.type == "cuda":
        in_thread(lambda: _use(device))


def _use(device: torch.device) -> None:
    numbers = torch.ones((32, 32), device=device, requires_grad=True)
    (numbers @ numbers).relu().square().mean().backward()
