"""Reader of tiny-cuda-nn configurations (JSON) as settings of ImageRecipe.

Every key is honoured or refused by name; none is ignored silently. The two differ by design: our
layers have biases unless a recipe turns them off, theirs never have; their one-blob uses a
quartic kernel, ours the Gaussian of the paper; base_resolution counts their vertices and our
cells. A key without effect on the result is skipped, with a log line.
"""

import os
from collections.abc import Callable
from typing import Any

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.image.config_file import read_config
from neuralshade.kinds.image.config_section import Names, Section
from neuralshade.kinds.image.tiny_cuda_nn_encodings import encoding_text

Settings = dict[str, Any]

ACTIVATION_NAMES = {
    "None": "none",
    "ReLU": "relu",
    "LeakyReLU": "leaky_relu",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
    "Exponential": "exp",
    "Softplus": "softplus",
    "SiLU": "silu",
    "ELU": "elu",
    "Sine": "sine",
}
LOSS_NAMES = {
    "L1": "l1",
    "L2": "l2",
    "Huber": "huber",  # of instant-ngp
    "RelativeL2": "relative_l2",
    "LogL1": "log_l1",
    "SMAPE": "smape",
}
NETWORK_TYPES = {"FullyFusedMLP": "", "CutlassMLP": ""}
OPTIMIZERS = {"Adam": "adam", "EMA": "ema", "ExponentialDecay": "decay"}
ADAM_ONLY = ("lion", "sgd", "shampoo", "novograd", "lookahead", "average", "batched", "composite")
OF_LION = ", whose learning_rate is 3 to 10 times that of Lion"  # Chen et al. 2023, section 5
DECAYS = ("decay_start", "decay_interval", "decay_end", "decay_base")
SECTIONS = ("encoding", "network", "optimizer", "loss")


def read_tiny_cuda_nn(path: str | os.PathLike[str]) -> Settings:
    """Return the settings of a JSON file; ConfigError names what is not supported."""
    return from_tiny_cuda_nn(read_config(path))


def from_tiny_cuda_nn(config: Any) -> Settings:
    """Return the settings of ImageRecipe for a parsed configuration.

    Raises: ConfigError naming the section and the key that is unknown or not supported.
    """
    top = Section("config", config)
    settings: Settings = {"bias": False}
    readers: dict[str, Callable[[Section], Settings]] = {
        "encoding": lambda s: {"encoding": encoding_text(s)},
        "network": _network,
        "optimizer": _optimizer,
        "loss": lambda s: {"loss": s.choice("otype", LOSS_NAMES, "RelativeL2")},
    }
    for name in SECTIONS:
        if top.has(name):
            section = Section(name, top.take(name, None))
            settings |= readers[name](section)
            section.finish()
    top.finish()
    return settings


def _network(section: Section) -> Settings:
    section.choice("otype", NETWORK_TYPES, "FullyFusedMLP")
    section.only("feedback_alignment", False)
    return {
        "activation": section.choice("activation", ACTIVATION_NAMES, "ReLU"),
        "output_activation": section.choice("output_activation", ACTIVATION_NAMES, "None"),
        "hidden_width": section.number("n_neurons", 128),
        "hidden_layers": section.number("n_hidden_layers", 5),
    }


def _check_optimizer(section: Section) -> None:
    """Refuse optimizers that we lack, and suggest a replacement."""
    found = section.left.get("otype")
    if isinstance(found, str) and found.lower() in ADAM_ONLY:
        raise ConfigError(f"{section.place}.otype: got {shown(found)}, need one of "
                          f"{list(OPTIMIZERS)}: it is not here. Write Adam"
                          f"{OF_LION * (found.lower() == 'lion')}.")  # fmt: skip


def _optimizer(section: Section, names: Names = OPTIMIZERS) -> Settings:
    """Read Adam and its wrappers: averaging, and a decay of the step size."""
    _check_optimizer(section)
    otype = section.choice("otype", names, "Adam")
    if otype != "adam":
        inner = Section(f"{section.place}.nested", section.take("nested", {}))
        # an average of an average has two decays, and ours has one
        others = {name: ours for name, ours in names.items() if ours != otype}
        settings = _optimizer(inner, others)
        if otype == "ema":
            section.ignore("full_precision", "averages are float32 here")
            settings["average"] = section.number("decay", 0.99, float)
        for name in DECAYS if otype == "decay" else ():
            section.ignore(name, "a schedule goes over the whole fit here; give --schedule "
                              "exponential and --rate-final, the step size at the end")  # fmt: skip
        inner.finish()
        return settings
    rate = float(section.number("learning_rate", 1e-3, float))
    factor = section.number("non_matrix_learning_rate_factor", 1.0, float)
    section.only("relative_decay", 0.0)
    section.only("absolute_decay", 0.0)
    section.only("clipping_magnitude", 0.0)
    section.only("adabound", False)
    section.only("optimize_matrix_params", True)
    section.only("optimize_non_matrix_params", True)
    return {
        "rate": rate,
        "grid_rate": rate * factor,
        "average": 0.0,  # where there is no EMA
        "l2_penalty": float(section.number("l2_reg", 1e-8, float)),
        "beta1": float(section.number("beta1", 0.9, float)),
        "beta2": float(section.number("beta2", 0.999, float)),
        "epsilon": float(section.number("epsilon", 1e-8, float)),
        "schedule": "constant",
        "warmup": 0,
    }
