"""DXC, Microsoft's HLSL compiler, by the slots of its COM interfaces (compushady-lrtu)."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import sys
import uuid
from collections.abc import Sequence
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint32, c_void_p
from pathlib import Path
from typing import Any

from neuralshade.errors import DeviceError, KernelError
from neuralshade.gpu.slang_com import ComObject, take_blob

# From dxcapi.h: the compiler, its interfaces and those of its results.
COMPILER = uuid.UUID("73e22d93-e6ce-47f3-b5bf-f0664f39c1b0").bytes_le
COMPILER_3 = uuid.UUID("228b4687-5a6a-4730-900c-9702b2203f54").bytes_le
RESULT = uuid.UUID("58346cda-dde7-4497-9461-6f87af5e0659").bytes_le
COMPILE = 3  # slots in tables of methods
STATUS, OUTPUT, LOG = 3, 4, 5
UTF8 = 65001
WIDE = "utf-16-le" if sys.platform == "win32" else "utf-32-le"  # wchar_t


class _Source(ctypes.Structure):
    _fields_ = (("text", c_char_p), ("size", c_size_t), ("encoding", c_uint32))


def compile_hlsl(text: str, entry: str, profile: str, options: Sequence[str] = ()) -> bytes:
    """Return DXIL of an entry point, or SPIR-V where ``options`` have -spirv.

    Args:
        text: HLSL.
        entry: a function of it.
        profile: stage and shader model, such as cs_6_0.
        options: further arguments of dxc.

    Raises: KernelError with the log of compiler and validator; DeviceError without
        the package.
    """
    compiler, code = c_void_p(), text.encode()
    created = _library().DxcCreateInstance(COMPILER, COMPILER_3, byref(compiler))
    assert created == 0 and compiler.value, created
    listed = [(one + "\0").encode(WIDE) for one in ("-E", entry, "-T", profile, *options)]
    arguments = (c_char_p * len(listed))(*listed)
    out = c_void_p()
    failed = ComObject(compiler.value).call(
        COMPILE, byref(_Source(code, len(code), UTF8)), arguments, len(listed), None, RESULT,
        byref(out), types=(c_void_p, c_void_p, c_uint32, c_void_p, c_char_p, c_void_p),
    )  # fmt: skip
    assert not failed and out.value, (failed, listed)
    result, status = ComObject(out.value), c_int()
    result.call(STATUS, byref(status), types=(c_void_p,))
    if status.value:
        log = _blob(result, LOG).decode(errors="replace").strip("\0 \n")
        raise KernelError(f"hlsl: got an error of DXC: {log}")
    return _blob(result, OUTPUT)


def _blob(result: ComObject, slot: int) -> bytes:
    pointer = c_void_p()
    result.call(slot, byref(pointer), types=(c_void_p,))
    return take_blob(pointer.value)


@functools.cache
def _library() -> Any:
    spec = importlib.util.find_spec("compushady")  # importing it would open Vulkan
    places = [] if spec is None else spec.submodule_search_locations or []
    found = [path for place in places for path in Path(place).glob("backends/libdxcompiler*.so")]
    if not found:
        raise DeviceError("hlsl: got no package compushady-lrtu, need its DXC to check; there is "
                          'none but for Linux on x86-64. Run: pip install "neuralshade[check]"'
                          )  # fmt: skip
    library = ctypes.CDLL(str(found[0]))
    library.DxcCreateInstance.argtypes = (c_char_p, c_char_p, c_void_p)
    return library
