"""model: the Slang half of every registered encoding equals its Python half in float64."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from neuralshade.gpu.gpu import run_once
from neuralshade.gpu.slangpy_gpu import SlangpyGpu
from neuralshade.model.composite import Composite
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.encoding import Encoding
from neuralshade.model.frequency import Frequency
from neuralshade.model.grid import Grid
from neuralshade.model.hash_grid import HashGrid
from neuralshade.model.registry import ENCODINGS, build_encoding, parse_encoding
from neuralshade.model.tile_grid import TileGrid
from neuralshade.testing.encodings import PARTS, EncodingKernels

CASES = (
    "identity",
    "frequency:octaves=1",
    "frequency:octaves=6",
    "frequency:octaves=24",
    "triangle_wave:octaves=1",
    "triangle_wave:octaves=5",
    "triangle_wave:octaves=24",
    "one_blob:bins=1",
    "one_blob:bins=7",
    "one_blob:bins=32",
    "cell_wave:width=1,height=300",
    "dense_grid:features=1,width=1,height=1",
    "dense_grid:features=3,width=7,height=2",
    "dense_grid:features=2,width=1,height=6",
    "dense_grid:features=4,width=9,height=1",
    "dense_grid:levels=3,features=2,coarsest=3,width=11,height=5",
    "dense_grid:levels=3,features=5,coarsest=2,width=3,height=8",
    "hash_grid:levels=1,features=2,log2_entries=6,finest=5",
    "hash_grid:levels=1,features=1,log2_entries=8,finest=15",  # 16^2 vertices just fit
    "hash_grid:levels=3,features=2,log2_entries=5,coarsest=2,finest=19",
    "hash_grid:levels=5,features=3,log2_entries=4,coarsest=1,finest=300",
    "dense_grid:levels=2,features=4,coarsest=3,width=9,height=5,smooth=1",
    "hash_grid:levels=3,features=3,log2_entries=5,coarsest=2,finest=19,smooth=1",
    "one_blob:bins=3,dimensions=1 + frequency:octaves=2,first=1"
    " + hash_grid:levels=2,features=2,log2_entries=4,coarsest=2,finest=9,smooth=1",
    "one_blob:bins=6,wrapped=1",
    "one_blob:bins=1,wrapped=1",
    "triangle_wave:octaves=7,shifted=1",
    "staggered_grid:levels=4,features=2,log2_entries=6,coarsest=3,growth_ppb=1700000000",
    "staggered_grid:levels=2,features=3,log2_entries=9,coarsest=5,growth_ppb=2000000000,smooth=1",
    "staggered_grid:levels=1,features=1,log2_entries=4,coarsest=301",
    "tile_grid:features=2,width=40,height=21,tile=16,texels=300",
    "tile_grid:features=3,width=9,height=1,tile=8,texels=90 + dense_grid:width=2,height=1",
    "hash_grid:levels=1,features=1,log2_entries=4,finest=65535",  # 65536^2 is 0 in 32 bits
    "dense_grid:levels=2,features=3,coarsest=2,width=3,height=3 + one_blob:bins=3"
    " + hash_grid:levels=2,features=1,log2_entries=4,coarsest=2,finest=9",
    "frequency:octaves=2 + dense_grid:features=1,width=5,height=3 + identity"
    " + dense_grid:features=2,width=2,height=4",
)
WIDER = {  # positions of another count of numbers than two
    "triangle_wave:octaves=3 + one_blob:bins=5 + identity": 1,
    "one_blob:bins=3 + frequency:octaves=2 + triangle_wave:octaves=3,first=1 + identity:first=2": 3,
    "dense_grid:features=2,width=5,height=3 + frequency:octaves=2,first=2": 3,
    "one_blob:bins=3,wrapped=1 + triangle_wave:octaves=3,shifted=1,first=1": 3,
    "frequency:octaves=3": 3,  # an odd number of waves, which two lanes share
    "frequency:octaves=5 + identity": 1,
    "hash_grid:levels=2,features=2,log2_entries=4,coarsest=2,finest=5 + identity"
    " + frequency:octaves=1,first=2,dimensions=3 + one_blob:bins=3,first=5": 8,
}
EVERY = (*CASES, *WIDER)
MORE = ("dense_grid:features=2,width=5,height=3 + frequency",
        "one_blob:bins=3,dimensions=1 + frequency:octaves=2,first=1")  # fmt: skip


def is_quick(index: int) -> bool:
    """Return whether a case is the first of a kind, or of MORE: several, of three numbers."""
    text, before = EVERY[index], " + ".join(EVERY[:index]).replace(":", " ").split()
    kinds = {part.strip().partition(":")[0] for part in text.split("+")}
    return bool(kinds - set(before)) or text.startswith(MORE)


QUICK = [text for index, text in enumerate(EVERY) if is_quick(index)]
EACH = [
    text if text in QUICK else pytest.param(text, marks=pytest.mark.slow)  # five kernels each
    for text in EVERY
]
TRAINED = [each for each, text in zip(EACH, EVERY, strict=True) if "grid" in text]
ERROR_FUNCTION = """
import neuralshade.model.one_blob;
StructuredBuffer<float> given;
RWStructuredBuffer<float> results;
[shader("compute")] [numthreads(32, 1, 1)]
void shown(uint3 at : SV_DispatchThreadID)
{
    if (at.x < given.getCount()) results[at.x] = error_function(given[at.x]);
}
"""


@dataclass(frozen=True)
class Ran:
    """What one case gave on the device, and what it was given."""

    encoding: Encoding  # float64
    at: np.ndarray  # float32 [N, D]
    d_encoded: np.ndarray  # float32 [N, width]
    sizes: tuple[int, int]  # WIDTH and PARAMETERS of the Slang half
    encoded: np.ndarray  # [PARTS, N, width]
    counts: np.ndarray  # how often each of them was put
    others: dict[str, np.ndarray]  # [N, width] of parameters stored otherwise, or of `encode`
    gradients: np.ndarray  # [PARTS, PARAMETERS]
    differences: np.ndarray  # [PARAMETERS]


def grids(encoding: Encoding) -> list[Grid]:
    """Return those with vertices that a whole level has alike."""
    return [part for part in encoding.modules()
            if isinstance(part, Grid) and not isinstance(part, TileGrid)]  # fmt: skip


def chosen_positions(encoding: Encoding, rng: torch.Generator) -> np.ndarray:
    """Return corners, random positions; of the square texel centers and vertices, too."""
    chosen = [torch.tensor([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])]
    if encoding.dimensions != 2:
        corners = torch.randint(2, (5, encoding.dimensions), generator=rng)
        return torch.cat([corners, torch.rand(12, encoding.dimensions, generator=rng)]).numpy()
    for grid in grids(encoding):
        for size in map(torch.tensor, grid.sizes()):
            index = torch.rand(3, 2, generator=rng) * size
            chosen += [(index.floor() + 0.5) / size, index.floor() / size]
    return torch.cat([*chosen, torch.rand(12, 2, generator=rng)]).numpy()


@pytest.fixture(scope="module")
def known() -> dict[str, Ran]:
    """Keep what has run already: one case serves several tests."""
    return {}


@pytest.fixture(params=EACH)
def ran(request: pytest.FixtureRequest, device: Any, known: dict[str, Ran]) -> Ran:
    if request.param not in known:
        known[request.param] = run_case(request.param, device)
    return known[request.param]


def run_case(text: str, device: Any) -> Ran:
    rng = torch.Generator().manual_seed(0)
    encoding = build_encoding(text, rng, WIDER.get(text, 2))
    for parameter in encoding.parameters():
        torch.nn.init.uniform_(parameter, -1.0, 1.0, generator=rng)
        parameter.data = parameter.data.half().float()  # equal in every storage
    at = chosen_positions(encoding, rng)
    d_encoded = torch.randn(len(at), encoding.width, generator=rng).numpy()
    flat = encoding.flatten(list(encoding.parameters()))
    kernels = EncodingKernels(SlangpyGpu(device, owned=False), encoding, at, d_encoded)
    row, rows = (len(at), encoding.width), (len(PARTS), len(at), encoding.width)
    encoded = kernels.run("by_parts", len(at), results=rows, counts=rows, sizes=(2,))
    others = {"from_packed": {"counts": row}, "from_bytes": {"counts": row}, "at_once": {}}
    others = {k: kernels.run(k, len(at), results=row, **v)["results"] for k, v in others.items()}
    sums = kernels.run("gradients", 1, results=(len(PARTS), len(flat)))["results"]
    losses = kernels.run("nudged_losses", max(1, 2 * len(flat)), results=(len(flat), 2))["results"]
    return Ran(encoding.double(), at, d_encoded, tuple(encoded["sizes"]), encoded["results"],
               encoded["counts"], others, sums, losses[:, 0] - losses[:, 1])  # fmt: skip


def tolerance(encoding: Encoding) -> float:
    """Return what float32 may cost: 2^-24 of a position per cell, and a few last bits."""
    sizes = [size for grid in grids(encoding) for size in grid.sizes()]
    sizes += [part.cells for part in encoding.modules() if hasattr(part, "cells")
              and not isinstance(part, HashGrid)]  # fmt: skip
    return 4e-6 + 2.5e-7 * max((max(size) for size in sizes), default=0)


def test_every_registered_kind_has_a_case():
    quick = [parse_encoding(text) for text in CASES if text in QUICK]
    assert {kind for parts in quick for kind, _ in parts} == set(ENCODINGS)


def test_sizes_are_those_of_the_python_half(ran):
    flat = ran.encoding.flatten(list(ran.encoding.parameters()))
    assert ran.sizes == (ran.encoding.width, len(flat))


def test_value_equals_the_python_half(ran):
    wanted = ran.encoding(torch.from_numpy(ran.at).double()).detach().numpy()
    np.testing.assert_allclose(ran.encoded[0], wanted, rtol=0, atol=tolerance(ran.encoding))


def test_each_column_is_put_once_whatever_the_parts(ran):
    assert np.all(ran.counts == 1)


def test_parts_and_storages_and_encode_give_the_same_numbers(ran):
    # 1e-6: compilers may fuse a product and a sum in one and not in the other
    for row in (*ran.encoded[1:], *ran.others.values()):
        np.testing.assert_allclose(row, ran.encoded[0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("ran", TRAINED, indirect=True)
def test_gradient_equals_that_of_the_python_half(ran):
    encoded = ran.encoding(torch.from_numpy(ran.at).double())
    parameters = list(ran.encoding.parameters())
    d_encoded = torch.from_numpy(ran.d_encoded).double()
    wanted = ran.encoding.flatten(torch.autograd.grad(encoded, parameters, d_encoded)).numpy()
    assert np.abs(wanted).max() > 0.1
    # 2: sums of a few dozen gradients of about 1 each
    close = {"rtol": 0, "atol": 2 * tolerance(ran.encoding)}
    for row in ran.gradients:
        np.testing.assert_allclose(row, wanted, **close)


@pytest.mark.parametrize("ran", TRAINED, indirect=True)
def test_gradient_equals_central_difference(ran):
    # 1e-4: the losses that are subtracted are sums of some hundred numbers of about 1
    np.testing.assert_allclose(ran.gradients[0], ran.differences, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    "text", ["frequency:octaves=24", "triangle_wave:octaves=24", "cell_wave:width=65536,height=512"]
)
def test_python_half_keeps_its_finest_waves_in_float32(text, rng):
    encoding, uv = build_encoding(text, None), torch.rand(200, 2, generator=rng)
    wanted = encoding(uv.double())
    torch.testing.assert_close(encoding(uv).double(), wanted, rtol=0, atol=4e-6)


def test_error_function_is_off_by_less_than_2e_7(device):
    x = np.linspace(-6.0, 6.0, 20_001).astype(np.float32)
    wanted = torch.erf(torch.from_numpy(x).double()).numpy()
    gpu = SlangpyGpu(device, owned=False)
    buffers = {"given": gpu.buffer(x), "results": gpu.buffer(np.zeros_like(x))}
    run_once(gpu, [(gpu.kernel(ERROR_FUNCTION, "shown", buffers), -(-len(x) // 32))])
    found = buffers["results"].read().view(np.float32)[: len(x)]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-7)


def test_one_part_stands_alone_and_several_are_nested():
    one = build_encoding("frequency:octaves=3", None).slang("Photo")
    assert (one.type, one.declarations) == ("Frequency<3>", "")
    assert one.modules == {"neuralshade.model.frequency"}
    parts = [DenseGrid(2, 3, 2, 4, 2), *build_encoding("identity", None).parts, HashGrid(1, 2, 4)]
    several = Composite(parts).slang("Photo")
    assert several.type == (
        "Composite<DenseGrid<PhotoPart0Levels, 3>, "
        "Composite<Identity, HashGrid<PhotoPart2Levels, 2, 4>>>"
    )
    assert several.declarations == "".join(
        part.slang(f"PhotoPart{i}").declarations for i, part in enumerate(parts)
    )
    stems = ("bilinear", "composite", "dense_grid", "hash_grid", "identity")
    assert several.modules == {f"neuralshade.model.{stem}" for stem in stems}


def test_parts_over_other_coordinates_say_which():
    half = build_encoding("dense_grid:features=1,width=2,height=2 + frequency:octaves=4", None, 3)
    assert half.slang("A").type == (
        "Composite<DenseGrid<APart0Levels, 1>, Frequency<4, float3>, float3>"
    )
    half = build_encoding("identity:dimensions=2 + frequency:octaves=4,first=2", None, 6)
    assert half.slang("A").type == (
        "Composite<Identity, From<2, Frequency<4, float4>, Coordinates<6>>, Coordinates<6>>"
    )
    lone = Composite([Frequency(4, 1)], [2]).slang("A")
    assert lone.type == "From<2, Frequency<4, float1>, float3>"
    half = build_encoding("identity:dimensions=1 + frequency:octaves=4,first=1", None)
    assert (
        half.slang("A").type == "Composite<Identity<float1>, From<1, Frequency<4, float1>, float2>>"
    )
    assert "neuralshade.model.composite" in lone.modules


def test_a_lone_grid_in_a_composite_keeps_the_name():
    half = build_encoding("dense_grid:width=3,height=5,features=4", None).slang("Photo")
    assert half.type == "DenseGrid<PhotoLevels, 4>"
    assert "struct PhotoLevels : ILevels" in half.declarations
