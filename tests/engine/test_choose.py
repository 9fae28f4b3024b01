"""engine/choose: what is taken, and every refusal word for word."""

import pytest
import torch

from neuralshade.engine.choose import (
    PRECISIONS,
    choose_device,
    choose_engine,
    choose_precision,
    torch_devices,
)
from neuralshade.errors import ConfigError, DeviceError


@pytest.mark.parametrize("name", ["auto", "torch"])
def test_both_names_mean_pytorch(name):
    assert choose_engine(name) == "torch"


@pytest.mark.parametrize("name, remedy", [
    ("cuda", "Use --engine auto."),
    ("cpu", "Use --engine auto."),  # near to gpu, which this version has not
    ("Torch", "Did you mean torch?"),
    ("", "Use --engine auto."),
])  # fmt: skip
def test_an_unknown_engine_is_refused(name, remedy):
    with pytest.raises(ConfigError) as caught:
        choose_engine(name)
    assert str(caught.value) == (
        f"engine: got '{name}', need one of ['auto', 'torch', 'gpu']. {remedy}"
    )


def test_the_gpu_engine_is_refused_until_it_exists():
    with pytest.raises(DeviceError) as caught:
        choose_engine("gpu")
    assert str(caught.value) == (
        'engine: got "gpu", need "auto" or "torch": this version of neuralshade has no GPU '
        "engine yet. Use --engine torch."
    )


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


@pytest.mark.parametrize("fast", [True, False])
def test_auto_takes_bfloat16_only_where_the_cpu_has_it(fast, monkeypatch):
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: fast)
    wanted = torch.bfloat16 if fast else torch.float32
    assert choose_precision("auto", torch.device("cpu")) == wanted
