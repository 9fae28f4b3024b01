"""README.md of an export: what to bind, and how to call it."""

from __future__ import annotations

from collections.abc import Sequence

from neuralshade.base.message_text import plain
from neuralshade.languages.language import Printer
from neuralshade.model.shader_form import Function, ShaderForm
from neuralshade.verbs.export.number_files import number_files


def readme_text(form: ShaderForm, printers: Sequence[Printer], stem: str, container: str) -> str:
    """Return instructions for adding an export to a renderer.

    ``container``: of textures, if some language samples them.
    """
    numbers = number_files(printers, stem)
    facts = [f"- {title}: {plain(fact)}" for title, fact in form.facts.items()]
    lines = [f"# {form.name}", "", *facts, "", "## Functions", ""]
    for function in form.public:
        lines += [f"- `{_signature(function)}`: {function.about}"]
        lines += [f"  - {one.name}: {one.about}" for one in function.parameters if one.about]
    lines += ["", "## What to bind", ""]
    for printer in printers:
        bound = printer.binding_text(stem, numbers.get(printer.name, ""), container)
        lines.append(f"- `{stem}{printer.suffix}`: {bound}")
    lines += ["", f"`{stem}.json` has 256 inputs of each function with the outputs that are right, "
              "and how far a port may be off.", ""]  # fmt: skip
    return "\n".join(lines)


def _signature(function: Function) -> str:
    listed = ", ".join(f"{one.type} {one.name}" for one in function.parameters)
    return f"{function.result} {function.name}({listed})"
