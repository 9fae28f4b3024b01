"""Messages of the sandbox: a document's reference as plain data and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neuralshade.base.sandbox.wire import Array
from neuralshade.kinds.material.references.materialx_code import check_words
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf
from neuralshade.kinds.material.varied import Input

LISTS = ("parameters", "notes", "targets")
WORDS = "picture_words"  # the one buffer of a document's text


def reference_message(reference: ReferenceBsdf) -> tuple[dict[str, Any], tuple[Array, ...]]:
    """Return the data of a document's reference, and its buffer of pictures."""
    data = {
        "name": reference.name, "text": reference.text, "element": reference.element,
        "coarse": reference.coarse, **{name: list(getattr(reference, name)) for name in LISTS},
        "inputs": {name: [one.variable, one.default] for name, one in reference.inputs.items()},
    }  # fmt: skip
    return data, (reference.variables[WORDS],)


def reference_from_message(
    message: dict[str, Any], arrays: Sequence[Array], place: Path
) -> ReferenceBsdf | None:
    """Return the reference of a message; None for an invalid message.

    Raises: ConfigError for text that does more than arithmetic.
    """
    whole = (
        all(isinstance(message.get(name), str) for name in ("name", "text"))
        and all(_is_list(message.get(name)) for name in LISTS)
        and isinstance(message.get("element"), (str, type(None)))
        and isinstance(message.get("coarse"), bool)
        and isinstance(message.get("inputs"), dict)
        and all(_is_input(one) for one in message["inputs"].values())
        and [array.dtype.name for array in arrays] == ["uint32"]
    )
    if not whole:
        return None
    check_words(message["text"], place)
    parameters, notes, targets = (tuple(message[name]) for name in LISTS)
    inputs = {name: Input(*one) for name, one in message["inputs"].items()}
    return ReferenceBsdf(message["name"], message["text"], parameters, {WORDS: arrays[0]}, notes,
                   element=message["element"], coarse=message["coarse"], targets=targets,
                   inputs=inputs)  # fmt: skip


def _is_list(one: Any) -> bool:
    return isinstance(one, list) and all(isinstance(text, str) for text in one)


def _is_input(one: Any) -> bool:
    return isinstance(one, list) and [type(part) for part in one] == [str, float]
