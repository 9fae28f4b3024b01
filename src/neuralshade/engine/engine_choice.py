"""Choice of engine, device, kernels and precision for a fit."""

from __future__ import annotations

import logging
import platform
from dataclasses import dataclass
from pathlib import Path

import torch

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.engine.kernel_path import PATH_TITLES, TrainingPath, inference_path, training_paths
from neuralshade.errors import ConfigError, DeviceError
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import APIS, open_gpu, open_hardware
from neuralshade.model.mlp import MLP

ENGINES = ("auto", "torch", "gpu")
KERNELS = ("auto", "wgmma", "matrix", "fma")
AMD = "AuthenticAMD"
PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}

log = logging.getLogger("neuralshade")


@dataclass(frozen=True)
class EngineChoice:
    """An engine with its device: a torch device, and a GPU for the GPU engine."""

    engine: str
    device: torch.device
    gpu: Gpu | None = None

    @property
    def device_name(self) -> str:
        """Return the device's name, for people."""
        return str(self.device) if self.gpu is None else self.gpu.name

    @property
    def hardware(self) -> Gpu | None:
        """Return the GPU unless it is software."""
        return self.gpu if self.gpu is not None and not self.gpu.adapter.software else None

    @property
    def on_cpu(self) -> bool:
        """Return whether steps run on a CPU, perhaps through a software GPU."""
        return self.hardware is None and self.device.type == "cpu"

    def close(self) -> None:
        """Release the GPU."""
        if self.gpu is not None:
            self.gpu.close()


def check_engine(engine: str) -> None:
    """Raise ConfigError for an unknown engine."""
    if engine not in ENGINES:
        remedy = did_you_mean(engine, ENGINES) or " Use --engine auto."
        if str(engine).partition(":")[0] in ("cpu", "cuda", "mps"):  # "cpu" is similar to "gpu"
            remedy = f" Use --engine torch --device {engine}."
        raise ConfigError(f"engine: got {engine!r}, need one of {list(ENGINES)}.{remedy}")


def check_kernels(kernels: str) -> None:
    """Raise ConfigError for unknown kernels."""
    if kernels not in KERNELS:
        remedy = did_you_mean(kernels, KERNELS) or " Use --kernels auto."
        raise ConfigError(f"kernels: got {kernels!r}, need one of {list(KERNELS)}.{remedy}")


def choose_engine(engine: str, device: str | None) -> EngineChoice:
    """Return the engine to use, with its device opened.

    'auto' takes the GPU engine where hardware answers and ``device`` is not a torch device.
    "cuda" is CUDA for the GPU engine, and for engine="torch" the torch device.

    Raises: ConfigError for another engine; DeviceError where it cannot run here.
    """
    check_engine(engine)
    graphics = device is None or device in APIS
    if engine == "gpu" and not graphics:
        raise DeviceError(f"device: got {device!r}, need {', '.join(APIS[:-1])} or {APIS[-1]}: "
                          "Slang runs on a GPU, or on software Vulkan. Leave --device "
                          "out.")  # fmt: skip
    if engine == "torch" or not graphics:
        return EngineChoice("torch", choose_device(device))
    if engine == "gpu" or device is not None:
        return EngineChoice("gpu", torch.device("cpu"), open_gpu(device or "auto"))
    gpu = open_hardware()
    if gpu is None:
        log.info("engine: PyTorch on the CPU, since no hardware GPU answers")
        return EngineChoice("torch", torch.device("cpu"))
    return EngineChoice("gpu", torch.device("cpu"), gpu)


def choose_kernels(gpu: Gpu, network: MLP, precision: str, kernels: str) -> TrainingPath:
    """Return the kernels that train ``network`` on ``gpu``: the first offered path that takes it.

    All but the loops multiply in float16. Where all of those refuse, the reason is logged, unless
    ``kernels`` forces a path.

    Raises: ConfigError for another name; DeviceError where a path is forced in vain.
    """
    from neuralshade.engine.kernel_plan import refusal_of  # imports all families of kernels

    check_kernels(kernels)
    offered = training_paths(gpu.adapter)
    if kernels != "auto":
        return _forced(gpu, network, offered, kernels)
    if precision in ("float32", "bfloat16"):
        if precision == "bfloat16":
            log.warning("precision: the GPU engine has no bfloat16, it takes float32")
        return "fma"
    refusals = {path: refusal_of(path, network) for path in offered}
    taken = next(path for path in offered if refusals[path] is None)
    if taken == "fma" and len(offered) > 1:  # the reason of the next best path
        log.warning("kernels: FMA loops instead of matrices for this network: %s",
                    refusals[offered[-2]])  # fmt: skip
    return taken


def _forced(
    gpu: Gpu, network: MLP, offered: tuple[TrainingPath, ...], kernels: str
) -> TrainingPath:
    from neuralshade.engine.kernel_plan import refusal_of

    path = next((path for path in offered if path == kernels), None)
    if path is None:
        raise DeviceError(f'kernels: got "{kernels}" on {gpu.name} through {gpu.api}, which has or '
                          f"was measured for {' and '.join(offered)} only, need one of these or "
                          "auto. Use --kernels auto.")  # fmt: skip
    refusal = refusal_of(path, network)
    if refusal is not None:
        raise DeviceError(f'kernels: got "{path}" for a network that {PATH_TITLES[path]} do not '
                          f"take ({refusal}), need auto or fma. Use --kernels auto.")  # fmt: skip
    return path


def choose_vectors(gpu: Gpu, kernels: str) -> bool:
    """Return whether cooperative vectors of ``gpu`` evaluate networks that matrices trained."""
    return kernels == "matrix" and inference_path(gpu.adapter) == "vector"


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
    """Return the names of this machine's torch devices."""
    names = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    return [*names, "mps"] if torch.backends.mps.is_available() else names


def choose_precision(name: str, device: torch.device) -> torch.dtype:
    """Return the dtype of the network's products; 'auto' takes bfloat16 where it is fast.

    On CPUs that is AMX, and AVX-512 BF16 of AMD's: Intel's without AMX reaches 60 to 75 GFLOP/s in
    it where float32 has 150 to 165 (Sapphire Rapids, one core), a Zen 5 three times as many as in
    float32. Without either bfloat16 is emulated, and float16 is not worth having at all (30 times
    slower when measured).
    """
    if name != "auto":
        return PRECISIONS[name]
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
    if device.type != "cpu":
        return torch.float32
    has_amx = torch.cpu._is_amx_tile_supported()
    is_fast = has_amx or (torch.cpu._is_avx512_bf16_supported() and AMD in cpu_description())
    return torch.bfloat16 if is_fast else torch.float32


def cpu_description() -> str:
    """Return the system's description of the CPU, with its vendor."""
    try:
        return Path("/proc/cpuinfo").read_text(errors="replace")
    except OSError:  # no Linux
        return platform.processor()
