"""Named recipes, each with its source."""

import dataclasses
from typing import Any

from neuralshade.fitting.recipe import check_preset, from_dict
from neuralshade.kinds.image.recipe import ImageRecipe

ENDS = ("steps", "seconds", "target_psnr", "until", "plateau_db")
EPOCH_STEPS, EPOCHS = 128, 256  # of rtxns: batches an epoch from the sample, epochs our choice

RTXNS_NETWORK = {
    "encoding": "frequency:octaves=3",  # 2 inputs x 6 features
    "hidden_layers": 4,
    "hidden_width": 64,
    "activation": "leaky_relu",
    "output_activation": "sigmoid",
    "network_bits": 16,
    "loss": "l2",
}


@dataclasses.dataclass(frozen=True)
class Preset:
    """Settings that differ from ImageRecipe's defaults, and where they come from."""

    about: str
    settings: dict[str, Any]


PRESETS: dict[str, Preset] = {
    "grid": Preset(
        "Two dense grids of 4-bit numbers and a 64 x 2 network in at most 4 bits per pixel. The "
        "default. Source: ours; quantised grids after Vaidyanathan et al. 2023, Random-Access "
        "Neural Compression of Material Textures.",
        {},
    ),
    "detail": Preset(
        "The same in at most 16 bits per pixel. Source: ours.",
        {"bpp": 16.0},
    ),
    "rtxns": Preset(
        "The network and training of NVIDIA RTX Neural Shading's sample Simple Training: "
        "three octaves of sine and cosine, 4 x 64, Adam from 1e-3 to 1e-4, batches of 32 x 32, "
        "256 epochs of 128 batches. Source: RTXNS, samples/SimpleTraining.",
        {
            **RTXNS_NETWORK,
            "sampling": "positions",
            "batch": 32 * 32,
            "rate": 1e-3,
            "schedule": "exponential",
            "rate_final": 0.1,
            "warmup": 0,
            "beta2": 0.999,
            "average": 0.0,
            "loss_scale": 1024.0,
            "steps": EPOCH_STEPS * EPOCHS,
            "seconds": None,
        },
    ),
    "rtxns-fast": Preset(
        "The network of rtxns with training settings of ours: pixel lattices, larger batches, "
        "a higher rate that falls to zero.",
        {**RTXNS_NETWORK, "batch": 8192, "rate": 1e-2, "warmup": 100, "seconds": 10.0},
    ),
    "lake": Preset(
        "A 200 x 137 grid of 3 features, sub-cell sinusoids and two octaves of global Fourier "
        "features (13 inputs) into 32 x 2, with Adam per touched cell. "
        'Source: the "Learn a Lake" demonstration.',
        {
            "encoding": "dense_grid:features=3,width=200,height=137 + "
            "cell_wave:width=200,height=137 + frequency:octaves=2",
            "output_activation": "sigmoid",
            "batch": 16_384,
            "grid_rate": 2e-2,
            "grid_optimizer": "touched_adam",
            "average": 0.0,
            "grid_bits": 16,
            "network_bits": 16,
            "hidden_width": 32,
            "loss": "l2",
        },
    ),
    "tiny": Preset(
        "2 -> 32 -> 32 -> 3 with tanh on the bare position: what a network sees without an "
        "encoding. Source: NVIDIA's neural shading course, SIGGRAPH 2025.",
        {
            "encoding": "identity",
            "hidden_width": 32,
            "activation": "tanh",
            "network_bits": 16,
            "seconds": 5.0,
        },
    ),
    "tiny-9": Preset(
        "Nine parameters, one affine map 2 -> 3: a colour gradient. "
        "Source: NVIDIA's neural shading course, SIGGRAPH 2025.",
        {"encoding": "identity", "hidden_layers": 0, "network_bits": 16, "seconds": 2.0},
    ),
}


def preset_recipe(name: str, settings: dict[str, Any]) -> ImageRecipe:
    """Return the preset with ``settings`` in place of its own.

    An end among ``settings`` (steps, seconds) replaces all ends of the preset, so that
    steps=5000 means 5000 steps; target_psnr is one more end beside the others. Without either a
    fit ends at its plateau, or at the preset's seconds once LEAST_STEPS were run.

    Raises: ConfigError for an unknown preset or setting, with the nearest name.
    """
    check_preset(name, PRESETS)
    values = dict(PRESETS[name].settings)
    if settings.get("steps") is not None or settings.get("seconds") is not None:
        values |= {"steps": None, "seconds": None}
    recipe = from_dict(ImageRecipe, values | settings)
    if recipe.until != "auto":
        return recipe
    # a preset's steps belong to its recipe; its seconds are an upper limit for an interactive user
    plateau = recipe.steps is None and recipe.seconds is not None
    ends_set = settings.get("steps") is not None or settings.get("seconds") is not None
    until = "usual" if plateau and not ends_set else "end"
    return dataclasses.replace(recipe, until=until)


def preset_steps(name: str | None) -> int | None:
    """Return a preset's own number of steps; None where it has none."""
    return None if name is None else PRESETS[name].settings.get("steps")
