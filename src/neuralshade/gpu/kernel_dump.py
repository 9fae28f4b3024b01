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
    """Writes NN_ENTRY.slang and the compiler's output, with the same stem, into a folder.

    Numbers continue those of existing files, so that none is overwritten.

    Raises: OutputError where ``folder`` can be neither found nor created, or not be written.
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
        """Write the Slang text; None if the same text, entry and settings were written before.

        Called before compiling, so that text that fails to compile is there as well.
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
    """Files of one kernel: ``stem`` plus a suffix each."""

    def __init__(self, stem: pathlib.Path):
        self.stem = stem

    def write(self, suffix: str, content: str | bytes) -> None:
        """Write one of its files, whole. Raises OutputError."""
        with whole_file(self.stem.with_name(self.stem.name + suffix)) as partial:
            partial.write_bytes(content.encode() if isinstance(content, str) else content)

    @contextmanager
    def intermediates(self) -> Iterator[str]:
        """Yield a path prefix for the compiler's files in the block; keep what it wrote.

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
    """Dump every kernel that this thread compiles in the block into ``folder``; None: nothing.

    Includes kernels that it compiles ahead in other threads, see ``Gpu.prepare``.
    Each combination of text, entry point and settings is written once.

    Raises: OutputError where the folder can be neither found nor created, or not be written.
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
    """Return the files of a kernel; None without a dump, or if it was written before."""
    dump = _active.get()
    return None if dump is None else dump.begin(text, entry, *settings)
