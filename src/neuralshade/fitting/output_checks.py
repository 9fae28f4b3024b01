"""Paths that may not be one: inputs are read, never written, and outputs are files each."""

import hashlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neuralshade.asset.file import is_asset_file, said_kind
from neuralshade.base.atomic import check_writable
from neuralshade.base.message_text import shown
from neuralshade.errors import OutputError
from neuralshade.source.file_kind import PICTURE_SUFFIXES

CHECKPOINT_SUFFIX = ".checkpoint.nsh"
NAME_BYTES = 255  # that a name has at most on nearly every file system
STANDARD_OUTPUT = "-"  # in place of a file for events
# What files of other kinds are called; any other name may be an asset's.
OTHER_SUFFIXES = {*PICTURE_SUFFIXES, ".csv", ".dds", ".gif", ".html", ".json", ".jsonl", ".ktx2",
                  ".md", ".mp4", ".pdf", ".py", ".slang", ".toml", ".txt", ".zip"}  # fmt: skip
PAGE_SUFFIXES = {".html"}


def checkpoint_path(output: Path) -> Path:
    """Return where a fit's checkpoint lies: beside the asset, with its name.

    Of a name that leaves no room for the ending, the beginning and digits of the whole.
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
    """Return how many bytes a name in ``folder`` may have; some encrypted disks take 143."""
    try:
        return os.pathconf(folder, "PC_NAME_MAX")
    except (AttributeError, OSError, ValueError):  # Windows; or no such folder, which is told
        return NAME_BYTES


def check_no_input(output: Any, *inputs: Any) -> None:
    """Raise OutputError where the path ``output`` is the same file as one of ``inputs``.

    Inputs that are no paths but data in memory are fine, and so is no output (None).
    """
    for given in inputs:
        if is_same_file(output, given):
            raise OutputError(f"{output}: got the input {given} itself as output, need another "
                              "file. Choose another path.")  # fmt: skip


def is_same_file(*places: Any) -> bool:
    """Return whether two places are paths, of one file that is there."""
    paths = [path for path in places if isinstance(path, (str, os.PathLike))]
    return len(paths) == 2 and all(map(os.path.exists, paths)) and os.path.samefile(*paths)


def check_asset_place(output: str | os.PathLike[str]) -> None:
    """Raise OutputError where an asset's path is named as, or is, a file of another kind.

    An asset or a checkpoint may be there, and an empty file: these are replaced.
    """
    path = Path(output)
    if path.suffix.lower() in OTHER_SUFFIXES:
        raise OutputError(f"{output}: got suffix '{path.suffix}' for an asset, need a name that "
                          "ends in .nsh. Choose another path.")  # fmt: skip
    try:
        replaced = not os.path.isfile(path) or path.stat().st_size == 0 or is_asset_file(path)
    except OSError:  # what cannot be read is not known to be ours
        replaced = False
    if not replaced:
        raise OutputError(f"{output}: got a file that is no asset, need one that may be replaced. "
                          "Choose another path.")  # fmt: skip


def check_usual_place(output: Path, kind: str) -> None:
    """Raise OutputError where an asset of another kind lies where a fit's would by default.

    ``fit image photo.png`` and ``fit textures photo.png`` have the same default.
    """
    try:
        there = said_kind(output) if os.path.isfile(output) else None
    except OSError:
        there = None
    if there not in (None, kind):
        raise OutputError(f"{output}: got an asset of kind {shown(there)} where that of {kind} "
                          "goes by default, need a name for it. Name another file as its "
                          "output (-o).")  # fmt: skip


def check_page(path: str | os.PathLike[str]) -> None:
    """Raise OutputError where a page cannot be written, or is named as a file of another kind.

    Called before what it shows is drawn. A name without a suffix is a page's too.
    """
    check_writable(path)
    suffix = Path(path).suffix
    if suffix.lower() in (OTHER_SUFFIXES - PAGE_SUFFIXES) | {".nsh"}:
        raise OutputError(f"{path}: got suffix '{suffix}' for a page, need a name that ends in "
                          ".html. Choose another path.")  # fmt: skip


def check_snapshots(given: Any) -> None:
    """Raise OutputError where snapshots are asked for of a folder that is not there."""
    if not isinstance(given, (str, os.PathLike, Sequence)):
        raise OutputError(f"snapshots: got {shown(given)}, need the folder that a fit filled, or "
                          "pairs of a step and its picture. Leave it out.")  # fmt: skip
    if isinstance(given, (str, os.PathLike)) and not os.path.isdir(given):
        got = "a file" if os.path.exists(given) else "no such folder"
        raise OutputError(f"{os.fspath(given)}: got {got}, need the folder that a fit filled with "
                          "--snapshots. Leave --snapshots out.")  # fmt: skip


def check_apart(**outputs: str | os.PathLike[str] | None) -> None:
    """Raise OutputError where two of the outputs, named by what they are, have one path."""
    taken: dict[str, str] = {}
    for name, path in outputs.items():
        if path is None:
            continue
        before = taken.setdefault(os.path.realpath(path), name)
        if before != name:
            raise OutputError(f"{path}: got the path of the {before} for the {name} too, need "
                              "one for each. Choose another path.")  # fmt: skip


def events_path(place: str | os.PathLike[str] | None) -> Path | None:
    """Return the file that events go to; None where there are none, or for standard output."""
    return None if place is None or os.fspath(place) == STANDARD_OUTPUT else Path(place)


def check_events(place: str | os.PathLike[str] | None) -> None:
    """Raise what stands against events at ``place`` before a fit starts; None is no events.

    Raises: OutputError where the file cannot be written, or standard output is closed.
    """
    path = events_path(place)
    if path is not None:
        check_writable(path)
    elif place is not None and sys.stdout is None:
        raise OutputError("events: got a closed standard output, need one that takes them. "
                          "Name a file.")  # fmt: skip
