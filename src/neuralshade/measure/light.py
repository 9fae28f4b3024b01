"""Light of HDR pictures: the width of its range, and how much of it a result keeps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.measure.picture_psnr import decibels
from neuralshade.source.picture import Picture

Floats = npt.NDArray[np.floating[Any]]
WIDE = 1e3  # ratio of brightest value to median above which outputs are coded by their logarithm
MOST_NEGATIVE = 1e-2  # largest negative value that this coding may lose
MEDIAN_VALUES = 1 << 20  # number of values for a median, about
MOST_LIGHT = 1.25  # ratio to the picture's light, either way, without a warning


def median_of(picture: Picture) -> float:
    """Return the median of a picture's positive colors, from a regular sample; 1 without any."""
    colors = picture.pixels[..., : picture.channels - picture.has_alpha].reshape(-1)
    some = colors[:: max(1, colors.size // MEDIAN_VALUES)].astype(np.float32)
    some = some[some > 0]
    return float(np.median(some)) if some.size else 1.0


def range_of(picture: Picture) -> float:
    """Return the ratio of a picture's largest color to its median."""
    return float(picture.pixels[..., : picture.channels - picture.has_alpha].max()) / median_of(
        picture
    )


def is_wide(picture: Picture) -> bool:
    """Return whether a picture is HDR with a range so wide that linear outputs lose light."""
    return (picture.hdr and range_of(picture) >= WIDE
            and float(picture.pixels.min()) >= -MOST_NEGATIVE)  # fmt: skip


def wide_note(picture: Picture, loss: str) -> str | None:
    """Return the note on a picture whose outputs are coded by their logarithm."""
    if loss != "log_l2" or not is_wide(picture):
        return None
    return (f"{picture.name}: the brightest value is {range_of(picture):,.0f} times the median; "
            "outputs are exponents, and errors are of logarithms. --output-activation none and "
            "--loss relative_l2 fit it linearly.")  # fmt: skip


@dataclass
class Light:
    """How much of an HDR picture's light is kept, and its PSNR by logarithms.

    Of color channels, with negative values as 0. ``log_psnr_db`` is the PSNR of
    log2(1 + value / median), with the largest value as peak.
    """

    median: float
    white: float
    expected: float = 0.0
    drawn: float = 0.0
    squares: float = 0.0
    count: int = 0

    @classmethod
    def of(cls, picture: Picture) -> Light:
        """Return an accumulator for an HDR picture."""
        return cls(median_of(picture), max(0.0, float(picture.pixels.max())))

    def add(self, drawn: Floats, expected: Floats) -> None:
        """Add a part [h, w, C] of a picture."""
        colors = 1 if expected.shape[2] < 3 else 3
        had, due = (each[..., :colors].astype(np.float64).clip(0) for each in (drawn, expected))
        self.expected, self.drawn = self.expected + float(due.sum()), self.drawn + float(had.sum())
        error = np.log2(1 + had / self.median) - np.log2(1 + due / self.median)
        self.squares += float(np.square(error).sum())
        self.count += due.size

    def facts(self) -> dict[str, Any]:
        """Return ``log_psnr_db``, and ``light_kept``: 1 is all; None for a black picture."""
        peak = math.log2(1 + self.white / self.median)
        kept = self.drawn / self.expected if self.expected > 0 else None
        found = decibels(self.squares / self.count, peak) if peak > 0 else None
        rounded = None if found is None or not math.isfinite(found) else round(found, 3)
        return {
            "log_psnr_db": rounded,
            "light_kept": kept if kept is None else float(f"{kept:.4g}"),
        }


def light_facts(picture: Picture, drawn: Floats) -> dict[str, Any]:
    """Return ``Light.facts`` of ``drawn`` [H, W, C] against an HDR picture; empty for others."""
    if not picture.hdr:
        return {}
    light = Light.of(picture)
    light.add(drawn, picture.as_float())
    return light.facts()


def light_text(quality: Mapping[str, Any]) -> str:
    """Return the facts as text, to follow a PSNR; empty where there are none."""
    text = ""
    if quality.get("log_psnr_db") is not None:
        text += f", log-PSNR {quality['log_psnr_db']:.2f} dB"
    if quality.get("light_kept") is not None:
        text += f", {100 * quality['light_kept']:.4g} % of the light"
    return text


def lost_light(quality: Mapping[str, Any], larger: str) -> str | None:
    """Return the warning for a result with far less or more light than its picture.

    ``larger``: the setting that enlarges the file, as the beginning of a sentence.
    """
    kept = quality.get("light_kept")
    if kept is None or 1 / MOST_LIGHT <= kept <= MOST_LIGHT:
        return None
    return (f"fit: the result has {100 * kept:.3g} % of the picture's light, most of which is in "
            f"few bright pixels. {larger} or more --steps keep more of it; fit image codes a wide "
            "range by exp and log_l2.")  # fmt: skip
