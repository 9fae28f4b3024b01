"""NAME.data.js: an asset's numbers and its shader text, as an ES module that imports nothing."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.languages.activations import activated
from neuralshade.languages.glsl import ACROSS
from neuralshade.languages.language import Printer, comment
from neuralshade.languages.network import activation_functions, words_of
from neuralshade.languages.printers import printer_of
from neuralshade.languages.software_textures import in_words
from neuralshade.languages.statements import statement
from neuralshade.model.shader_form import Layer, Network, ShaderForm
from neuralshade.verbs.export.engines.engine import EngineSource
from neuralshade.verbs.export.engines.javascript.entries import Entries, with_entries
from neuralshade.verbs.export.engines.javascript.printers import ModuleGlsl, ModuleWgsl
from neuralshade.verbs.export.web.packing import packed

SUM = "(SUM)"
FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class JavaScriptSource:
    """An asset as two printers and its entries."""

    entries: Entries
    wgsl: ModuleWgsl
    glsl: ModuleGlsl


def javascript_source(source: EngineSource, engine: str) -> JavaScriptSource:
    """Return what modules are made from.

    Raises: ConfigError for assets that these modules cannot hold.
    """
    if source.form.program is not None:
        raise source.refused(engine, "an asset whose functions are no Slang program",
                             "Export it to wgsl and glsl-es.")  # fmt: skip
    if source.form.halves:
        raise source.refused(engine, "32-bit numbers, as WebGL 2 has no others",
                             "Leave half out.")  # fmt: skip
    entries = with_entries(in_words(source.form))
    if entries is None:
        raise source.refused(engine, "a color, maps or a material", "Export it to a language.")
    in_text = printer_of(source.form, "wgsl", source.in_text).in_text
    return JavaScriptSource(entries, ModuleWgsl(entries.form, in_text),
                            ModuleGlsl(entries.form, in_text))  # fmt: skip


def data_module(source: JavaScriptSource) -> str:
    """Return the text of the module."""
    form, entries = source.entries.form, source.entries
    lines = [comment(line) for line in form.about]
    facts = {"name": form.name, "entries": entries.names, "maps": list(entries.maps),
             "by_map": {one.meaning: one.name for one in form.maps},
             "encoded": _encoded(form), "size": _size(form),
             "repeats": "repeated" in form.facts.get("beyond 0 to 1", ""),
             "functions": _functions(entries)}  # fmt: skip
    lines += ["", f"export const asset = {_json(facts)};", ""]
    lines += [(FOLDER / "numbers.js").read_text(encoding="utf-8")]
    in_text = source.wgsl.in_text
    networks = [_network(source, one) for one in form.networks] if in_text else []
    compact, rows = form.compact, words_of(form.networks)
    content = packed(*compact.arrays, _numbers(form) if in_text else rows.astype(np.uint32))
    lines += [
        f"const NETWORKS = {_json(networks)};",
        f"const PACKED = '{base64.b64encode(content).decode()}';",
        "const arrays = unpacked(PACKED), numbers = arrays.pop();",
        f"const made = ({compact.expression})(arrays);",
        f"/** Texels of four uint32, {ACROSS} across, which functions read. */",
        f"export const words = texelsOf(made, {'[]' if in_text else 'numbers'}, {ACROSS});",
        f"export const across = {ACROSS};",
        "",
        "/** Functions in WGSL; the engine's module declares the texture of the words. */",
        f"export const wgsl = withNetworks(`{_template(source.wgsl)}`, NETWORKS, numbers, 'wgsl');",
        "",
        "/** The same in GLSL ES 3.00. */",
        f"export const glsl = withNetworks(`{_template(source.glsl)}`, NETWORKS, numbers, 'glsl');",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _encoded(form: ShaderForm) -> bool:
    """Return whether a picture was fitted as a canvas takes it."""
    color = form.meaning("color")
    return color is not None and color.space == "srgb"


def _size(form: ShaderForm) -> list[int] | None:
    """Return the width and height of what was fitted, which a form has as text alone."""
    found = re.match(r"(\d+) x (\d+)", form.facts.get("size", form.facts.get("map", "")))
    return [int(found[1]), int(found[2])] if found else None


def _functions(entries: Entries) -> dict[str, Any]:
    """Return signatures by name, of all functions whose arguments and result are numbers."""
    structs = {one.name for one in entries.form.structs}
    shown = set(entries.names.values())
    return {one.name: {"result": one.result,
                       "parameters": [[each.type, each.name] for each in one.parameters]}
            for one in entries.form.functions
            if (one.public or one.name in shown)
            and not structs & {one.result, *(each.type for each in one.parameters)}}  # fmt: skip


def _network(source: JavaScriptSource, network: Network) -> dict[str, Any]:
    printers = {"wgsl": source.wgsl, "glsl": source.glsl}
    return {
        "result": network.result,
        "inputs": {name: [one.expression(x) for x in network.inputs]
                   for name, one in printers.items()},
        "layers": [{"outputs": len(layer.bias),
                    "activation": {name: _activation(one, layer)
                                   for name, one in printers.items()}}
                   for layer in network.layers],
    }  # fmt: skip


def _activation(printer: Printer, layer: Layer) -> str:
    """Return an activation with SUM for its argument, as the language writes it."""
    if layer.activation == "none":
        return SUM[1:-1]
    name = f"{printer.form.name}_{layer.activation}"
    called = any(one.name == name for one in activation_functions(printer.form.networks,
                                                                  printer.form.name))  # fmt: skip
    value = f"{name}{SUM}" if called else activated(layer.activation, SUM)
    declared = printer.statement(statement(f"const float4 x = {value};"))
    return declared.partition(" = ")[2].removesuffix(";")


def _numbers(form: ShaderForm) -> npt.NDArray[np.float32]:
    """Return the numbers of all networks: of each layer its biases, then weights by output."""
    parts = [part.ravel() for network in form.networks for layer in network.layers
             for part in (layer.bias, layer.weight)]  # fmt: skip
    return np.concatenate([np.zeros(0), *parts]).astype(np.float32)


def _template(printer: Printer) -> str:
    """Return a printer's functions as the inside of a template literal."""
    text = printer.text()
    begin = sum(len(comment(line)) + 1 for line in printer.form.about)
    return text[begin:].strip("\n").replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
