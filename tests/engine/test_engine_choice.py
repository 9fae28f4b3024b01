"""engine/engine_choice: what is taken, and every refusal word for word."""

from types import SimpleNamespace

import pytest
import torch

from neuralshade.engine import engine_choice
from neuralshade.engine.engine_choice import (
    PRECISIONS,
    choose_device,
    choose_engine,
    choose_kernels,
    choose_precision,
    torch_devices,
)
from neuralshade.engine.kernels.matrix.matrix import fits_matrices
from neuralshade.errors import ConfigError, DeviceError
from neuralshade.gpu.device import NVIDIA_VENDOR_ID, AdapterInfo
from neuralshade.model.mlp import MLP


@pytest.mark.parametrize("engine, device", [("torch", None), ("torch", "cpu"), ("auto", "cpu")])
def test_pytorch_is_taken(engine, device):
    chosen = choose_engine(engine, device)
    assert (chosen.engine, chosen.device_name, chosen.gpu) == ("torch", "cpu", None)


def test_auto_takes_pytorch_where_no_hardware_answers_and_says_so(monkeypatch, caplog):
    monkeypatch.setattr("neuralshade.engine.engine_choice.open_hardware", lambda: None)
    caplog.set_level("INFO", "neuralshade")
    assert choose_engine("auto", None).engine == "torch"
    assert caplog.messages == ["engine: PyTorch on the CPU, since no hardware GPU answers"]


@pytest.mark.gpu
def test_auto_takes_hardware():
    chosen = choose_engine("auto", None)
    chosen.gpu.close()
    assert chosen.engine == "gpu"


def test_the_gpu_engine_takes_what_answers(gpu):
    chosen = choose_engine("gpu", gpu.api)
    assert (chosen.device_name, chosen.gpu.api) == (gpu.name, gpu.api)
    chosen.gpu.close()


@pytest.mark.parametrize("name, remedy", [
    ("cuda:1", "Use --engine torch --device cuda:1."),
    ("cpu", "Use --engine torch --device cpu."),
    ("gppu", "Did you mean gpu?"),
    ("Torch", "Did you mean torch?"),
    ("", "Use --engine auto."),
])  # fmt: skip
def test_an_unknown_engine_is_refused(name, remedy):
    with pytest.raises(ConfigError) as caught:
        choose_engine(name, None)
    assert str(caught.value) == (
        f"engine: got '{name}', need one of ['auto', 'torch', 'gpu']. {remedy}"
    )


def test_the_gpu_engine_runs_on_no_torch_device(same_message):
    with pytest.raises(DeviceError) as caught:
        choose_engine("gpu", "cuda:0")
    same_message(str(caught.value), "device", "--device")


@pytest.fixture
def network(rng):
    return MLP(12, 3, 2, 32, rng=rng)


def offering(api, capability=(0, 0), features=()):
    """Return what stands for a GPU that is asked what it offers."""
    adapter = AdapterInfo("RTX", api, False, features, NVIDIA_VENDOR_ID, capability=capability)
    return SimpleNamespace(name="RTX", api=api, adapter=adapter)


HOPPER, AMPERE = offering("cuda", (9, 0)), offering("cuda", (8, 6))
COOPERATIVE = offering("vulkan", features=("cooperative_matrix",))


@pytest.mark.parametrize("gpu, width, taken", [
    (HOPPER, 64, "wgmma"), (HOPPER, 32, "matrix"), (HOPPER, 256, "fma"),
    (AMPERE, 64, "matrix"), (COOPERATIVE, 64, "matrix"), (offering("vulkan"), 64, "fma"),
])  # fmt: skip
def test_auto_takes_the_first_path_that_takes_the_network(gpu, width, taken, rng, caplog):
    assert choose_kernels(gpu, MLP(12, 3, 2, width, rng=rng), "auto", "auto") == taken
    assert caplog.messages == (width == 256) * [
        "kernels: FMA loops instead of matrices for this network: "
        "its hidden layers are 256 wide, not 16 to 128"
    ]


@pytest.mark.parametrize("gpu, kernels", [(HOPPER, "matrix"), (HOPPER, "fma"), (AMPERE, "fma")])
def test_a_path_that_is_forced_is_taken(gpu, kernels, network):
    assert choose_kernels(gpu, network, "auto", kernels) == kernels


