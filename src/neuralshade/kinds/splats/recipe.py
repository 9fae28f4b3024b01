"""Recipe of the splats kind."""

from dataclasses import dataclass

from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import (
    LOSSES,
    PictureRecipe,
    PictureSettings,
    changed,
    setting,
    training,
)

COMPOSITINGS = ("over", "sum", "normalized")
MOST_BPP = 64.0


@dataclass(frozen=True)
class SplatsRecipe(PictureRecipe):
    """One picture into a cloud of Gaussians."""

    usual_steps = 8_000  # as in benchmarks/splats_kodak.py

    count: int = setting(0, "number of Gaussians; 0 fits as many as --bytes or --bpp allows",
                         limits=(0, 1_000_000))  # fmt: skip
    bytes: int | None = setting(None, "size of the file in bytes, which sets the count",
                                limits=(1, 2**32))  # fmt: skip
    bpp: float = setting(1.0, "size of the file in bits per pixel, unless --count or --bytes is "
                         "set", limits=(0.001, MOST_BPP))  # fmt: skip
    compositing: str = setting("normalized", "how Gaussians are blended: one over the other, "
                               "summed, or as a mean weighted by the strongest at each pixel",
                               choices=COMPOSITINGS)  # fmt: skip
    strongest: int = setting(10, "Gaussians that count at a pixel, with --compositing normalized",
                             limits=(1, 32))  # fmt: skip
    cutoff: float = setting(3.0, "radius at which a Gaussian is cut off, in standard deviations",
                            limits=(1, 6))  # fmt: skip
    background: str = setting("mean", "color behind all Gaussians: the picture's mean, or one "
                              "number per channel with commas between")  # fmt: skip
    loss: str = training("l2", "loss function", choices=LOSSES, plugins="loss")
    ssim: float = training(0.0, "weight of 1 - SSIM beside the loss", limits=(0, 100))
    center_rate: float = training(0.3, "learning rate of the centers, in pixels", limits=(0, 100))
    shape_rate: float = training(0.1, "learning rate of log size and shear", limits=(0, 10))
    color_rate: float = training(1e-2, "learning rate of the colors", limits=(0, 10))
    opacity_rate: float = training(0.05, "learning rate of the opacities (their logits)",
                                   limits=(0, 10))  # fmt: skip
    schedule: str = changed(PictureRecipe, "schedule", "exponential")
    rate_final: float = changed(PictureRecipe, "rate_final", 0.1)
    tiles: float = training(0.0, "share of the picture's tiles trained in each step; 0 is all of "
                            "them, on software Vulkan at most 1,024", limits=(0, 1))  # fmt: skip
    # settings resemble those of mip levels in form only
    begin: float = training(0.4, "share of the Gaussians placed before the first step",
                            limits=(0.01, 1))  # fmt: skip
    grow_until: float = training(0.35, "share of the fit after which no Gaussian is added or moved",
                                 limits=(0, 1))  # fmt: skip
    round_from: float = setting(0.55, "share of the fit after which numbers are rounded as in the "
                                "file", limits=(0, 1))  # fmt: skip
    center_step: float = setting(1.6, "rounding step of the centers in pixels, per square root of "
                                 "the RMSE", limits=(1e-3, 100))  # fmt: skip
    size_step: float = setting(0.4, "rounding step of log sizes, per square root of the RMSE",
                               limits=(1e-3, 100))  # fmt: skip
    shear_step: float = setting(0.6, "rounding step of shears, per square root of the RMSE",
                                limits=(1e-3, 100))  # fmt: skip
    opacity_step: float = setting(1.0, "rounding step of opacity logits, per square root of the "
                                  "RMSE", limits=(1e-3, 100))  # fmt: skip
    color_step: float = setting(0.5, "rounding step of colors, in multiples of the RMSE",
                                limits=(1e-3, 100))  # fmt: skip

    def __post_init__(self) -> None:
        """Refuse settings that contradict each other."""
        super().__post_init__()
        if self.count and self.bytes is not None:
            raise ConfigError(f"SplatsRecipe.bytes: got {self.bytes} with count={self.count}, "
                              "need one of the two. Leave one out.")  # fmt: skip

    @property
    def is_sized_by_bpp(self) -> bool:
        """Return whether bpp chooses the count: without count and bytes."""
        return not self.count and self.bytes is None

    @property
    def larger(self) -> str:
        """Return how a user allows a larger file, as a sentence's beginning."""
        return f"A larger --{'count' if self.count else 'bpp' if self.bytes is None else 'bytes'}"


class SplatsSettings(PictureSettings, total=False):
    """Fields of SplatsRecipe, where they are documented; all are optional."""

    count: int
    bytes: int | None
    bpp: float
    compositing: str
    strongest: int
    cutoff: float
    background: str
    loss: str
    ssim: float
    center_rate: float
    shape_rate: float
    color_rate: float
    opacity_rate: float
    tiles: float
    begin: float
    grow_until: float
    round_from: float
    center_step: float
    size_step: float
    shear_step: float
    opacity_step: float
    color_step: float
