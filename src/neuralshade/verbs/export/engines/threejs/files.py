"""Files of an export to three.js."""

from __future__ import annotations

from pathlib import Path

from neuralshade.verbs.export.engines.engine import Contents, EngineSource
from neuralshade.verbs.export.engines.javascript.data_module import data_module, javascript_source
from neuralshade.verbs.export.engines.threejs.readme import readme_text

FOLDER = Path(__file__).parent
NAME, PROPERTIES = "@NAME@", "@PROPERTIES@"  # in templates: begin of files' names, properties.js


def threejs_files(source: EngineSource) -> Contents:
    """Return the modules and their README.

    The two renderers have a module each, so that a page loads one of three's two builds; what
    both read, and what is large, is a third one.
    """
    found = javascript_source(source, "threejs")
    texts = {f"{source.stem}.data.js": data_module(found)}
    shared = _read("properties.js").rstrip("\n")
    for renderer in ("webgpu", "webgl"):
        template = _read(f"{renderer}.js").replace(PROPERTIES, shared)
        texts[f"{source.stem}.{renderer}.js"] = template.replace(NAME, source.stem)
    texts["README.md"] = readme_text(found, source.stem)
    return {name: text.encode() for name, text in texts.items()}


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
