"""Result of a fit to a picture, and the warnings about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neuralshade.base.message_text import decimals, memory_text, plural, rate_text
from neuralshade.fitting.facts import Reached, ended, few_steps, more_of_it
from neuralshade.fitting.job import Job
from neuralshade.fitting.progress import Progress
from neuralshade.fitting.refinement_job import CodeRefinement
from neuralshade.fitting.time_plan import LEAST_STEPS
from neuralshade.measure.picture_psnr import decibels, weighted_squares
from neuralshade.source.picture import Picture

RARELY_BELOW_DB = 30.0  # PSNR of a normal fit of 8 bits; HDR pictures with a high peak have more
COMPARED_PX = 1 << 24  # above it the thumbnail comparison takes seconds
HEADER_PIXELS = 1024  # smallest picture for which an oversized asset is warned of
SMALL_SHARE = 0.5  # of a picture's bytes: above it the thumbnail comparison is meaningless


@dataclass(frozen=True)
class FitResult(Reached):
    """Result of a fit to a picture; quality and size are those of the file."""

    # types, not strings: generated __init__ of derived classes have them too
    asset: str  # path
    engine: str
    device: str
    seconds: float  # of training, measurements included
    steps: int
    samples_per_second: float
    loss: float  # of the last batch
    psnr_db: float  # of the picture as stored
    asset_bytes: int
    bits_per_pixel: float
    skipped_steps: int  # gradient was not finite; counted per Gaussian for splats
    bpp_exceeded: bool  # by what every file of this recipe contains
    search: CodeRefinement | None = field(default=None, kw_only=True)  # after training
    at_plateau: bool = field(default=False, kw_only=True)  # ended where more steps gain little
    # of HDR pictures, see docs/hdr.md: logarithmic PSNR, and the share of light that is kept
    log_psnr_db: float | None = field(default=None, kw_only=True)
    light_kept: float | None = field(default=None, kw_only=True)

    skipped_what = "steps"  # word in messages
    too_large = "header, network and small grids"  # where bpp is exceeded

    def brief(self) -> str:
        return f"{self.asset}, {self.psnr_db:.2f} dB, {self.asset_bytes:,} bytes"

    def print(self) -> None:
        """Print the result."""
        from neuralshade.measure.light import light_text

        light = light_text({"log_psnr_db": self.log_psnr_db, "light_kept": self.light_kept})
        memory = ""
        if self.memory_bytes is not None:
            pixels = round(8 * self.asset_bytes / self.bits_per_pixel)
            memory = f"; in a GPU: {memory_text(self.memory_bytes, pixels, 'pixel')}"
        print(f"{self.asset}: {self.psnr_db:.2f} dB{light} in {self.asset_bytes:,} bytes "
              f"({decimals(self.bits_per_pixel, 2)} bits per pixel){memory}")  # fmt: skip
        line = (f"{plural(self.steps, 'step')} in {self.seconds:.1f} s on {self.device}, "
                f"{rate_text(self.samples_per_second, 'samples')}"
                f"{', to its plateau' * self.at_plateau}")  # fmt: skip
        if self.skipped_steps:
            line += f", {self.skipped_steps} {self.skipped_what} skipped: gradient not finite"
        print(line if self.search is None else f"{line}; {self.search}")


def judged_picture(job: Job[Any], picture: Picture) -> Picture:
    """Return ``picture`` as a fit uses it: without color hidden by alpha.

    Warns of dropped color. Unchanged where the recipe keeps hidden color.
    """
    if picture.hdr and getattr(job.recipe, "output_activation", None) == "exp":
        from neuralshade.measure.light import wide_note

        job.warnings.add(wide_note(picture, job.recipe.loss))
    if job.recipe.keep_hidden_color or not picture.straight_alpha:
        return picture
    from neuralshade.source.hidden_color import hidden_note, visible_picture  # few pictures have it

    job.warnings.add(hidden_note(picture))
    return visible_picture(picture)


def reached(
    job: Job[Any],
    picture: Picture,
    quality: Mapping[str, Any],
    size: int,
    *,
    bpp_exceeded: bool,
    too_large: str = FitResult.too_large,
) -> dict[str, Any]:
    """Return the fields of FitResult; ``picture``: as fitted.

    Warns of a file above the requested size because of its fixed parts.
    """
    p = job.loop.progress
    bits = size * 8 / (picture.width * picture.height)
    if bpp_exceeded:
        job.warnings.add(f"fit: more bits per pixel than requested: {too_large} take "
                         f"{decimals(bits, 2)} of a picture of this size.")  # fmt: skip
    return {
        "asset": str(job.output),
        "engine": job.chosen.engine,
        "device": job.chosen.device_name,
        "seconds": p.seconds,
        "steps": p.step,
        "samples_per_second": p.samples_per_second,
        "loss": p.loss,
        "psnr_db": quality["psnr_db"],
        "asset_bytes": size,
        "bits_per_pixel": bits,
        "skipped_steps": job.engine.skipped,
        "bpp_exceeded": bpp_exceeded,
        "at_plateau": p.plateau_step is not None,
        **{name: quality.get(name) for name in ("log_psnr_db", "light_kept")},
    }


def poor(job: Job[Any], quality: Mapping[str, Any], byte_count: int, picture: Picture
         ) -> str | None:  # fmt: skip
    """Return the warning for a result that a thumbnail of equal size beats; None otherwise.

    Also for an HDR result that lost light. Compared by PSNR, for HDR by logarithmic PSNR.
    ``picture``: as fitted. A normal fit is 5 to 10 dB above its thumbnail, except for smooth
    pictures. None for tiny pictures, which the asset hardly compresses, and above
    RARELY_BELOW_DB for those beyond COMPARED_PX.
    """
    measure = "log_psnr_db" if picture.hdr else "psnr_db"
    if picture.hdr:
        from neuralshade.measure.light import lost_light

        lost = lost_light(quality, job.recipe.larger)
        if lost is not None:
            return lost
    ours = quality[measure]
    if ours is None:
        return None
    pixels, rare = picture.width * picture.height, ours >= RARELY_BELOW_DB
    raw = pixels * picture.channels * (2 if picture.color_space == "linear" else 1)
    if (rare and pixels > COMPARED_PX) or byte_count >= SMALL_SHARE * raw:
        return None
    from neuralshade.measure.baselines import spend_on_thumbnail  # loads Pillow

    target = picture.as_float()
    weighted = picture.alpha_weighted
    small = spend_on_thumbnail(target, byte_count, picture.color_space, alpha_weighted=weighted
                               ).result  # fmt: skip
    if small is None:
        return None
    squares, counted = weighted_squares((small - target).astype(np.float64), target, weighted)
    theirs: float | None = decibels(squares / counted, 1.0)
    if picture.hdr:
        from neuralshade.measure.light import light_facts

        theirs = light_facts(picture, small)[measure]
    if theirs is None or theirs <= ours:
        return None
    why = "far below what a fit comes to"
    if rare:
        why = "plain texels hold a picture as smooth as this one better"
    log_ = " by logarithms" if picture.hdr else ""
    return (f"fit: got {ours:.1f} dB{log_}, where a thumbnail of as many bytes has {theirs:.1f}: "
            f"{why}.{more_of_it(job.loop.progress, job.recipe)}")  # fmt: skip


def early(job: Job[Any], own_steps: int | None) -> str | None:
    """Return the warning for a fit that ended before any plateau was possible.

    ``own_steps``: steps of its preset, where that sets them.
    """
    p = job.loop.progress
    if own_steps is None:
        return before_plateau(p, job.recipe)
    return few_steps(p, job.recipe, own_steps)


def before_plateau(p: Progress, recipe: Any) -> str | None:
    """Return the warning for a requested end before any plateau could be found."""
    if p.share < 1.0 or p.plateau_step is not None or p.step >= LEAST_STEPS:
        return None
    more = more_of_it(p, recipe)
    return (f"fit: ended at its {ended(p, recipe)}: far below what it comes to. One that ends "
            f"by itself takes {LEAST_STEPS} steps at least.{more}")  # fmt: skip


def missed(job: Job[Any], psnr_db: float) -> str | None:
    """Return the warning for a fit that missed its target PSNR."""
    recipe, p, control = job.recipe, job.loop.progress, job.loop.control
    target_db = recipe.target_psnr
    if (
        target_db is None
        or round(psnr_db, 2) >= target_db
        or (control is not None and control.ended)
    ):
        return None
    text = f"fit: got {psnr_db:.2f} dB, where target_psnr asks for {target_db:g}"
    if p.share < 1.0:
        return f"{text}: it had that as it was trained, not so its file. Ask for a little more."
    found = ", at its plateau" if p.plateau_step is not None else f", at its {ended(p, recipe)}"
    return f"{text}{found}.{more_of_it(p, recipe)} {recipe.larger} gives more, too."


def oversized(byte_count: int, picture: Picture) -> str | None:
    """Return the warning for an asset larger than the raw texels of its picture.

    None for tiny pictures, whose header alone is larger.
    """
    pixels = picture.width * picture.height
    bits, raw = 8 * byte_count / pixels, 8 * picture.pixels.nbytes / pixels
    if pixels < HEADER_PIXELS or bits <= raw:
        return None
    return (f"fit: the asset has {bits:.1f} bits per pixel, where the picture's own texels have "
            f"{raw:g}. Take a smaller encoding or network, or --preset grid.")  # fmt: skip
