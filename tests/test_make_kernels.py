"""scripts/make_kernels: the presets' kernels, noted without a GPU."""

import importlib.util
import pathlib
import zipfile

import pytest

from neuralshade.gpu.cuda_cache import kernel_parts
from neuralshade.gpu.cuda_compiler import architecture
from neuralshade.gpu.shipped_kernels import FOLDER, shipped_name
from neuralshade.kinds.material.gpu_engine import GpuMaterialEngine
from neuralshade.kinds.material.recipe import MaterialRecipe

pytest.importorskip("slangpy")
SCRIPT = pathlib.Path(__file__).parents[1] / "scripts/make_kernels.py"


@pytest.fixture(scope="module")
def script():
    """Give the script as a module."""
    spec = importlib.util.spec_from_file_location("make_kernels", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_default_picture_asks_for_noted_kernels_only(script, monkeypatch):
    """Of a size that the script does not have."""
    shared = script.ARCHITECTURES[9, 0]
    noted, asked = (script.NotedGpu((9, 0), shared) for _ in range(2))
    script.note_pictures(noted)
    monkeypatch.setattr(script, "PICTURES", [(700, 4.0)])
    script.note_pictures(asked)
    assert len(asked.noted) > 10
    assert asked.noted.keys() <= noted.noted.keys()
    assert "draw_pixels" in {kernel.entry for kernel in asked.noted}, "it evaluates the result"


@pytest.mark.slow
def test_a_material_asks_for_noted_kernels_and_those_of_its_graph(script, monkeypatch):
    """Of a size and a length that the script does not have."""
    shared = script.ARCHITECTURES[9, 0]
    noted, asked = (script.NotedGpu((9, 0), shared) for _ in range(2))
    monkeypatch.setattr(script, "VALUES", (1, 8))
    script.note_materials(noted)
    recipe = MaterialRecipe(size=200, steps=300)
    GpuMaterialEngine(recipe, script.NotedReference(asked, 8), asked, "auto", False)
    assert len(asked.noted) > 10
    assert asked.noted.keys() <= noted.noted.keys()


def test_archives_that_are_here_are_of_todays_sources(script):
    paths = sorted(FOLDER.glob("*.zip"))
    if not paths:
        pytest.skip("no archives: make kernels was not run")
    capabilities = {architecture(one): one for one in script.ARCHITECTURES}
    for path in paths:
        wanted = {
            shipped_name(kernel_parts(k.text, k.entry, path.stem, k.fast_math))
            for k in script.noted_kernels(capabilities[path.stem])
        }
        assert set(zipfile.ZipFile(path).namelist()) == wanted, "run: make kernels"
