"""kinds/material/module: the module of PyTorch says what ``eval`` does, with gradients."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade.errors import ConfigError, ShapeError
from neuralshade.kinds.material.field import build_field
from neuralshade.kinds.material.levels import level_shade
from neuralshade.kinds.material.module import MaterialField
from neuralshade.kinds.material.recipe import MaterialRecipe

DATA = Path(__file__).parents[2] / "data/material.nsh"
UP = torch.tensor([0.0, 0.0, 1.0])


@pytest.fixture
def opened(tmp_path):
    return neuralshade.load(shutil.copy(DATA, tmp_path / "material.nsh"))


@pytest.fixture
def asked(rng):
    """Return places and pairs of directions: [..., 2], [..., 3] and [..., 3], below too."""

    def drawn(*shape):
        wi, wo = torch.nn.functional.normalize(torch.randn(2, *shape, 3, generator=rng), dim=-1)
        return 3 * torch.rand(*shape, 2, generator=rng) - 1, wi, wo

    return drawn


@pytest.fixture
def varied(rng):
    """Return a module of four levels with two varied inputs, and what says the same in NumPy."""
    field = build_field(MaterialRecipe(vary="a=0..1,b=0..1"), 8, rng, 4)
    torch.nn.init.uniform_(field.encoding.grid.texels, generator=rng)
    return MaterialField(SimpleNamespace(field=field, shares=[0.25, 0.75])), level_shade(field)


def test_it_says_what_eval_does(opened, asked):
    uv, wi, wo = asked(500)
    found = opened.module()(uv, wi, wo)
    assert found.dtype == torch.float32
    np.testing.assert_allclose(found.detach(), opened.eval(uv, wi, wo), rtol=1e-5, atol=1e-6)
    below = torch.minimum(wi[:, 2], wo[:, 2]) <= 0
    assert not found[below].any() and (found[~below] > 0).all() and 0 < below.sum() < 500
    torch.testing.assert_close(opened.at(uv, wi=wi, wo=wo), found)
    arrays = opened.at(uv.numpy(), wi=wi.numpy(), wo=wo.numpy())
    np.testing.assert_array_equal(arrays, found.detach())


def test_levels_and_shares_of_inputs(varied, asked):
    module, shade = varied
    uv, wi, wo = asked(64)
    wi[:, 2], wo[:, 2] = wi[:, 2].abs(), wo[:, 2].abs()
    for level in (0, 1.25, torch.linspace(-1, 5, 64)):
        levels = np.float32(torch.as_tensor(level).expand(64))
        for shares in ([0.25, 0.75], [1.0, 0.0]):
            rows = torch.cat([uv, torch.tensor(shares).expand(64, 2)], 1)
            wanted = shade(rows.numpy(), wi.numpy(), wo.numpy(), levels)
            given = rows if shares[0] == 1 else uv
            found = module(given, wi, wo, level).detach()
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("before", [(4, 10), (2, 4, 5), (0, 3), (40,)])
def test_places_of_any_shape(opened, asked, before):
    module, (uv, wi, wo) = opened.module(), asked(*before)
    found = module(uv, wi, wo)
    assert found.shape == (*before, 3)
    flat = module(uv.reshape(-1, 2), wi.reshape(-1, 3), wo.reshape(-1, 3))
    torch.testing.assert_close(found.reshape(-1, 3), flat)
    one = module(uv, UP, wo, torch.zeros(before))
    torch.testing.assert_close(one, module(uv, UP.expand(*before, 3), wo))


def test_float64_is_taken_as_float32(opened, asked):
    module, (uv, wi, wo) = opened.module(), asked(20)
    found = module(uv.double(), wi.double(), wo.double())
    torch.testing.assert_close(found, module(uv, wi, wo))


def test_gradients_reach_all_arguments(varied, asked):
    module, _ = varied
    uv, wi, wo = asked(30)
    wi[:, 2], wo[:, 2] = wi[:, 2].abs() + 0.3, wo[:, 2].abs() + 0.3
    wi, wo = (torch.nn.functional.normalize(w, dim=1) for w in (wi, wo))
    given = [part.clone().requires_grad_() for part in (uv, wi, wo, torch.full((30,), 0.4))]
    module(*given).log().sum().backward()
    step = 1e-3
    for which, part in enumerate(given):
        assert part.grad.abs().median() > 0
        flat = part.detach().reshape(30, -1)
        for axis in range(flat.shape[1]):
            with torch.no_grad():
                ends = []
                for sign in (1, -1):
                    moved = flat.clone()
                    moved[:, axis] += sign * step
                    asked_now = [*given]
                    asked_now[which] = moved.reshape(part.shape)
                    ends.append(module(*asked_now).log().sum(1))
            slope = (ends[0] - ends[1]) / (2 * step)
            got = part.grad.reshape(30, -1)[:, axis]
            # beyond a step's reach of a texel's edge, where the slope jumps
            assert (got - slope).abs().median() < 0.02 * slope.abs().median() + 1e-3


def test_training_it_leaves_the_asset_alone(opened, asked):
    module, (uv, wi, wo) = opened.module(), asked(100)
    before = opened.eval(uv, wi, wo)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    module(uv, wi, wo).square().mean().backward()
    optimizer.step()
    assert (module(uv, wi, wo).detach() - torch.from_numpy(before)).abs().max() > 1e-4
    np.testing.assert_array_equal(opened.eval(uv, wi, wo), before)
    other = opened.module()
    other.load_state_dict(module.state_dict())
    assert torch.equal(other(uv, wi, wo), module(uv, wi, wo))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PyTorch's own tracing
def test_it_compiles_whole(opened, asked):
    module, given = opened.module(), asked(40)
    compiled = torch.compile(module, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(*given), module(*given))


NAN = float("nan")
REFUSED = {
    "no tensor": ({"uv": [[0.5, 0.5]]}, "uv: got list, need a tensor of floats. Pass torch.tensor "
                  "of it."),
    "integers": ({"uv": torch.zeros(2, 2, dtype=torch.int64)}, "uv: got torch.int64, need floats. "
                 "Pass uv.float()."),
    "three numbers": ({"uv": torch.zeros(2, 3)}, "uv: got shape [2, 3], need [..., 2]. Put each "
                      "place into a row of its own."),
    "one place": ({"uv": torch.zeros(2)}, "uv: got shape [2], need [..., 2]. Put each place into a "
                  "row of its own."),
    "NaN in uv": ({"uv": torch.full((2, 2), NAN)}, "uv: got NaN or infinity, need finite numbers. "
                  "Replace them first."),
    "NaN in wi": ({"wi": torch.tensor([NAN, 0, 1])}, "wi: got NaN or infinity, need finite "
                  "numbers. Replace them first."),
    "NaN in level": ({"level": NAN}, "level: got NaN or infinity, need finite numbers. Replace "
                     "them first."),
    "other directions": ({"wo": torch.ones(3, 3)}, "wo: got shape [3, 3], need [2, 3], a direction "
                         "for each place of uv, or [3]. Expand it."),
    "other levels": ({"level": torch.ones(3)}, "level: got shape [3], need one number or [2], as "
                     "many as places. Change it."),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(opened, refusal, what):
    change, said = REFUSED[what]
    given = {"uv": torch.full((2, 2), 0.5), "wi": UP, "wo": UP} | change
    assert refusal(ShapeError, opened.module(), **given) == said


def test_directions_have_length_1(opened, refusal, same_message):
    said = refusal(ConfigError, opened.module(), torch.zeros(2, 2), 2 * UP, UP)
    same_message(said, "wi", "Divide")
