"""NVRTC compiler: CUDA text to machine code."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from neuralshade.errors import DeviceError, KernelError
from neuralshade.gpu.cuda_packages import REMEDY, nvrtc, nvrtc_version
from neuralshade.gpu.cuda_prelude import own_text

LETTERED = (9, 0)  # the first compute capability with architecture-specific instructions
HALVES = "__half"  # in the text, without Slang's prelude, where it needs cuda_fp16.h
OPTIONS = ("--std=c++17", "--disable-warnings")  # Slang's own prelude has dozens of warnings
SERIALIZED = "Potential Performance Loss"  # what NVRTC says where products wait for each other
FAST_COMPILE = "--Ofast-compile=min"  # without unrolling, and without what costs most of the rest


@dataclass(frozen=True)
class MachineCode:
    """Output of NVRTC."""

    cubin: bytes  # for launching
    ptx: bytes  # the text before assembly
    remark: str  # where Hopper's matrix products wait for each other, why; mostly empty


def compile_cuda(
    code: str, architecture: str, *, fast_math: bool = False, options: Sequence[str] = ()
) -> MachineCode:
    """Return ``code`` as machine code for ``architecture``, such as sm_90a.

    Args:
        code: text of CUDA C++.
        architecture: as NVRTC names it.
        fast_math: as in ``Gpu.kernel``.
        options: further arguments of NVRTC.

    Raises: KernelError with NVRTC's whole log; DeviceError where NVRTC or, for float16,
        CUDA's headers are missing.
    """
    options = [f"--gpu-architecture={architecture}", *OPTIONS, *options]
    if fast_math:
        options.append("--use_fast_math")
    if HALVES in own_text(code):
        options += ["-DSLANG_CUDA_ENABLE_HALF=1", header_option()]
    api = nvrtc()
    error, program = api.nvrtcCreateProgram(code.encode(), b"kernel.cu", 0, [], [])
    assert error == api.nvrtcResult.NVRTC_SUCCESS, error
    try:
        flags = [option.encode() for option in options]
        (error,) = api.nvrtcCompileProgram(program, len(flags), flags)
        if error != api.nvrtcResult.NVRTC_SUCCESS:
            raise KernelError("kernel: got CUDA text that does not compile, need one that does. "
                              f"NVRTC says:\n{_log(program)}")  # fmt: skip
        lines = _log(program).splitlines()
        return MachineCode(
            _output(program, api.nvrtcGetCUBINSize, api.nvrtcGetCUBIN),
            _output(program, api.nvrtcGetPTXSize, api.nvrtcGetPTX).rstrip(b"\0"),
            next((line for line in lines if SERIALIZED in line), ""),
        )
    finally:
        api.nvrtcDestroyProgram(program)


def _log(program: Any) -> str:
    said = _output(program, nvrtc().nvrtcGetProgramLogSize, nvrtc().nvrtcGetProgramLog)
    return said.rstrip(b"\0").decode(errors="replace")


def _output(program: Any, size_of: Any, get: Any) -> bytes:
    content = bytearray(size_of(program)[1])
    get(program, content)
    return bytes(content)


def architecture(capability: tuple[int, int]) -> str:
    """Return NVRTC's name of a compute capability: (8, 6) is sm_86, (9, 0) is sm_90a.

    The letter enables instructions, wgmma among them, that later GPUs lack.
    """
    major, minor = capability
    return f"sm_{major}{minor}" + ("a" if capability >= LETTERED else "")


def check_known(name: str, capability: tuple[int, int]) -> None:
    """Raise DeviceError where NVRTC does not compile for a device."""
    major, minor = capability
    _, known = nvrtc().nvrtcGetSupportedArchs()
    if 10 * major + minor not in known:
        version = ".".join(map(str, nvrtc_version()))
        remedy = "Upgrade nvidia-cuda-nvrtc" if 10 * major + minor > max(known) else "Use vulkan"
        raise DeviceError(f"device: got {name} of compute capability {major}.{minor}, need one "
                          f"that NVRTC {version} knows. {remedy}.")  # fmt: skip


def check_driver(name: str, version: int) -> None:
    """Raise DeviceError where a device's driver is too old for NVRTC's code.

    ``version``: the newest CUDA version that the driver supports: 13000 is 13.0.
    """
    need = nvrtc_version()[0]
    if version // 1000 < need:
        got = f"{version // 1000}.{version % 1000 // 10}"
        raise DeviceError(f"device: got a driver for CUDA {got} on {name}, need one for CUDA "
                          f"{need}. Update NVIDIA's driver, or use vulkan.")  # fmt: skip


@functools.cache
def header_option() -> str:
    """Return NVRTC's include option for cuda_fp16.h, from nvidia-cuda-runtime or a CUDA toolkit.

    Raises: DeviceError where neither is found.
    """
    from cuda.pathfinder import find_nvidia_header_directory

    folder = find_nvidia_header_directory("cudart")
    if folder is None:
        raise DeviceError("device: got no CUDA headers, need cuda_fp16.h to compile for CUDA. "
                          f"{REMEDY}")  # fmt: skip
    return f"--include-path={folder}"
