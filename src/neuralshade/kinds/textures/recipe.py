"""Recipe of the textures kind."""

from dataclasses import dataclass

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import TrainingRecipe, TrainingSettings, changed, setting, training
from neuralshade.kinds.textures.block_shape import parse_blocks

GRID_LIMITS = (64, 16, 8)  # texels along a latent, numbers, bits
MOST_GRIDS = 4
LOSSES = ("maps", "shaded")
WRAPS = ("repeat", "clamp")
NETWORK_BITS = (0, 8, 16)
# Bits per texel and per code of the finest grid up to which a decoder of 8 bits saves more than it
# costs: with finer codes it would limit a smooth set.
FEW_BITS, ROUGH_BITS = 6.0, 2
LATENTS = ("plain", "bc1")
PRECISIONS = ("auto", "float32", "bfloat16", "float16")


@dataclass(frozen=True)
class TexturesRecipe(TrainingRecipe):
    """The maps of a set, all mip levels, a few bits per texel."""

    bpp: float = setting(5.0, "bits per texel of all maps together; mips add a fifteenth, the "
                         "decoder 7 to 19 kB", limits=(0.3, 32))  # fmt: skip
    grids: str = setting("", "latent grids in place of --bpp, finest first, each "
                         "SCALE:NUMBERS:BITS, as in 2:7:2,4:8:2,8:8:4; of bc1 latents "
                         "SCALE:TEXTURES, as in 1:2,2:2",
                         unset="chosen by --bpp")  # fmt: skip
    latents: str = setting("plain", "kind of latents: plain has the best quality; bc1 are BC1 "
                           "textures, which a GPU filters, and whose mips add a third to --bpp",
                           choices=LATENTS)  # fmt: skip
    mips: int = setting(0, "mip levels, the full size included; 0 goes down to 1 x 1",
                        limits=(0, 25))  # fmt: skip
    wrap: str = setting("repeat", "edge mode, not detected: repeat for sets that tile, clamp for "
                        "others",
                        choices=WRAPS)  # fmt: skip
    loss: str = training("maps", "what is compared: each channel of the maps, or also the surface "
                         "shaded under random lights", choices=LOSSES)  # fmt: skip
    weights: str = training("", "weights of maps in the loss, as in normal=2,ao=0.5",
                            form="MAP=X,...", unset="1 for each map")  # fmt: skip
    keep_hidden_color: bool = setting(False, "fit texels of opacity 0 like all others", older=True)
    hidden_layers: int = setting(2, "hidden layers of the decoder", limits=(1, 4))
    hidden_width: int = setting(64, "neurons per hidden layer", limits=(16, 128))
    network_bits: int = setting(0, "bits per decoder weight in the file: 16, or 8 for half the "
                                "bytes at slightly less quality; 0 chooses by --bpp",
                                older=16)  # fmt: skip
    batch: int = training(0, "texels per step; 0 is 65,536 on a GPU, on a CPU it depends on the "
                          "set's size", limits=(0, 2**22))  # fmt: skip
    rate: float = training(0.02, "learning rate of the decoder", limits=(1e-9, 1))
    latent_rate: float = training(0.0, "learning rate of the latents; 0 chooses by --bpp",
                                  limits=(0, 1))  # fmt: skip
    latent_beta2: float = training(0.99, "Adam's decay of the mean squared gradient of latents",
                                   limits=(0, 0.999999))  # fmt: skip
    # gradients of latents, as a mean over a batch and its channels, are around 1e-8
    epsilon: float = changed(TrainingRecipe, "epsilon", 1e-15)
    rate_final: float = changed(TrainingRecipe, "rate_final", 1e-6)
    noise_until: float = training(0.95, "share of the fit with quantization noise on the latents; "
                                  "after it they are rounded and only the decoder trains",
                                  limits=(0.05, 1))  # fmt: skip
    polish: int = training(-1, "passes that re-tune the quantized latents after training; 0 is "
                           "none, -1 chooses by device and size (4 at most)",
                           limits=(-1, 16))  # fmt: skip
    precision: str = training("auto", "number format of the decoder's products in training; auto "
                              "is float16 on a GPU's matrix units, else float32",
                              choices=PRECISIONS)  # fmt: skip
    loss_scale: float = training(1024.0, "factor on float16 gradients, against underflow",
                                 limits=(1, 2**24))  # fmt: skip
    steps: int | None = changed(TrainingRecipe, "steps", 10_000)
    seconds: float | None = changed(TrainingRecipe, "seconds", 60.0, "stop after this many "
                                    "seconds, re-tuning of quantized latents included; compiling "
                                    "comes on top")  # fmt: skip

    def __post_init__(self) -> None:
        """Refuse invalid weights."""
        super().__post_init__()
        parse_weights(self.weights)
        if self.network_bits not in NETWORK_BITS:
            raise ConfigError(f"TexturesRecipe.network_bits: got {shown(self.network_bits)}, need "
                              f"one of {list(NETWORK_BITS)}. Leave it out.")  # fmt: skip
        if self.latents == "bc1":
            parse_blocks(self.grids)
            if self.polish > 0:
                raise ConfigError(f"TexturesRecipe.polish: got {self.polish} beside latents=bc1, "
                                  "need plain latents. Leave it out.")  # fmt: skip
        else:
            parse_grids(self.grids)


