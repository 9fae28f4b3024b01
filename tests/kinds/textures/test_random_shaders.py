"""kinds/textures/shader: random sets as PyTorch text, C++ and JavaScript, against the set."""

import numpy as np
import pytest
from fixtures.shader_runs import by_cpp, by_module, by_node, off
from fixtures.texture_sets import material_map, unit_normals, waves
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import neuralshade
from neuralshade import FitOptions
from neuralshade.kinds.textures.fit import fit_textures
from neuralshade.source.material_set import MaterialSet

FEW = {"derandomize": True, "deadline": None,
       "suppress_health_check": [HealthCheck.function_scoped_fixture]}  # fmt: skip
SIDE = st.integers(1, 21)
MAPS = {  # by name: values of a map of that size, how they are meant, their bits
    "albedo": lambda *size: (waves(*size, 3, 1), "srgb", 8),
    "tint": lambda *size: (waves(*size, 3, 2) * 3, "linear", 32),
    "sun": lambda *size: (np.exp(waves(*size, 3, 3) * 9), "linear", 32),
    "normal": lambda *size: (unit_normals(*size, 4), "normal", 8),
    "opacity": lambda *size: ((waves(*size, 1, 5) > 0.4).astype(np.float32), "data", 8),
    "height": lambda *size: (waves(*size, 1, 6) * 11 - 4, "data", 16),
    "flow": lambda *size: (waves(*size, 2, 7), "data", 8),
    "metallic": lambda *size: (np.full((*size, 1), 0.25, np.float32), "data", 8),
}
GRID = st.tuples(st.sampled_from((1, 2, 3, 8, 64)), st.integers(1, 16), st.integers(1, 8))
BLOCK = st.tuples(st.sampled_from((1, 2, 4)), st.integers(1, 3))


def listed(grids):
    return ",".join(":".join(map(str, grid)) for grid in grids)


@st.composite
def sets(draw):
    """Return a set of maps, and what it is fitted with."""
    size = draw(SIDE), draw(SIDE)
    names = draw(st.lists(st.sampled_from(sorted(MAPS)), min_size=1, max_size=4, unique=True))
    maps = [MAPS[name](*size) for name in names]
    listed_maps = tuple(
        material_map(name, values, meaning=meaning, bits=bits)
        for name, (values, meaning, bits) in zip(names, maps, strict=True)
    )
    plain = draw(st.booleans())
    by_scale = {"unique_by": lambda grid: grid[0], "min_size": 1, "max_size": 3}
    grids = sorted(draw(st.lists(GRID if plain else BLOCK, **by_scale)))
    return MaterialSet("random", listed_maps), {
        "latents": "plain" if plain else "bc1", "grids": listed(grids),
        "wrap": draw(st.sampled_from(("repeat", "clamp"))),
        "mips": min(draw(st.integers(0, 2)), max(size).bit_length()),
        "hidden_layers": draw(st.integers(1, 4)),
        "hidden_width": draw(st.sampled_from((16, 17, 24))),
        "network_bits": draw(st.sampled_from((8, 16))),
    }  # fmt: skip


def form_of(folder, made):
    textures, recipe = made
    fit_textures(textures, folder / "x.nsh", steps=12, batch=64, precision="float32",
                 options=FitOptions(engine="torch", device="cpu"), **recipe)  # fmt: skip
    return neuralshade.load(folder / "x.nsh").shader("rock")


@settings(max_examples=4, **FEW)
@given(sets())
def test_a_printed_module_answers_as_the_set_does(tmp_path, made):
    form = form_of(tmp_path, made)
    for golden in form.golden:
        assert off(golden, by_module(form, tmp_path, golden.function)) <= 1, golden.function


@settings(max_examples=1, **FEW)
@given(sets())
def test_node_answers_as_the_set_does(tmp_path, made):
    for golden, found in by_node(form_of(tmp_path, made)):
        assert off(golden, found) <= 1, golden.function


@settings(max_examples=1, **FEW)
@given(sets())
def test_cpp_answers_as_the_set_does(tmp_path, made):
    form = form_of(tmp_path, made)
    found = by_cpp(form, tmp_path)
    for golden in form.golden:
        if golden.function in found:
            assert off(golden, found[golden.function]) <= 1, golden.function


@pytest.mark.slow
@settings(max_examples=20, **FEW)
@given(sets())
def test_many_of_cpp_answer_as_the_set_does(tmp_path, made):
    test_cpp_answers_as_the_set_does.hypothesis.inner_test(tmp_path, made)
