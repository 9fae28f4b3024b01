"""gpu/cuda_compiler, cuda_cache: every kernel of a fit becomes machine code, and is kept."""

import logging
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from neuralshade.engine.kernel_plan import choose_infer_plan
from neuralshade.engine.kernels.infer.infer import Inference
from neuralshade.engine.layout import NetworkLayout
from neuralshade.errors import DeviceError, KernelError
from neuralshade.gpu import cuda_cache, cuda_compiler, cuda_packages
from neuralshade.gpu.cuda_cache import build_kernel
from neuralshade.gpu.cuda_compiler import architecture, check_driver, check_known, compile_cuda
from neuralshade.gpu.cuda_text import packed
from neuralshade.gpu.device import NVIDIA_VENDOR_ID, AdapterInfo
from neuralshade.kinds.image.budget import resolve
from neuralshade.kinds.image.build import build_gpu_engine
from neuralshade.kinds.image.presets import preset_recipe
from neuralshade.kinds.textures.build import build_gpu_engine as build_textures
from neuralshade.kinds.textures.channels import codings_of, trained_levels
from neuralshade.kinds.textures.field import build_field as textures_field
from neuralshade.kinds.textures.gpu_decoder import GpuDecoder
from neuralshade.kinds.textures.layout import SMOOTH, with_grids
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.kinds.textures.texels import Texels
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.model.registry import build_encoding
from neuralshade.source.material_mips import mip_sizes
from neuralshade.source.material_set import MaterialMap, MaterialSet
from neuralshade.source.picture import picture_from_array

pytest.importorskip("slangpy")
try:
    cuda_packages.nvrtc()
except DeviceError as error:
    pytest.skip(str(error), allow_module_level=True)

