"""speed/bench: the quick form on this machine, and what it says of machines of other kinds."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade.gpu.clock import Patience
from neuralshade.gpu.device import AdapterInfo
from neuralshade.kinds.image import bench_networks as image_networks
from neuralshade.kinds.image.bench_networks import BenchNetwork, BenchPicture
from neuralshade.speed import gpu_memory
from neuralshade.speed.bench import QUICK, SOFTWARE
from neuralshade.speed.torch_twin import LONGEST_STEP, torch_twin

KEYS = {
    "adapter": ["name", "api", "software"],
    "torch": ["device", "description", "same_gpu", "version"],
    "training": ["network", "about", "batch", "kernels", "step_us", "samples_per_second", "torch",
                 "ratio", "flops_per_sample", "bytes_per_step", "product_share", "memory_share",
                 "limit", "skipped_steps"],
    "epoch": ["network", "steps", "batch", "epochs", "milliseconds", "torch", "ratio"],
    "inference": ["network", "batch", "kernels", "samples_per_second", "torch", "ratio"],
    "host": ["network", "batch", "wall_us", "gpu_us", "host_us", "submit_us", "record_us"],
    "memory": ["network", "batch", "bytes", "opening_bytes", "source"],
}  # fmt: skip
ORDER = ["adapter", "torch", "quick", "notes", "ceilings", "training", "epoch", "inference",
         "host", "memory"]  # fmt: skip
BATCHES, SOFTWARE_BATCHES = (2**10, 2**12), (2**6, 2**8)
ONCE = Patience(0.0, 1)


# the first row is the quick test: the form is the same for each network, whose kernels differ
ALL = pytest.param(("A24", "A12", "B", "C"), marks=pytest.mark.slow, id="all")
SMALL = BenchNetwork("affine", "", {"encoding": "identity", "hidden_layers": 0,
                                    "hidden_width": 8})  # fmt: skip


@pytest.fixture(scope="module", params=[pytest.param(("affine",), id="one"), ALL])
def networks(request):
    """Give the names of the networks that are measured."""
    return list(request.param)


@pytest.fixture(scope="module")
def found(gpu, networks):
    """Give what the quick form measures here, and the stages that it told.

    In software with fewer samples, which take as long as all else.
    """
    stages, place, every = [], "neuralshade.speed.bench", image_networks.bench_networks

    def chosen(software):
        found = [*every(software=software), SMALL]
        return [network for network in found if network.name in networks]

    with pytest.MonkeyPatch.context() as patch:
        if gpu.adapter.software:
            few = replace(SOFTWARE, batches=SOFTWARE_BATCHES, inference_batch=2**8)
            patch.setattr(f"{place}.SOFTWARE", few)
            patch.setattr(f"{place}.EPOCH_BATCH", 2**6)
        patch.setattr(image_networks, "bench_networks", chosen)
        return neuralshade.bench(quick=True, device=gpu.api, observer=stages.append), stages


def test_keys_are_stable(found):
    result, _ = found
    assert list(result) == ORDER
    for section, keys in KEYS.items():
        rows = result[section] if isinstance(result[section], list) else [result[section]]
        assert [list(row) for row in rows] == [keys] * len(rows)
    assert json.loads(json.dumps(result)) == result


def test_every_number_is_positive(found):
    result, _ = found
    rows = [
        row for section in ("training", "epoch", "inference", "host") for row in result[section]
    ]
    for row in rows:
        numbers = {k: v for k, v in row.items() if isinstance(v, (int, float))}
        assert numbers.pop("skipped_steps", 0) >= 0
        assert all(math.isfinite(v) and v > 0 for v in numbers.values()), row
    assert result["memory"]["bytes"] > 0


def test_every_network_has_every_row(found, gpu, networks):
    result, stages = found
    batches = SOFTWARE_BATCHES if gpu.adapter.software else BATCHES
    rows = [(row["network"], row["batch"]) for row in result["training"]]
    assert rows == [(name, batch) for name in networks for batch in batches]
    for section in ("epoch", "inference", "host"):
        assert [row["network"] for row in result[section]] == networks
    assert stages[0] == "memory"
    assert f"training {networks[-1]}, {batches[-1]:,} samples a step" in stages


def test_software_measures_the_batches_of_the_quick_form():
    assert SOFTWARE.batches == QUICK.batches == BATCHES


def test_times_and_rates_agree(found):
    for row in found[0]["training"]:
        assert row["samples_per_second"] == pytest.approx(row["batch"] / row["step_us"] * 1e6)
    for row in found[0]["epoch"]:
        assert row["ratio"] == pytest.approx(row["torch"] / row["milliseconds"])
    for row in found[0]["training"] + found[0]["inference"]:
        assert row["ratio"] == pytest.approx(row["samples_per_second"] / row["torch"])
    for row in found[0]["host"]:
        assert row["gpu_us"] < row["wall_us"]


def test_small_measurements_say_so(found, gpu):
    result, _ = found
    assert result["quick"]
    name = gpu.name
    if result["adapter"]["software"]:
        assert result["notes"] == [
            f"{name} is software: batches, repetitions and network C are small, and nothing here "
            "tells how fast a GPU is",
            "PyTorch sees no such GPU: it runs on the CPU, and no ceilings of the GPU were "
            "measured",
        ]
        assert (result["torch"]["device"], result["ceilings"]) == ("cpu", None)
        assert result["memory"]["source"] == "sum of buffer sizes"
    else:
        assert result["notes"][0].startswith("--quick: ")


def test_another_device_is_refused(same_message):
    with pytest.raises(neuralshade.ConfigError) as caught:
        neuralshade.bench(device="cpu")
    same_message(str(caught.value), "device", "Use")


def test_other_kernels_are_refused_before_anything_is_measured(device, same_message):
    stages = []
    with pytest.raises(neuralshade.ConfigError) as caught:
        neuralshade.bench(quick=True, kernels="tensor", observer=stages.append)
    same_message(str(caught.value), "kernels", "--kernels")
    assert stages == ["memory"]


@pytest.mark.parametrize("adapter, seen, expected", [
    ("NVIDIA H200", ["NVIDIA A2", "NVIDIA H200"], "cuda:1"),
    ("AMD Radeon RX 7900 XTX (RADV NAVI31)", ["AMD Radeon RX 7900 XTX"], "cuda:0"),
    ("Intel Arc A770", ["NVIDIA H200"], "cpu"),
])  # fmt: skip
def test_torch_runs_on_the_gpu_of_that_name(monkeypatch, timed, adapter, seen, expected):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(seen))
    monkeypatch.setattr(torch.cuda, "get_device_name", seen.__getitem__)
    twin = torch_twin(AdapterInfo(adapter, "vulkan", False, ()), timed, ONCE)
    assert (str(twin.device), twin.same_gpu) == (expected, expected != "cpu")


@pytest.fixture
def timed():
    return BenchPicture(software=True)


@pytest.fixture
def twin(timed):
    return torch_twin(AdapterInfo("llvmpipe", "vulkan", True, ()), timed, ONCE)


def test_a_step_that_would_take_too_long_is_left_out(twin):
    assert twin.step_seconds(SMALL, 8, LONGEST_STEP / 8) > 0.0
    assert twin.step_seconds(SMALL, 8, 1.01 * LONGEST_STEP / 8) is None


def test_what_does_not_fit_torch_s_memory_is_left_out(twin, timed, monkeypatch):
    def refuse(*arguments):
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(timed, "torch_trainer", refuse)
    assert twin.step_seconds(SMALL, 8, 0.0) is None
    assert twin.inference_seconds(SMALL, 8, np.zeros((1, 2), np.float32)) is None


def test_memory_is_asked_of_nvidia_smi_by_name(monkeypatch, tmp_path):
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 'NVIDIA A2, 7'\necho 'NVIDIA H200, 512'\n")
    tool.chmod(0o755)
    monkeypatch.setattr(gpu_memory, "NVIDIA_SMI", [str(tool)])
    cpu = torch.device("cpu")
    assert gpu_memory.used_bytes(cpu, "NVIDIA H200") == (512 * 2**20, "nvidia-smi")
    assert gpu_memory.used_bytes(cpu, "NVIDIA H100") is None
    monkeypatch.setattr(gpu_memory, "NVIDIA_SMI", [str(tmp_path / "absent")])
    assert gpu_memory.used_bytes(cpu, "NVIDIA H200") is None
