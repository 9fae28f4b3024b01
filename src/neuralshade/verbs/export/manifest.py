"""Manifest of an export (NAME.json): functions, bindings, and golden rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from neuralshade.languages.language import Printer
from neuralshade.model.shader_form import Function, Golden, ShaderForm, Texture
from neuralshade.verbs.export.number_files import number_files
from neuralshade.verbs.export.texture_files import file_of

FORMAT = 1


def manifest_text(form: ShaderForm, printers: Sequence[Printer], stem: str, container: str) -> str:
    """Return the JSON description of an export.

    ``container``: of textures, if some language samples them.
    """
    numbers = number_files(printers, stem)
    words = {numbers[one.name]: len(one.words) for one in printers if one.name in numbers}
    listed = [{"file": file, "type": "uint32, little-endian", "count": count}
              for file, count in words.items()]  # fmt: skip
    textures = next((one.form.textures for one in printers if one.form.textures), ())
    facts: dict[str, Any] = {
        "format": FORMAT,
        "name": form.name,
        "facts": form.facts,
        "multiply_adds": form.multiply_adds,
        "half": form.halves,
        "files": {one.name: _file(one, stem, numbers.get(one.name)) for one in printers},
        "numbers": listed[0] if listed else None,
        "more_numbers": listed[1:],
        "textures": [_texture(one, stem, container) for one in textures],
        "structs": {one.name: [{"type": kind, "name": name} for kind, name in one.members]
                    for one in form.structs},
        "functions": [_function(one) for one in form.public],
        "golden": [_golden(one, bool(textures)) for one in form.golden],
    }  # fmt: skip
    return json.dumps(facts, indent=1, allow_nan=False) + "\n"


def _file(printer: Printer, stem: str, numbers: str | None) -> dict[str, Any]:
    """Return the entry of a language: its files, and what to bind."""
    own = f"{stem}{printer.numbers_end}"
    read = own if printer.numbers_end in printer.companions() else numbers
    beside = {} if read is None else {"numbers": read}
    return {"file": stem + printer.suffix, **beside, **printer.bindings()}


def _texture(texture: Texture, stem: str, container: str) -> dict[str, Any]:
    width, height = texture.sizes[0]
    return {"name": texture.name, "file": file_of(texture, stem, container),
            "format": texture.format, "width": width, "height": height,
            "levels": len(texture.sizes), "filter": "linear, between levels too",
            "address": "repeat" if texture.wraps else "clamp"}  # fmt: skip


def _function(function: Function) -> dict[str, Any]:
    parameters = [{"type": one.type, "name": one.name, "about": one.about}
                  for one in function.parameters]  # fmt: skip
    return {"name": function.name, "result": function.result, "about": function.about,
            "parameters": parameters}  # fmt: skip


def _golden(golden: Golden, sampled: bool) -> dict[str, Any]:
    """Return rows of inputs and outputs; numbers as short as float32 allows.

    ``sampled``: some language samples textures by texture units.
    """
    units = {} if golden.by_units is None or not sampled else {
        "tolerance_of_texture_units": golden.by_units
    }  # fmt: skip
    return {
        "function": golden.function,
        **({"at": golden.about} if golden.about else {}),
        "tolerance": golden.tolerance,
        "tolerance_in_halves": golden.in_halves,
        **units,
        "relative_to": golden.relative_to,
        "inputs": [[_short(x) for x in row] for row in golden.inputs],
        "outputs": [[_short(x) for x in row] for row in golden.outputs],
    }


def _short(value: Any) -> float:
    return float(str(value))
