"""NAME.json beside exported shaders: functions, bindings, and what functions answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from neuralshade.languages.language import Printer
from neuralshade.model.shader_form import Function, Golden, ShaderForm

FORMAT = 1


def manifest_text(form: ShaderForm, printers: Sequence[Printer], stem: str) -> str:
    """Return what describes an export, as JSON for people and programs."""
    reading = [one for one in printers if one.reads_file]
    facts: dict[str, Any] = {
        "format": FORMAT,
        "name": form.name,
        "facts": form.facts,
        "multiply_adds": form.multiply_adds,
        "half": form.halves,
        "files": {one.name: _file(one, stem) for one in printers},
        "numbers": {"file": f"{stem}.bin", "type": "uint32, little-endian",
                    "count": len(reading[0].words)} if reading else None,
        "structs": {one.name: [{"type": kind, "name": name} for kind, name in one.members]
                    for one in form.structs},
        "functions": [_function(one) for one in form.public],
        "golden": [_golden(one) for one in form.golden],
    }  # fmt: skip
    return json.dumps(facts, indent=1, allow_nan=False) + "\n"


def _file(printer: Printer, stem: str) -> dict[str, Any]:
    """Return the file of a language, its numbers where they are its own, and what to bind."""
    own = f"{stem}{printer.numbers_end}"
    beside = {"numbers": own} if printer.numbers_end in printer.companions() else {}
    return {"file": stem + printer.suffix, **beside, **printer.bindings()}


def _function(function: Function) -> dict[str, Any]:
    parameters = [{"type": one.type, "name": one.name, "about": one.about}
                  for one in function.parameters]  # fmt: skip
    return {"name": function.name, "result": function.result, "about": function.about,
            "parameters": parameters}  # fmt: skip


def _golden(golden: Golden) -> dict[str, Any]:
    """Return rows of inputs and outputs; numbers as short as float32 allows."""
    return {
        "function": golden.function,
        "tolerance": golden.tolerance,
        "tolerance_in_halves": golden.in_halves,
        "relative_to": golden.relative_to,
        "inputs": [[_short(x) for x in row] for row in golden.inputs],
        "outputs": [[_short(x) for x in row] for row in golden.outputs],
    }


def _short(value: Any) -> float:
    return float(str(value))
