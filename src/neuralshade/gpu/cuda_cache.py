"""Compilation of Slang text to CUDA machine code, cached between runs."""

from __future__ import annotations

import functools
import hashlib
import hmac
import importlib.metadata
import json
import logging
import pathlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import platformdirs

from neuralshade.base.atomic import whole_file
from neuralshade.base.private_dirs import user_key
from neuralshade.errors import KernelError, OutputError
from neuralshade.gpu import kernel_dump
from neuralshade.gpu.cache_folder import cache_folder, log_uncached
from neuralshade.gpu.compile_turns import compile_turn
from neuralshade.gpu.cuda_compiler import FAST_COMPILE, OPTIONS, MachineCode, compile_cuda
from neuralshade.gpu.cuda_packages import nvrtc_version
from neuralshade.gpu.cuda_prelude import trimmed
from neuralshade.gpu.cuda_text import CudaLayout, not_inlined, patched_text
from neuralshade.gpu.device import SOURCE_FOLDER
from neuralshade.gpu.foreign_slang import files_digest, foreign_digest, foreign_packages
from neuralshade.gpu.gpu import QUICK
from neuralshade.gpu.kernel_dump import DumpedKernel
from neuralshade.gpu.shipped_kernels import shipped_kernel
from neuralshade.gpu.slang_export import export_slang

FORM = 5  # version of cached files and of the fixes to emitted text; raised with either

log = logging.getLogger("neuralshade")


@dataclass(frozen=True)
class BuiltKernel:
    """Machine code (a cubin) and the layout of its parameters."""

    layout: CudaLayout
    cubin: bytes


@dataclass(frozen=True)
class KernelCache:
    """A folder that only this user writes to, and the key that signs its files."""

    folder: pathlib.Path
    key: bytes


def opened_cache() -> KernelCache | None:
    """Return the cache; None, with a log entry, where it cannot be trusted or written."""
    folder, key = cache_folder(), _signing_key()
    return None if folder is None or key is None else KernelCache(folder, key)


def read_sources() -> None:
    """Read the Slang files that names of kernels depend on, once a process.

    Before threads build: reading hands Python's lock over, and among many that do takes ten times
    as long.
    """
    _sources()


def build_kernel(
    text: str,
    entry: str,
    architecture: str,
    *,
    fast_math: bool = False,
    folder: pathlib.Path | None = None,
    opened: Callable[[], KernelCache | None] = opened_cache,
) -> BuiltKernel:
    """Return one entry point of Slang text as machine code, shipped or from the cache if there.

    Kernels for a dump are compiled anew: the cache holds machine code only.

    Args:
        architecture: as NVRTC names it, such as sm_90a.
        fast_math, folder: as in ``Gpu.kernel``.
        opened: returns the cache.

    Raises: KernelError where the text does not compile; DeviceError where a package is missing.
    """
    dumped = kernel_dump.begin(text, entry, architecture, fast_math, folder)
    if dumped is None and folder is None and not foreign_packages(text):
        shipped = shipped_kernel(architecture, kernel_parts(text, entry, architecture, fast_math))
        if shipped is not None:
            return unpacked_kernel(shipped)
    cache = opened()
    if cache is None:
        return compile_kernel(text, entry, architecture, fast_math, folder, dumped)
    key = cache.key
    path = cache.folder / f"{_name(key, text, entry, architecture, fast_math, folder)}.cuda"
    if dumped is None and (kept := _read(path, key)) is not None:
        return kept
    with compile_turn(cache.folder, path.stem) as waited:
        kept = _read(path, key) if waited and dumped is None else None
        if kept is None:
            kept = compile_kernel(text, entry, architecture, fast_math, folder, dumped)
            _keep(path, key, kept)
        return kept


def _signing_key() -> bytes | None:
    """Return this user's key, which signs cached kernels: code of others is never run."""
    path = pathlib.Path(platformdirs.user_state_dir("neuralshade")) / "keys" / "kernels"
    key = user_key(path)
    if key is None:
        log_uncached(f"{path} holds no key of this user's alone. Remove it, and what others can "
                      "write to above it.")  # fmt: skip
    return key


