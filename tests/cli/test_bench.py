"""cli: what `neuralshade bench` prints, and refuses."""

import json

import pytest

import neuralshade

TRAINING = {
    "network": "A24", "about": "6 octaves", "batch": 2**21, "kernels": "matrix",
    "step_us": 1024.0, "samples_per_second": 2.048e9, "torch": 4.1e8, "ratio": 4.995,
    "flops_per_sample": 84096, "bytes_per_step": 12_345_678, "product_share": 0.25,
    "memory_share": 0.5, "limit": "memory", "skipped_steps": 0,
}  # fmt: skip
FOUND = {
    "adapter": {"name": "GPU [red]", "api": "vulkan", "software": False},
    "torch": {"device": "cuda:0", "description": "GPU", "same_gpu": True, "version": "2.13.0"},
    "quick": False,
    "notes": ["a note"],
    "ceilings": {"half_flops": 7.9e14, "copy_bytes": 4.1e12},
    "training": [TRAINING, TRAINING | {"batch": 1024, "torch": None, "ratio": None, "limit": None}],
    "epoch": [{"network": "B", "steps": 128, "batch": 1024, "epochs": 100, "milliseconds": 1.5,
               "torch": None, "ratio": None}],
    "inference": [{"network": "C", "batch": 4194304, "kernels": "vector",
                   "samples_per_second": 999_400.0,
                   "torch": 2e6, "ratio": 0.4997}],
    "host": [{"network": "C", "batch": 1024, "wall_us": 120.0, "gpu_us": 100.0, "host_us": 20.0,
              "submit_us": 15.0, "record_us": 7.25}],
    "memory": {"network": "A24", "batch": 2**21, "bytes": 3 * 2**20, "opening_bytes": 1,
               "source": "nvidia-smi"},
}  # fmt: skip


@pytest.fixture
def asked(monkeypatch):
    """Replace the measuring by FOUND; give the list of what it was asked."""
    asked = []

    def bench(*, observer, **settings):
        observer("stage")
        asked.append(settings)
        return FOUND

    monkeypatch.setattr(neuralshade, "bench", bench)
    return asked


def test_json_is_what_the_function_returns(run, asked):
    done = run("bench", "--json", "--quick", "--device", "vulkan", "--kernels", "fma", "--no-torch")
    assert (done.code, done.err, len(done.out)) == (0, [], 1)
    assert json.loads(done.out[0]) == FOUND
    assert asked == [{"quick": True, "device": "vulkan", "kernels": "fma", "torch": False}]


def test_tables(run, asked):
    done = run("bench")
    assert (done.code, done.err) == (0, [])
    assert asked == [{"quick": False, "device": None, "kernels": "auto", "torch": True}]
    lines = [" ".join(line.split()) for line in done.out]
    assert lines == [
        "GPU [red] (vulkan), beside PyTorch 2.13.0 on cuda:0",
        "a note",
        "A24: 6 octaves",
        "",
        "training batch kernels step samples/s PyTorch ratio flop/sample MB/step of ceiling",
        "A24 2,097,152 matrix 1024.0 us 2.05 G 410 M 5 x 84,096 12.35 50.0 % memory",
        "A24 1,024 matrix 1024.0 us 2.05 G - - 84,096 12.35 -",
        "",
        "inference batch kernels samples/s PyTorch ratio",
        "C 4,194,304 vector 999 k 2 M 0.5 x",
        "",
        "epoch steps batch wall PyTorch ratio",
        "B 128 1,024 1.50 ms - -",
        "",
        "one step alone batch wall GPU rest submitted among many",
        "C 1,024 120.0 us 100.0 us 20.0 us 15.0 us 7.2 us",
        "",
        "memory of a fit of A24: 3.0 MiB (nvidia-smi)",
        "ceilings measured here: 790 TFLOP/s of a float16 product, 4100 GB/s of a copy",
    ]


def test_another_device_is_refused(refused, same_message):
    same_message(refused("bench", "--device", "cpu", code=2), "device", "Use")
