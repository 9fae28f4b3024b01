"""Tone mapping of linear light: exposure, and a curve for values above 1."""

from __future__ import annotations

import logging
import numbers
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError

log = logging.getLogger("neuralshade")
Floats = npt.NDArray[np.float32]
AUTO: Literal["auto"] = "auto"
TONEMAPS = ("clip", "reinhard")
MOST_STOPS = 32.0
LUMINANCE = (0.2126, 0.7152, 0.0722)  # of linear Rec. 709
LEAST_ALPHA = 1e-6  # below it a pixel counts as empty


def check_tone(exposure: Any, tonemap: Any, color_space: str) -> None:
    """Raise ConfigError for an invalid tone, or a tone for a picture that is not linear."""
    if tonemap not in TONEMAPS:
        raise ConfigError(f"tonemap: got {shown(tonemap)}, need one of {list(TONEMAPS)}."
                          f"{did_you_mean(str(tonemap), TONEMAPS)}")  # fmt: skip
    number = isinstance(exposure, numbers.Real) and not isinstance(exposure, bool)
    if exposure != AUTO and not (number and abs(float(exposure)) <= MOST_STOPS):
        raise ConfigError(f"exposure: got {shown(exposure)}, need stops, -{MOST_STOPS:g} to "
                          f"{MOST_STOPS:g}, or auto. 1 is twice as bright.")  # fmt: skip
    if color_space != "linear" and (exposure != 0 or tonemap != "clip"):
        name, value = ("exposure", exposure) if exposure != 0 else ("tonemap", tonemap)
        raise ConfigError(f"{name}: got {shown(value)} for a picture in {color_space}, need a "
                          f"linear one, HDR or lit. Leave {name} out.")  # fmt: skip


def tone_map(pixels: Floats, exposure: Any, tonemap: str) -> Floats:
    """Return linear pixels exposed, and compressed by "reinhard"; "clip" is left to the file.

    Args:
        pixels: float32 [H, W, C], linear, C in 1..4, alpha associated.
        exposure: stops; "auto" brings the 99th percentile to 1, as reports and movies do.
        tonemap: "clip", or "reinhard": light / (1 + luminance).

    Source: Reinhard et al. 2002, Photographic Tone Reproduction for Digital Images, equation 3.
    """
    if exposure == 0 and tonemap == "clip":
        return pixels
    if exposure == AUTO:
        from neuralshade.measure.display import exposure_stops  # loads metrics: half a second

        exposure = exposure_stops(pixels)
        log.info("exposure: %+.2f stops, by what is drawn.", exposure)
    colors = pixels.shape[2] - (pixels.shape[2] in (2, 4))
    with np.errstate(over="ignore"):  # values beyond float32 become white
        light = pixels[..., :colors] * np.float32(2.0 ** float(exposure))
        light = np.nan_to_num(light, posinf=np.finfo(np.float32).max)
    if tonemap == "reinhard":
        light = light / (1 + _luminance(light, pixels[..., colors:]))
    return np.concatenate([light, pixels[..., colors:]], axis=2).astype(np.float32, copy=False)


def _luminance(light: Floats, alpha: Floats) -> Floats:
    """Return luminance [H, W, 1], not below 0, of light divided by alpha."""
    weights = np.array(LUMINANCE if light.shape[2] == 3 else (1.0,), np.float32)
    whole = light @ weights[:, None]
    if alpha.shape[2]:
        whole = whole / np.maximum(alpha, LEAST_ALPHA)
    return np.maximum(whole, 0).astype(np.float32, copy=False)
