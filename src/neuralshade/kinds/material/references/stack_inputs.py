"""Inputs of a stack in TOML: the numbers under [vary], which a fit may keep variable."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.stack_masks import NAME
from neuralshade.kinds.material.references.stack_values import VARIED, slang
from neuralshade.kinds.material.varied import Input


def read_inputs(table: object, place: str, masks: Iterable[str]) -> dict[str, Input]:
    """Return the inputs of a stack, by name. Raises: ConfigError, by the input's name."""
    if not isinstance(table, Mapping):
        raise ConfigError(f"{place}: vary: got {shown(table)}, need a table. Write [vary] and "
                          "below it for example wetness = 0.0.")  # fmt: skip
    taken, found = list(masks), {}
    for name, value in table.items():
        if not NAME.fullmatch(name) or name in taken:
            raise ConfigError(f"{place}: vary: got the name {shown(name)}, need letters, digits "
                              "and _, a letter first, and no mask's. Change it.")  # fmt: skip
        good = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not good or not math.isfinite(value):
            raise ConfigError(f"{place}: vary.{name}: got {shown(value)}, need a number: its "
                              "default. Change it.")  # fmt: skip
        found[name] = Input(f"{VARIED}{name}", float(value))
    return found


def declared(inputs: Mapping[str, Input]) -> str:
    """Return the declarations of the inputs in Slang, thread-local."""
    return "".join(f"static float {i.variable} = {slang(i.default)};\n" for i in inputs.values())
