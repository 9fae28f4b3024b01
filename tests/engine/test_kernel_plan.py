"""engine/kernel_plan: without a GPU, the CUDA text of every kernel of a fit fits its plan.

What NVRTC makes of some of it is in test_cuda_build.py, what it computes in test_training_slang.py.
"""

import functools
import re
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fixtures.table_tasks import field_over, smooth_table

from neuralshade.engine.kernels.infer.infer import INFER_THREADS
from neuralshade.engine.kernels.step.portable import PortablePlan
from neuralshade.engine.kernels.wgmma.wgmma import WARPGROUP
from neuralshade.engine.network_trainer import NetworkTrainer
from neuralshade.errors import KernelError
from neuralshade.gpu.cuda_text import ALL_REGISTERS, CudaText, packed, patched_text
from neuralshade.gpu.device import NVIDIA_VENDOR_ID, AdapterInfo
from neuralshade.gpu.slang_export import export_slang
from neuralshade.kinds.image.bench_networks import bench_networks
from neuralshade.kinds.image.budget import resolve
from neuralshade.kinds.image.build import build_gpu_engine
from neuralshade.kinds.image.presets import preset_recipe
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.source.picture import picture_from_array

pytest.importorskip("slangpy")
MULTIPROCESSORS, SHARED_BYTES = 132, 232448  # of an H200; the bytes are those of one group
HALVES_ADDED = np.array([32.0, 64.0], np.float16)  # what choose_gradients looks for
KERNEL = re.compile(r'extern "C" __global__ void (?:__launch_bounds__\((\d+)(?:, 1)?\) )?(\w+)\(')
OPEN_SHARED = "extern __shared__"  # memory whose size the launch tells
WAVES = "frequency:octaves=3"
GRID = "dense_grid:levels=2,features=3,coarsest=3,width=9,height=5 + identity"
HASH = "hash_grid:levels=2,features=2,log2_entries=5,coarsest=2,finest=13"
CASES = [  # path, encoding, hidden layers and width, batch
    ("fma", WAVES, 0, 16, 2**12),
    ("fma", "identity", 1, 112, 2**12),
    ("fma", GRID, 2, 16, 2**12),
    ("fma", HASH, 4, 64, 2**12),
    ("matrix", WAVES, 0, 16, 2**12),
    ("matrix", GRID, 0, 16, 2**16),
    ("matrix", "identity", 1, 48, 2**14),
    ("matrix", "identity", 2, 16, 2**12),
    ("matrix", HASH, 2, 64, 2**12),
    ("matrix", "identity", 4, 16, 2**15),
    ("wgmma", "identity", 1, 64, 1),
    ("wgmma", WAVES, 2, 64, 2**15),
    ("wgmma", GRID, 2, 49, 2**20),
    ("wgmma", "one_blob:bins=32", 3, 64, 2**22),
]
# seven tiles a side, unrolled: Slang takes as long for it as for three of the others
WIDEST = ("matrix", "identity", 1, 112, 2**14)
BENCHED = [(network.settings, 2**14) for network in bench_networks(software=True)[::2]]  # A24, B


@functools.cache
def exported(text: str, entry: str) -> CudaText:
    return patched_text(export_slang(text, entry), entry)


@dataclass
class Built:
    """A kernel as it would be launched."""

    text: CudaText
    entry: str
    shared_bytes: int
    variables: dict[str, Any]


class Exporter:
    """Stands for an H200: of kernels there is the CUDA text, and what they are bound to."""

    def __init__(self) -> None:
        self.name, self.api, self.multiprocessors = "none", "cuda", MULTIPROCESSORS
        self.most_groups = 2**31 - 1
        self.adapter = AdapterInfo("none", "cuda", False, (), NVIDIA_VENDOR_ID, (32, 32),
                                   capability=(9, 0), multiprocessors=MULTIPROCESSORS,
                                   shared_bytes=SHARED_BYTES)  # fmt: skip
        self.built: list[Built] = []

    def buffer(self, values: Any = None, *, size: int = 0) -> Any:
        size = max(16, size if values is None else values.nbytes)
        numbers = np.resize(HALVES_ADDED.view(np.uint8), size)
        return SimpleNamespace(size=size, pointer=4096, read=lambda some=None: numbers[:some])

    def ring(self, dtype: Any, count: int) -> Any:
        return SimpleNamespace(buffer=self.buffer(size=4 * count))

    def kernel(self, text: str, entry: str, variables: Any, *, shared_bytes: int = 0,
               fast_math: bool = False, folder: Any = None) -> Built:  # fmt: skip
        bound = {name: getattr(value, "buffer", value) for name, value in variables.items()}
        self.built.append(Built(exported(text, entry), entry, shared_bytes, bound))
        return self.built[-1]

    def prepare(self, kernels: Any) -> None:
        self.prepared = kernels

    def occupancy(self, kernel: Built) -> int:
        return 0  # so that kernels for single steps are wanted beside those for many

    def commands(self) -> Any:
        def ignore(*_: Any) -> None:
            return None

        return SimpleNamespace(run=ignore, submit=ignore, upload=ignore)

    def reader(self, buffer: Any, size: int) -> None:
        return None

    def steps(self, dispatches: Any) -> None:
        return None