class TexturesSettings(TrainingSettings, total=False):
    """Fields of TexturesRecipe, where they are documented; all are optional."""

    bpp: float
    grids: str
    latents: str
    mips: int
    wrap: str
    loss: str
    weights: str
    keep_hidden_color: bool
    hidden_layers: int
    hidden_width: int
    batch: int
    rate: float
    latent_rate: float
    latent_beta2: float
    noise_until: float
    polish: int
    precision: str
    loss_scale: float
    network_bits: int


@dataclass(frozen=True)
class GridShape:
    """One grid: texels of mip 0 along a latent's side, features, bits of a feature."""

    scale: int
    features: int
    bits: int

    @property
    def rate(self) -> float:
        """Return its bits per texel of mip 0, without the levels for deeper mips."""
        return self.features * self.bits / self.scale**2


def parse_grids(text: str) -> tuple[GridShape, ...]:
    """Return the grids that ``text`` names, the finest first; ConfigError for invalid text.

    At most MOST_GRIDS, each coarser than the one before.
    """
    grids: list[GridShape] = []
    for item in filter(None, (item.strip() for item in text.split(","))):
        parts = item.split(":")
        numbers = [int(part) if part.isdecimal() and len(part) < 4 else 0 for part in parts]
        limits = zip(numbers, GRID_LIMITS, strict=False)
        if len(parts) != len(GRID_LIMITS) or not all(1 <= n <= most for n, most in limits):
            raise ConfigError(f"TexturesRecipe.grids: got {item!r}, need SCALE:NUMBERS:BITS, 1 to "
                              "64, 1 to 16 and 1 to 8. Write for example 2:4:3.")  # fmt: skip
        grids.append(GridShape(*numbers))
    scales = [grid.scale for grid in grids]
    if scales != sorted(set(scales)) or len(grids) > MOST_GRIDS:
        raise ConfigError(f"TexturesRecipe.grids: got {text!r}, need {MOST_GRIDS} grids at most, "
                          "each coarser than the one before. Put the finest first.")  # fmt: skip
    return tuple(grids)


def parse_weights(text: str) -> dict[str, float]:
    """Return the weights of maps by name; ConfigError for invalid ``text``."""
    weights: dict[str, float] = {}
    for item in filter(None, (item.strip() for item in text.split(","))):
        name, _, value = (piece.strip() for piece in item.partition("="))
        try:
            weight = float(value)
        except ValueError:
            weight = -1.0
        if not name or not 0 <= weight <= 1000:
            raise ConfigError(f"TexturesRecipe.weights: got {item!r}, need MAP=NUMBER, 0 to 1000. "
                              "Write for example normal=2.")  # fmt: skip
        if name in weights:
            raise ConfigError(f"TexturesRecipe.weights: got {name} twice, need it once. "
                              "Leave one out.")  # fmt: skip
        weights[name] = weight
    return weights
