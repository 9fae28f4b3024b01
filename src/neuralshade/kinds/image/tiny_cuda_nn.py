"""A tiny-cuda-nn configuration (JSON) as settings of ImageRecipe.

What it says is honoured or refused by name; nothing is dropped in silence. Where the two
differ by design: our layers have biases unless told otherwise, theirs never have; their
one-blob uses a quartic kernel, ours the Gaussian of the paper; base_resolution counts their
vertices and our cells. What changes no result here is passed over with a line that says so.
"""

import logging
import math
import os
import sys
from collections.abc import Callable
from typing import Any

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.image.config_file import read_config

log = logging.getLogger("neuralshade")
Settings = dict[str, Any]
Names = dict[str, str]

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
GRID_TYPES = {"Hash": "hash_grid", "Dense": "dense_grid"}
OPTIMIZERS = {"Adam": "adam", "EMA": "ema", "ExponentialDecay": "decay"}
ADAM_ONLY = ("lion", "sgd", "shampoo", "novograd", "lookahead", "average", "batched", "composite")
OF_LION = ", whose learning_rate is 3 to 10 times that of Lion"  # Chen et al. 2023, section 5
DECAYS = ("decay_start", "decay_interval", "decay_end", "decay_base")
COORDINATES = 2  # of a picture
SECTIONS = ("encoding", "network", "optimizer", "loss")
LARGEST = {int: 2.0**63, float: sys.float_info.max}  # no number of ours goes beyond
BOUNDED = {int: "int below 2^63", float: "finite float"}


def read_tiny_cuda_nn(path: str | os.PathLike[str]) -> Settings:
    """Return the settings of a JSON file; ConfigError names what cannot be honoured."""
    return from_tiny_cuda_nn(read_config(path))


def from_tiny_cuda_nn(config: Any) -> Settings:
    """Return the settings of ImageRecipe that a parsed configuration asks for.

    Raises: ConfigError naming the section and the key that is unknown or cannot be honoured.
    """
    top = _Section("config", config)
    settings: Settings = {"bias": False}
    readers: dict[str, Callable[[_Section], Settings]] = {
        "encoding": lambda s: {"encoding": _encoding(s)},
        "network": _network,
        "optimizer": _optimizer,
        "loss": lambda s: {"loss": s.choice("otype", LOSS_NAMES, "RelativeL2")},
    }
    for name in SECTIONS:
        if top.has(name):
            section = _Section(name, top.take(name, None))
            settings |= readers[name](section)
            section.finish()
    top.finish()
    return settings


class _Section:
    """One JSON object, from which keys are taken; what is left at the end is refused."""

    def __init__(self, place: str, values: Any):
        if not isinstance(values, dict):
            raise ConfigError(f"{place}: got {type(values).__name__}, need a JSON object. "
                              'Write {"otype": ...}.')  # fmt: skip
        self.place, self.left, self.known = place, dict(values), set[str]()
        self.others: frozenset[str] = getattr(values, "others", frozenset())  # of a parent

    def has(self, key: str) -> bool:
        self.known.add(key)
        return key in self.left

    def take(self, key: str, default: Any) -> Any:
        self.known.add(key)
        return self.left.pop(key, default)

    def number(self, key: str, default: float, kind: type = int) -> Any:
        value = self.take(key, default)
        allowed = (int,) if kind is int else (int, float)
        # NaN and infinity, which JSON as Python reads it may hold, fail the comparison
        if type(value) not in allowed or not abs(value) <= LARGEST[kind]:
            need = BOUNDED[kind] if type(value) in allowed else kind.__name__
            raise ConfigError(f"{self.place}.{key}: got {shown(value)}, need {need}. "
                              f"tiny-cuda-nn's default is {default}.")  # fmt: skip
        return value

    def choice(self, key: str, names: Names, default: str) -> str:
        """Return our name for the one given, letter case ignored as there."""
        given = self.take(key, default)
        ours = {theirs.lower(): name for theirs, name in names.items()}
        if not isinstance(given, str) or given.lower() not in ours:
            raise ConfigError(f"{self.place}.{key}: got {shown(given)}, need one of {list(names)}."
                              f"{did_you_mean(str(given), names)}")  # fmt: skip
        return ours[given.lower()]

    def only(self, key: str, value: Any, remedy: str = "Leave it out.") -> None:
        """Refuse the key unless it is absent or says what we do anyway."""
        given = self.take(key, value)
        if given != value:
            raise ConfigError(f"{self.place}.{key}: got {shown(given)}, need {value!r}: nothing "
                              f"else is supported here. {remedy}")  # fmt: skip

    def pass_over(self, key: str, reason: str) -> None:
        """Say that the key is not heeded, where it is there."""
        given = self.take(key, False)
        if given is not False:
            log.warning("%s.%s: got %s, which is passed over: %s.", self.place, key, shown(given),
                        reason)  # fmt: skip

    def finish(self) -> None:
        """Refuse what is left, but for what a parent with another otype had for itself."""
        others = [key for key in self.left if key in self.others]
        if others:
            log.warning("%s: passed over %s of its parent, which has another otype.", self.place,
                        shown(others))  # fmt: skip
        for key in (key for key in self.left if key not in self.others):
            raise ConfigError(f"{self.place}.{named(key)}: unknown or unsupported key, need one of "
                              f"{sorted(self.known)}.{did_you_mean(key, self.known)}")  # fmt: skip


