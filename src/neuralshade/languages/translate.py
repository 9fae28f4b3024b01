"""Translation of Slang text to another language. Needs no device."""

from __future__ import annotations

import pathlib

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.errors import ConfigError
from neuralshade.gpu.cuda_text import patched_text
from neuralshade.gpu.slang_export import export_bytes, export_slang

TARGETS = {
    "wgsl": ".wgsl", "glsl": ".glsl", "hlsl": ".hlsl", "metal": ".metal", "spirv": ".spv",
    "cuda": ".cu",
}  # the suffix of each one's files  # fmt: skip


def translate(text: str, entry: str, target: str, *, folder: pathlib.Path | None = None) -> bytes:
    """Return one entry point of Slang text as a file's content: SPIR-V words, else text.

    Args:
        text: a module; ``import neuralshade.<folder>.<stem>;`` works in it.
        entry: a compute shader of it.
        target: one of TARGETS.
        folder: folder of the text's own files; by default there are none.

    Raises: ConfigError for another target; KernelError with the compiler's whole log, also
        where it prints an error and yet returns text; DeviceError where slangpy is missing.
    """
    if target not in TARGETS:
        raise ConfigError(f"target: got {target!r}, need one of {', '.join(TARGETS)}."
                          f"{did_you_mean(target, TARGETS)}")  # fmt: skip
    if target == "cuda":  # Slang's text reads parameters from the wrong memory
        return patched_text(export_slang(text, entry, target, folder=folder), entry).code.encode()
    return export_bytes(text, entry, target, folder=folder)
