"""Fits of any size run the kernels of the first one: a size is a uniform, not a constant."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fixtures.texture_engines import codings_of, texels_of
from fixtures.texture_sets import small_set

from neuralshade import FitOptions
from neuralshade.engine.network_trainer import NetworkTrainer
from neuralshade.gpu.cuda_gpu import CudaCommands
from neuralshade.gpu.slangpy_gpu import SlangpyCommands, SlangpyGpu, SlangpySteps
from neuralshade.kinds.image.budget import resolve
from neuralshade.kinds.image.build import build_gpu_engine
from neuralshade.kinds.image.fit import fit_image
from neuralshade.kinds.image.presets import preset_recipe
from neuralshade.kinds.textures.build import build_gpu_engine as build_textures
from neuralshade.kinds.textures.fit import fit_textures
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.source.picture import picture_from_array

SIZES = [(96, 96), (97, 101), (200, 64), (64, 131), (128, 128), (100, 300), (111, 96), (65, 222),
         (160, 90), (253, 127)]  # fmt: skip
SETS = [(8, 8), (5, 2), (16, 4), (3, 5), (32, 32), (31, 17), (2, 9), (64, 8), (10, 20), (7, 7)]


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, str]]:
    """Give the set of texts and entry points that are compiled from now on."""
    found: set[tuple[str, str]] = set()
    kernel = SlangpyGpu.kernel

    def noted(self: SlangpyGpu, text: str, entry: str, variables: Any, **settings: Any) -> Any:
        found.add((text, entry))
        return kernel(self, text, entry, variables, **settings)

    monkeypatch.setattr(SlangpyGpu, "kernel", noted)
    return found


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch, gpu: SlangpyGpu) -> set[tuple[str, str]]:
    """Give the same of trainers that are put together, but compile and run nothing."""
    found: set[tuple[str, str]] = set()
    monkeypatch.setattr(gpu, "kernel", lambda text, entry, *_, **__: found.add((text, entry)))
    monkeypatch.setattr(gpu, "steps", lambda _: SlangpySteps([]))
    for commands in (SlangpyCommands, CudaCommands):
        monkeypatch.setattr(commands, "run", lambda *_: None)
    return found


def noise(width: int, height: int) -> Any:
    """Return a random picture, uint8 [height, width, 3]."""
    return np.random.default_rng(0).integers(256, size=(height, width, 3), dtype=np.uint8)


def image_trainer(gpu: SlangpyGpu, width: int, height: int, **settings: Any) -> NetworkTrainer:
    """Return the trainer of the default preset for a picture of that size."""
    picture = picture_from_array(noise(width, height))
    recipe = resolve(preset_recipe("grid", {"steps": 1} | settings), picture)
    return build_gpu_engine(recipe, picture, gpu, "fma", False).trainer


def textures_trainer(gpu: SlangpyGpu, width: int, height: int, **settings: Any) -> NetworkTrainer:
    """Return the trainer of a texture set of that size."""
    textures = small_set(height, width)
    recipe = replace(TexturesRecipe(batch=64, grids="1:4:4,2:4:4"), **settings)
    texels = texels_of(textures, None)
    return build_textures(recipe, texels, codings_of(textures), gpu, "fma", False).trainer


@pytest.mark.parametrize(
    "encoding",
    ["auto", "hash_grid:levels=4,features=2,log2_entries=8,coarsest=4,finest={side}",
     "staggered_grid:levels=3,features=2,log2_entries=6,coarsest={side}",
     "dense_grid:features=2,width={side},height=9 + identity",
     "tile_grid:features=2,width={side},height=50,tile=16,texels=9999"],
)  # fmt: skip
def test_pictures_of_all_sizes_have_the_same_kernels(gpu, uncompiled, encoding):
    image_trainer(gpu, *SIZES[0], encoding=encoding.format(side=10), hidden_width=16)
    first = set(uncompiled)
    assert len({entry for _, entry in first}) > 3
    for size in SIZES[1:]:
        text = encoding.format(side=min(size))
        image_trainer(gpu, *size, encoding=text, hidden_width=16)
    assert uncompiled == first


@pytest.mark.parametrize(
    "settings", [{}, {"latents": "bc1", "grids": "1:2,2:2"}, {"wrap": "clamp"}]
)
def test_texture_sets_of_all_sizes_have_the_same_kernels(gpu, uncompiled, settings):
    textures_trainer(gpu, *SETS[0], **settings)
    first = set(uncompiled)
    for size in SETS[1:]:
        textures_trainer(gpu, *size, **settings)
    assert uncompiled == first


@pytest.mark.slow
def test_fits_of_ten_pictures_compile_once(one_device, tmp_path, compiled):
    """The whole fit: training, the picture while it trains, the search of codes, the file."""
    counts = []
    for width, height in SIZES:
        fit_image(noise(width, height), tmp_path / "a.nsh", steps=2, batch=64, polish=1,
                  hidden_width=16, options=FitOptions(engine="gpu", device="vulkan"))  # fmt: skip
        counts.append(len(compiled))
    assert counts == counts[:1] * len(SIZES)


@pytest.mark.slow
def test_fits_of_ten_texture_sets_compile_once(one_device, tmp_path, compiled):
    counts = []
    for width, height in SETS:
        fit_textures(small_set(height, width), tmp_path / "a.nsh", steps=2, batch=64, polish=1,
                     grids="1:4:4,2:4:4", hidden_width=16,
                     options=FitOptions(engine="gpu", device="vulkan"))  # fmt: skip
        counts.append(len(compiled))
    assert counts == counts[:1] * len(SETS)
