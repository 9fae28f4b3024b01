"""Dump of every compiled kernel: its Slang text, and the compiler's output."""

from __future__ import annotations

import itertools
import pathlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from neuralshade.base.atomic import check_writable, make_folder, whole_file
from neuralshade.base.temp_files import TempFolder

NUMBERED = re.compile(r"(\d+)_\w+\.slang")


class KernelDump:
    """Writes NN_ENTRY.slang, and with the same stem what a compiler made of it, into a folder.

    Numbers go on behind those of files that are there, so that none is written over.

    Raises: OutputError where ``folder`` can be neither found nor made, or not be written.
    """

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        make_folder(folder, "kernels")
        check_writable(folder / "kernel.slang")
        found = (NUMBERED.fullmatch(path.name) for path in folder.iterdir())
        self._numbers = itertools.count(1 + max((int(m[1]) for m in found if m), default=-1))
        self._known: set[tuple[object, ...]] = set()
        self._lock = threading.Lock()

    def begin(self, text: str, entry: str, *settings: object) -> DumpedKernel | None:
        """Write the Slang text; None where one of the same text, entry and settings was begun.

        To be called before compiling: text that does not compile is there to be looked at.
        """
        with self._lock:
            if (text, entry, settings) in self._known:
                return None
            self._known.add((text, entry, settings))
            stem = f"{next(self._numbers):02}_{entry}"
        dumped = DumpedKernel(self.folder / stem)
        dumped.write(".slang", text)
        return dumped


class DumpedKernel:
    """Files of one kernel, whose path is ``stem`` and a suffix."""

    def __init__(self, stem: pathlib.Path):
        self.stem = stem

    def write(self, suffix: str, content: str | bytes) -> None:
        """Write one of its files, whole. Raises OutputError."""
        with whole_file(self.stem.with_name(self.stem.name + suffix)) as partial:
            partial.write_bytes(content.encode() if isinstance(content, str) else content)

    @contextmanager
    def intermediates(self) -> Iterator[str]:
        """Yield how paths begin that a compiler may write to in the block; keep what it wrote.

        Of several files with the same suffix, the last is kept.
        """
        with TempFolder() as folder:
            yield f"{folder.path}/"
            for path in sorted(folder.path.iterdir(), key=_by_number):
                self.write(path.suffix, path.read_bytes())


def _by_number(path: pathlib.Path) -> tuple[int, str]:
    """Sort 10.spv behind 9.spv."""
    return len(path.stem), path.name


_active: ContextVar[KernelDump | None] = ContextVar("kernel_dump", default=None)


@contextmanager
def into(folder: pathlib.Path | None) -> Iterator[None]:
    """Write every kernel that this thread compiles in the block into ``folder``; None: nothing.

    So are kernels that it has compiled ahead, in other threads: see ``Gpu.prepare``.
    A kernel is one of a text, an entry point and settings; it is written once in a block.

    Raises: OutputError where the folder can be neither found nor made, or not be written.
    """
    if folder is None:
        yield
        return
    token = _active.set(KernelDump(folder))
    try:
        yield
    finally:
        _active.reset(token)


def begin(text: str, entry: str, *settings: object) -> DumpedKernel | None:
    """Return where files of a kernel go; None where none are wanted, or it was written before."""
    dump = _active.get()
    return None if dump is None else dump.begin(text, entry, *settings)
