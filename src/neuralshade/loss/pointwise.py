"""Pointwise losses: value and gradient for each number; fits train the mean over a batch.

Device half: pointwise.slang.

Each is a pair (value, gradient by the prediction), written out so that every engine computes
the same gradient. p is the prediction, t the target, both float [...]; results likewise. An
error that is not finite has a gradient that is not finite, so that the step can be skipped.
"""

import functools
from collections.abc import Callable
from typing import Any

import torch

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.base.plugins import Plugin, names, plugin_named
from neuralshade.errors import ConfigError
from neuralshade.gpu.foreign_slang import register_package
from neuralshade.model.parameters import SlangType

FLOOR = 1e-2  # added to squared or absolute denominators; keeps black from dominating
BEND = 0.1  # of an error, where huber goes on straight

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


def huber(p: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (p - t)^2 / (2 BEND) below BEND, |p - t| - BEND / 2 above; gradient in [-1, 1].

    Outliers pull as in l1, small errors as in l2.
    Source: Huber 1964, Robust Estimation of a Location Parameter; BEND is instant-ngp's.
    """
    error = p - t
    size = error.abs()
    value = torch.where(size > BEND, size - 0.5 * BEND, error * error * (0.5 / BEND))
    return value, (error / BEND).clamp(-1, 1) + 0.0 * error  # NaN where it is not finite


def log_l2(p: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return w (L(p) - L(t))^2, w = (1 + t)^(1/3), and its gradient.

    L(x) = log(x + 0.01), and goes on straight below 0. For skies with a sun: an error counts by
    its ratio, whatever the range; the weight keeps the light of few bright pixels. Made for
    outputs behind exp, where the gradient by the exponent is about 2 w log(p / t). Source: ours.
    """
    error = _logarithm(p) - _logarithm(t) + 0.0 * (p - t)
    weighted = error * (1.0 + t.clamp(min=0)) ** (1 / 3)
    return weighted * error, 2.0 * weighted / (p.clamp(min=0) + FLOOR)


def _logarithm(x: torch.Tensor) -> torch.Tensor:
    return (x.clamp(min=0) + FLOOR).log() + x.clamp(max=0) / FLOOR


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


def weighted_by_alpha(loss: Loss) -> Loss:
    """Return ``loss`` weighted by alpha, the last channel of columns [C, ...].

    The target's alpha weighs errors of color; errors of alpha itself count in full.
    """

    def weighted(p: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        value, gradient = loss(p, t)
        weights = alpha_weights(t)
        return value * weights, gradient * weights

    return weighted


def alpha_weights(t: torch.Tensor, alpha: int = -1) -> torch.Tensor:
    """Return the error weights of ``t`` [C, ...]: channel ``alpha``, and 1 for itself."""
    weights = t[alpha].clamp(0, 1).repeat(len(t), *[1] * (t.dim() - 1))
    weights[alpha] = 1.0
    return weights


LOSSES: dict[str, Loss] = {
    "l1": l1,
    "l2": l2,
    "huber": huber,
    "log_l2": log_l2,
    "relative_l2": relative_l2,
    "log_l1": log_l1,
    "smape": smape,
}


def loss_named(kind: str) -> Loss:
    """Return a loss of this package, or of another that is installed.

    Raises: ConfigError for a name that none has, or several; for one that does not load.
    """
    if kind in LOSSES:
        return LOSSES[kind]
    plugin = plugin_named("loss", kind, LOSSES)
    if plugin is None:
        known = names("loss", LOSSES)
        raise ConfigError(f"loss: got {shown(kind)}, need one of {known}."
                          f"{did_you_mean(kind, known)}")  # fmt: skip
    return _foreign(plugin)


@functools.cache
def _foreign(plugin: Plugin) -> Loss:
    found: Any = plugin.load()
    if not callable(found) or isinstance(found, type):
        raise plugin.unfit(type(found).__name__, "a function of prediction and target")
    register_package(found, f"loss {plugin.name} of {plugin.source}")
    loss: Loss = found
    return loss


def slang_loss(kind: str) -> SlangType:
    """Return the Slang type of loss ``kind``: relative_l2 is RelativeL2.

    For a loss of another package it is in the Slang file beside the function's.

    Raises: what ``loss_named`` raises.
    """
    module = "neuralshade.loss.pointwise"
    if kind not in LOSSES:
        module = loss_named(kind).__module__
    return SlangType(kind.title().replace("_", ""), frozenset({module}))