def compile_kernel(
    text: str,
    entry: str,
    architecture: str,
    fast_math: bool,
    folder: pathlib.Path | None,
    dumped: DumpedKernel | None = None,
) -> BuiltKernel:
    """Return one entry point as machine code, compiled now; arguments as of ``build_kernel``."""
    apart = not_inlined(text) | _not_inlined_here()
    emitted = patched_text(export_slang(text, entry, folder=folder), entry, apart)
    if dumped is not None:
        dumped.write(".cu", emitted.code)
    made = _machine_code(emitted.code, architecture, fast_math, _options(text))
    if made.remark:
        log.debug("kernels: %s runs slower than it could: %s", entry, made.remark)
    if dumped is not None:
        dumped.write(".ptx", made.ptx)
        dumped.write(".cubin", made.cubin)
    return BuiltKernel(emitted.layout, made.cubin)


def _options(text: str) -> tuple[str, ...]:
    """Return NVRTC's further options for a Slang text."""
    return (FAST_COMPILE,) if QUICK in text else ()


def _machine_code(
    code: str, architecture: str, fast_math: bool, options: Sequence[str] = ()
) -> MachineCode:
    """Compile Slang's CUDA text, without what it does not use."""
    short = trimmed(code)
    try:
        return compile_cuda(short, architecture, fast_math=fast_math, options=options)
    except KernelError as error:
        if short == code:
            raise
        log.debug("kernels: one is compiled from its whole text (%s)", error)
        return compile_cuda(code, architecture, fast_math=fast_math, options=options)


def _name(
    key: bytes,
    text: str,
    entry: str,
    architecture: str,
    fast_math: bool,
    folder: pathlib.Path | None,
) -> str:
    """Return a file name from all that the machine code depends on, and from its user."""
    versions = importlib.metadata.version("slangpy"), nvrtc_version()
    parts = [*kernel_parts(text, entry, architecture, fast_math), repr(versions)]
    if folder is not None:
        parts.append(files_digest(folder, "*"))
    if packages := foreign_packages(text):
        parts.append(foreign_digest(packages))
    return _signed(key, "\0".join(parts).encode())


def kernel_parts(text: str, entry: str, architecture: str, fast_math: bool) -> list[str]:
    """Return what machine code depends on besides the versions of its compilers."""
    options = (*OPTIONS, *_options(text))
    return [text, entry, architecture, repr((FORM, options, fast_math)), _sources()]


def _signed(key: bytes, content: bytes) -> str:
    return hmac.new(key, content, hashlib.sha256).hexdigest()


def _sources() -> str:
    """Return a digest of every Slang file of this package that a text may include."""
    with _reading:
        return _digest_here()


def _not_inlined_here() -> frozenset[str]:
    """Return the functions that this package's own Slang files mark as not inlined."""
    with _reading:
        return _marked_here()


# Builds begin side by side: without turns each would read all files, for 0.6 s in place of 0.05.
_reading = threading.Lock()


@functools.cache
def _digest_here() -> str:
    return files_digest(SOURCE_FOLDER / "neuralshade", "*.slang")


@functools.cache
def _marked_here() -> frozenset[str]:
    files = (SOURCE_FOLDER / "neuralshade").rglob("*.slang")
    return not_inlined("\n".join(path.read_text() for path in files))


def _read(path: pathlib.Path, key: bytes) -> BuiltKernel | None:
    """Return a cached kernel; None where there is none, or its signature is wrong."""
    try:
        mark, _, content = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        log.info("kernels: %s is compiled anew, since it cannot be read (%s)", path, error)
        return None
    if not hmac.compare_digest(mark, _mark(path, key, content)):
        log.info("kernels: %s is compiled anew, since it is not as this user's key signed it", path)
        return None
    return unpacked_kernel(content)


def _keep(path: pathlib.Path, key: bytes, built: BuiltKernel) -> None:
    content = packed_kernel(built)
    try:
        with whole_file(path) as partial:
            partial.write_bytes(_mark(path, key, content) + b"\n" + content)
    except OutputError as error:
        log.info("kernels: one was not kept for the next run (%s)", error)


def packed_kernel(built: BuiltKernel) -> bytes:
    """Return a kernel as the cache keeps it."""
    return json.dumps(built.layout.facts()).encode() + b"\n" + built.cubin


def unpacked_kernel(content: bytes) -> BuiltKernel:
    """Inverse of ``packed_kernel``."""
    about, _, cubin = content.partition(b"\n")
    return BuiltKernel(CudaLayout.from_facts(json.loads(about)), cubin)


def _mark(path: pathlib.Path, key: bytes, content: bytes) -> bytes:
    # Signs the name, too, so that no kernel is mistaken for another.
    return _signed(key, path.name.encode() + b"\n" + content).encode()