def fit(path: str, batch: int, **settings: Any) -> tuple[NetworkTrainer, list[Built]]:
    """Return a trainer, and all kernels that fitting and drawing ask for."""
    more = {"sampling": "positions", "loss": "l2", "network_bits": 16, "grid_bits": 16}
    recipe = ImageRecipe(**{**more, **settings, "batch": batch, "steps": 1})
    gpu = Exporter()
    picture = picture_from_array(np.zeros((9, 14, 3), np.uint8))
    trainer = build_gpu_engine(recipe, picture, gpu, path, False).trainer
    trainer.inference.at_positions(np.zeros((5, 2), np.float32))
    trainer.inference.picture(3, 2)
    return trainer, gpu.built


def check(trainer: NetworkTrainer, built: list[Built]) -> None:
    """Check each kernel's text, and those of ``trainer.plan`` against it."""
    threads, drawn_by = threads_of(trainer), trainer.inference.plan
    drawing = (INFER_THREADS, 0)
    if drawn_by is not None:
        drawing = (drawn_by.infer_threads, drawn_by.infer_shared_bytes)
    planned = {"train": (threads, trainer.plan.shared_bytes), "draw_positions": drawing}
    planned |= {"train_many": planned["train"], "draw_pixels": drawing}
    for kernel in built:
        check_text(kernel)
        if kernel.entry in planned:
            x, y, z = kernel.text.layout.threads
            assert (x * y * z, kernel.shared_bytes) == planned[kernel.entry], kernel.entry


def threads_of(trainer: NetworkTrainer) -> int:
    plan = trainer.plan
    return plan.tile if isinstance(plan, PortablePlan) else plan.threads


def check_text(kernel: Built) -> None:
    """Check that one kernel can be launched: names, bounds, memory, parameters."""
    code, layout = kernel.text.code, kernel.text.layout
    ((bound, name),) = KERNEL.findall(code)
    assert name == layout.entry == kernel.entry
    threads = int(np.prod(layout.threads))
    assert bound == (str(threads) if threads > ALL_REGISTERS else "")
    assert (OPEN_SHARED in code) == (kernel.shared_bytes > 0)
    assert kernel.shared_bytes <= SHARED_BYTES
    assert layout.used <= kernel.variables.keys()
    assert len(packed(layout, kernel.variables)) > 0


def expected(trainer: NetworkTrainer) -> set[str]:
    """Return the entry points that a fit has, without what tries the device."""
    names = {"train", "update_network", "round_network", "draw_positions", "draw_pixels"}
    grids = trainer.field.encoding.number_count() > 0
    if grids:
        names.add("round_cells")  # of 16 bits, so that nothing is measured
    elif not isinstance(trainer.plan, PortablePlan):
        names.add("train_many")
    return names


@pytest.mark.slow
@pytest.mark.parametrize("path, encoding, layers, width, batch", [*CASES, WIDEST])
def test_every_kernel_comes_out_as_its_plan_says(path, encoding, layers, width, batch):
    trainer, built = fit(path, batch, encoding=encoding, hidden_layers=layers, hidden_width=width)
    assert {kernel.entry for kernel in built} - {"probe"} == expected(trainer)
    check(trainer, built)
    assert trainer.inference.path == path  # what trains it evaluates it too


@pytest.mark.slow  # large networks again, by kernels that the cases have already
@pytest.mark.parametrize("settings, batch", BENCHED, ids=["A24", "B"])
def test_those_of_the_comparisons_come_out_too(settings, batch):
    trainer, built = fit("auto", batch, **settings)
    check(trainer, built)


