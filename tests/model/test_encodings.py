"""model: every registered encoding equals its formula, written again in NumPy float64."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from fixtures.hash_reference import hash_grid, smoothed
from fixtures.staggered_reference import staggered_grid
from fixtures.tile_reference import tile_grid

from neuralshade.model.frequency import Frequency
from neuralshade.model.registry import ENCODINGS, build_encoding, parse_encoding

Parameters = list[np.ndarray]


def identity(uv: np.ndarray, texels: Parameters) -> np.ndarray:
    return uv


def frequency(uv: np.ndarray, texels: Parameters, octaves: int) -> np.ndarray:
    columns = []
    for axis in (0, 1):
        for k in range(octaves):
            angle = 2**k * math.pi * uv[:, axis]
            columns += [np.sin(angle), np.cos(angle)]
    return np.stack(columns, axis=1)


def triangle_wave(uv: np.ndarray, texels: Parameters, octaves: int, shifted: int = 0) -> np.ndarray:
    columns = [abs((2**k * uv[:, axis] + shifted * k / 2) % 2 - 1)
               for axis in (0, 1) for k in range(octaves)]  # fmt: skip
    return np.stack(columns, axis=1)


def one_blob(uv: np.ndarray, texels: Parameters, bins: int, wrapped: int = 0) -> np.ndarray:
    kernel = np.polynomial.Polynomial([15 / 16, 0, -15 / 8, 0, 15 / 16]).integ()

    def phi(edge: float, x: float) -> float:
        return (
            normal(edge, x)
            if not wrapped
            else sum(kernel(np.clip((edge - x + turn) * bins, -1, 1)) for turn in (-1, 0, 1))
        )

    def normal(edge: float, x: float) -> float:
        return 0.5 * (1 + math.erf((edge - x) * bins / math.sqrt(2)))

    return np.array([
        [phi((i + 1) / bins, x) - phi(i / bins, x) for x in row for i in range(bins)] for row in uv
    ])  # fmt: skip


def cell_wave(uv: np.ndarray, texels: Parameters, width: int, height: int) -> np.ndarray:
    return np.sin(2 * np.pi * uv * [width, height])


def weight_of_texels(x: np.ndarray, size: int) -> np.ndarray:
    """Return [N, size]: np.interp of each unit vector, which clamps as a texture does."""
    centers = (np.arange(size) + 0.5) / size
    return np.stack([np.interp(x, centers, row) for row in np.eye(size)], axis=1)


def dense_grid(uv: np.ndarray, texels: Parameters, smooth: int = 0, **sizes: int) -> np.ndarray:
    levels = []
    for values in texels:
        _, height, width = values.shape
        across, down = weight_of_texels(uv[:, 0], width), weight_of_texels(uv[:, 1], height)
        if smooth:
            across, down = smoothed(across), smoothed(down)
        levels.append(np.einsum("nr,nc,frc->nf", down, across, values))
    return np.concatenate(levels, axis=1)


REFERENCES: dict[str, Callable[..., np.ndarray]] = {
    "identity": identity,
    "frequency": frequency,
    "triangle_wave": triangle_wave,
    "one_blob": one_blob,
    "cell_wave": cell_wave,
    "dense_grid": dense_grid,
    "hash_grid": hash_grid,
    "staggered_grid": staggered_grid,
    "tile_grid": tile_grid,
}
CASES = {  # text: width
    "identity": 2,
    "frequency": 24,
    "frequency:octaves=1": 4,
    "frequency:octaves=8": 32,
    "triangle_wave": 12,
    "triangle_wave:octaves=1": 2,
    "triangle_wave:octaves=9": 18,
    "one_blob": 32,
    "one_blob:bins=1": 2,
    "one_blob:bins=7": 14,
    "cell_wave:width=5,height=3": 2,
    "dense_grid:features=1,width=1,height=1": 1,
    "dense_grid:features=3,width=7,height=2": 3,
    "dense_grid:features=2,width=1,height=6": 2,
    "dense_grid:levels=3,features=2,coarsest=3,width=11,height=5": 6,
    "hash_grid:levels=1,features=3,log2_entries=6,finest=5": 3,
    "hash_grid:levels=3,features=2,log2_entries=5,coarsest=2,finest=19": 6,
    "hash_grid:levels=4,features=1,log2_entries=12,coarsest=1,finest=8": 4,
    "hash_grid:levels=5,features=2,log2_entries=4,coarsest=3,finest=300": 10,
    "dense_grid:levels=2,features=3,coarsest=3,width=8,height=5,smooth=1": 6,
    "hash_grid:levels=2,features=3,log2_entries=5,coarsest=2,finest=19,smooth=1": 6,
    "triangle_wave:octaves=6,shifted=1": 12,
    "one_blob:bins=5,wrapped=1": 10,
    "one_blob:bins=1,wrapped=1": 2,
    "staggered_grid:levels=1,features=3,log2_entries=8,coarsest=5": 3,
    "staggered_grid:levels=3,features=2,log2_entries=5,coarsest=3,growth_ppb=1700000000": 6,
    "staggered_grid:levels=6,features=1,log2_entries=12,coarsest=2,growth_ppb=2000000000": 6,
    "staggered_grid:levels=2,features=3,log2_entries=5,coarsest=4,smooth=1": 6,
    "tile_grid:features=1,width=1,height=1,tile=8,texels=4": 2,
    "tile_grid:features=4,width=9,height=90,tile=8,texels=2000": 5,
}
SEVERAL = (
    "dense_grid:width=3,height=5 + identity + frequency",
    "frequency:octaves=2,first=1 + dense_grid:width=3,height=5,smooth=1"
    " + one_blob:bins=3,dimensions=1 + identity:first=1 + triangle_wave",
)
TRAINABLE = [text for text in CASES if "_grid" in text]


def built(text: str, rng: torch.Generator) -> torch.nn.Module:
    """Build the one encoding ``text`` names, its numbers drawn from [-1, 1] anew."""
    part = build_encoding(text, rng).parts[0]
    for parameter in part.parameters():
        torch.nn.init.uniform_(parameter, -1.0, 1.0, generator=rng)
    return part


def positions(count: int, rng: torch.Generator) -> torch.Tensor:
    """Return random positions, with the corners of the square and its center among them."""
    special = torch.tensor([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])
    return torch.cat([special, torch.rand(count, 2, generator=rng)])


def test_every_registered_kind_has_a_reference_and_a_case():
    assert set(REFERENCES) == set(ENCODINGS)
    assert {parse_encoding(text)[0][0] for text in CASES} == set(ENCODINGS)


@pytest.mark.parametrize("text", CASES)
def test_value_equals_the_formula(text, rng):
    part, uv = built(text, rng), positions(40, rng)
    [(kind, settings)] = parse_encoding(text)
    parameters = [p.detach().double().numpy() for p in part.parameters()]
    wanted = REFERENCES[kind](uv.double().numpy(), parameters, **settings)
    assert part.width == CASES[text]
    assert wanted.shape == (45, CASES[text])
    got = part(uv)
    assert got.dtype == torch.float32
    # 2e-4: float32 angles of up to 2^7 pi, and positions of up to 300 cells, carry 2^-24 each
    np.testing.assert_allclose(got.detach().numpy(), wanted, rtol=0, atol=2e-4)


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 6), (5, 1), (4, 9)])
@pytest.mark.parametrize("text", [*CASES, *SEVERAL])
def test_lattice_equals_forward_on_the_mesh(text, rows, cols, rng):
    encoding = build_encoding(text, rng)
    u, v = torch.rand(cols, generator=rng), torch.rand(rows, generator=rng)
    u[0], v[-1] = 0.0, 1.0
    lattice = encoding.on_lattice(u, v)
    assert lattice.shape == (encoding.width, rows, cols)
    for row in range(rows):
        line = encoding(torch.stack([u, v[row].expand(cols)], dim=1))
        # 1e-6: the same products summed in another order
        torch.testing.assert_close(lattice[:, row, :], line.t(), rtol=1e-5, atol=1e-6)


FIVE = [pytest.param(t, marks=pytest.mark.slow) if "levels=5" in t else t for t in TRAINABLE]


@pytest.mark.parametrize("path", ["forward", "lattice"])
@pytest.mark.parametrize("text", FIVE)
def test_gradient_equals_central_difference(text, path, rng):
    part = built(text, rng).double()
    u, v = torch.rand(2, 7, generator=rng, dtype=torch.float64)

    def output() -> torch.Tensor:
        return part(torch.stack([u, v], dim=1)) if path == "forward" else part.on_lattice(u, v)

    d_y = torch.randn(output().shape, generator=rng, dtype=torch.float64)
    output().backward(d_y)
    for parameter in part.parameters():
        numbers = parameter.data.view(-1)
        for index in torch.randperm(len(numbers), generator=rng)[:25].tolist():
            start = float(numbers[index])
            ends = []
            for value in (start + 0.5, start - 0.5):  # exact: the output is linear in it
                numbers[index] = value
                ends.append(float((output() * d_y).sum().detach()))
            numbers[index] = start
            got = float(parameter.grad.view(-1)[index])
            assert got == pytest.approx(ends[0] - ends[1], abs=1e-9)


@pytest.mark.parametrize("text", TRAINABLE)
def test_equal_seeds_give_equal_bytes_within_the_start_range(text):
    first, second, other = (
        torch.nn.utils.parameters_to_vector(
            build_encoding(text, torch.Generator().manual_seed(seed)).parameters()
        )
        for seed in (3, 3, 4)
    )
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
    limit = 1e-2 if text.startswith(("dense", "tile")) else 1e-4
    assert 0 < first.abs().max() <= limit


def test_parts_stand_side_by_side_in_the_order_given(rng):
    uv = positions(9, rng)
    whole = build_encoding("one_blob:bins=3 + identity + triangle_wave:octaves=2", rng)
    blob, wave = (
        build_encoding(t, rng)(uv) for t in ("one_blob:bins=3", "triangle_wave:octaves=2")
    )
    assert whole.width == 6 + 2 + 4
    torch.testing.assert_close(whole(uv), torch.cat([blob, uv, wave], dim=1))


def test_parts_take_the_coordinates_that_they_name(rng):
    at = torch.rand(9, 3, generator=rng)
    text = "dense_grid:width=4,height=3 + frequency:octaves=2,first=2 + one_blob:bins=3"
    whole = build_encoding(text, rng, 3)
    grid, wave, blob = (part for part in whole.parts)
    assert (whole.dimensions, whole.width) == (3, 2 + 4 + 9)
    wanted = [grid(at[:, :2]), wave(at[:, 2:]), blob(at)]
    torch.testing.assert_close(whole(at), torch.cat(wanted, dim=1))
    each = [frequency(at[:, [axis, axis]].double().numpy(), [], 2)[:, :4] for axis in range(3)]
    got = Frequency(2, 3)(at)
    np.testing.assert_allclose(got, np.concatenate(each, axis=1), rtol=0, atol=1e-6)


def test_one_blob_sums_to_one_away_from_the_border():
    got = build_encoding("one_blob:bins=16", None)(torch.tensor([[0.5, 0.4]]))
    # four standard deviations of 1/16 fit to either side
    torch.testing.assert_close(got.view(2, 16).sum(1), torch.ones(2), rtol=0, atol=1e-4)
