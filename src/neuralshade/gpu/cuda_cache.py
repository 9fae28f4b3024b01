"""Kernels from Slang text to machine code, kept between runs."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import logging
import pathlib
from dataclasses import dataclass

from neuralshade.base.atomic import whole_file
from neuralshade.errors import OutputError
from neuralshade.gpu import kernel_dump
from neuralshade.gpu.cuda_compiler import OPTIONS, compile_cuda
from neuralshade.gpu.cuda_packages import nvrtc_version
from neuralshade.gpu.cuda_text import CudaLayout, mended
from neuralshade.gpu.device import SOURCE_FOLDER, cache_folder
from neuralshade.gpu.kernel_dump import DumpedKernel
from neuralshade.gpu.slang_export import export_slang

FORM = 1  # of the kept files and of what is done to emitted text; goes up with either

log = logging.getLogger("neuralshade")


@dataclass(frozen=True)
class BuiltKernel:
    """Machine code (a cubin) and how its parameters lie."""

    layout: CudaLayout
    cubin: bytes


def build_kernel(
    text: str,
    entry: str,
    architecture: str,
    *,
    fast_math: bool = False,
    folder: pathlib.Path | None = None,
) -> BuiltKernel:
    """Return one entry point of Slang text as machine code, from the cache where it has that.

    What is to be dumped is compiled anew: the cache has no more than machine code.

    Args:
        architecture: as NVRTC names it, such as sm_90a.
        fast_math, folder: as ``Gpu.kernel`` has them.

    Raises: KernelError where the text does not compile; DeviceError where a package is missing.
    """
    dumped = kernel_dump.begin(text, entry, architecture, fast_math, folder)
    cache = cache_folder()
    if cache is None:
        return _build(text, entry, architecture, fast_math, folder, dumped)
    path = cache / f"{_key(text, entry, architecture, fast_math, folder)}.cuda"
    kept = _read(path) if dumped is None else None
    if kept is None:
        kept = _build(text, entry, architecture, fast_math, folder, dumped)
        _keep(path, kept)
    return kept


def _build(
    text: str,
    entry: str,
    architecture: str,
    fast_math: bool,
    folder: pathlib.Path | None,
    dumped: DumpedKernel | None,
) -> BuiltKernel:
    emitted = mended(export_slang(text, entry, folder=folder), entry)
    if dumped is not None:
        dumped.write(".cu", emitted.code)
    made = compile_cuda(emitted.code, architecture, fast_math=fast_math)
    if dumped is not None:
        dumped.write(".ptx", made.ptx)
        dumped.write(".cubin", made.cubin)
    return BuiltKernel(emitted.layout, made.cubin)


def _key(
    text: str, entry: str, architecture: str, fast_math: bool, folder: pathlib.Path | None
) -> str:
    """Return a name for all that the machine code depends on."""
    versions = (FORM, importlib.metadata.version("slangpy"), nvrtc_version(), OPTIONS, fast_math)
    parts = [text, entry, architecture, repr(versions), _sources()]
    if folder is not None:
        parts.append(_digest(folder, "*"))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@functools.cache
def _sources() -> str:
    """Return a digest of every Slang file of this package that a text may include."""
    return _digest(SOURCE_FOLDER / "neuralshade", "*.slang")


def _digest(folder: pathlib.Path, pattern: str) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob(pattern) if path.is_file()):
        name = path.relative_to(folder).as_posix().encode()
        digest.update(name + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _read(path: pathlib.Path) -> BuiltKernel | None:
    """Return what was kept; None where there is nothing, or not all of it."""
    try:
        about, _, cubin = path.read_bytes().partition(b"\n")
        facts = json.loads(about)
        whole = hashlib.sha256(cubin).hexdigest() == facts.pop("digest")
        return BuiltKernel(CudaLayout.from_facts(facts), cubin) if whole else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.info("kernels: %s is compiled anew, since it cannot be read (%s)", path, error)
        return None


def _keep(path: pathlib.Path, built: BuiltKernel) -> None:
    facts = {**built.layout.facts(), "digest": hashlib.sha256(built.cubin).hexdigest()}
    try:
        with whole_file(path) as partial:
            partial.write_bytes(json.dumps(facts).encode() + b"\n" + built.cubin)
    except OutputError as error:
        log.info("kernels: one was not kept for the next run (%s)", error)
