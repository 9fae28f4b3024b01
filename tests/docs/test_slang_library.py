"""docs/slang-library.md: its Slang compiles, and it names every module's types."""

import pathlib
import re

import pytest

from neuralshade.loss.pointwise import LOSSES, slang_loss
from neuralshade.model.activation import ACTIVATIONS
from neuralshade.model.activation import slang_name as activation_name
from neuralshade.model.registry import ENCODINGS, build_encoding

PAGE = (pathlib.Path(__file__).parents[2] / "docs/slang-library.md").read_text()
BLOCKS = re.findall(r"```slang\n(.*?)```", PAGE, re.DOTALL)
CALLS = ["gradient_srgb(0.5f)", "add_gradients_of(0.5f, 1.0f)"]


def test_each_block_is_compiled_below():
    assert len(BLOCKS) == len(CALLS)


@pytest.mark.parametrize("call", CALLS)
def test_the_slang_of_the_page_compiles(device, call):
    name = call.partition("(")[0]
    (block,) = (block for block in BLOCKS if name in block)
    source = f'{block}\n[shader("compute")] [numthreads(1, 1, 1)] void see() {{ {call}; }}\n'
    module = device.load_module_from_source(f"page_{name}", source)
    device.create_compute_kernel(device.link_program([module], [module.entry_point("see")]))


def test_the_page_names_everything_there_is(rng):
    for kind in ACTIVATIONS:
        assert f"`{activation_name(kind)}`" in PAGE
    for kind in LOSSES:
        assert f"`{slang_loss(kind).type}`" in PAGE
    for kind in ENCODINGS:
        name = build_encoding(kind, rng).slang("A").type.partition("<")[0]
        assert f"`{name}" in PAGE and f"`{kind}`" in PAGE
