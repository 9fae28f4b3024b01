"""Errors for a checkpoint, or a material's source, in place of an asset."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralshade.base.message_text import plain, plural
from neuralshade.base.regular_file import check_regular
from neuralshade.errors import AssetError

if TYPE_CHECKING:
    from neuralshade.kinds.kind import Kind

# Sources of ``fit material`` that may be mistaken for its asset, by their first bytes.
SOURCES = {".mtlx": b"<materialx", ".toml": b"[[layer]]"}
BEGINNING = 2**16  # bytes


def unfinished(path: str | os.PathLike[str], header: dict[str, Any], kind: Kind) -> AssetError:
    """Return the error of a checkpoint of a kind: its subject, and the command to continue."""
    facts = unfinished_facts(path, header, kind)
    name = facts["picture"]
    return AssetError(plain(
        f"{path}: got an unfinished fit of {kind.name} to {name}, {plural(facts['step'], 'step')} "
        f"done, need an asset. Finish it, {facts['given']}, with: {facts['resume']}"
    ))  # fmt: skip


def unfitted(path: str | os.PathLike[str]) -> AssetError | None:
    """Return the error of a source of ``fit material``, recognized by suffix and first bytes.

    None for anything else, and for unreadable files.
    """
    mark = SOURCES.get(Path(path).suffix.lower())
    if mark is None:
        return None
    try:
        check_regular(path)
        with Path(path).open("rb") as file:
            if mark not in file.read(BEGINNING):
                return None
    except OSError:
        return None
    command = shlex.join(["neuralshade", "fit", "material", os.fspath(path)])
    return AssetError(plain(f"{path}: got a material's source, need the asset that fit material "
                            f"makes of it. Make it: {command}"))  # fmt: skip


def unfinished_facts(
    path: str | os.PathLike[str], header: dict[str, Any], kind: Kind
) -> dict[str, Any]:
    """Return a checkpoint's facts of its fit, as plain JSON data.

    Keys: path, kind, unfinished (true), bytes, picture (the name of the subject), step, seconds,
    loss, psnr_db, recipe, resume, the command to continue, and given, its missing arguments. The
    header has the subject's name, but neither its path nor flags that are no settings.

    Raises: AssetError for a damaged file.
    """
    from neuralshade.asset.checkpoint import REMEDY
    from neuralshade.asset.rules import CHECKPOINT
    from neuralshade.asset.schema import check_header
    from neuralshade.fitting.resume_command import resume_command

    check_header(str(path), header, CHECKPOINT, "checkpoint", REMEDY)
    name, step = header["picture"]["name"], header["progress"]["step"]
    output = _output(Path(path), is_folder=kind.output_form == "DIR")
    place, instruction = name, f"with the path of {name} where that lies elsewhere"
    if kind.subject.documents and not Path(name).suffix:  # a document's own name
        place = kind.subject.name.upper()
        instruction = f"with the file or folder of {name} for {place}"
    command = resume_command(kind.name, Path(path), place, output, {})
    progress = {key: header["progress"].get(key) for key in ("seconds", "loss", "psnr_db")}
    return {"path": os.fspath(path), "kind": kind.name, "unfinished": True,
            "bytes": os.stat(path).st_size, "picture": name, "step": step, **progress,
            "recipe": header["recipe"], "resume": command,
            "given": f"{instruction}, and with flags that are no settings"}  # fmt: skip


def _output(checkpoint: Path, *, is_folder: bool) -> Path:
    """Return the argument of -o: a checkpoint lies beside the asset, which a folder may hold."""
    if is_folder:
        return checkpoint.parent
    from neuralshade.fitting.output_checks import CHECKPOINT_SUFFIX

    stem = checkpoint.name.removesuffix(CHECKPOINT_SUFFIX).removesuffix(".nsh")
    return checkpoint.with_name(f"{stem}.nsh" if checkpoint.name != f"{stem}.nsh" else
                                f"{stem}_finished.nsh")  # fmt: skip
