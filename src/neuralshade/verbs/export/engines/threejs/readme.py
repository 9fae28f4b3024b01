"""README.md of an export to three.js."""

from __future__ import annotations

from neuralshade.verbs.export.engines.javascript.data_module import JavaScriptSource


def readme_text(source: JavaScriptSource, stem: str) -> str:
    return f"# {stem}\n"
