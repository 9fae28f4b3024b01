"""A task that a live page sent, which somebody vouched for: looked through all the same."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neuralshade.base.text_file import read_text
from neuralshade.kinds.shader.screening import check_source
from neuralshade.kinds.shader.source import SUFFIX, ShaderSource
from neuralshade.source.image_file import load_picture


def uploaded_task(document: Path, pictures: Sequence[Path]) -> dict[str, Any]:
    """Return what ``fit_shader`` is called with: pictures are members of the file's name.

    It is no module of this user's own, takes in no files but the package's, and is read as one
    that came with an asset: what it must not name is refused before anything is compiled.

    Raises: AssetError, ConfigError for what is no text, PictureError.
    """
    text = read_text(document, f"a {SUFFIX} file", "Slang text")
    source = ShaderSource(text, os.fspath(document), foreign=True)
    check_source(source)
    return {"task": source, "values": {path.stem: load_picture(path) for path in pictures}}
