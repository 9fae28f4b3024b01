"""Files of an export to Babylon.js."""

from __future__ import annotations

from pathlib import Path

from neuralshade.verbs.export.engines.babylon.readme import readme_text
from neuralshade.verbs.export.engines.engine import Contents, EngineSource
from neuralshade.verbs.export.engines.javascript.data_module import data_module, javascript_source

NAME = "@NAME@"  # in the template: what begins the names of files


def babylon_files(source: EngineSource) -> Contents:
    """Return the module, the numbers and shader text that it imports, and their README."""
    found = javascript_source(source, "babylon")
    template = Path(__file__).with_name("babylon.js").read_text(encoding="utf-8")
    texts = {
        f"{source.stem}.js": template.replace(NAME, source.stem),
        f"{source.stem}.data.js": data_module(found),
        "README.md": readme_text(found, source.stem),
    }
    return {name: text.encode() for name, text in texts.items()}
