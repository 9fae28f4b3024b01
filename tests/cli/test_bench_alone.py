"""cli: `neuralshade bench --no-torch` does not speak of PyTorch beside it."""

from neuralshade.cli.bench_table import print_bench
from neuralshade.gpu.device import AdapterInfo
from neuralshade.speed.bench import _Bench


class Adapter:
    """Stands in for a GPU that is not opened: only its name is asked for."""

    adapter = AdapterInfo("llvmpipe", "vulkan", True, ())


def test_notes_and_heading_without_torch(capsys):
    bench = _Bench(Adapter(), "auto", True, False, lambda stage: None)
    notes = bench._notes()
    assert notes[1:] == ["no ceilings of the GPU were measured: that takes a PyTorch that sees it"]
    rows = {name: [] for name in ("training", "inference", "epoch", "host")}
    memory = {"network": "A", "bytes": 2**20, "source": "made up"}
    print_bench({"adapter": {"name": "G", "api": "vulkan"}, "torch": None, "notes": notes,
                 "memory": memory, "ceilings": None, **rows})  # fmt: skip
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "G (vulkan)"


def test_with_torch_the_notes_name_it():
    bench = _Bench(Adapter(), "auto", True, True, lambda stage: None)
    assert bench._notes()[1].startswith("PyTorch sees no such GPU")
