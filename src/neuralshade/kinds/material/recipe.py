"""Recipe of the material kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neuralshade.errors import ConfigError
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
LATENTS = ("plain", "bc7")
BLOCK_CHANNELS = 4  # numbers of a BC7 texture
BLOCK_SIDE = 4  # texels of its blocks
# Decoders by name, the default first: docs/material-speed.md lists the quality of each.
PRESETS: dict[str, dict[str, int]] = {
    "standard": {},
    "high": {"hidden_layers": 3, "hidden_width": 64},
    "fast": {"hidden_width": 16},
}
PRESETS_ABOUT = "Decoder size: standard, 2 layers of 32; high, 3 of 64; fast, 2 of 16."
# Second betas: of SOAP, whose axes rotate, so that old squares must be forgotten soon, and of the
# read-out's Adam.
NETWORK_BETA2, READ_BETA2 = 0.95, 0.999


@dataclass(frozen=True)
class MaterialRecipe(TrainingRecipe):
    """Recipe of a fitted material: scattering from any light to any eye, at every point."""

    size: int = setting(256, "texels along a side of the feature map", limits=(1, 8192))
    wrap: str = setting("repeat", "edge mode, not detected: repeat for materials that tile, clamp "
                        "for others", choices=WRAPS)  # fmt: skip
    features: int = setting(8, "numbers per texel of the feature map", limits=(2, 16))
    latents: str = setting("plain", "storage of the feature map: plain has 8 bits a number; bc7 "
                           "are BC7 textures, 2 bits a number, filtered by a GPU all the same",
                           choices=LATENTS)  # fmt: skip
    lobes: int = setting(3, "reflection lobes read from a texel as inputs of the decoder",
                         limits=(1, 6))  # fmt: skip
    lobe_inputs: int = setting(4, "inputs of the decoder per lobe; 4 has logarithms of cosines, 3 "
                               "and 5 have the cosines", limits=(3, 5), older=3)  # fmt: skip
    below: float = setting(0.05, "how far below a lobe's horizon the decoder distinguishes "
                           "directions, as a cosine", limits=(0, 1), older=0.0)  # fmt: skip
    hidden_layers: int = setting(2, "hidden layers of the decoder", limits=(1, 4))
    hidden_width: int = setting(32, "neurons per hidden layer", limits=(16, 128))
    activation: str = setting("hard_gelu", "activation function of the hidden layers",
                              choices=ACTIVATIONS, older="leaky_relu")  # fmt: skip
    batch: int = training(0, "samples per step; 0 is 262,144 on a GPU, 8,192 on a CPU",
                          limits=(0, 2**22))  # fmt: skip
    rate: float = training(2e-2, "learning rate of encoder and decoder (SOAP) and of the lobes' "
                           "read-out (Adam)", limits=(1e-9, 1))  # fmt: skip
    latent_rate: float = training(2e-3, "learning rate of the feature map", limits=(1e-9, 1))
    rate_final: float = changed(TrainingRecipe, "rate_final", 0.02)
    warmup: int = changed(TrainingRecipe, "warmup", 50)
    epsilon: float = changed(TrainingRecipe, "epsilon", 1e-15)
    encoded_until: float = training(0.2, "share of the training in which an encoder computes the "
                                    "features; after it the feature map itself is trained",
                                    limits=(0.02, 0.9))  # fmt: skip
    frozen_from: float = training(0.95, "share of the training after which the feature map is "
                                  "rounded to 8 bits and only the decoder trains",
                                  limits=(0.05, 1))  # fmt: skip
    mips: float = training(0.08, "share of the fit that trains mip levels; 0 filters them with a "
                           "box", limits=(0, 0.9))  # fmt: skip
    sampler: float = training(0.06, "share of the fit that trains the importance sampler; 0 "
                              "samples all lobes equally", limits=(0, 0.9))  # fmt: skip
    rare: float = training(0.5, "share of samples drawn where the material's inputs are rare",
                           limits=(0, 1))  # fmt: skip
    vary: str = setting("", "material inputs that stay adjustable in the asset, each with its "
                        "range, as in wetness=0..1,age=0..0.5",
                        form="RANGES", unset="none")  # fmt: skip
    steps: int | None = changed(TrainingRecipe, "steps", 10_000)
    seconds: float | None = ending(180.0, "stop after this many seconds of training; compiling "
                                   "and measuring quality come on top",
                                   limits=(0.01, 10**7))  # fmt: skip

    def __post_init__(self) -> None:
        """Refuse invalid ranges, too."""
        super().__post_init__()
        parse_ranges(self.vary)
        if self.latents == "bc7" and self.features % BLOCK_CHANNELS:
            raise ConfigError(f"MaterialRecipe.features: got {self.features} beside latents=bc7, "
                              f"need a multiple of {BLOCK_CHANNELS}, the channels of a texture. "
                              "Take 8.")  # fmt: skip

    @property
    def block_warning(self) -> str | None:
        """Return what to know of a map in BC7 blocks that not all of its readers take."""
        if self.latents != "bc7" or self.size % BLOCK_SIDE == 0:
            return None
        return (f"size: got {self.size} beside latents=bc7. WebGPU and Direct3D take BC7 textures "
                f"only of sides that are multiples of {BLOCK_SIDE}.")  # fmt: skip

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
    latents: str
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