def _encoding(section: _Section, *, nested: bool = False) -> str:
    readers: dict[str, Callable[[_Section], str]] = {
        "composite": _composite,
        "identity": lambda s: _plain(s, "identity"),
        "frequency": lambda s: f"frequency:octaves={s.number('n_frequencies', 12)}",
        "trianglewave": lambda s: f"triangle_wave:octaves={s.number('n_frequencies', 12)}",
        "oneblob": lambda s: f"one_blob:bins={s.number('n_bins', 16)}",
        "grid": lambda s: _grid(s, s.choice("type", GRID_TYPES, "Hash")),
        "hashgrid": lambda s: _grid(s, s.choice("type", {"Hash": "hash_grid"}, "Hash")),
        "densegrid": lambda s: _grid(s, s.choice("type", {"Dense": "dense_grid"}, "Dense")),
    }
    shown = dict.fromkeys(
        ("Identity", "Frequency", "TriangleWave", "OneBlob", "Grid", "HashGrid", "DenseGrid",
         *(() if nested else ("Composite",))), "",
    )  # fmt: skip
    otype = section.choice("otype", {name: name.lower() for name in shown}, "OneBlob")
    return readers[otype](section)


def _composite(section: _Section) -> str:
    """Return the parts of a composite, which all see both coordinates here."""
    section.only("reduction", "Concatenation")
    nested = section.take("nested", [])
    if not isinstance(nested, list) or not nested:
        raise ConfigError(f"{section.place}.nested: got {shown(nested)}, need a list of encodings. "
                          'Write [{"otype": ...}].')  # fmt: skip
    parts, place = list[str](), 0
    for index, values in enumerate(nested):
        one = _Section(f"{section.place}.nested[{index}]", values)
        first = one.number("dims_to_encode_begin", place)
        count = one.number("n_dims_to_encode", COORDINATES - first)
        if (first, count) != (0, COORDINATES):
            raise ConfigError(f"{one.place}.n_dims_to_encode: got {count} from {first}, need "
                              f"{COORDINATES} from 0: a picture has two coordinates, and each "
                              "encoding sees both. Set dims_to_encode_begin to 0 and "
                              f"n_dims_to_encode to {COORDINATES}.")  # fmt: skip
        place = first + count
        parts.append(_encoding(one, nested=True))
        one.finish()
    return " + ".join(parts)


def _plain(section: _Section, name: str) -> str:
    section.only("scale", 1.0)
    section.only("offset", 0.0)
    return name


