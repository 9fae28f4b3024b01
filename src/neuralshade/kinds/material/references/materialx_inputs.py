"""Inputs of a MaterialX document by name: of its node graphs, and constants.

MaterialX's generator writes their values out as numbers. So an input that is to be varied is given
a number that occurs nowhere else, and what the generator writes of that becomes a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.varied import Input

VARIABLE = "varied_input_{number}"
# What stands for an input meanwhile; six digits are written. Of each a spare one.
STAND_INS = ("0.483162", "0.617384", "0.529471", "0.371593")
DECLARED = "static float {variable} = {default!r}f;\n"


def found_inputs(document: Any) -> dict[str, Input]:
    """Return the inputs that may be varied, numbers all, by name; PATH/NAME where two share one."""
    found: dict[str, Input] = {}
    for name, element in _elements(document):
        found[name] = Input("", _number(element))
    return found


def replace_values(document: Any, names: Sequence[str]) -> None:
    """Give the inputs ``names`` what stands for them."""
    elements = dict(_elements(document))
    for name, text in zip(names, STAND_INS, strict=False):
        elements[name].setValueString(text)


def with_variables(text: str, names: Sequence[str], inputs: dict[str, Input], place: Path) -> str:
    """Return text that was generated so, with a variable for each input, declared before it.

    Raises: ConfigError for an input that the text does not read.
    """
    declared = ""
    for number, (name, stand_in) in enumerate(zip(names, STAND_INS, strict=False)):
        variable = VARIABLE.format(number=number)
        text, count = re.subn(rf"(?<![\d.]){re.escape(stand_in)}(?!\d)", variable, text)
        if not count:
            raise ConfigError(f"{place}: vary: got {name}, which the material does not read, need "
                              "an input that it does. Connect it.")  # fmt: skip
        declared += DECLARED.format(variable=variable, default=inputs[name].default)
    return declared + text


def check_free(text: str, place: Path) -> None:
    """Raise ConfigError where a text already has a number that is to stand for an input."""
    for stand_in in STAND_INS:
        if stand_in in text:
            raise ConfigError(f"{place}: vary: got a document with the number {stand_in}, need one "
                              "without: it stands for an input here. Change a digit.")  # fmt: skip


def variables(names: Sequence[str], inputs: dict[str, Input]) -> dict[str, Input]:
    """Return the inputs with the variables that ``with_variables`` declares."""
    return {name: Input(VARIABLE.format(number=number), inputs[name].default)
            for number, name in enumerate(names)}  # fmt: skip


def _elements(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield names and the inputs of elements: of graphs' own ones, and of constants' values."""
    graphs = [graph for graph in document.getNodeGraphs() if graph.getNodeDef() is None]
    listed = [(one.getName(), graph.getName(), one)
              for graph in graphs for one in graph.getInputs()]  # fmt: skip
    for parent in (document, *graphs):
        for node in parent.getNodes("constant"):
            if node.getInput("value") is not None:
                listed.append((node.getName(), parent.getName(), node.getInput("value")))
    listed = [row for row in listed if row[2].getType() == "float" and _is_plain(row[2])]
    names = [name for name, _, _ in listed]
    for name, owner, element in listed:
        yield (name if names.count(name) == 1 else f"{owner}/{name}"), element


def _number(element: Any) -> float:
    """Return a value as it is written; as MaterialX reads it where more than a number is."""
    try:
        return float(element.getValueString())
    except ValueError:
        return float(element.getValue())


def _is_plain(element: Any) -> bool:
    """Return whether an input has a value of its own, and is not connected."""
    connected = element.getConnectedNode() is not None or element.getInterfaceName()
    return not connected and isinstance(element.getValue(), float)
