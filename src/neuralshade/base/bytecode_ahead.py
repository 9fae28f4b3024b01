"""Bytecode of the modules that a command will import, read while PyTorch's libraries load.

Loading these takes a thread 0.2 to 0.4 s, which leave Python's lock free; the bytecode of a fit's
modules takes 0.1 to 0.25. A command keeps the names of what it imported for the next one like it.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import re
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from neuralshade.base.garbage import no_collection

PYTORCH = "torch"
LIBRARIES = "libtorch_global_deps.so", "libtorch_python.so"  # in the order of PyTorch itself
VERB = re.compile("[a-z]{1,20}")
MOST_NAMES = 2**13
FEW = 0.05  # of a command's modules


class _Loader(SourceFileLoader):
    """Loads a module whose bytecode is there already."""

    def __init__(self, name: str, path: str, code: CodeType):
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        return self._code


class _Finder:
    """Finds modules where Python does, and loads the bytecode that was read of these files."""

    def __init__(self, codes: dict[str, tuple[str, CodeType]]):
        self._codes = codes  # paths of sources, and the bytecode, by name

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        read = self._codes.pop(name, None)
        if read is None:
            return None
        spec, (source, code) = PathFinder.find_spec(name, path, target), read
        if spec is not None and type(spec.loader) is SourceFileLoader and spec.origin == source:
            spec.loader = _Loader(name, source, code)
        return spec


def read_ahead(arguments: Sequence[str]) -> None:
    """Read what the last command like this one imported, if that was PyTorch among others.

    ``arguments``: of the command line. Only on Linux, whose loader leaves Python's lock alone.
    """
    record = _record(arguments)
    if record is None or sys.platform != "linux":
        return
    try:
        compiled, _, rest = record.read_text("ascii").partition("\n")
    except (OSError, ValueError):  # there is none, or it is no record
        return
    names = rest.split()[:MOST_NAMES]
    folders = {name: _folder(name) for name in {each.partition(".")[0] for each in names}}
    if (pytorch := folders.get(PYTORCH)) is None:
        return
    _import_compiled(compiled.split())
    # no daemon: Python's end waits for it, which would else take apart what it is using
    threading.Thread(target=_load_libraries, args=(pytorch,)).start()
    with no_collection():
        sys.meta_path.insert(0, _Finder(_codes(names, folders)))
        gc.freeze()  # or the next collection looks through all of it, for 0.025 s


def keep_names(arguments: Sequence[str]) -> None:
    """Keep the names of the modules that are loaded for ``read_ahead``, if PyTorch is.

    Names that are kept stay where they have most of these: flags of a command load a few others.
    """
    record = _record(arguments)
    if record is None or PYTORCH not in sys.modules or sys.platform != "linux":
        return
    loaded = sorted(sys.modules.items())
    compiled = [name for name, module in loaded if _is_loaded_by(ExtensionFileLoader, module)
                and name in sys.stdlib_module_names]  # fmt: skip
    names = [name for name, module in loaded if _is_loaded_by(SourceFileLoader, module)]
    with suppress(OSError, ValueError):
        missing = {*names, *compiled} - set(record.read_text("ascii").split())
        if len(missing) <= FEW * len(names):
            return
    from neuralshade.base.atomic import whole_file
    from neuralshade.errors import OutputError

    # where nothing can be kept, nothing is read ahead
    with suppress(OSError, OutputError, ValueError):
        record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file(record) as partial:
            partial.write_text("\n".join([" ".join(compiled), *names[:MOST_NAMES]]), "ascii")


def _record(arguments: Sequence[str]) -> Path | None:
    """Return the file of a command's names: by its verbs, such as fit image."""
    verbs = [each for each in arguments[:2] if VERB.fullmatch(each)]
    try:
        import platformdirs
    except ImportError:  # the command says so itself
        return None
    folder = Path(platformdirs.user_cache_dir("neuralshade")) / "imports"
    return folder / f"{'-'.join(verbs)}.txt" if verbs and verbs[0] == arguments[0] else None


def _is_loaded_by(kind: type, module: ModuleType | None) -> bool:
    return isinstance(getattr(getattr(module, "__spec__", None), "loader", None), kind)


def _folder(package: str) -> str | None:
    """Return the folder that a package or module lies in."""
    with suppress(ImportError, ValueError):
        spec = PathFinder.find_spec(package)
        if spec is not None and spec.origin is not None:
            folder = os.path.dirname(spec.origin)
            return os.path.dirname(folder) if spec.submodule_search_locations else folder
    return None


def _import_compiled(names: Iterable[str]) -> None:
    """Import Python's own compiled modules: none can be loaded while another library is."""
    for name in names:
        if name in sys.stdlib_module_names and name not in sys.modules:
            spec = PathFinder.find_spec(name)
            if spec is not None and type(spec.loader) is ExtensionFileLoader:
                importlib.import_module(name)


def _load_libraries(folder: str) -> None:
    """Load PyTorch's libraries; where that fails, its import says why.

    By the system's own function: ctypes would keep Python's lock.
    """
    with suppress(OSError, AttributeError):
        load = ctypes.CDLL(None).dlopen
        load.argtypes, load.restype = (ctypes.c_char_p, ctypes.c_int), ctypes.c_void_p
        for name in LIBRARIES:
            path = os.path.join(folder, PYTORCH, "lib", name)
            load(os.fsencode(path), os.RTLD_NOW | (os.RTLD_GLOBAL if "deps" in name else 0))


def _codes(
    names: Iterable[str], folders: dict[str, str | None]
) -> dict[str, tuple[str, CodeType]]:  # fmt: skip
    """Return the bytecode of modules that are not loaded yet, with the paths of their sources."""
    codes = {}
    for name in names:
        folder = folders[name.partition(".")[0]]
        if folder is None or name in sys.modules or not name.replace(".", "").isidentifier():
            continue
        stem = os.path.join(folder, *name.split("."))
        for path in (f"{stem}.py", os.path.join(stem, "__init__.py")):
            # without bytecode a module would be compiled, which may be for nothing
            with suppress(OSError, ImportError, EOFError, ValueError):
                if os.path.exists(cache_from_source(path)):
                    code = SourceFileLoader(name, path).get_code(name)
                    if code is not None:
                        codes[name] = path, code
                        break
    return codes