def _grid(section: _Section, kind: str) -> str:
    levels = section.number("n_levels", 16)
    features = section.number("n_features_per_level", 2)
    coarsest = section.number("base_resolution", 16)
    section.only("interpolation", "Linear")
    section.only("stochastic_interpolation", False)
    section.pass_over("fixed_point_pos", "positions are float32 here")
    finest = _finest(section, kind, levels, coarsest)
    sizes = f"levels={levels},features={features},coarsest={coarsest}"
    if kind == "dense_grid":
        section.pass_over("log2_hashmap_size", "a dense grid has all of its texels")
        return f"{kind}:{sizes},width={finest},height={finest}"
    section.only("hash", "CoherentPrime")
    entries = section.number("log2_hashmap_size", 19)
    return f"{kind}:{sizes},finest={finest},log2_entries={entries}"


def _finest(section: _Section, kind: str, levels: int, coarsest: int) -> int:
    """Return the cells a side of the last level; ConfigError where the growth is out of bounds."""
    from neuralshade.model.registry import LIMITS  # loads PyTorch

    is_given = section.has("per_level_scale")
    growth = section.number("per_level_scale", 2.0, float)
    largest = LIMITS["finest" if kind == "hash_grid" else "width"][1]
    if levels not in range(2, LIMITS["levels"][1] + 1) or coarsest not in range(1, largest + 1):
        return coarsest  # nothing grows, or the text of the encoding is refused as it is read
    most = math.floor(1e4 * (largest / coarsest) ** (1 / (levels - 1))) / 1e4
    if not 1 <= growth <= most:
        raise ConfigError(f"{section.place}.per_level_scale: got {growth!r}, need 1 to {most} for "
                          f"{levels} levels from {coarsest}. Set it to {most} for the finest "
                          "grid.")  # fmt: skip
    finest = round(coarsest * growth ** (levels - 1))
    if not is_given:  # instant-ngp, reset_network in testbed.cu
        log.warning("%s.per_level_scale: got none, taken as %s, tiny-cuda-nn's: from %d to %d "
                    "cells a side. For instant-ngp's, half of the picture's longer side at the "
                    "last level, set it to (side / 2 / %d) ** (1 / %d).", section.place, growth,
                    coarsest, finest, coarsest, levels - 1)  # fmt: skip
    return finest


def _network(section: _Section) -> Settings:
    section.choice("otype", NETWORK_TYPES, "FullyFusedMLP")
    section.only("feedback_alignment", False)
    return {
        "activation": section.choice("activation", ACTIVATION_NAMES, "ReLU"),
        "output_activation": section.choice("output_activation", ACTIVATION_NAMES, "None"),
        "hidden_width": section.number("n_neurons", 128),
        "hidden_layers": section.number("n_hidden_layers", 5),
    }


def _check_optimizer(section: _Section) -> None:
    """Refuse optimizers of theirs that are not here, with what to take in their place."""
    given = section.left.get("otype")
    if isinstance(given, str) and given.lower() in ADAM_ONLY:
        raise ConfigError(f"{section.place}.otype: got {shown(given)}, need one of "
                          f"{list(OPTIMIZERS)}: it is not here. Write Adam"
                          f"{OF_LION * (given.lower() == 'lion')}.")  # fmt: skip


def _optimizer(section: _Section, names: Names = OPTIMIZERS) -> Settings:
    """Read Adam, or what is wrapped around it: averaging, and a decay of the step size."""
    _check_optimizer(section)
    otype = section.choice("otype", names, "Adam")
    if otype != "adam":
        inner = _Section(f"{section.place}.nested", section.take("nested", {}))
        # an average of an average has two decays, and we have one
        others = {name: ours for name, ours in names.items() if ours != otype}
        settings = _optimizer(inner, others)
        if otype == "ema":
            section.pass_over("full_precision", "averages are float32 here")
            settings["average"] = section.number("decay", 0.99, float)
        for name in DECAYS if otype == "decay" else ():
            section.pass_over(name, "a schedule goes over the whole fit here; give --schedule "
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
