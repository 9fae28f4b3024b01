"""One asset of a page: its facts, shaders and numbers, and what JavaScript has of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from neuralshade.kinds.kind import Opened
from neuralshade.languages.printers import printer_of
from neuralshade.model.shader_form import ShaderForm
from neuralshade.verbs.export.web.container import Container
from neuralshade.verbs.export.web.fragment import Fragment, stored_rows

KEY_DIGITS = 12


@dataclass
class Scripts:
    """Texts of JavaScript that come with the assets of a page."""

    rebuilds: dict[str, str] = field(default_factory=dict)  # of ``Compact``, by their keys
    evaluators: dict[str, str] = field(default_factory=dict)  # modules of ``js``, by asset

    def add(self, script: str) -> str:
        """Add a script that makes words, and return its key, by which data names it."""
        key = hashlib.sha256(script.encode()).hexdigest()[:KEY_DIGITS]
        self.rebuilds[key] = script
        return key

    def module(self) -> str:
        """Return the module of them, in place of page/generated.js."""
        listed = [f"{name}: (() => {{\n{text}\nreturn {{ set: typeof {name}$set_words === "
                  f'"undefined" ? null : {name}$set_words, at: {name} }};\n}})()'
                  for name, text in self.evaluators.items()]  # fmt: skip
        rebuilds = [f'"{key}": ({text})' for key, text in self.rebuilds.items()]
        return (f"export const REBUILDS = {{ {', '.join(rebuilds)} }};\n"
                f"export const EVALUATORS = {{ {', '.join(listed)} }};\n")  # fmt: skip


def shader_facts(made: Fragment, container: Container) -> dict[str, Any]:
    """Return the facts of a shader, its numbers added to the data."""
    return {**made.facts(), "numbers": container.add(made.numbers)}


@dataclass(frozen=True)
class PageAsset:
    """What a view is made from."""

    opened: Opened
    form: ShaderForm
    container: Container
    scripts: Scripts

    def shader(self, made: Fragment) -> dict[str, Any]:
        """Return the facts of a shader, its numbers added to the data."""
        return shader_facts(made, self.container)

    def words(self) -> dict[str, Any]:
        """Return where the words are that its shaders read: a segment, and how it becomes words."""
        compact = self.form.compact
        rebuild = self.scripts.add(compact.script)
        rows = stored_rows(self.form)
        return {"segment": self.container.add(*compact.arrays),
                "rebuild": rebuild, "settings": compact.settings,
                **({"rows": self.container.add(rows)} if len(rows) else {})}  # fmt: skip

    def evaluator(self) -> dict[str, Any]:
        """Return what a page without a GPU needs besides to call ``NAME(u, v)``.

        The shapes of its networks' layers: rows that JavaScript reads are those of the shader.
        """
        if self.form.program is not None:
            return {}
        text = printer_of(self.form, "js").text().replace("\nexport ", "\n")
        lines = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
        self.scripts.evaluators[self.form.name] = "\n".join(lines)
        return {"layers": [layer.weight.shape[::-1] for network in self.form.networks
                           for layer in network.layers]}  # fmt: skip
