"""Checks of output paths: no output is an input, or the path of another output."""

import hashlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neuralshade.asset.file import is_asset_file, stored_kind
from neuralshade.base.atomic import check_writable
from neuralshade.base.message_text import shown
from neuralshade.errors import OutputError
from neuralshade.source.file_kind import PICTURE_SUFFIXES

CHECKPOINT_SUFFIX = ".checkpoint.nsh"
NAME_BYTES = 255  # longest name on nearly every file system
STANDARD_OUTPUT = "-"  # for events, instead of a file
# Suffixes of other files; an asset may have any other one.
OTHER_SUFFIXES = {*PICTURE_SUFFIXES, ".csv", ".dds", ".gif", ".html", ".json", ".jsonl", ".ktx2",
                  ".md", ".mp4", ".pdf", ".py", ".slang", ".toml", ".txt", ".zip"}  # fmt: skip
PAGE_SUFFIXES = {".html"}


def checkpoint_path(output: Path) -> Path:
    """Return the path of a fit's checkpoint: beside the asset, with its name.

    Of a name too long for the suffix, the beginning and digits of its hash.
    """
    usual = output.with_suffix(CHECKPOINT_SUFFIX)
    longest = _longest_name(output.parent)
    if len(os.fsencode(usual.name)) <= longest:
        return usual
    digits = hashlib.sha256(os.fsencode(output.name)).hexdigest()[:8]
    stem = usual.name.removesuffix(CHECKPOINT_SUFFIX)
    while len(os.fsencode(f"{stem}-{digits}{CHECKPOINT_SUFFIX}")) > longest:
        stem = stem[:-1]
    return output.with_name(f"{stem}-{digits}{CHECKPOINT_SUFFIX}")


def _longest_name(folder: Path) -> int:
    """Return the longest name in ``folder`` in bytes; some encrypted disks allow 143."""
    try:
        return os.pathconf(folder, "PC_NAME_MAX")
    except (AttributeError, OSError, ValueError):  # Windows; or a missing folder
        return NAME_BYTES


def check_no_input(output: Any, *inputs: Any) -> None:
    """Raise OutputError where the path ``output`` is the same file as one of ``inputs``.

    Inputs that are data in memory are ignored, and so is no output (None).
    """
    for path in inputs:
        if is_same_file(output, path):
            raise OutputError(f"{output}: got the input {path} itself as output, need another "
                              "file. Choose another path.")  # fmt: skip


def is_same_file(*places: Any) -> bool:
    """Return whether two arguments are paths of the same existing file."""
    paths = [path for path in places if isinstance(path, (str, os.PathLike))]
    return len(paths) == 2 and all(map(os.path.exists, paths)) and os.path.samefile(*paths)


def check_asset_place(output: str | os.PathLike[str]) -> None:
    """Raise OutputError where an asset's path has the suffix, or the content, of another file.

    Assets, checkpoints and empty files are replaced.
    """
    path = Path(output)
    if path.suffix.lower() in OTHER_SUFFIXES:
        raise OutputError(f"{output}: got suffix '{path.suffix}' for an asset, need a name that "
                          "ends in .nsh. Choose another path.")  # fmt: skip
    try:
        replaced = not os.path.isfile(path) or path.stat().st_size == 0 or is_asset_file(path)
    except OSError:  # unreadable: not known to be an asset
        replaced = False
    if not replaced:
        raise OutputError(f"{output}: got a file that is no asset, need one that may be replaced. "
                          "Choose another path.")  # fmt: skip


def check_usual_place(output: Path, kind: str) -> None:
    """Raise OutputError where a default path holds an asset of another kind.

    ``fit image photo.png`` and ``fit textures photo.png`` have the same default.
    """
    try:
        there = stored_kind(output) if os.path.isfile(output) else None
    except OSError:
        there = None
    if there not in (None, kind):
        raise OutputError(f"{output}: got an asset of kind {shown(there)} where that of {kind} "
                          "goes by default, need a name for it. Name another file as its "
                          "output (-o).")  # fmt: skip


def check_page(path: str | os.PathLike[str]) -> None:
    """Raise OutputError where a page cannot be written, or has another file's suffix.

    Called before its content is drawn. A page may have no suffix.
    """
    check_writable(path)
    suffix = Path(path).suffix
    if suffix.lower() in (OTHER_SUFFIXES - PAGE_SUFFIXES) | {".nsh"}:
        raise OutputError(f"{path}: got suffix '{suffix}' for a page, need a name that ends in "
                          ".html. Choose another path.")  # fmt: skip


def check_snapshots(path: Any) -> None:
    """Raise OutputError where the folder of snapshots does not exist."""
    if not isinstance(path, (str, os.PathLike, Sequence)):
        raise OutputError(f"snapshots: got {shown(path)}, need the folder that a fit filled, or "
                          "pairs of a step and its picture. Leave it out.")  # fmt: skip
    if isinstance(path, (str, os.PathLike)) and not os.path.isdir(path):
        got = "a file" if os.path.exists(path) else "no such folder"
        raise OutputError(f"{os.fspath(path)}: got {got}, need the folder that a fit filled with "
                          "--snapshots. Leave --snapshots out.")  # fmt: skip


def check_distinct(**outputs: str | os.PathLike[str] | None) -> None:
    """Raise OutputError where two outputs, passed by name, have one path."""
    taken: dict[str, str] = {}
    for name, path in outputs.items():
        if path is None:
            continue
        before = taken.setdefault(os.path.realpath(path), name)
        if before != name:
            raise OutputError(f"{path}: got the path of the {before} for the {name} too, need "
                              "one for each. Choose another path.")  # fmt: skip


def events_path(place: str | os.PathLike[str] | None) -> Path | None:
    """Return the file of events; None for no events and for standard output."""
    return None if place is None or os.fspath(place) == STANDARD_OUTPUT else Path(place)


def check_events(place: str | os.PathLike[str] | None) -> None:
    """Check before a fit that events can be written to ``place``; None is no events.

    Raises: OutputError where the file cannot be written, or standard output is closed.
    """
    path = events_path(place)
    if path is not None:
        check_writable(path)
    elif place is not None and sys.stdout is None:
        raise OutputError("events: got a closed standard output, need one that takes them. "
                          "Name a file.")  # fmt: skip
