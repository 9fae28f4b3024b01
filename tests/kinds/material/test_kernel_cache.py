"""kinds/material/build: a second fit of a material runs neither Slang nor NVRTC for its graph.

Both are stood in for.
"""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from fixtures.small_material import paint_reference

from neuralshade.gpu import cuda_cache
from neuralshade.gpu.cuda_cache import build_kernel
from neuralshade.gpu.cuda_compiler import FAST_COMPILE, MachineCode
from neuralshade.gpu.slang_export import Exported
from neuralshade.kinds.material import build as material_build
from neuralshade.kinds.material.build import prepare_reference
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels

SLANG, NVRTC = 5, 5  # runs for the kernels of one material


class Begun:
    """Stands for a GPU: notes the kernels that are begun, in order."""

    def __init__(self):
        self.kernels = []

    def buffer(self, values=None, *, size=0):
        return None

    def prepare(self, kernels):
        self.kernels.extend(kernels)


@pytest.fixture
def runs(monkeypatch, tmp_path):
    """Give what was compiled, with an empty cache and Slang files of its own to digest."""
    pytest.importorskip("slangpy")
    slang, nvrtc = [], []

    def exported(text, entry, **options):
        slang.append(entry)
        facts = {"entryPoints": [{"threadGroupSize": [64, 1, 1]}], "parameters": []}
        return Exported(f'extern "C" __global__ void {entry}()\n', facts)

    def compiled(code, architecture, *, fast_math, options):
        nvrtc.append(tuple(options))
        return MachineCode(f"{len(nvrtc)}".encode(), b"", "")

    (tmp_path / "cache").mkdir()
    (tmp_path / "sources" / "neuralshade" / "gpu").mkdir(parents=True)
    monkeypatch.setattr(material_build, "core_count", lambda: 16)
    monkeypatch.setattr(cuda_cache, "export_slang", exported)
    monkeypatch.setattr(cuda_cache, "compile_cuda", compiled)
    monkeypatch.setattr(cuda_cache, "nvrtc_version", lambda: (13, 0))
    monkeypatch.setattr(cuda_cache, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(cuda_cache, "SOURCE_FOLDER", tmp_path / "sources")
    monkeypatch.setattr("platformdirs.user_state_dir", lambda name: str(tmp_path / name))
    forget()
    yield slang, nvrtc
    forget()


def forget():
    """Let the digest of Slang files be taken anew, as by another process."""
    cuda_cache._digest_here.cache_clear()
    cuda_cache._marked_here.cache_clear()


def build(reference):
    """Build the kernels that a fit of ``reference`` begins with; return their code."""
    gpu, recipe = Begun(), MaterialRecipe(size=16, steps=8)
    prepare_reference(SimpleNamespace(gpu=gpu), ReferenceKernels(gpu, reference), recipe)
    return [build_kernel(kernel.text, kernel.entry, "sm_90a", fast_math=kernel.fast_math,
                         folder=kernel.folder).cubin for kernel in gpu.kernels]  # fmt: skip


def test_a_second_fit_compiles_nothing_and_one_of_another_graph_everything(runs, tmp_path):
    slang, nvrtc = runs
    material = paint_reference()
    first = build(material)
    assert (len(slang), len(nvrtc), len(set(first))) == (SLANG, NVRTC, NVRTC)
    assert nvrtc == 3 * [(FAST_COMPILE,)] + 2 * [()]
    assert build(material) == first and (len(slang), len(nvrtc)) == (SLANG, NVRTC)

    other = build(replace(material, text=material.text + "// another\n"))
    assert not set(other) & set(first) and (len(slang), len(nvrtc)) == (2 * SLANG, 2 * NVRTC)
    assert build(material) == first and len(slang) == 2 * SLANG

    # a Slang file of this package, which any text may import
    (tmp_path / "sources" / "neuralshade" / "gpu" / "random.slang").write_text("// changed\n")
    forget()
    assert not set(build(material)) & set(first)
    assert (len(slang), len(nvrtc)) == (3 * SLANG, 3 * NVRTC)


def test_a_changed_file_beside_a_material_s_own_text_voids_its_kernels(runs, tmp_path):
    slang, nvrtc = runs
    beside = tmp_path / "material"
    beside.mkdir()
    material = replace(paint_reference(), folder=beside)
    first = build(material)
    assert build(material) == first and len(slang) == SLANG
    (beside / "noise.slang").write_text("float noise() { return 1.0f; }\n")
    assert not set(build(material)) & set(first)
    assert (len(slang), len(nvrtc)) == (2 * SLANG, 2 * NVRTC)
