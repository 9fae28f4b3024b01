"""Recipe of the material kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neuralshade.fitting.recipe import (
    TrainingRecipe,
    TrainingSettings,
    changed,
    check_preset,
    ending,
    setting,
    training,
)
from neuralshade.kinds.material.varied import parse_ranges

WRAPS = ("repeat", "clamp")
ACTIVATIONS = ("hard_gelu", "leaky_relu")
# Decoders by name, the default first: docs/material-speed.md lists the quality of each.
PRESETS: dict[str, dict[str, int]] = {
    "standard": {},
    "high": {"hidden_layers": 3, "hidden_width": 64},
    "fast": {"hidden_width": 16},
}
# Second betas: of SOAP, whose axes rotate, so that old squares must be forgotten soon, and of the
# read-out's Adam.
NETWORK_BETA2, READ_BETA2 = 0.95, 0.999


@dataclass(frozen=True)
class MaterialRecipe(TrainingRecipe):
    """Recipe of a fitted material: scattering from any light to any eye, at every point."""

    size: int = setting(256, "texels along a side of the feature map", limits=(1, 8192))
    wrap: str = setting("repeat", "beyond the border: repeat for materials that tile, else clamp",
                        choices=WRAPS)  # fmt: skip
    features: int = setting(8, "numbers of a texel", limits=(2, 16))
    lobes: int = setting(3, "lobes that are read out of them for the decoder", limits=(1, 6))
    lobe_inputs: int = setting(4, "numbers of a lobe that the decoder sees; 3 and 5 have cosines "
                               "where 4 have their logarithms", limits=(3, 5), older=3)  # fmt: skip
    below: float = setting(0.05, "how far below a lobe's horizon the decoder sees, as a cosine, by "
                                "logarithms", limits=(0, 1), older=0.0)  # fmt: skip
    hidden_layers: int = setting(2, "hidden layers of the decoder", limits=(1, 4))
    hidden_width: int = setting(32, "neurons per hidden layer", limits=(16, 128))
    activation: str = setting("hard_gelu", "after each hidden layer of the decoder",
                              choices=ACTIVATIONS, older="leaky_relu")  # fmt: skip
    batch: int = training(0, "samples per step; 0 takes 262,144 on a GPU, 8,192 on a CPU",
                          limits=(0, 2**22))  # fmt: skip
    rate: float = training(2e-2, "step size of encoder and decoder, by SOAP, and of the lobes' "
                           "read-out, by Adam", limits=(1e-9, 1))  # fmt: skip
    latent_rate: float = training(2e-3, "Adam step size of the feature map, whose numbers lie in "
                                  "[0, 1]", limits=(1e-9, 1))  # fmt: skip
    rate_final: float = changed(TrainingRecipe, "rate_final", 0.02)
    warmup: int = changed(TrainingRecipe, "warmup", 50)
    epsilon: float = changed(TrainingRecipe, "epsilon", 1e-15)
    encoded_until: float = training(0.2, "share of the finest level's part, in which an "
                                    "encoder makes the numbers "
                                    "of the graph's own values; then they are baked into the "
                                    "feature map, which is trained itself",
                                    limits=(0.02, 0.9))  # fmt: skip
    frozen_from: float = training(0.95, "share of that part from which the feature map is rounded "
                                  "to 8 bits, and the decoder is trained alone",
                                  limits=(0.05, 1))  # fmt: skip
    mips: float = training(0.08, "share of the fit, before its sampler's, in which the mip levels "
                           "are trained, the decoder frozen; 0 keeps box filters",
                           limits=(0, 0.9))  # fmt: skip
    sampler: float = training(0.06, "share of the fit, at its end, in which the sampler of "
                              "directions is trained, all else done; the other shares are of what "
                              "is before it; 0 draws from all lobes equally often",
                              limits=(0, 0.9))  # fmt: skip
    rare: float = training(0.5, "share of samples drawn where the graph's values are rare",
                           limits=(0, 1))  # fmt: skip
    vary: str = setting("", "inputs of the material that stay inputs of the decoder, each with its "
                        "range, such as wetness=0..1,age=0..0.5", form="RANGES")  # fmt: skip
    steps: int | None = changed(TrainingRecipe, "steps", 10_000)
    seconds: float | None = ending(180.0, "stop after so many seconds of training; compiling, "
                                   "measuring and judging levels come on top",
                                   limits=(0.01, 10**7))  # fmt: skip

    def __post_init__(self) -> None:
        """Refuse invalid ranges, too."""
        super().__post_init__()
        parse_ranges(self.vary)

    @property
    def varied_count(self) -> int:
        """Return the number of varied inputs of the decoder."""
        return len(parse_ranges(self.vary))


def with_preset(preset: str | None, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with a preset's defaults. Raises: ConfigError for an unknown preset."""
    if preset is None:
        return dict(settings)
    check_preset(preset, PRESETS)
    return {**PRESETS[preset], **settings}


class MaterialSettings(TrainingSettings, total=False):
    """Keyword settings: the fields of MaterialRecipe, all optional."""

    size: int
    wrap: str
    features: int
    lobes: int
    lobe_inputs: int
    below: float
    hidden_layers: int
    hidden_width: int
    activation: str
    batch: int
    rate: float
    latent_rate: float
    encoded_until: float
    frozen_from: float
    mips: float
    sampler: float
    rare: float
    vary: str
