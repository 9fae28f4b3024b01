"""cli: the page that `neuralshade devices` prints."""

import json

import pytest

import neuralshade

NAMES = ("half", "bfloat16", "atomic_float", "atomic_int64", "wave_ops", "cooperative_vector",
         "cooperative_matrix", "cooperative_matrix2")  # fmt: skip
LONG = "AMD Radeon [RX 7900] Laptop GPU with a long name (RADV NAVI31)"


def adapter(name="NVIDIA H200", api="vulkan", **other):
    row = {"name": name, "api": api, "software": False, "error": None, "profile": "spirv_1_6",
           "multiprocessors": 132, "subgroup_size": [32, 64],
           "features": dict.fromkeys(NAMES, True),
           "training": "matrix", "inference": "vector"}  # fmt: skip
    return row | other


@pytest.fixture
def printed(run, monkeypatch):
    """Give a function that prints a machine with these adapters, and returns the lines."""

    def printed(*adapters, hint=None, cuda=None):
        gpu = {"name": "cuda:0", "description": "NVIDIA GeForce RTX 4090 Laptop GPU",
               "api": "cuda", "version": "12.9", "memory_bytes": 140 * 2**30,
               "precision": "bfloat16"}  # fmt: skip
        auto = {"engine": "torch", "device": "cpu", "reason": "no adapter answers"}
        found = {"adapters": list(adapters), "torch": [gpu], "auto": auto, "slangpy": None,
                 "cuda": cuda, "hint": hint}  # fmt: skip
        monkeypatch.setattr(neuralshade, "devices", lambda: found)
        done = run("devices")
        assert (done.code, done.err) == (0, [])
        return [line.rstrip() for line in done.out]

    return printed


def test_help(run):
    text = " ".join(run("devices", "--help").out)
    assert text.startswith("Usage: neuralshade devices [OPTIONS] ")
    assert "--json" in text and "CUDA, Vulkan, Metal and D3D12" in text


def test_json_is_what_the_function_returns(run):
    done = run("devices", "--json")
    assert (done.code, done.err, len(done.out)) == (0, [], 1)
    assert json.loads(done.out[0]) == neuralshade.devices()


@pytest.mark.slow
def test_this_machine_ends_with_what_auto_takes(run):
    done = run("devices")
    auto = neuralshade.devices()["auto"]
    taken = "PyTorch on the CPU" if auto["engine"] == "torch" else f"GPU engine on {auto['device']}"
    assert done.code == 0
    assert f"{taken}: {auto['reason']}." in done.out[-1]
    assert any(line.startswith("cpu ") for line in done.out)


def test_the_tables(printed):
    lines = printed(adapter(), adapter("[dim]llvmpipe", software=True, training="fma",
                                       inference="fma", subgroup_size=[8, 8],
                                       multiprocessors=None,
                                       features=dict.fromkeys(NAMES, False)))  # fmt: skip
    words = [line.split() for line in lines]
    assert words[0] == ["#", "adapter", "API", "kind", "training", "inference"]
    assert lines[1].split("  ") == ["1", "NVIDIA H200", "", "vulkan", "hardware",
                                    "matrix products", "cooperative vectors"]  # fmt: skip
    assert words[2] == ["2", "[dim]llvmpipe", "vulkan", "software", "FMA", "loops", "FMA", "loops"]
    assert words[6] == ["1", "spirv_1_6", "132", "32-64", *["yes"] * 8]
    assert words[7] == ["2", "spirv_1_6", "-", "8", *["-"] * 8]
    assert words[9] == ["torch", "device", "description", "API", "memory", "precision"]
    assert lines[10].split("  ")[-4:] == [
        "NVIDIA GeForce RTX 4090 Laptop GPU",
        "cuda 12.9",
        "140.0 GiB",
        "bfloat16",
    ]
    assert lines[-1] == "--engine auto takes PyTorch on the CPU: no adapter answers."


def test_the_tables_fit_100_columns(printed):
    lines = printed(*[adapter(LONG)] * 16, adapter("Q" * 60, software=True))
    assert max(map(len, lines)) <= 100
    text = "\n".join(lines)
    assert text.isascii() and text.count("matrix products") == 17
    assert "[RX 7900]" in text and text.count("Q") == 60


def test_an_adapter_that_does_not_open(printed):
    nothing = dict.fromkeys(
        ("profile", "multiprocessors", "subgroup_size", "features", "training", "inference")
    )
    reason = f"device: got Old card [x], which SlangPy refuses, need {'a newer driver, ' * 9}."
    lines = printed(adapter(error=reason, **nothing))
    assert lines[1].split() == ["1", "NVIDIA", "H200", "vulkan", "hardware", "does", "not", "open",
                                "-"]  # fmt: skip
    assert lines[3] == f"1: {reason}"
    assert not any("bfloat16" in line and "half" in line for line in lines)


def test_the_hint_is_one_line(printed):
    hint = 'device: got no slangpy, need it for Slang kernels. Run: pip install "neuralshade[gpu]"'
    missing = "device: got no CUDA device (none), need an NVIDIA GPU and its driver. Use vulkan."
    lines = printed(hint=hint, cuda=missing)
    assert lines[0].startswith("torch device")
    assert lines[-3:-1] == [hint, missing]