@pytest.mark.parametrize("gpu, kernels, offered", [
    (AMPERE, "wgmma", "matrix and fma"), (offering("vulkan"), "matrix", "fma"),
])  # fmt: skip
def test_what_the_adapter_has_not_is_refused(gpu, kernels, offered, network):
    with pytest.raises(DeviceError) as caught:
        choose_kernels(gpu, network, "auto", kernels)
    assert str(caught.value) == (
        f'kernels: got "{kernels}" on RTX through {gpu.api}, which has or was measured for '
        f"{offered} only, need one of these or auto. Use --kernels auto."
    )


@pytest.mark.parametrize("kernels, title, reason", [
    ("wgmma", "warpgroup products", "its hidden layers are 32 wide, not 49 to 64"),
    ("matrix", "matrix products", "it has 17 outputs, more than 16"),
])  # fmt: skip
def test_what_forced_kernels_do_not_take_is_refused(kernels, title, reason, rng):
    network = MLP(12, 17, 2, 32, rng=rng)
    with pytest.raises(DeviceError) as caught:
        choose_kernels(HOPPER, network, "auto", kernels)
    assert str(caught.value) == (
        f'kernels: got "{kernels}" for a network that {title} do not take ({reason}), '
        "need auto or fma. Use --kernels auto."
    )


def test_unknown_kernels_are_refused(network, same_message):
    with pytest.raises(ConfigError) as caught:
        choose_kernels(HOPPER, network, "auto", "matrixx")
    same_message(str(caught.value), "kernels", "matrix?")


@pytest.mark.parametrize("precision, notes", [
    ("float32", []),
    ("bfloat16", ["precision: the GPU engine has no bfloat16, it takes float32"]),
])  # fmt: skip
def test_precision_beyond_half_takes_the_loops(network, precision, notes, caplog):
    assert choose_kernels(HOPPER, network, precision, "auto") == "fma"
    assert caplog.messages == notes


@pytest.mark.parametrize("inputs, outputs, layers, width, refusal", [
    (128, 16, 8, 128, None),
    (12, 3, 0, 64, None),
    (12, 3, 2, 40, None),
    (129, 3, 2, 64, "its input is 129 wide, beyond 128"),
    (12, 3, 2, 8, "its hidden layers are 8 wide, not 16 to 128"),
    (12, 3, 2, 256, "its hidden layers are 256 wide, not 16 to 128"),
    (12, 17, 2, 64, "it has 17 outputs, more than 16"),
])  # fmt: skip
def test_what_matrices_take(inputs, outputs, layers, width, refusal, rng):
    assert fits_matrices(MLP(inputs, outputs, layers, width, rng=rng)) == refusal


@pytest.mark.parametrize("name", [None, "cpu"])
def test_the_cpu_is_there(name):
    assert choose_device(name) == torch.device("cpu")
    assert "cpu" in torch_devices()


@pytest.mark.parametrize("name", ["nope", "cuda:99", "cpu cpu", "meta", ""])
def test_a_device_that_cannot_be_used_is_refused(name):
    """'meta' is a torch device, but tensors on it hold no numbers."""
    with pytest.raises(DeviceError) as caught:
        choose_device(name)
    assert str(caught.value) == (
        f"device: got '{name}', need a torch device of this machine: {', '.join(torch_devices())}. "
        "Use --device cpu."
    )


@pytest.mark.parametrize("name", PRECISIONS)
def test_a_named_precision_is_taken_as_it_is(name):
    assert choose_precision(name, torch.device("cpu")) == getattr(torch, name)


@pytest.mark.parametrize("has_bf16, has_amx, words, fast", [
    (True, False, "vendor_id : AuthenticAMD", True),
    (True, False, "AMD64 Family 26 Model 68 Stepping 0, AuthenticAMD", True),  # as Windows says
    (True, False, "vendor_id : GenuineIntel", False),  # half as fast there as float32
    (True, True, "vendor_id : GenuineIntel", True),
    (False, False, "vendor_id : AuthenticAMD", False),
])  # fmt: skip
def test_auto_takes_bfloat16_only_where_it_is_fast(has_bf16, has_amx, words, fast, monkeypatch):
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: has_bf16)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: has_amx)
    monkeypatch.setattr(engine_choice, "cpu_description", lambda: words)
    wanted = torch.bfloat16 if fast else torch.float32
    assert choose_precision("auto", torch.device("cpu")) == wanted


def test_a_system_without_proc_is_asked_for_its_processor(monkeypatch):
    monkeypatch.setattr(engine_choice.Path, "read_text", refuse)
    monkeypatch.setattr(
        engine_choice.platform, "processor", lambda: "Intel64 Family 6, GenuineIntel"
    )
    assert engine_choice.cpu_description() == "Intel64 Family 6, GenuineIntel"


def refuse(*_, **__):
    raise FileNotFoundError
