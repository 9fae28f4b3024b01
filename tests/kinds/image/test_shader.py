"""kinds/image/shader: fitted pictures as functions, run in C++ and on Vulkan in software."""

import re
import shutil

import numpy as np
import pytest
import torch
from fixtures.image_assets import opened_field
from fixtures.shader_runs import printed_module

from neuralshade.errors import ConfigError
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.languages.activations import ACTIVATIONS
from neuralshade.languages.columns import Columns
from neuralshade.languages.encodings import add_encoding, is_ours
from neuralshade.languages.grids import GridReader
from neuralshade.languages.harness import function_of, harness
from neuralshade.languages.printers import LANGUAGES, printer_of
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.registry import ENCODINGS, build_encoding
from neuralshade.verbs.export.check.compiled_cpp import run_cpp
from neuralshade.verbs.export.check.slang_on_gpu import run_slang
from neuralshade.verbs.export.check.timed_rows import error_of

DENSE = "dense_grid:levels=2,features=2,coarsest=2,width=5,height=3"
# Together: every encoding, bits of grids, counts of channels, activation, and layers.
RECIPES = {
    "usual": ImageRecipe(encoding=DENSE, grid_bits=4),
    "one texel": ImageRecipe(encoding="dense_grid:width=1,height=1", grid_bits=8),
    "eight features": ImageRecipe(encoding="dense_grid:features=8,width=9,height=4", grid_bits=4),
    "five features": ImageRecipe(encoding="dense_grid:features=5,width=6,height=7", grid_bits=8),
    "halves": ImageRecipe(encoding="dense_grid:features=3,width=6,height=7", grid_bits=16),
    "many halves": ImageRecipe(encoding="dense_grid:features=6,width=3,height=2", grid_bits=16),
    "floats": ImageRecipe(encoding=DENSE + " + identity", grid_bits=32, activation="silu"),
    "hash": ImageRecipe(encoding="hash_grid:levels=4,log2_entries=5,coarsest=3,finest=40",
                        grid_bits=8, activation="tanh"),
    "hash of floats": ImageRecipe(encoding="hash_grid:levels=2,features=5,log2_entries=4,finest=90",
                                  grid_bits=32, activation="elu"),
    "smooth": ImageRecipe(encoding="dense_grid:width=5,height=3,smooth=1 + "
                          "hash_grid:levels=2,log2_entries=4,coarsest=2,finest=30,smooth=1",
                          grid_bits=4, activation="hard_gelu"),
    "staggered": ImageRecipe(encoding="staggered_grid:levels=4,log2_entries=6,coarsest=3,"
                             "growth_ppb=1700000000", grid_bits=16, network_bits=32),
    "staggered and smooth": ImageRecipe(encoding="staggered_grid:levels=3,features=5,smooth=1,"
                                        "log2_entries=7,coarsest=4,growth_ppb=1381912880",
                                        grid_bits=32, network_bits=32),
    "tiles": ImageRecipe(encoding="dense_grid:features=8,width=9,height=4 + tile_grid:features=2,"
                         "width=40,height=21,tile=16,texels=200", grid_bits=4),
    "tiles of floats": ImageRecipe(encoding="tile_grid:features=5,width=17,height=40,tile=8,"
                                   "texels=900", grid_bits=32),
    "waves": ImageRecipe(encoding="frequency:octaves=4 + triangle_wave:octaves=5",
                         activation="sine", bias=False),
    "blobs": ImageRecipe(encoding="one_blob:bins=7 + cell_wave:width=5,height=6",
                         activation="softplus"),
    "wrapped and shifted": ImageRecipe(encoding="one_blob:bins=8,wrapped=1 + "
                                       "triangle_wave:octaves=4,shifted=1"),
    "no hidden layer": ImageRecipe(encoding=DENSE, hidden_layers=0, grid_bits=8),
    "light": ImageRecipe(encoding=DENSE, grid_bits=4, output_activation="exp",
                         activation="leaky_relu"),
    "squashed": ImageRecipe(encoding="identity", output_activation="sigmoid"),
    "wide": ImageRecipe(encoding="frequency:octaves=3", hidden_width=20, hidden_layers=3),
}  # fmt: skip
# of which each compiles for seconds
QUICK = ("usual", "tiles", "smooth", "hash", "staggered", "blobs")
SOME = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in RECIPES]
CHANNELS = {"one texel": 1, "floats": 4, "light": 3, "squashed": 2}