# as many outputs as a fragment has are multiplied in test_training_slang too
SIXTEEN = pytest.param("matrix", 16, marks=pytest.mark.slow)


@pytest.mark.slow
@pytest.mark.parametrize("path, outputs", [SIXTEEN, ("wgmma", 5)])
def test_other_positions_and_outputs_come_out_too(path, outputs, rng):
    text = "dense_grid:features=2,width=5,height=4 + frequency:octaves=2"  # of (u, v, level)
    gpu, table = Exporter(), smooth_table(3, outputs, 2**12, count=16)
    trainer = table.trainer(gpu, field_over(text, 3, outputs, rng, width=64), path)
    trainer.inference.at_positions(table.at)
    check(trainer, gpu.built)
    assert trainer.inference.path == path


@pytest.mark.parametrize("path, width", [("wgmma", 64), ("matrix", 64), ("matrix", 32)])
def test_the_default_preset_has_the_same_kernels_for_any_batch(monkeypatch, path, width):
    """Else a picture of another size, which has another batch, would have to wait for them."""
    texts: list[set[tuple[str, str]]] = []
    monkeypatch.setattr(
        Exporter, "kernel", lambda _, text, entry, *__, **___: texts[-1].add((text, entry))
    )
    picture = picture_from_array(np.zeros((600, 700, 3), np.uint8))
    for batch in (2**13, 11_584, 2**14, 2**16, 2**17, 2**18):
        texts.append(set())
        own = {"steps": 1, "batch": batch, "hidden_width": width}
        recipe = resolve(preset_recipe("grid", own), picture)
        build_gpu_engine(recipe, picture, Exporter(), path, False)
    assert {"train", "update_network"} <= {entry for _, entry in texts[0]}
    assert all(others == texts[0] for others in texts)


def test_the_cases_cover_the_plans():
    seen = {(path, layers) for path, _, layers, _, _ in CASES}
    assert {layers for path, layers in seen if path == "fma"} == {0, 1, 2, 4}
    assert {layers for path, layers in seen if path == "matrix"} == {0, 1, 2, 4}
    assert {layers for path, layers in seen if path == "wgmma"} >= {1, 2, 3}
    widths = {width for _, _, _, width, _ in CASES}
    assert {16, 64, 112} <= widths


@pytest.fixture(scope="module")
def wgmma_fit() -> tuple[NetworkTrainer, list[Built]]:
    """Give one fit, whose texts CASES has too."""
    return fit("wgmma", 1, encoding="identity", hidden_layers=1, hidden_width=64)


@pytest.mark.slow
def test_three_warpgroups_are_bounded():
    """Groups have more threads than may have all registers."""
    wide = "frequency:octaves=5"
    trainer, built = fit("wgmma", 2**15, encoding=wide, hidden_layers=2, hidden_width=64)
    assert threads_of(trainer) == 3 * WARPGROUP > ALL_REGISTERS
    of = {kernel.entry: KERNEL.findall(kernel.text.code)[0][0] for kernel in built}
    assert of["train"] == of["train_many"] == str(3 * WARPGROUP)
    assert of["draw_pixels"] == of["draw_positions"] == str(4 * WARPGROUP)


def test_weights_that_a_dispatch_writes_are_not_read_as_constant(wgmma_fit):
    """Between steps of one dispatch such loads might be moved across the barriers."""
    kinds = {
        kernel.entry: re.findall(r"\b(\w+)<uint4 > network_words_0;", kernel.text.code)
        for kernel in wgmma_fit[1]
    }
    assert kinds["train_many"] == ["RWStructuredBuffer"]
    assert kinds["draw_pixels"] == ["StructuredBuffer"]


@pytest.mark.parametrize("missing", ["network_words", "many", "gate", "partial_words", "live"])
def test_what_the_text_reads_must_be_bound(wgmma_fit, missing):
    kernel = next(kernel for kernel in wgmma_fit[1] if kernel.entry == "train_many")
    variables = {name: value for name, value in kernel.variables.items() if name != missing}
    with pytest.raises(KernelError) as caught:
        packed(kernel.text.layout, variables)
    assert str(caught.value) == (
        f"train_many.{missing}: got nothing bound, need a value for it. "
        "Name it among the kernel's variables."
    )
