"""An opened asset at positions, and as a module that trains and compiles."""

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade.errors import ShapeError


@pytest.fixture
def opened(asset_path):
    return neuralshade.load(asset_path)


@pytest.fixture
def uv(rng):
    return torch.rand(40, 2, generator=rng)


def test_positions_are_what_is_drawn(opened):
    centers = [((x + 0.5) / 7, (y + 0.5) / 4) for y in range(4) for x in range(7)]
    drawn = opened.draw(7, 4).reshape(28, 3)
    found = opened.at(centers)
    assert isinstance(found, np.ndarray) and found.dtype == np.float32
    np.testing.assert_allclose(found, drawn, atol=1e-5)  # a lattice sums in another order
    torch.testing.assert_close(opened.at(torch.tensor(centers)), torch.from_numpy(found))


@pytest.mark.parametrize("before", [(4, 10), (2, 4, 5), (0, 3)])
def test_positions_of_any_shape(opened, uv, before):
    """The page said "any positions", and [4, 5, 2] was refused."""
    count = int(np.prod(before))
    rows = uv[:count]
    found = opened.at(rows.reshape(*before, 2))
    assert torch.equal(found, opened.at(rows).reshape(*before, 3))
    grown = opened.at(rows.reshape(*before, 2).numpy())
    assert isinstance(grown, np.ndarray) and grown.shape == (*before, 3)


def test_gradients_reach_positions_and_not_the_asset(opened, uv):
    found = opened.at(uv.requires_grad_())
    found.sum().backward()
    step = 1e-3 * torch.eye(2)
    with torch.no_grad():
        ends = [(opened.at(uv + s) - opened.at(uv - s)).sum(1) for s in step]
    apart = (uv.grad - torch.stack(ends, dim=1) / 2e-3).abs()
    assert uv.grad.abs().median() > 1e-4
    # beyond a step's reach of an edge, where the slope jumps, float32 differences are this exact
    assert apart.median() < 0.02 * uv.grad.abs().median()
    assert all(p.grad is None for p in opened.field.parameters())


def test_a_module_of_its_own(opened, uv):
    module = opened.module()
    before = opened.at(uv)
    torch.testing.assert_close(module(uv), before)
    optimizer = torch.optim.SGD(module.parameters(), lr=10)
    module(uv).square().mean().backward()
    optimizer.step()
    assert (module(uv) - before).abs().max() > 1e-4
    assert torch.equal(opened.at(uv), before)
    other = opened.module()
    other.load_state_dict(module.state_dict())
    assert torch.equal(other(uv), module(uv))


@pytest.mark.parametrize("before", [(4, 10), (2, 4, 5), (0, 3)])
def test_a_module_takes_positions_of_any_shape(opened, uv, before):
    module, rows = opened.module(), uv[: int(np.prod(before))]
    found = module(rows.reshape(*before, 2))
    assert torch.equal(found, module(rows).reshape(*before, 3))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_a_module_takes_floats_of_any_width(opened, uv, dtype):
    module, given = opened.module(), uv.to(dtype).requires_grad_()
    found = module(given)
    assert torch.equal(found, module(given.detach().float())) and found.dtype == torch.float32
    found.sum().backward()
    assert given.grad.dtype == dtype and given.grad.any()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PyTorch's own tracing
def test_a_module_compiles_whole(opened, uv):
    module = opened.module()
    compiled = torch.compile(module, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(uv), module(uv))


NOT_FINITE = "at.positions: got NaN or infinity, need finite numbers. Replace them first."


@pytest.mark.parametrize("given, said", [
    (torch.zeros(3, 3), "positions: got shape [3, 3], need [N, 2]. Put u and v of one position "
     "into one row."),
    (torch.full((3, 2), torch.inf), NOT_FINITE), ([[0.5, float("nan")]], NOT_FINITE),
    (torch.zeros(4, 5, 3), "positions: got shape [4, 5, 3], need [N, 2]. Put u and v of one "
     "position into one row."),
    ("ab", "at.positions: got no numbers (could not convert string to float: 'ab'), need floats "
     "[..., 2]. Pass an array or a list of pairs."),
    (torch.zeros(3, 2, dtype=torch.int64), "at.positions: got torch.int64, need floats. Pass "
     "positions.float()."),
])  # fmt: skip
def test_other_positions(refusal, opened, given, said):
    assert refusal(ShapeError, opened.at, given) == said


MODULES = [
    (torch.full((3, 2), torch.nan), "positions: got NaN or infinity, need finite numbers. Replace "
     "them first."),
    (torch.full((2, 3, 2), torch.inf), "positions: got NaN or infinity, need finite numbers. "
     "Replace them first."),
    (torch.zeros(3, 2, dtype=torch.int64), "positions: got torch.int64, need floats. Pass "
     "positions.float()."),
    ([[0.5, 0.5]], "positions: got list, need a tensor of floats. Pass torch.tensor of it."),
    (torch.zeros(2), "positions: got shape [2], need [N, 2]. Put u and v of one position into one "
     "row."),
    (torch.zeros(4, 5, 3), "positions: got shape [4, 5, 3], need [N, 2]. Put u and v of one "
     "position into one row."),
]  # fmt: skip


@pytest.mark.parametrize("given, said", MODULES)
def test_other_positions_of_a_module(refusal, opened, given, said):
    assert refusal(ShapeError, opened.module(), given) == said


def test_a_short_repr(opened, asset_path):
    assert repr(opened) == f"<OpenedImage: {asset_path}, {opened.byte_count:,} bytes>"
    picture = neuralshade.picture_from_array(np.zeros((3, 5), np.uint8))
    assert repr(picture) == "<Picture: array, 5 x 3 x 1 uint8, srgb>"
