"""kinds/material/gpu_engine: fits whose samples a device draws and whose map kernels train."""

import itertools

import numpy as np
import pytest
import torch
from fixtures.small_material import paint, paint_reference, upper_pairs

import neuralshade
from neuralshade import FitOptions
from neuralshade.engine.trainer_state import MOMENTS
from neuralshade.gpu.gpu import run_once
from neuralshade.kinds.material.device_samples import DeviceBatches, DeviceSamples, values_on
from neuralshade.kinds.material.engine import ENCODED, FROZEN, OF_READ, TRAINED
from neuralshade.kinds.material.field import build_field, encoding_of
from neuralshade.kinds.material.fit import fit_material
from neuralshade.kinds.material.gpu_engine import GpuMaterialEngine
from neuralshade.kinds.material.log_loss import FLOOR, log_loss, logs_of
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.samples import MaterialSampler
from neuralshade.kinds.material.shared import SharedPart

BATCH = 1024
RECIPE = MaterialRecipe(size=16, batch=BATCH, hidden_width=16, steps=8)


@pytest.fixture(scope="module")
def sampler(painted):
    return MaterialSampler(painted, BATCH, 0.5, torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def drawn(gpu, painted, sampler):
    return DeviceSamples(gpu, painted, sampler, BATCH, 7)


@pytest.fixture
def engine(gpu, painted):
    return GpuMaterialEngine(RECIPE, painted, gpu, "auto", True)


def test_samples_are_what_the_reference_evaluates_to(drawn, sampler):
    batch = DeviceBatches(drawn, torch.device("cpu")).draw()
    wi, wo = batch.wi.t().numpy(), batch.wo.t().numpy()
    wanted = paint(batch.uv.numpy(), wi, wo)
    np.testing.assert_allclose(batch.target.t().numpy(), wanted, rtol=2e-3, atol=1e-4)
    said = sampler.normalized(values_on(torch.device("cpu"), drawn.reference, batch.uv.numpy()))
    np.testing.assert_allclose(batch.values.numpy(), said.numpy(), atol=1e-4)
    for directions in (batch.wi, batch.wo):
        np.testing.assert_allclose(directions.norm(dim=0).numpy(), 1, atol=1e-4)
    up = torch.tensor([[0.0], [0.0], [1.0]])
    assert 0.97 < batch.seen.float().mean() < 1
    assert (batch.wi[:, ~batch.seen] == up).all() and (batch.wi[2] > 0).all()


def test_a_share_lies_at_rare_points_and_the_rest_anywhere(drawn, sampler):
    uv = DeviceBatches(drawn, torch.device("cpu")).draw().uv.numpy()
    known = {tuple(point) for point in sampler.rare_points.numpy()}
    share = np.mean([tuple(point) in known for point in uv])
    assert share == pytest.approx(0.5, abs=4 * 0.5 / BATCH**0.5)
    assert uv.min() >= 0 and uv.max() < 1


def test_samples_of_a_rare_point_lie_anywhere_in_the_texel_about_it(gpu, painted):
    """And have the values of where they lie. A map would else fit the points, again and again."""
    width = 1 / 16
    sampler = MaterialSampler(painted, BATCH, 1.0, torch.Generator().manual_seed(0), 4, width)
    batch = DeviceBatches(
        DeviceSamples(gpu, painted, sampler, BATCH, 7), torch.device("cpu")
    ).draw()
    away = batch.uv[:, None] - sampler.rare_points
    away = ((away + 0.5) % 1 - 0.5) / width  # around the border, too
    nearest = away.abs().amax(2).argmin(1)
    offset = away[torch.arange(BATCH), nearest]
    assert offset.abs().max() <= 0.5 + 1e-4
    assert offset.std(0).tolist() == pytest.approx([12**-0.5] * 2, rel=0.1)
    assert abs(np.corrcoef(offset.t().numpy())[0, 1]) < 0.15
    wi, wo = batch.wi.t().numpy(), batch.wo.t().numpy()
    wanted = paint(batch.uv.numpy(), wi, wo)
    np.testing.assert_allclose(batch.target.t().numpy(), wanted, rtol=2e-3, atol=1e-4)
    said = sampler.normalized(values_on(torch.device("cpu"), painted, batch.uv.numpy()))
    np.testing.assert_allclose(batch.values.numpy(), said.numpy(), rtol=1e-3, atol=1e-3)


def test_steps_draw_what_is_theirs_alone(gpu, drawn):
    """The same step the same, on the host's way and on the kernels'; another one another."""
    ahead = DeviceBatches(drawn, torch.device("cpu"))
    first, second = (ahead.draw() for _ in range(2))
    again = DeviceBatches(drawn, torch.device("cpu"))
    again.step = 1
    assert torch.equal(again.draw().uv, second.uv)
    assert not torch.equal(first.uv, second.uv)
    bound = {**drawn.buffers(BATCH), "drawn_states": ahead.states,
             "drawn_values": gpu.buffer(size=4)}  # fmt: skip
    run_once(gpu, [drawn.kernel(BATCH, bound, keeps_values=False)])  # the state still says step 0
    rows = bound["drawn_rows"].read().view(np.float32).reshape(-1, 12)
    np.testing.assert_array_equal(rows[:, :2], first.uv.numpy())
    # Two texts with one graph: a compiler may fuse a product and a sum in one of them only.
    np.testing.assert_allclose(rows[:, 8:11], first.target.t().numpy(), rtol=1e-6)


def phases(engine, steps):
    """Run steps with the map baked and frozen in the middle; return the state after each."""
    states = []
    for step in range(steps):
        if step == 2:
            engine.bake()
        if step == 5:
            engine.freeze()
        engine.advance([1.0])
        states.append({name: value.clone() for name, value in engine.state().items()})
    return states


@pytest.mark.slow  # kernels of four engines
def test_a_fit_goes_on_from_any_of_its_phases(gpu, painted, engine):
    states = phases(engine, 8)
    assert engine.phase == FROZEN and [int(s["phase"]) for s in states] == [
        ENCODED, ENCODED, TRAINED, TRAINED, TRAINED, FROZEN, FROZEN, FROZEN,
    ]  # fmt: skip
    for at in (0, 3, 6):
        other = GpuMaterialEngine(RECIPE, painted, gpu, "auto", True)
        other.load_state(states[at])
        assert other.phase == int(states[at]["phase"])
        other.advance([1.0])
        for name, value in other.state().items():
            assert torch.equal(value, states[at + 1][name]), name


@pytest.mark.slow  # kernels of an engine in both its phases
def test_no_step_changes_layers_that_are_given(gpu, painted):
    """In none of the phases; the other layers are trained in all of them."""
    drawn = build_field(RECIPE, 1, torch.Generator().manual_seed(5)).network.members[0]
    given = {f"decoder.0.{n}": p.detach().half().numpy() for n, p in drawn.named_parameters()}
    shared = SharedPart("x.nsh", RECIPE, given)
    engine = GpuMaterialEngine(RECIPE, painted, gpu, "auto", True, shared)
    seen = []
    for state in phases(engine, 7):
        encoded = int(state["phase"]) == ENCODED
        begun = "encoder.field.network." if encoded else "field.network."
        layers = [state[f"{begun}layers.{i}.weight"].numpy() for i in range(3)]
        np.testing.assert_array_equal(layers[0], given["decoder.0.weight"])
        seen.append(layers[1:])
    for before, after in itertools.pairwise(seen):
        assert all((one != other).mean() > 0.5 for one, other in zip(before, after, strict=True))
    stored = dict(engine.field().network.named_parameters())
    np.testing.assert_array_equal(stored["layers.0.bias"].detach(), given["decoder.0.bias"])


@pytest.mark.slow
def test_the_trained_field_says_what_kernels_train(engine):
    """The decoder's exponential is back, and the frozen map is the rounded one."""
    phases(engine, 6)
    uv, wi, wo = upper_pairs(200)
    found = engine.shade(engine.field())(uv, wi, wo)
    at = np.concatenate([uv, np.zeros((len(uv), 1), np.float32), wi, wo], axis=1)
    engine.trainer.round_mean()
    logs = engine.trainer.inference.at_positions(at)
    np.testing.assert_allclose(np.log(found), logs, atol=5e-3)


@pytest.mark.slow
def test_optimizers_go_on_where_the_encoders_were(engine):
    """With what they kept of the decoder and of the read-out."""
    engine.advance([1.0] * 3)
    engine.encoder_steps.fetch()
    adam, trained = engine.encoder_steps.adam, engine.encoder_steps.field
    kept = {name: value.to("cpu", copy=True)
            for name, value in engine.encoder_steps.decoder_soap.state().items()}  # fmt: skip
    bias = adam.moments(encoding_of(trained).lobes.read.bias)[0].to("cpu", copy=True)
    engine.bake()
    state = engine.state()
    assert all(torch.equal(value, state[f"optimizer.0.{name}"]) for name, value in kept.items())
    assert all(value.any() for value in kept.values()) and int(kept["0.step"]) == 3
    assert float((kept["0.left_axes"] - torch.eye(len(kept["0.left_axes"]))).abs().max()) > 0.1
    assert torch.equal(state["read.adam.bias.exp_avg"], bias)
    engine.advance([1.0])
    assert int(engine.state()["optimizer.0.0.step"]) == 4


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False])
def test_the_read_out_is_stepped_along_its_gradient(gpu, painted, exact):
    """What Adam keeps of it moves by PyTorch's gradient of the samples that the step drew."""
    engine = GpuMaterialEngine(RECIPE, painted, gpu, "auto", exact)
    for change in (lambda: engine.advance([1.0] * 3), engine.bake, engine.freeze):
        change()
    before, field = engine.state(), engine.field()
    engine.advance([1.0])
    after = engine.state()
    rows = engine.trainer.task.variables["samples"].read().view(np.float32)
    rows = torch.from_numpy(rows[: 12 * BATCH].copy()).view(-1, 4, 32, 12)[:, 0].reshape(-1, 12)
    encoding, columns = encoding_of(field), rows.t()  # of the rows that the first step takes
    at = torch.cat([rows[:, :2], torch.zeros(len(rows), 1)], dim=1)
    read = encoding.columns(encoding.latents(at), columns[2:5], columns[5:8], rows[:, 12:])
    said, seen = field.network.on_columns(read, torch.float32), columns[11]
    wanted = (columns[8:11] + FLOOR).log()
    p = logs_of(said, wanted) * seen
    p.backward(log_loss(p.detach(), wanted * seen)[1] / p.numel())
    beta = RECIPE.beta1
    for name in ("weight", "bias"):
        m0, m1 = (state[f"read.adam.{name}.exp_avg"] for state in (before, after))
        need = getattr(encoding.lobes.read, name).grad
        found = (m1 - beta * m0) / (1 - beta)
        # on matrix units a decoder of float16 says of a few errors that they are of the other sign
        coarse = 0.01 if gpu.adapter.software else 0.06
        torch.testing.assert_close(found, need, rtol=0.02, atol=coarse * float(need.abs().max()))
        moved = after[f"read.{name}"] - before[f"read.{name}"]
        assert (moved.sign() == -m1.sign()).float().mean() > 0.99


