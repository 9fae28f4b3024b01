"""Files of an export to three.js."""

from __future__ import annotations

from pathlib import Path

from neuralshade.verbs.export.engines.engine import Contents, EngineSource
from neuralshade.verbs.export.engines.javascript.data_module import data_module, javascript_source
from neuralshade.verbs.export.engines.threejs.readme import readme_text

FOLDER = Path(__file__).parent
NAME = "@NAME@"  # in templates: what begins the names of files


def threejs_files(source: EngineSource) -> Contents:
    """Return the modules and their README.

    The two renderers have a module each, so that a page loads one of three's two builds; what
    both read, and what is large, is a third one.
    """
    found = javascript_source(source, "threejs")
    texts = {f"{source.stem}.data.js": data_module(found)}
    for renderer in ("webgpu", "webgl"):
        template = (FOLDER / f"{renderer}.js").read_text(encoding="utf-8")
        texts[f"{source.stem}.{renderer}.js"] = template.replace(NAME, source.stem)
    texts["README.md"] = readme_text(found, source.stem)
    return {name: text.encode() for name, text in texts.items()}