TEXT = """
RWStructuredBuffer<half> into;

[shader("compute")]
[numthreads(32, 1, 1)]
void fill(uint3 thread : SV_DispatchThreadID)
{
    into[thread.x] = half(FACTOR * sin(float(thread.x)));
}
"""
ELF = b"\x7fELF"  # with which machine code begins


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Give an empty cache folder."""
    monkeypatch.setattr(cuda_cache, "cache_folder", lambda: tmp_path)
    return tmp_path


def text(factor="2.0f"):
    return TEXT.replace("FACTOR", factor)


class Builder:
    """Stands for a CUDA GPU of some compute capability: kernels are built, never run."""

    def __init__(self, capability):
        self.name, self.api, self.multiprocessors = "none", "cuda", 132
        self.most_groups = 2**31 - 1
        shared = 232448 if capability == (9, 0) else 101376
        self.adapter = AdapterInfo("none", "cuda", False, (), NVIDIA_VENDOR_ID, (32, 32),
                                   capability=capability, multiprocessors=132,
                                   shared_bytes=shared)  # fmt: skip
        self.built = []

    def buffer(self, values=None, *, size=0):
        size = max(16, size if values is None else values.nbytes)
        zeros = np.zeros(size, np.uint8)
        return SimpleNamespace(size=size, pointer=4096, read=lambda some=None: zeros[:some])

    def ring(self, dtype, count):
        return SimpleNamespace(buffer=self.buffer(size=4 * count))

    def kernel(self, text, entry, variables, *, shared_bytes=0, fast_math=False, folder=None):
        bound = {name: getattr(value, "buffer", value) for name, value in variables.items()}
        name = architecture(self.adapter.capability)
        built = build_kernel(text, entry, name, fast_math=fast_math, folder=folder)
        packed(built.layout, bound)  # everything that is read is there
        assert built.cubin.startswith(ELF)
        self.built.append(entry)

    def prepare(self, kernels):
        self.prepared = {kernel.entry for kernel in kernels}

    def occupancy(self, kernel):
        return 1

    def commands(self):
        return SimpleNamespace(
            run=lambda steps: None, submit=lambda: None, upload=lambda *what: None
        )

    def reader(self, buffer, size):
        return None

    def steps(self, dispatches):
        return None


@pytest.mark.parametrize("preset, kernels, capability, exact", [
    ("grid", "fma", (7, 5), False), ("lake", "fma", (9, 0), True), ("tiny-9", "fma", (8, 6), False),
])  # fmt: skip
def test_every_kernel_of_a_fit_is_built(preset, kernels, capability, exact):
    picture = picture_from_array(np.zeros((9, 14, 3), np.uint8))
    recipe = resolve(preset_recipe(preset, {"steps": 1}), picture)
    gpu = Builder(capability)
    build_gpu_engine(recipe, picture, gpu, kernels, exact)
    grids = {"grid": {"measure_grid", "sum_extents", "round_cells"}, "lake": {"round_cells"}}
    others = {"train", "update_network", "round_network"}
    assert set(gpu.built) - {"probe"} == others | grids.get(preset, set())


@pytest.mark.parametrize("build", ["set", "picture"])
def test_products_of_training_do_not_wait_for_each_other(build, cache, caplog):
    """On Hopper they do, all of a kernel, once NVRTC finds too few registers for it."""
    caplog.set_level(logging.DEBUG, "neuralshade")
    gpu = Builder((9, 0))
    if build == "set":
        build_set(gpu)
    else:
        picture = picture_from_array(np.zeros((512, 512, 3), np.uint8))
        recipe = resolve(preset_recipe("grid", {"steps": 1, "bpp": 4.0}), picture)
        build_gpu_engine(recipe, picture, gpu, "wgmma", False)
    assert "train" in gpu.built
    assert "runs slower than it could" not in caplog.text


def build_set(gpu):
    """Build the engine of a set of eight channels at the usual rate."""
    rng = np.random.default_rng(0)
    maps = [MaterialMap(name, rng.random((64, 64, count), np.float32), meaning, 8, None)
            for name, count, meaning in (("albedo", 3, "srgb"), ("emission", 3, "srgb"),
                                         ("ao", 1, "data"), ("height", 1, "data"))]  # fmt: skip
    textures = MaterialSet("set", tuple(maps))
    codings = codings_of(textures)
    texels = Texels(trained_levels(textures, codings, 7), None)
    recipe = with_grids(TexturesRecipe(network_bits=16), SMOOTH)
    build_textures(recipe, texels, codings, gpu, "wgmma", False)


@pytest.mark.parametrize("settings, width, outputs, capability, path", [
    ("identity", 64, 9, (9, 0), "wgmma"), ("identity", 32, 3, (9, 0), "matrix"),
    ("dense_grid:width=9,height=5", 32, 3, (8, 6), "matrix"),
    ("one_blob:bins=64", 48, 1, (8, 0), "matrix"), ("identity", 16, 12, (12, 0), "matrix"),
    ("identity", 8, 3, (9, 0), "fma"), ("identity", 32, 3, (7, 5), "fma"),
])  # fmt: skip
def test_every_kernel_that_evaluates_is_built(settings, width, outputs, capability, path):
    encoding = build_encoding(settings, torch.Generator())
    field = Field(encoding, MLP(encoding.width, outputs, 2, width, rng=torch.Generator()))
    gpu = Builder(capability)
    plan = choose_infer_plan(field.network, gpu)
    layout = NetworkLayout(field.network, 1 if plan is None else plan.align)
    inference = Inference(gpu, field, layout, gpu.buffer(), gpu.buffer(),
                          halves=plan is not None, vectors=False, plan=plan)  # fmt: skip
    assert inference.path == path
    inference.at_positions(np.zeros((5, 2), np.float32))
    inference.picture(3, 2)
    assert gpu.built == ["draw_positions", "draw_pixels"]


@pytest.mark.parametrize("latents", ["plain", "bc1"])
def test_every_kernel_that_decodes_a_texture_set_is_built(latents):
    recipe = TexturesRecipe(bpp=5.0, latents=latents)
    gpu = Builder((9, 0))
    GpuDecoder(gpu, textures_field(recipe, (24, 16), 8, torch.Generator()), mip_sizes(24, 16))
    assert gpu.built == ["place_texels", "keep_words", "draw_positions"]


def test_equal_texts_are_built_once(cache, monkeypatch):
    first = build_kernel(text(), "fill", "sm_90a")
    assert len(list(cache.glob("*.cuda"))) == 1
    monkeypatch.setattr(cuda_cache, "compile_cuda", None)  # it would be called
    again = build_kernel(text(), "fill", "sm_90a")
    assert again == first and first.cubin.startswith(ELF)


@pytest.mark.parametrize("other", [
    {"text": text("3.0f")}, {"architecture": "sm_80"}, {"fast_math": True},
])  # fmt: skip
def test_what_differs_is_built_anew(cache, other):
    settings = {"text": text(), "entry": "fill", "architecture": "sm_90a"}
    first = build_kernel(**settings)
    second = build_kernel(**{**settings, **other})
    assert first.cubin != second.cubin
    assert len(list(cache.glob("*.cuda"))) == 2


def test_a_change_of_a_slang_file_is_seen(cache, monkeypatch):
    build_kernel(text(), "fill", "sm_90a")
    monkeypatch.setattr(cuda_cache, "_sources", lambda: "other files")
    build_kernel(text(), "fill", "sm_90a")
    assert len(list(cache.glob("*.cuda"))) == 2


@pytest.mark.parametrize("damage", [
    lambda raw: raw[:-1], lambda raw: raw[: len(raw) // 2], lambda raw: b"", lambda raw: b"{}\n",
])  # fmt: skip
def test_a_damaged_file_is_built_anew(cache, damage):
    first = build_kernel(text(), "fill", "sm_90a")
    (path,) = cache.glob("*.cuda")
    path.write_bytes(damage(path.read_bytes()))
    assert build_kernel(text(), "fill", "sm_90a") == first
    assert path.read_bytes().endswith(first.cubin)


def test_without_a_cache_it_is_built_each_time(cache, monkeypatch):
    first = build_kernel(text(), "fill", "sm_90a")
    monkeypatch.setattr(cuda_cache, "cache_folder", lambda: None)
    assert build_kernel(text(), "fill", "sm_90a") == first


def test_text_that_does_not_compile_is_refused():
    with pytest.raises(KernelError) as caught:
        compile_cuda("void f() { undefined_thing(); }", "sm_90a")
    message = str(caught.value)
    assert message.startswith(
        "kernel: got CUDA text that does not compile, need one that does. NVRTC says:\n"
    )
    assert "undefined_thing" in message and "\0" not in message


def test_without_headers_it_says_what_to_install(monkeypatch):
    cuda_compiler.header_option.cache_clear()
    monkeypatch.setattr("cuda.pathfinder.find_nvidia_header_directory", lambda name: None)
    with pytest.raises(DeviceError) as caught:
        compile_cuda("__half x;", "sm_90a")
    cuda_compiler.header_option.cache_clear()
    assert str(caught.value) == (
        "device: got no CUDA headers, need cuda_fp16.h to compile for CUDA. "
        'Run: pip install "neuralshade[cuda]"'
    )


@pytest.mark.parametrize("capability, name", [
    ((7, 5), "sm_75"), ((8, 9), "sm_89"), ((9, 0), "sm_90a"), ((12, 0), "sm_120a"),
])  # fmt: skip
def test_names_of_architectures(capability, name):
    assert architecture(capability) == name
    check_known("RTX", capability)


@pytest.mark.parametrize("capability, remedy", [
    ((6, 1), "Use vulkan."), ((99, 0), "Upgrade nvidia-cuda-nvrtc."),
])  # fmt: skip
def test_gpus_that_nvrtc_does_not_know_are_refused(monkeypatch, capability, remedy):
    monkeypatch.setattr(cuda_compiler, "nvrtc_version", lambda: (13, 5))
    with pytest.raises(DeviceError) as caught:
        check_known("RTX", capability)
    version = ".".join(map(str, capability))
    assert str(caught.value) == (
        f"device: got RTX of compute capability {version}, need one that NVRTC 13.5 knows. {remedy}"
    )


def test_drivers_that_are_too_old_are_refused(monkeypatch):
    monkeypatch.setattr(cuda_compiler, "nvrtc_version", lambda: (13, 5))
    check_driver("RTX", 13000)
    with pytest.raises(DeviceError) as caught:
        check_driver("RTX", 12040)
    assert str(caught.value) == (
        "device: got a driver for CUDA 12.4 on RTX, need one for CUDA 13. "
        "Update NVIDIA's driver, or use vulkan."
    )


def test_without_the_packages_it_says_what_to_install():
    code = (
        "import sys; sys.modules['cuda.bindings'] = None\n"
        "from neuralshade.gpu import open; open.has_nvidia_driver = lambda: True\n"
        "open.open_gpu('cuda')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("neuralshade.errors.DeviceError: device: got no package cuda-bindings (")
    assert last.endswith('), need it for CUDA. Run: pip install "neuralshade[cuda]"')


def test_without_a_driver_it_says_so():
    if os.path.exists("/dev/nvidiactl"):
        pytest.skip("NVIDIA's driver answers here")
    code = "from neuralshade.gpu.open import open_gpu; open_gpu('cuda')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("neuralshade.errors.DeviceError: device: got no NVIDIA driver")
    assert last.endswith("need one for cuda. Use vulkan, or leave --device out.")
