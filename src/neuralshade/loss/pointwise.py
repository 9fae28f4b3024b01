"""Losses that compare one number with one number; the mean over a batch is what is trained.

Device half: pointwise.slang.

Each is a pair (value, gradient by the prediction), written out so that every engine computes
the same gradient. p is the prediction, t the target, both float [...]; results likewise. An
error that is not finite has a gradient that is not finite, so that the step can be skipped.
"""

from collections.abc import Callable

import torch

from neuralshade.model.parameters import registered_name

FLOOR = 1e-2  # added to squared or absolute denominators; keeps black from dominating

Loss = Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


def _sign(error: torch.Tensor) -> torch.Tensor:
    """Return the sign of ``error``, and NaN where it is not finite.

    torch.sign(NaN) is 0, which would let a broken step pass for one without an error.
    """
    return error.sign() + 0.0 * error


def l1(p: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return |p - t| and its gradient sign(p - t)."""
    error = p - t
    return error.abs(), _sign(error)


def l2(p: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (p - t)^2 and its gradient 2 (p - t)."""
    error = p - t
    return error * error, 2.0 * error


def relative_l2(p: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (p - t)^2 / (p^2 + 0.01); the denominator is held constant in the gradient.

    For high dynamic range: a relative error counts the same in light and in shadow.
    Source: Lehtinen et al. 2018, Noise2Noise, section 3.2.
    """
    error, weight = p - t, 1.0 / (p * p + FLOOR)
    return error * error * weight, 2.0 * error * weight


def log_l1(p: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return log(1 + |p - t|) and its gradient sign(p - t) / (1 + |p - t|)."""
    error = p - t
    size = error.abs()
    return torch.log1p(size), _sign(error) / (1.0 + size)


def smape(p: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return |p - t| / ((|p| + |t|) / 2 + 0.01); the denominator is held constant.

    Symmetric mean absolute percentage error, of Armstrong 1985 in the form of
    Vogels et al. 2018, Denoising with Kernel Prediction, section 5.1.
    """
    error, weight = p - t, 1.0 / (0.5 * (p.abs() + t.abs()) + FLOOR)
    return error.abs() * weight, _sign(error) * weight


LOSSES: dict[str, Loss] = {
    "l1": l1,
    "l2": l2,
    "relative_l2": relative_l2,
    "log_l1": log_l1,
    "smape": smape,
}


def slang_name(kind: str) -> str:
    """Return what loss ``kind`` is called in Slang: relative_l2 is RelativeL2.

    Raises: ConfigError for a kind that is not registered.
    """
    return registered_name("loss", kind, LOSSES)
