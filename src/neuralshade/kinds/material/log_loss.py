"""Loss of a material's fit: Huber's loss of log radiance. Device half: log_loss.slang."""

import torch

from neuralshade.loss.pointwise import l1

FLOOR = 0.01  # added before the logarithm: darker light matters less
DARK = 0.02  # least slope by the logarithm of light, where light is too dark
BLACK = 1e-30  # light, below which it has no logarithm
SQUARED = 3.0  # error up to which its square is added: a factor of 20


def logs_of(predicted: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Return logarithms of light + FLOOR, with a slope of at least DARK where it is too dark.

    Most samples of a polished metal are dark. Without the least slope they push an exponential to
    where it has no slope, also where the metal should shine.
    """
    logs = (predicted + FLOOR).log()
    lacking = (DARK - predicted / (predicted + FLOOR)).clamp_min(0) * (logs < target)
    plain = predicted.clamp_min(BLACK).log()
    return logs + lacking.detach() * (plain - plain.detach())


def log_loss(p: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return |e| plus Huber's loss of e = p - t, and the gradient of the sum; float [...].

    ``p`` and ``t`` are logarithms of light + FLOOR, so errors are relative in light and absolute in
    shadow. |e| alone fits a median: where a texel has two values, as at a scratch in a paint, it
    converges to one of them, for some texels the wrong one.
    Source of the second part: Huber 1964, Robust Estimation of a Location Parameter.
    """
    size, slope = l1(p, t)
    held = (p - t).clamp(-SQUARED, SQUARED)
    square = held.abs() * (size - 0.5 * held.abs())
    return size + square, slope + held
