"""Compilation of Slang text to a target's source or machine code. Needs no device."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import re
from collections.abc import Sequence
from ctypes import byref, c_char_p, c_int64, c_void_p
from dataclasses import dataclass
from typing import Any

from neuralshade.errors import KernelError
from neuralshade.gpu.device import FALSE_ALARMS, SOURCE_FOLDER
from neuralshade.gpu.foreign_slang import folders_of, foreign_packages
from neuralshade.gpu.slang_com import (
    COMPOSE,
    ENTRY_POINT_CODE,
    FIND_ENTRY_POINT,
    GET_LAYOUT,
    LINK,
    LOAD_SOURCE,
    TARGET_CODE,
    ComObject,
    forget_session,
    in_compiler_thread,
    kept_session,
    library,
    new_session,
    refusal,
    take_blob,
)

# Text with a match may import files that change.
OTHERS = re.compile(r"\bimport\b(?!\s+neuralshade\.)|__include\b")
MODULE = "exported"  # unique: other sessions than the kept one have one module


@dataclass(frozen=True)
class Exported:
    """An entry point as text of the target language, with the layout of its parameters."""

    code: str
    reflection: dict[str, Any]  # Slang's own JSON


def export_slang(
    text: str,
    entry: str,
    target: str = "cuda",
    options: Sequence[str] = (),
    folder: pathlib.Path | None = None,
) -> Exported:
    """Compile one entry point of Slang text to text of ``target``, as ``slangc`` would.

    Args:
        text: a module; ``import neuralshade.<folder>.<stem>;`` works in it.
        target: as in ``slangc -target``, of those whose output is text.
        options: further arguments of ``slangc``.
        folder: folder of the text's own files and of their imports; by default there are
            none.

    Raises: KernelError with the compiler's whole log; DeviceError where slangpy is missing.
    """
    code, reflection = _compiled(text, entry, target, options, folder)
    return Exported(code.decode(), reflection)


def export_bytes(
    text: str,
    entry: str,
    target: str,
    options: Sequence[str] = (),
    folder: pathlib.Path | None = None,
) -> bytes:
    """Return ``export_slang`` as bytes, also of a target whose output is no text."""
    return _compiled(text, entry, target, options, folder)[0]


@in_compiler_thread
def export_module(
    text: str,
    entries: Sequence[str],
    target: str,
    options: Sequence[str] = (),
    folder: pathlib.Path | None = None,
) -> bytes:
    """Return these entry points of Slang text as one module of ``target``.

    Raises: as ``export_slang``.
    """
    own = [] if folder is None else ["-I", str(folder)]
    session = text_session(target, [*options, *own])
    module = load_text(session, text, None, folder)
    linked = link(session, [module, *(_entry_point(module, entry) for entry in entries)])
    code = linked.made(TARGET_CODE, 0, types=(c_int64,))
    code.borrowed = True  # take_blob releases it
    return take_blob(code.pointer)


@in_compiler_thread
def _compiled(
    text: str, entry: str, target: str, options: Sequence[str], folder: pathlib.Path | None
) -> tuple[bytes, dict[str, Any]]:
    foreign = folders_of(foreign_packages(text))
    own = [] if folder is None else [folder]
    looked_in = [item for place in (*own, *foreign) for item in ("-I", str(place))]
    if not looked_in and not OTHERS.search(text):
        try:
            session, number = kept_session(_arguments(target, options))
            return _entry_code(session, load_text(session, text, name=f"{MODULE}{number}"), entry)
        except KernelError:  # once more by itself, with plain names in messages
            forget_session()
    session = text_session(target, [*options, *looked_in])
    return _entry_code(session, load_text(session, text, None, folder), entry)


def _entry_code(session: ComObject, module: ComObject, entry: str) -> tuple[bytes, dict[str, Any]]:
    """Return an entry point's code, and its parameters."""
    linked = link(session, [module, _entry_point(module, entry)])
    code = linked.made(ENTRY_POINT_CODE, 0, 0, types=(c_int64, c_int64))
    code.borrowed = True  # take_blob releases it
    return take_blob(code.pointer), _reflection(linked)


def text_session(target: str, options: Sequence[str] = ()) -> ComObject:
    """Return a session in which modules may import this package's; see ``export_slang``."""
    return new_session(_arguments(target, options))


def _arguments(target: str, options: Sequence[str]) -> list[str]:
    alarms = [item for number in FALSE_ALARMS for item in ("-warnings-disable", number)]
    return ["-target", target, "-I", str(SOURCE_FOLDER), "-line-directive-mode", "none", *alarms,
            *options]  # fmt: skip


def load_text(
    session: ComObject, text: str, place: str | None = None, folder: pathlib.Path | None = None,
    *, name: str | None = None,
) -> ComObject:  # fmt: skip
    """Return the module of a text; errors name the file ``place``.

    Its own imports are searched in ``folder``, else beside ``place``. ``name``: of the module, for
    a session that has others.

    Raises: KernelError with the compiler's whole log.
    """
    name = name or MODULE
    words, path = c_void_p(), f"{name}.slang" if place is None else place
    if folder is not None:
        path = os.fspath(folder / pathlib.Path(path).name)
    pointer = session.call(
        LOAD_SOURCE, name.encode(), os.fsencode(path), text.encode(), byref(words),
        types=(c_char_p, c_char_p, c_char_p, c_void_p), result=c_void_p,
    )  # fmt: skip
    log = take_blob(words.value).decode(errors="replace")
    if not pointer:
        raise refusal(log) if place is None else refusal(log, place)
    return ComObject(pointer, borrowed=True, owner=session)  # owned by the session


def _entry_point(module: ComObject, entry: str) -> ComObject:
    out = c_void_p()
    module.call(FIND_ENTRY_POINT, entry.encode(), byref(out), types=(c_char_p, c_void_p))
    if not out.value:
        raise KernelError(f"kernel: got no entry point {entry!r} in the Slang text, need one. "
                          'Mark it with [shader("compute")].')  # fmt: skip
    return ComObject(out.value, owner=module)


def link(session: ComObject, parts: Sequence[ComObject]) -> ComObject:
    """Return modules and entry points linked with their imports."""
    pointers = (c_void_p * len(parts))(*[part.pointer for part in parts])
    composed = session.made(COMPOSE, pointers, len(parts), types=(c_void_p, c_int64))
    return composed.made(LINK)


def _reflection(linked: ComObject) -> dict[str, Any]:
    layout = linked.call(GET_LAYOUT, 0, None, types=(c_int64, c_void_p), result=c_void_p)
    assert layout, "a linked program has a layout"
    to_json, blob = library().spReflection_ToJson, c_void_p()
    to_json.argtypes = (c_void_p, c_void_p, ctypes.POINTER(c_void_p))
    code = to_json(layout, None, byref(blob))
    assert code >= 0, code
    return json.loads(take_blob(blob.value))
