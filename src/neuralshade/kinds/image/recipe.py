"""Recipe of the image kind."""

from dataclasses import dataclass

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import (
    LOSSES,
    PictureRecipe,
    PictureSettings,
    changed,
    ending,
    setting,
    training,
)

# the keys of registries that load PyTorch; a test holds them equal
ACTIVATIONS = ("none", "relu", "leaky_relu", "tanh", "sigmoid", "exp", "softplus", "silu",
               "hard_gelu", "elu", "sine")  # fmt: skip
GRID_OPTIMIZERS = ("adam", "touched_adam")
PRECISIONS = ("float32", "bfloat16", "float16")
SAMPLINGS = ("lattice", "pixels", "positions")
TRANSFORMS = ("identity", "zoom", "flip")


@dataclass(frozen=True)
class ImageRecipe(PictureRecipe):
    """One picture into an encoding and an MLP."""

    finds_plateau = True
    larger = "A larger --bpp, encoding or network"  # how a user allows a larger file

    encoding: str = setting("auto", "what the network reads of a position: auto, two trained "
                            "grids that fill --bpp, or parts joined by +, as in "
                            "'frequency:octaves=6 + one_blob'")  # fmt: skip
    bpp: float = setting(4.0, "size of the file in bits per pixel; an --encoding other than "
                         "auto sets its own", limits=(0.01, 64))  # fmt: skip
    hidden_layers: int = setting(2, "hidden layers of the network", limits=(0, 8))
    hidden_width: int = setting(0, "neurons per hidden layer, 8 at least; 0 chooses by --bpp",
                                limits=(0, 256))  # fmt: skip
    activation: str = setting("relu", "activation function of the hidden layers",
                              choices=ACTIVATIONS)  # fmt: skip
    output_activation: str = setting("auto", "activation function of the last layer; auto is exp "
                                     "for HDR pictures whose brightest value is 1,000 times their "
                                     "median, else none",
                                     choices=("auto", *ACTIVATIONS))  # fmt: skip
    bias: bool = setting(True, "add a bias in each layer")
    loss: str = training("auto", "loss function; auto is l2, for HDR pictures relative_l2, or "
                         "log_l2 with an exp output",
                         choices=("auto", *LOSSES), plugins="loss")  # fmt: skip
    sampling: str = training("lattice", "how a batch is drawn: at the crossings of random rows "
                             "and columns, at random pixels, or at continuous positions",
                             choices=SAMPLINGS)  # fmt: skip
    batch: int = training(0, "samples per step; 0 chooses by the picture's size",
                          limits=(0, 2**24))  # fmt: skip
    rate: float = training(1e-2, "learning rate of the network", limits=(1e-9, 10))
    grid_rate: float = training(1e-2, "learning rate of the grids", limits=(1e-9, 10))
    grid_optimizer: str = training("adam", "optimizer of the grids; touched_adam updates only the "
                                   "cells that a batch reads", choices=GRID_OPTIMIZERS)  # fmt: skip
    l2_penalty: float = training(0.0, "L2 regularization: share of each weight and bias added to "
                                 "its gradient", limits=(0, 1))  # fmt: skip
    warmup: int = changed(PictureRecipe, "warmup", 20)
    average: float = training(0.98, "decay of the moving average of the weights, which is what is "
                              "saved; 0 saves the last weights", limits=(0, 0.999999))  # fmt: skip
    precision: str = training("auto", "number format of the network's products in training; the "
                              "weights stay float32", choices=("auto", *PRECISIONS))  # fmt: skip
    loss_scale: float = training(1024.0, "factor on float16 gradients, against underflow",
                                 limits=(1, 2**24))  # fmt: skip
    polish: int = training(-1, "passes that re-tune the quantized numbers after training; 0 is "
                           "none, -1 is 4, or fewer above 2 million pixels",
                           limits=(-1, 64))  # fmt: skip
    grid_bits: int = setting(4, "bits per grid number in the file: 4, 8, 16 or 32")
    network_bits: int = setting(8, "bits per network weight in the file: 8, 16 or 32")
    seconds: float | None = changed(PictureRecipe, "seconds", 20.0, "stop after this many seconds, "
                                    "re-tuning of quantized numbers included; compiling comes on "
                                    "top")  # fmt: skip
    until: str = ending("auto", "when to stop: plateau, where more steps gain little, at --seconds "
                        "or --steps at the latest; end, only there; usual, at the plateau or after "
                        "--seconds and 640 steps; auto is usual unless --seconds or --steps is set",
                        choices=("auto", "usual", "plateau", "end"))  # fmt: skip
    plateau_db: float = ending(0.25, "gain in dB from doubling the steps below which a fit is at "
                               "its plateau", limits=(0.001, 20))  # fmt: skip
    transform: str = setting("identity", "transform of the picture before the fit: zoom is uv * "
                             "0.5 + 0.25, flip swaps u and v",
                             choices=TRANSFORMS, group="fitted")  # fmt: skip

    def __post_init__(self) -> None:
        """Refuse settings that contradict each other."""
        for name, allowed in (("grid_bits", (4, 8, 16, 32)), ("network_bits", (8, 16, 32))):
            bits = getattr(self, name)
            if bits not in allowed:
                raise ConfigError(f"ImageRecipe.{name}: got {shown(bits)}, need one of "
                                  f"{list(allowed)}. Fewer bits make a smaller file.")  # fmt: skip
        if 0 < self.hidden_width < 8:
            raise ConfigError(f"ImageRecipe.hidden_width: got {self.hidden_width}, need 0 or 8 to "
                              "256. 0 chooses by bpp.")  # fmt: skip
        super().__post_init__()
        if self.encoding != "auto":
            from neuralshade.model.registry import parse_encoding  # loads PyTorch

            parse_encoding(self.encoding)


class ImageSettings(PictureSettings, total=False):
    """Fields of ImageRecipe, where they are documented; all are optional."""

    encoding: str
    bpp: float
    hidden_layers: int
    hidden_width: int
    activation: str
    output_activation: str
    bias: bool
    loss: str
    sampling: str
    batch: int
    rate: float
    grid_rate: float
    grid_optimizer: str
    l2_penalty: float
    average: float
    precision: str
    loss_scale: float
    polish: int
    grid_bits: int
    network_bits: int
    until: str
    plateau_db: float
    transform: str
