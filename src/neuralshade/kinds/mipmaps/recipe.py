"""Recipe of the mipmaps kind."""

from dataclasses import dataclass
from typing import Any

from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import (
    TrainingRecipe,
    TrainingSettings,
    changed,
    make_recipe,
    setting,
    training,
)

WRAPS = ("repeat", "clamp")
DIFFUSES = ("lambert", "burley")
FAVORS = ("all", "mirror")


@dataclass(frozen=True)
class MipmapsRecipe(TrainingRecipe):
    """Recipe of the mip levels of a PBR set."""

    levels: int = setting(0, "mip levels to train below the maps themselves; 0 goes down to 1 x 1",
                          limits=(0, 32))  # fmt: skip
    wrap: str = setting("repeat", "edge mode, not detected: repeat for sets that tile, clamp for "
                        "others",
                        choices=WRAPS)  # fmt: skip
    keep_hidden_color: bool = setting(False, "count texels of opacity 0 like all others",
                                      older=True)  # fmt: skip
    diffuse: str = setting("lambert", "diffuse shading model", choices=DIFFUSES)
    pairs: int = training(32, "pairs of light and view direction per step", limits=(1, 256))
    pool: int = training(128, "pairs kept in memory at a time, a multiple of --pairs; each takes "
                         "8 bytes per texel", limits=(1, 4096))  # fmt: skip
    reuse: int = training(4, "passes over a pool before the next is drawn; fewer show more lights "
                          "and take longer", limits=(1, 10_000))  # fmt: skip
    mirror: float = training(0.5, "share of the pairs near the mirror direction at level 1; the "
                             "others follow a cosine distribution", limits=(0, 1))  # fmt: skip
    mirror_far: float = training(0.75, "weight in the loss of the pairs near the mirror direction "
                                 "from level 5 on; it grows evenly from --mirror at level 1",
                                 limits=(0, 0.99))  # fmt: skip
    lowest: float = training(0.2, "smallest cosine between either direction and the surface normal",
                             limits=(0, 0.9))  # fmt: skip
    favor: str = training("all", "lights that the levels are trained and chosen for: all kinds, "
                          "or single lights, mostly near the mirror direction", choices=FAVORS,
                          older="mirror")  # fmt: skip
    skies: int = training(2, "skies with a sun per step, each seen from one direction; --favor "
                          "mirror has none", limits=(0, 64))  # fmt: skip
    sky_lights: int = training(8, "lights per sky, its sun included", limits=(1, 64))
    sky_weight: float = training(4.0, "weight of skies in the loss, beside 1 of single lights",
                                 limits=(0, 100))  # fmt: skip
    albedo_rate: float = training(0.02, "learning rate of albedo (linear, 0 to 1)", limits=(0, 1))
    slope_rate: float = training(0.02, "learning rate of the normals' slopes, times the squared "
                                 "roughness of the texel", limits=(0, 1))  # fmt: skip
    roughness_rate: float = training(0.005, "learning rate of roughness (0 to 1)", limits=(0, 1))
    metallic_rate: float = training(0.02, "learning rate of metallic (0 to 1)", limits=(0, 1))
    beta1: float = changed(TrainingRecipe, "beta1", 0.8)
    beta2: float = changed(TrainingRecipe, "beta2", 0.95)
    rate_final: float = changed(TrainingRecipe, "rate_final", 0.02)
    steps: int | None = changed(TrainingRecipe, "steps", 256)
    seconds: float | None = changed(TrainingRecipe, "seconds", None)
    seed: int = training(0, "random seed", limits=(0, 2**31 - 1))

    def __post_init__(self) -> None:
        """Refuse settings that are valid alone and contradict each other."""
        super().__post_init__()
        if self.pool % self.pairs:
            more = -(-self.pool // self.pairs) * self.pairs
            raise ConfigError(f"MipmapsRecipe.pool: got {self.pool} with pairs={self.pairs}, need "
                              f"a multiple. Write {more}.")  # fmt: skip


class MipmapsSettings(TrainingSettings, total=False):
    """Keyword settings: the fields of MipmapsRecipe, all optional."""

    levels: int
    wrap: str
    keep_hidden_color: bool
    diffuse: str
    pairs: int
    pool: int
    reuse: int
    mirror: float
    mirror_far: float
    lowest: float
    albedo_rate: float
    slope_rate: float
    roughness_rate: float
    metallic_rate: float
    favor: str
    skies: int
    sky_lights: int
    sky_weight: float


def mipmaps_recipe(settings: dict[str, Any]) -> MipmapsRecipe:
    """Return the recipe of ``settings``; steps or seconds replace the default end."""
    return make_recipe(MipmapsRecipe, settings)
