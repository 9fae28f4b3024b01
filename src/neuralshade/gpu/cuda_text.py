"""Fixes to the CUDA text that Slang emits, and the bytes of kernel parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from neuralshade.errors import KernelError
from neuralshade.gpu.slang_export import Exported

PARAMETERS = "SLANG_globalParams"  # the struct in constant memory that holds all parameters
COPY = "SLANG_globalParamsCopy"  # the same in device memory, for code that takes its address
DECLARATION = re.compile(rf'extern "C" __constant__ (\w+) {PARAMETERS};\n')
# Slang reads parameters as if they were in device memory. In constant memory that is an error, or
# silently reads address 0; a plain read is correct, and faster.
MISREAD = re.compile(r"(?:__ldg|slang_ldg_\d+)\(&globalParams_0->([\w.]+(?:\[[^][]+\])?)\)")
ADDRESSED = re.compile(r"&globalParams_0->")
KERNEL = re.compile(r'(extern "C" __global__ void) (\w+)\(')
# In Slang text this comment marks functions that NVRTC should not inline. By itself it would copy
# them to every call: a material of six noises then compiles in 16 s instead of 2 s, and runs half
# as fast. Slang's own [noinline] never reaches CUDA text, and slows SPIR-V down: 1,282 us, not
# 1,068 us for that material.
NOT_INLINED = re.compile(r"// CUDA: not inlined\n(?:public\s+)?[\w<>]+\s+(\w+)\(")
# How Slang numbers a group's threads. Where there is one row of them, NVRTC keeps the other two
# coordinates in registers all the same, or spills them.
THREAD = "(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x"
SETS_REGISTERS = "setmaxnreg"  # instruction by which threads hand registers to others
ALL_REGISTERS = 256  # largest group in which each thread may have the most registers
DTYPES = {
    "bool": "?", "int8": "i1", "uint8": "u1", "int16": "<i2", "uint16": "<u2", "int32": "<i4",
    "uint32": "<u4", "int64": "<i8", "uint64": "<u8", "float16": "<f2", "float32": "<f4",
    "float64": "<f8",
}  # fmt: skip
BUFFER_SHAPES = ("structuredBuffer", "byteAddressBuffer")


class Memory(Protocol):
    """An object that can be bound as a buffer."""

    @property
    def pointer(self) -> int: ...
    @property
    def size(self) -> int: ...


@dataclass(frozen=True)
class CudaLayout:
    """Launch information of a kernel besides its machine code."""

    entry: str
    parameters: list[dict[str, Any]]  # name, binding and type of each, from Slang's reflection
    threads: tuple[int, int, int]  # of a group
    used: frozenset[str]  # names of the parameters that the text reads
    copies: bool  # whether they are needed in device memory, too

    def facts(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {**vars(self), "threads": list(self.threads), "used": sorted(self.used)}

    @staticmethod
    def from_facts(facts: dict[str, Any]) -> CudaLayout:
        """Inverse of ``facts``."""
        x, y, z = facts["threads"]
        return CudaLayout(**{**facts, "threads": (x, y, z), "used": frozenset(facts["used"])})


@dataclass(frozen=True)
class CudaText:
    """CUDA text of one kernel, fixed for NVRTC."""

    code: str
    layout: CudaLayout


def not_inlined(text: str) -> frozenset[str]:
    """Return the names of functions that Slang text marks as not inlined."""
    return frozenset(NOT_INLINED.findall(text))


def patched_text(exported: Exported, entry: str, apart: Iterable[str] = ()) -> CudaText:
    """Return exported text with its reads of parameters fixed.

    ``apart``: Slang names of functions that are not inlined.
    """
    code = MISREAD.sub(r"(globalParams_0->\1)", exported.code)
    copies = ADDRESSED.search(code) is not None
    if copies:  # methods of parameters take their address; their reads must not be such a misread
        code = ADDRESSED.sub(f"&{COPY}.", code)
        code = DECLARATION.sub(rf'\g<0>extern "C" __device__ \1 {COPY};\n', code)
    for name in apart:
        code = re.sub(rf"^__device__ (?=[^(\n]*\b{name}_\d+\()", r"\g<0>__noinline__ ", code,
                      flags=re.MULTILINE)  # fmt: skip
    x, y, z = exported.reflection["entryPoints"][0]["threadGroupSize"]
    kernel = KERNEL.search(code)
    if kernel is None:
        raise KernelError(f"{entry}: got CUDA text without a kernel, need one. "
                          "Mark the function as a compute shader.")  # fmt: skip
    if y == z == 1:
        code = code.replace(THREAD, "threadIdx.x")
    if x * y * z > ALL_REGISTERS:  # else a thread may use more registers than there are for it
        alone = ", 1" if SETS_REGISTERS in code else ""  # NVRTC ignores these without the 1
        code = KERNEL.sub(rf"\1 __launch_bounds__({x * y * z}{alone}) \2(", code)
    parameters = exported.reflection["parameters"]
    used = frozenset(p["name"] for p in parameters if _is_read(p["name"], code))
    # Slang renames what C++ forbids, such as main
    return CudaText(code, CudaLayout(kernel[2], parameters, (x, y, z), used, copies))


def _is_read(name: str, code: str) -> bool:
    place = rf"(?:globalParams_0->|{COPY}\.){re.escape(name)}_\d+\b"
    return re.search(place, code) is not None


def packed(layout: CudaLayout, variables: Mapping[str, Any]) -> bytes:
    """Return the bytes of the parameters.

    Args:
        variables: by name a buffer, a number, an array, or for a struct a dict of these; unknown
            names are ignored.

    Raises: KernelError where a parameter that the kernel reads is missing or has a wrong
        type.
    """
    ends = [p["binding"]["offset"] + p["binding"]["size"] for p in layout.parameters]
    raw = np.zeros(max(ends, default=0), np.uint8)
    for parameter in layout.parameters:
        name = parameter["name"]
        if name not in layout.used:
            continue
        if name not in variables:
            raise _unbound(f"{layout.entry}.{name}")
        _place(raw, parameter["binding"]["offset"], parameter["type"], variables[name], name)
    return raw.tobytes()


def _unbound(name: str) -> KernelError:
    return KernelError(f"{name}: got nothing bound, need a value for it. "
                       "Name it among the kernel's variables.")  # fmt: skip


def _place(raw: Any, offset: int, kind: dict[str, Any], value: Any, name: str) -> None:
    if kind["kind"] == "struct":
        for field in kind["fields"]:
            at = offset + field["binding"]["offset"]
            if field["name"] not in value:
                raise _unbound(f"{name}.{field['name']}")
            _place(raw, at, field["type"], value[field["name"]], f"{name}.{field['name']}")
        return
    if kind["kind"] == "array":
        for index, one in enumerate(_elements(kind, value, name)):
            _place(raw, offset + index * kind["uniformStride"], kind["elementType"], one, name)
        return
    if kind["kind"] == "resource":
        part = np.array(_buffer_words(kind, value, name), np.uint64).view(np.uint8)
    else:
        part = _numbers(kind, value, name).view(np.uint8)
    raw[offset : offset + part.size] = part


def _elements(kind: dict[str, Any], value: Any, name: str) -> Any:
    if len(value) != kind["elementCount"]:
        raise KernelError(f"{name}: got {len(value)} elements, need {kind['elementCount']}. "
                          "Pass as many as the kernel declares.")  # fmt: skip
    return value


def _numbers(kind: dict[str, Any], value: Any, name: str) -> Any:
    element = kind.get("elementType", kind)
    count = kind.get("elementCount", 1)
    if kind["kind"] not in ("scalar", "vector") or element["scalarType"] not in DTYPES:
        raise KernelError(f"{name}: got a parameter of kind {kind['kind']}, need numbers, vectors, "
                          "structs of these, or buffers. Put it into a buffer.")  # fmt: skip
    numbers = np.asarray(value).astype(DTYPES[element["scalarType"]]).reshape(-1)
    if numbers.size != count:
        raise KernelError(f"{name}: got {numbers.size} numbers, need {count}. "
                          "Pass as many as the kernel declares.")  # fmt: skip
    return numbers


def _buffer_words(kind: dict[str, Any], value: Memory, name: str) -> tuple[int, int]:
    """Return the words of a buffer parameter: its address, and its elements or bytes."""
    if kind["baseShape"] not in BUFFER_SHAPES:
        raise KernelError(f"{name}: got a {kind['baseShape']}, need a buffer on CUDA. "
                          "Use Vulkan for textures.")  # fmt: skip
    stride = element_size(kind["resultType"]) if "resultType" in kind else 1
    return value.pointer, value.size // stride


def element_size(kind: dict[str, Any]) -> int:
    """Return the bytes from one element of a buffer to the next."""
    if kind["kind"] == "struct":
        return _struct_size(kind)
    if kind["kind"] in ("vector", "array"):
        return int(kind["elementCount"]) * element_size(kind["elementType"])
    return np.dtype(DTYPES[kind["scalarType"]]).itemsize


def _struct_size(kind: dict[str, Any]) -> int:
    """Return the end of the last field, filled up to the alignment of the widest one."""
    end, align = 1, 1
    for field in kind["fields"]:
        size = element_size(field["type"])
        end = max(end, field["binding"]["offset"] + size)
        align = max(align, _alignment(field["type"]))
    return -(-end // align) * align


def _alignment(kind: dict[str, Any]) -> int:
    if kind["kind"] == "struct":
        return max(_alignment(field["type"]) for field in kind["fields"])
    if kind["kind"] == "array":
        return _alignment(kind["elementType"])
    if kind["kind"] == "vector":  # a vector of 3 aligns like a number, of 2 and 4 like the whole
        size = element_size(kind["elementType"])
        count = int(kind["elementCount"])
        return size if count == 3 else min(16, size * count)
    return element_size(kind)
