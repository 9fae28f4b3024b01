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

    levels: int = setting(0, "trained below the maps themselves; 0 goes down to 1 x 1",
                          limits=(0, 32))  # fmt: skip
    wrap: str = setting("repeat", "beyond the border, for smaller maps that are enlarged to the "
                        "largest: repeat for sets that tile, else clamp",
                        choices=WRAPS)  # fmt: skip
    keep_hidden_color: bool = setting(False, "texels of opacity 0 stay as they are and count as "
                                      "any others; opacity's levels are means",
                                      older=True)  # fmt: skip
    diffuse: str = setting("lambert", "diffuse part of the shading", choices=DIFFUSES)
    pairs: int = training(32, "directions to light and eye in one step, the same for all texels",
                          limits=(1, 256))  # fmt: skip
    pool: int = training(128, "pairs whose references are held at a time; a multiple of pairs. "
                         "Less takes less memory, 8 bytes a pair and texel",
                         limits=(1, 4096))  # fmt: skip
    reuse: int = training(4, "times that a pool is gone through before the next is drawn. Less "
                          "shows more lights, and takes longer", limits=(1, 10_000))  # fmt: skip
    mirror: float = training(0.5, "share of the pairs that lie near a mirror's; the others are "
                             "distributed by the cosine", limits=(0, 1))  # fmt: skip
    mirror_far: float = training(0.75, "share in the loss of the pairs near a mirror's at level 5 "
                                 "and on; it grows evenly from --mirror at level 1",
                                 limits=(0, 0.99))  # fmt: skip
    lowest: float = training(0.2, "least cosine of both directions with the plane's normal",
                             limits=(0, 0.9))  # fmt: skip
    favor: str = training("all", "lights under which levels are to be right, and by which each is "
                         "chosen: of all kinds, or single ones alone, near a mirror's most of "
                         "all", choices=FAVORS, older="mirror")  # fmt: skip
    skies: int = training(2, "suns with their skies in one step, each seen by one eye; none where "
                          "--favor is mirror", limits=(0, 64))  # fmt: skip
    sky_lights: int = training(8, "lights of each of them, the sun among them",
                               limits=(1, 64))  # fmt: skip
    sky_weight: float = training(4.0, "of skies in the loss; the pairs that are seen alone have 1",
                                 limits=(0, 100))  # fmt: skip
    albedo_rate: float = training(0.02, "Adam step size of albedo, which is linear, 0 to 1",
                                  limits=(0, 1))  # fmt: skip
    slope_rate: float = training(0.02, "Adam step size of a normal's slopes (x/z and y/z), times "
                                 "the squared roughness of the texel", limits=(0, 1))  # fmt: skip
    roughness_rate: float = training(0.005, "Adam step size of roughness, which is 0 to 1",
                                     limits=(0, 1))  # fmt: skip
    metallic_rate: float = training(0.02, "Adam step size of metallic, which is 0 to 1",
                                    limits=(0, 1))  # fmt: skip
    beta1: float = changed(TrainingRecipe, "beta1", 0.8)
    beta2: float = changed(TrainingRecipe, "beta2", 0.95)
    rate_final: float = changed(TrainingRecipe, "rate_final", 0.02)
    steps: int | None = changed(TrainingRecipe, "steps", 256)
    seconds: float | None = changed(TrainingRecipe, "seconds", None)
    seed: int = training(0, "of every random number", limits=(0, 2**31 - 1))

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
