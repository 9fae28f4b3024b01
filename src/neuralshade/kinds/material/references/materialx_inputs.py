"""Inputs of a MaterialX document by name: of its node graphs, and constants.

MaterialX's generator writes their values as numbers. So an input to vary gets a unique placeholder
number, whose text becomes a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.varied import Input

VARIABLE = "varied_input_{number}"
# Placeholders; six digits are written. One spare for each.
STAND_INS = ("0.483162", "0.617384", "0.529471", "0.371593")
DECLARED = "static float {variable} = {default!r}f;\n"


def find_inputs(document: Any) -> dict[str, Input]:
    """Return the numbers that may be varied, by name; PATH/NAME for names that are not unique."""
    found: dict[str, Input] = {}
    for name, element in _elements(document):
        found[name] = Input("", _number(element))
    return found


def replace_values(document: Any, names: Sequence[str]) -> None:
    """Set the inputs ``names`` to their placeholders."""
    elements = dict(_elements(document))
    for name, text in zip(names, STAND_INS, strict=False):
        elements[name].setValueString(text)


def with_variables(text: str, names: Sequence[str], inputs: dict[str, Input], place: Path) -> str:
    """Return generated text with its placeholders replaced by declared variables.

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
    """Raise ConfigError if a text already contains a placeholder."""
    for stand_in in STAND_INS:
        if stand_in in text:
            raise ConfigError(f"{place}: vary: got a document with the number {stand_in}, need one "
                              "without: it stands for an input here. Change a digit.")  # fmt: skip


def variables(names: Sequence[str], inputs: dict[str, Input]) -> dict[str, Input]:
    """Return the inputs with the variables of ``with_variables``."""
    return {name: Input(VARIABLE.format(number=number), inputs[name].default)
            for number, name in enumerate(names)}  # fmt: skip


def _elements(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield names and inputs: those of graphs, and the values of constants."""
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
    """Return a value as written; as MaterialX reads it if there is more than a number."""
    try:
        return float(element.getValueString())
    except ValueError:
        return float(element.getValue())


def _is_plain(element: Any) -> bool:
    """Return whether an input has its own value and no connection."""
    connected = element.getConnectedNode() is not None or element.getInterfaceName()
    return not connected and isinstance(element.getValue(), float)
