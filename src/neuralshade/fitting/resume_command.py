"""Command that resumes a fit, found without PyTorch."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

PathLike = str | os.PathLike[str]


def resume_command(
    kind: str,
    checkpoint: Path,
    picture: str | None,
    output: Path,
    flags: Mapping[str, PathLike | Literal[True]],
    words: Sequence[str] = (),
    subject: str = "picture",
) -> str:
    """Return the command that resumes a fit, or Python code for a picture in memory (None).

    ``flags``: the fit's flags that are not in its checkpoint; True has no value. ``words`` are
    appended unchanged. ``subject``: name of the first argument in Python. ``picture`` is "" where
    ``words`` name the source.
    """
    if picture is None:
        return f"fit_{kind}({subject}, options=FitOptions(resume={str(checkpoint)!r}))"
    typed = ["neuralshade", "fit", kind, *([typed_path(picture)] if picture else []),
             "-o", typed_path(output)]  # fmt: skip
    for flag, value in flags.items():
        typed += [f"--{flag}"] if value is True else [f"--{flag}", typed_path(value)]
    return shlex.join([*typed, *words, "--resume", typed_path(checkpoint)])


def typed_path(path: PathLike) -> str:
    """Return ``path`` so that it is not parsed as a flag; a single - is not one."""
    text = os.fspath(path)
    return f"./{text}" if text.startswith("-") and text != "-" else text
