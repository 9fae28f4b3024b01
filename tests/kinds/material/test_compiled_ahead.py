"""kinds/material/gpu_engine: what a fit compiles ahead is what it asks for later."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from fixtures.small_material import paint_reference, upper_pairs

from neuralshade import FitOptions
from neuralshade.gpu.cuda_text import patched_text
from neuralshade.gpu.device import NVIDIA_VENDOR_ID, AdapterInfo
from neuralshade.gpu.gpu import QUICK, KernelText
from neuralshade.gpu.slang_export import export_slang
from neuralshade.gpu.slangpy_gpu import SlangpyGpu
from neuralshade.kinds.material import build, gpu_engine
from neuralshade.kinds.material.build import prepare_reference
from neuralshade.kinds.material.field import build_field
from neuralshade.kinds.material.fit import fit_material
from neuralshade.kinds.material.gpu_engine import GpuMaterialEngine
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels

SMALL = {"steps": 40, "size": 16, "batch": 1024, "hidden_width": 16, "sampler": 0.1}
OTHERS = ("probe", "reference_read", "reference_evaluate")  # asked for before a fit's engine is
STEPS = ["sum_network", "update_layers", "round_network", "round_latents"]


@pytest.fixture
def heard(share_device, monkeypatch):
    """Give the kernels that are prepared, and those asked for with whether they were before."""
    share_device(monkeypatch)
    monkeypatch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 16)
    begun, asked = [], []
    compiled = SlangpyGpu.kernel

    def kernel(gpu, text, entry, variables, *, shared_bytes=0, fast_math=False, folder=None):
        wanted = KernelText(text, entry, fast_math, folder)
        asked.append((wanted, wanted in begun))
        return compiled(gpu, text, entry, variables, shared_bytes=shared_bytes,
                        fast_math=fast_math, folder=folder)  # fmt: skip

    monkeypatch.setattr(SlangpyGpu, "prepare", lambda gpu, kernels: begun.extend(kernels))
    monkeypatch.setattr(SlangpyGpu, "kernel", kernel)
    return begun, asked


def names(kernels):
    """Return the entry point of each kernel that is not like one before, and what it keeps."""
    return [(k.entry, "KEEPS_VALUES = true" in k.text) for k in dict.fromkeys(kernels)]


@pytest.mark.slow
@pytest.mark.parametrize("mips, exact, encoder", [
    (0.2, False, "torch"), (0.0, True, "torch"), (0.0, False, "kernels"),
])  # fmt: skip
def test_every_kernel_of_a_fit_is_compiled_ahead(
    heard, tmp_path, monkeypatch, mips, exact, encoder
):
    """In all phases, and nothing else is."""
    begun, asked = heard
    monkeypatch.setitem(gpu_engine.ENCODER, "software", encoder)
    monkeypatch.setattr(build, "core_count", lambda: 16)
    reference = replace(paint_reference(), folder=tmp_path)
    fit_material(reference, tmp_path / "paint.nsh", mips=mips, **SMALL,
                 options=FitOptions(engine="gpu", deterministic=exact))  # fmt: skip
    assert [kernel.entry for kernel, ahead in asked if not ahead] == []
    footprints = [("draw_footprints", False)] if mips else []
    trained = [("train", False), *((entry, False) for entry in STEPS), ("update_read_out", False)]
    if encoder == "kernels":  # whose numbers are in no grid
        trained = [("draw_positions", False), *trained[:4], *trained[:4],
                   ("update_read_out", False), *trained[:-1]]  # fmt: skip
    wanted = [("reference_read", False), ("reference_evaluate", False), ("draw_samples", True),
              ("draw_samples", False), *footprints, *trained]  # fmt: skip
    assert names(begun) == wanted  # and the trainer, which prepares again, has no other text
    assert sorted(names(kernel for kernel, _ in asked)) == sorted(wanted)
    assert {kernel.folder for kernel in begun if reference.text in kernel.text} == {tmp_path}


class Hopper:
    """Stands for an H100 through CUDA: nothing is compiled, and every answer is 0."""

    def __init__(self):
        self.name, self.api, self.multiprocessors, self.most_groups = "none", "cuda", 132, 2**31 - 1
        self.adapter = AdapterInfo("none", "cuda", False, (), NVIDIA_VENDOR_ID, (32, 32),
                                   capability=(9, 0), multiprocessors=132,
                                   shared_bytes=232448)  # fmt: skip
        self.begun, self.asked = [], []

    def buffer(self, values=None, *, size=0):
        size = max(16, size if values is None else values.nbytes)
        return SimpleNamespace(size=size, read=lambda some=None: np.zeros(size, np.uint8)[:some])

    def ring(self, dtype, count):
        return SimpleNamespace(buffer=self.buffer(size=4 * count))

    def prepare(self, kernels):
        self.begun.extend(kernels)

    def kernel(self, text, entry, variables, *, shared_bytes=0, fast_math=False, folder=None):
        self.asked.append(KernelText(text, entry, fast_math, folder))

    def commands(self):
        return SimpleNamespace(upload=lambda *_: None, run=lambda *_: None, submit=lambda: None)

    def steps(self, dispatches):
        return None

    def reader(self, buffer, size):
        return None

    def occupancy(self, kernel):
        return None

    def wait(self):
        pass


@pytest.fixture
def _any_light(monkeypatch):
    """Let a decoder begin at no brightness: Hopper answers that there is no light."""
    monkeypatch.setattr(gpu_engine, "match_mean_light", lambda network, sampler: None)


@pytest.mark.slow
@pytest.mark.usefixtures("_any_light")
@pytest.mark.parametrize("kernels", ["wgmma", "matrix", "fma"])
def test_a_trainer_asks_for_what_was_compiled_ahead_of_it(kernels, monkeypatch):
    """On all products, whose texts are told before there is a map to train, or an encoder."""
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    gpu = Hopper()
    recipe = MaterialRecipe(size=16, batch=1024, hidden_width=64, steps=8)
    engine = GpuMaterialEngine(
        recipe, ReferenceKernels(gpu, paint_reference()), gpu, kernels, False
    )
    begun = set(gpu.begun)
    engine.bake()
    assert engine.path == kernels and set(gpu.begun) == begun
    asked = [kernel for kernel in gpu.asked if kernel.entry not in OTHERS]
    trains = [kernel for kernel in asked if kernel.entry == "train"]
    assert len(set(trains)) == 3  # the encoder, the decoder behind it, the map with its decoder
    assert {kernel.entry for kernel in asked} >= {"draw_positions", "draw_samples", *STEPS}
    assert set(asked) <= begun


@pytest.mark.usefixtures("_any_light")
@pytest.mark.slow  # large kernels, unrolled
@pytest.mark.parametrize("kernels", ["wgmma", "matrix", "fma"])
def test_what_trains_an_encoder_is_text_for_cuda(kernels, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    gpu = Hopper()
    recipe = MaterialRecipe(size=16, batch=1024, hidden_width=64, features=5, steps=8)
    GpuMaterialEngine(recipe, ReferenceKernels(gpu, paint_reference()), gpu, kernels, False)
    texts = {name: kernel for kernel in gpu.begun if kernel.entry == "train"
             for name in ("EncoderTask", "DecoderTask") if name in kernel.text}  # fmt: skip
    assert len(texts) == 2
    for kernel in texts.values():
        assert (
            "d_latents" in patched_text(export_slang(kernel.text, kernel.entry), kernel.entry).code
        )


@pytest.mark.usefixtures("_any_light")
@pytest.mark.parametrize("mips, wrap, cores", [
    (0.2, "repeat", 16), (0.0, "repeat", 16), (0.2, "edge", 16), (0.2, "repeat", 2),
])  # fmt: skip
def test_kernels_with_a_graph_are_begun_before_its_values_are_known(mips, wrap, cores, monkeypatch):
    """Those of a graph with a vector that is no normal, too: there are no others later."""
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    gpu, parameters = Hopper(), ("coat.x", "coat.y", "coat.z", "color.x", "color.y", "color.z")
    kernels = ReferenceKernels(gpu, replace(paint_reference(), parameters=parameters))
    recipe = MaterialRecipe(size=16, batch=1024, hidden_width=32, steps=8, mips=mips, wrap=wrap)
    monkeypatch.setattr(build, "core_count", lambda: cores)
    prepare_reference(SimpleNamespace(gpu=gpu), kernels, recipe)
    later = [("draw_samples", False), *([("draw_footprints", False)] if mips else [])]
    later = later if cores > 2 else []
    begun = list(gpu.begun)
    first = [*((entry, False) for entry in OTHERS[1:]), ("draw_samples", True)]
    assert names(begun) == [*first, *later]
    assert [QUICK in kernel.text for kernel in begun] == 3 * [True] + len(later) * [False]
    engine = GpuMaterialEngine(recipe, kernels, gpu, "auto", False)
    engine.bake()
    graphs = [kernel for kernel in gpu.begun if paint_reference().text in kernel.text]
    asked = {kernel for kernel in gpu.asked if paint_reference().text in kernel.text}
    assert asked <= set(graphs)
    if cores > 2:
        assert set(graphs) == set(begun)
    else:  # the last ones that are needed are begun last, but for those that judge
        assert names(graphs[-2:]) == [("draw_samples", False), ("draw_footprints", False)]


@pytest.mark.usefixtures("_any_light")
@pytest.mark.parametrize("levels", [1, 5])
def test_what_judges_was_compiled_ahead(levels, monkeypatch):
    """The map while it is trained, and all levels of what is stored."""
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    gpu = Hopper()
    recipe = MaterialRecipe(size=16, batch=1024, hidden_width=32, steps=8)
    engine = GpuMaterialEngine(recipe, ReferenceKernels(gpu, paint_reference()), gpu, "auto", False)
    field = build_field(recipe, 16, torch.Generator(), levels)
    beginning = len(gpu.asked)
    assert not engine.shade(field)(*upper_pairs(8)).any()
    assert [kernel.entry for kernel in gpu.asked[beginning:]] == ["draw_positions"]
    assert set(gpu.asked[beginning:]) <= set(gpu.begun)