def shaded(tmp_path, name):
    recipe = RECIPES[name]
    settings = {"hidden_width": recipe.hidden_width or 8, "batch": 16}
    recipe = ImageRecipe(**{**vars(recipe), **settings})
    return opened_field(tmp_path / "a.nsh", recipe, CHANNELS.get(name, 3)).shader("photo")


def test_all_activations_are_here():
    used = {one.activation for one in RECIPES.values()}
    used |= {one.output_activation for one in RECIPES.values()}
    assert used >= set(ACTIVATIONS) - {"none"}


@pytest.mark.parametrize("in_text", [True, False], ids=["text", "buffer"])
@pytest.mark.parametrize("name", SOME)
def test_slang_answers_as_pytorch_does(tmp_path, gpu, name, in_text):
    form = shaded(tmp_path, name)
    (golden,) = form.golden
    printer = printer_of(form, "slang", in_text)
    ran = run_slang(gpu, printer, harness(printer, function_of(form, golden)), golden)
    assert np.isfinite(golden.outputs).all()
    assert golden.outputs.std() > 1e-3 or name == "one texel"
    assert error_of(golden, ran.results) <= golden.tolerance


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize("name", SOME)
def test_cpp_answers_as_pytorch_does(tmp_path, name):
    form = shaded(tmp_path, name)
    (golden,) = form.golden
    printer = printer_of(form, "cpp")
    ran = run_cpp(printer, harness(printer, function_of(form, golden)), golden)
    assert error_of(golden, ran.results) <= golden.tolerance


@pytest.mark.parametrize("name", RECIPES)
def test_a_printed_module_answers_as_the_asset_does(tmp_path, name):
    form = shaded(tmp_path, name)
    (golden,) = form.golden
    module = printed_module(form, tmp_path)
    found = module(torch.from_numpy(golden.inputs))
    assert error_of(golden, found.detach().numpy()) <= golden.tolerance
    if name == "usual":  # networks are trained on
        found.sum().backward()
        assert all(p.grad.abs().sum() > 0 for p in module.parameters())


def test_a_footprint_is_a_mean_of_samples_around(tmp_path):
    text = printer_of(shaded(tmp_path, "usual"), "glsl").text()
    body = text[text.index("vec3 photo_area(") :]
    assert body.count("photo(uv") == 4 and "* 0.25;" in body


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_names_the_asset_and_stays_short(tmp_path, language):
    printer = printer_of(shaded(tmp_path, "usual"), language)
    text = printer.text()
    assert "photo" in text.splitlines()[0] and "20.00 dB" in text
    own = text[text.rindex("#endif") :] if "NEURALSHADE_VECTORS" in text else text
    own = own[own.index("class ") :] if language == "torch" else own  # behind its helpers
    longest = 160 if language == "js" else 120  # which has no vectors
    assert len([line for line in own.splitlines() if not line.lstrip().startswith("{")]) < longest
    assert not re.search(r"_S\d|\b_\d", text)  # as Slang's own printers name things


@pytest.mark.parametrize("kind", ENCODINGS)
def test_every_encoding_of_ours_is_printed_as_ours(kind):
    with torch.device("meta"):
        assert is_ours(build_encoding(kind, None))


class Doubled(DenseGrid):
    """A grid of another package, which answers otherwise than those of this one."""

    def forward(self, at):
        return 2 * super().forward(at)


def test_every_encoding_of_this_package_is_printed():
    for kind in ENCODINGS:
        assert is_ours(build_encoding(kind, None)), kind


def test_another_package_s_grid_is_not_printed_as_ours(tmp_path):
    grid = Doubled(width=3, height=2)
    assert not is_ours(grid) and is_ours(DenseGrid(width=3, height=2))
    with pytest.raises(ConfigError, match="encoding Doubled of another package"):
        add_encoding(Columns("photo"), GridReader("photo", iter(())), grid, ("uv.x", "uv.y"))
