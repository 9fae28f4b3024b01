"""Number files of an export, by language."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neuralshade.languages.language import Printer


def number_files(printers: Sequence[Printer], stem: str) -> dict[str, str]:
    """Return the file of words for each language that reads one, by the language's name.

    Languages with the same words share STEM.bin; a language with other words, since it has texels
    among them, has STEM.LANGUAGE.bin.
    """
    found: dict[str, str] = {}
    shared: list[Printer] = []
    for one in printers:
        if not one.reads_file:
            continue
        same = next((each for each in shared if np.array_equal(each.words, one.words)), None)
        if same is not None:
            found[one.name] = found[same.name]
            continue
        found[one.name] = f"{stem}.{one.name}.bin" if shared else f"{stem}.bin"
        shared.append(one)
    return found
