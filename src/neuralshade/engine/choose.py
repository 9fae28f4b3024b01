"""Which engine, device and precision a fit runs with."""

import torch

from neuralshade.errors import ConfigError, DeviceError
from neuralshade.nearest import nearest

ENGINES = ("auto", "torch", "gpu")
PRESENT = ("auto", "torch")  # of these, what this version has
PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def choose_engine(name: str) -> str:
    """Return the engine to use; DeviceError where it cannot run here."""
    if name not in ENGINES:
        remedy = nearest(name, PRESENT) or " Use --engine auto."
        raise ConfigError(f"engine: got {name!r}, need one of {list(ENGINES)}.{remedy}")
    if name == "gpu":
        raise DeviceError('engine: got "gpu", need "auto" or "torch": this version of '
                          "neuralshade has no GPU engine yet. Use --engine torch.")  # fmt: skip
    return "torch"


def choose_device(name: str | None) -> torch.device:
    """Return the torch device of that name, ready to use; the CPU where ``name`` is None."""
    try:
        device = torch.device("cpu" if name is None else name)
        torch.zeros(1, device=device).item()  # read back: devices such as meta hold no numbers
    except Exception as error:  # torch raises RuntimeError, AssertionError or NotImplementedError
        known = ", ".join(torch_devices())
        raise DeviceError(f"device: got {name!r}, need a torch device of this machine: {known}. "
                          "Use --device cpu.") from error  # fmt: skip
    return device


def torch_devices() -> list[str]:
    """Return the names of the torch devices that this machine has."""
    names = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    return [*names, "mps"] if torch.backends.mps.is_available() else names


def choose_precision(name: str, device: torch.device) -> torch.dtype:
    """Return the dtype of the network's products; 'auto' takes bfloat16 where it is fast.

    On CPUs that is AVX-512 BF16 or AMX: without them bfloat16 is emulated and slower than
    float32, and float16 is not worth having at all (30 times slower when measured).
    """
    if name != "auto":
        return PRECISIONS[name]
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
    fast = device.type == "cpu" and torch.cpu._is_avx512_bf16_supported()
    return torch.bfloat16 if fast else torch.float32
