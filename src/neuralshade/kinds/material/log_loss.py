"""Loss of a material's fit: Huber's loss of log radiance. Device half: log_loss.slang."""

import torch

from neuralshade.loss.pointwise import l1

FLOOR = 0.01  # added before logarithms are compared: what is darker matters less
DARK = 0.02  # of a slope by light's logarithm, at least, where it is too dark
BLACK = 1e-30  # light, below which it has no logarithm
SQUARED = 3.0  # error up to which its square counts beside it: a factor of 20


def logs_of(said: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Return logarithms of light and FLOOR, whose slope is DARK at least where it is too dark.

    Of a polished metal most samples are dark. They lead an exponential to where it has no slope
    any more, also where it ought to shine: gold ended black.
    """
    logs = (said + FLOOR).log()
    lacking = (DARK - said / (said + FLOOR)).clamp_min(0) * (logs < wanted)
    plain = said.clamp_min(BLACK).log()
    return logs + lacking.detach() * (plain - plain.detach())


def log_loss(p: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return |e| and Huber's loss of e = p - t, and the gradient of both together; float [...].

    ``p`` and ``t`` are logarithms of light and FLOOR, so errors are relative in light and absolute
    in shadow. By |e| alone what is said is a median: where a texel has two sides, as at a scratch
    in a paint, it is one of them, and a few texels are taken for the wrong one for good.
    Source of the second part: Huber 1964, Robust Estimation of a Location Parameter.
    """
    size, slope = l1(p, t)
    held = (p - t).clamp(-SQUARED, SQUARED)
    square = held.abs() * (size - 0.5 * held.abs())
    return size + square, slope + held
