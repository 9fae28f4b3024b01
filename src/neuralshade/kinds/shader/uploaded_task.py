"""Task uploaded through a live page, which its user vouches for; screened all the same."""

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
    """Return the arguments of ``fit_shader``: pictures belong to the members with their names.

    The module is treated like one that came with an asset: it may include only the package's
    files, and is screened before anything is compiled.

    Raises: AssetError, ConfigError for a file that is no text, PictureError.
    """
    text = read_text(document, f"a {SUFFIX} file", "Slang text")
    source = ShaderSource(text, os.fspath(document), foreign=True)
    check_source(source)
    return {"task": source, "values": {path.stem: load_picture(path) for path in pictures}}