@pytest.mark.slow
def test_a_fit_scatters_as_its_reference(tmp_path, share_device, monkeypatch):
    share_device(monkeypatch)
    monkeypatch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 48)
    path = tmp_path / "paint.nsh"
    result = fit_material(paint_reference(), path, steps=300, size=16, batch=1024, hidden_width=16,
                          mips=0.05, sampler=0.02, options=FitOptions(engine="gpu"))  # fmt: skip
    assert result.engine == "gpu" and result.skipped_steps == 0 and result.psnr_db > 28
    uv, wi, wo = upper_pairs(4000)
    wanted, found = paint(uv, wi, wo), neuralshade.load(path).eval(uv, wi, wo)
    assert np.abs(found - wanted).sum() < 0.2 * wanted.sum()


def test_values_of_many_places_are_those_of_parameters(painted, monkeypatch):
    """Part by part, of which each overwrites what the device held of the one before."""
    monkeypatch.setattr("neuralshade.kinds.material.references.reference_bsdf.AT_ONCE", 100)
    uv = np.random.default_rng(0).random((250, 2), np.float32)
    need = painted.parameters(uv)
    devices = ["cpu", *["cuda"] * torch.cuda.is_available()]
    for device in devices:
        found = values_on(torch.device(device), painted, uv)
        np.testing.assert_array_equal(found.cpu().numpy(), need)
    assert len(np.unique(need, axis=0)) > 200
    assert values_on(torch.device("cpu"), painted, uv[:0]).shape == (0, need.shape[1])


@pytest.mark.slow  # kernels of an engine in both its phases
def test_directions_of_the_map_are_trained_when_it_is_frozen(engine):
    """What reads the map gets gradients to the end: else its means of them would but decay."""
    *_, before, after = phases(engine, 8)
    means = [name for name in after if name.startswith(OF_READ) and name.endswith(MOMENTS[0])]
    assert means
    for name in means:
        assert not np.allclose(after[name], RECIPE.beta1 * before[name], rtol=1e-3, atol=0), name
