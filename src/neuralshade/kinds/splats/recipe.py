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

    count: int = setting(0, "Gaussians; 0 takes as many as fit into bytes or bpp",
                         limits=(0, 1_000_000))  # fmt: skip
    bytes: int | None = setting(None, "size of the file that the count is chosen for",
                                limits=(1, 2**32))  # fmt: skip
    bpp: float = setting(1.0, "bits per pixel of the file, where neither count nor bytes is given",
                         limits=(0.001, MOST_BPP))  # fmt: skip
    compositing: str = setting("normalized", "how Gaussians make a color: each over those after "
                               "it, by their sum, or by the strongest weights, made to sum to one",
                               choices=COMPOSITINGS)  # fmt: skip
    strongest: int = setting(10, "Gaussians that a pixel counts, where normalized", limits=(1, 32))
    cutoff: float = setting(3.0, "where a Gaussian ends, in standard deviations", limits=(1, 6))
    background: str = setting("mean", "behind all Gaussians: the picture's mean color, or numbers "
                              "joined by commas, one a channel")  # fmt: skip
    loss: str = training("l2", "what is minimised", choices=LOSSES, plugins="loss")
    ssim: float = training(0.0, "how much 1 - SSIM counts beside the loss", limits=(0, 100))
    center_rate: float = training(0.3, "Adam step size of centers, in pixels", limits=(0, 100))
    shape_rate: float = training(0.1, "Adam step size of log sizes and shear", limits=(0, 10))
    color_rate: float = training(1e-2, "Adam step size of colors", limits=(0, 10))
    opacity_rate: float = training(0.05, "Adam step size of opacity's logit", limits=(0, 10))
    schedule: str = changed(PictureRecipe, "schedule", "exponential")
    rate_final: float = changed(PictureRecipe, "rate_final", 0.1)
    tiles: float = training(0.0, "share of the picture's tiles that one step trains; 0 is all, and "
                            "on software Vulkan 1,024 at most", limits=(0, 1))  # fmt: skip
    # settings resemble those of mip levels in form only
    begin: float = training(0.4, "share of the Gaussians that are there from the start",
                            limits=(0.01, 1))  # fmt: skip
    grow_until: float = training(0.35, "share of the fit after which none is added or moved",
                                 limits=(0, 1))  # fmt: skip
    round_from: float = setting(0.55, "share of the fit after which numbers are rounded for good",
                                limits=(0, 1))  # fmt: skip
    center_step: float = setting(1.6, "centers are rounded to so many pixels, times the root of "
                                 "the RMSE when rounding begins", limits=(1e-3, 100))  # fmt: skip
    size_step: float = setting(0.4, "log sizes likewise", limits=(1e-3, 100))
    shear_step: float = setting(0.6, "shears likewise", limits=(1e-3, 100))
    opacity_step: float = setting(1.0, "logits of opacity likewise", limits=(1e-3, 100))
    color_step: float = setting(0.5, "colors are rounded to multiples of so many RMSE",
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
