"""training: what is learned of trained texels, and put to those of other maps."""

import numpy as np
import pytest
import torch

from neuralshade.errors import AssetError
from neuralshade.kinds.mipmaps.build import numbers_of
from neuralshade.kinds.mipmaps.family.training import (
    FamilyTraining,
    by_level,
    corrected,
    examples_of,
    fine_tuning,
    missed_share,
    network_of,
    train_correction,
)
from neuralshade.kinds.mipmaps.kernels import levels_of
from neuralshade.measure.plane.mip_filters import Maps, box_chain, lean_chain, unit

QUICK = FamilyTraining(steps=400, batch=512, rate=1e-2)


def rough(seed, height=48, width=64):
    """Return maps whose slopes are as steep as ``seed`` says, roughness differing."""
    rng = np.random.default_rng(seed)
    slope = rng.normal(0, rng.uniform(0.1, 0.4), (height, width, 2))
    normal = unit(np.float32(np.concatenate([slope, np.ones((height, width, 1))], axis=2)))
    roughness = np.clip(rng.normal(rng.uniform(0.3, 0.6), 0.05, (height, width)), 0.1, 1)
    albedo = rng.uniform(0.2, 0.8, (height, width, 3))
    return Maps(albedo.astype(np.float32), normal, roughness.astype(np.float32),
                np.zeros((height, width), np.float32))  # fmt: skip


def taught_lean(seed, training=QUICK):
    """Return maps, levels, box-filtered numbers, LEAN's, and what these teach."""
    maps = rough(seed)
    levels = levels_of(64, 48)
    box, lean = (numbers_of(make(maps, len(levels.sizes) - 1)) for make in (box_chain, lean_chain))
    return maps, levels, box, lean, examples_of(maps, levels, box, lean, training, 0)


def test_learns_a_filter_of_other_maps():
    """In place of training there is LEAN mapping: a rule that is known to the last digit."""
    network = train_correction([taught_lean(seed)[-1] for seed in (1, 2, 3)], QUICK, 0)
    maps, levels, box, lean, examples = taught_lean(4)
    assert missed_share(network, examples) < 0.35
    found = corrected(network, maps, levels, box)
    inside = slice(0, levels.first(4))
    missed = np.abs(found - lean)[5, inside].mean() / np.abs(box - lean)[5, inside].mean()
    assert missed < 0.3


def test_targets_are_undone_by_correcting():
    maps, levels, box, _, _ = taught_lean(0)
    rng = np.random.default_rng(0)
    trained = box.copy()
    trained[:3] *= rng.uniform(0.8, 1.1, box.shape[1])
    trained[3:5] += rng.normal(0, 0.05, (2, box.shape[1]))
    trained[5] *= rng.uniform(0.9, 1.2, box.shape[1])
    trained[6] += rng.uniform(0, 0.2, box.shape[1])
    trained = trained.astype(np.float32)
    targets = torch.from_numpy(examples_of(maps, levels, box, trained, QUICK, 0).targets)
    found = corrected(lambda *given: targets, maps, levels, box)
    np.testing.assert_allclose(found[3:], trained[3:].clip(-5, 5), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[:3], trained[:3].clip(0, 1), rtol=0.02)  # DARK is in there


def test_what_is_added_stays_in_range():
    maps, levels, box, _, _ = taught_lean(0)
    far = torch.tensor([100.0, -100, 100, 100, 100]).expand(box.shape[1], 5)
    for sign in (1, -1):
        found = corrected(lambda *given, sign=sign: sign * far, maps, levels, box)
        low, high = found.min(axis=1), found.max(axis=1)
        assert (low[[0, 1, 2, 6]] >= 0).all() and (high[[0, 1, 2, 5, 6]] <= 1).all()
        assert (low[3:5] >= -5).all() and (high[3:5] <= 5).all() and low[5] > 0.03


def test_an_untaught_network_leaves_all_of_it():
    network = train_correction([taught_lean(1)[-1]], FamilyTraining(steps=1, rate=1e-12), 0)
    assert missed_share(network, taught_lean(2)[-1]) == pytest.approx(1, abs=1e-4)
    assert missed_share(network, taught_lean(2)[-1]) > 0.5


def test_equal_seeds_give_equal_bits():
    examples, few = [taught_lean(1)[-1]], FamilyTraining(steps=20, batch=64)
    states = [train_correction(examples, few, seed).state_dict() for seed in (3, 3, 4)]
    weight = "network.layers.0.weight"
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    assert not torch.equal(states[0][weight], states[2][weight])
    torch.testing.assert_close(states[0]["mean"], torch.from_numpy(examples[0].invariants).mean(0))


@pytest.mark.parametrize("evenness", [0.0, 0.75, 1.0])
def test_levels_count_as_said(evenness):
    training = FamilyTraining(evenness=evenness)
    _, levels, _, _, examples = taught_lean(1, training)
    assert examples.weight.sum() == pytest.approx(1, abs=1e-5)
    first, second = levels.first(2), levels.first(3)
    ratio = examples.weight[:first].sum() / examples.weight[first:second].sum()
    assert ratio == pytest.approx(4 ** (1 - evenness), rel=1e-3)


def test_large_levels_are_drawn_from(monkeypatch):
    monkeypatch.setattr("neuralshade.kinds.mipmaps.family.training.EACH_LEVEL", 100)
    _, levels, _, _, examples = taught_lean(1)
    sizes = [min(100, w * h) for w, h in levels.sizes[1:]]
    assert len(examples.weight) == sum(sizes) == len(examples.targets)


def test_progress_is_told():
    shares = []
    train_correction([taught_lean(1)[-1]], FamilyTraining(steps=4, batch=16), 0, shares.append)
    assert shares == [0.25, 0.5, 0.75, 1.0]


def test_levels_are_put_together_one_by_one():
    _, levels, box, lean, _ = taught_lean(1)
    better = [True, False, True, False, False, True]
    found = by_level(levels, better, box, lean)
    for level, taken in enumerate(better, 1):
        first = levels.first(level)
        inside = slice(first, first + levels.sizes[level][0] * levels.sizes[level][1])
        np.testing.assert_array_equal(found[:, inside], (lean if taken else box)[:, inside])


@pytest.mark.parametrize("given, found", [
    ({}, {"steps": 64}), ({"seconds": 2.0}, {"seconds": 2.0}), ({"steps": 100}, {"steps": 100}),
    ({"steps": 16, "slope_rate": 0.3}, {"steps": 16, "slope_rate": 0.3, "albedo_rate": 0.005,
                                        "roughness_rate": 0.00125, "metallic_rate": 0.005}),
    ({"steps": 0}, {"steps": 0}), ({"steps": "x"}, {"steps": "x"}),  # which the recipe refuses
])  # fmt: skip
def test_fewer_steps_are_smaller_ones(given, found):
    assert fine_tuning(given) == found


def test_kept_numbers_make_it_again(same_message):
    few = FamilyTraining(steps=3, batch=64)
    network = train_correction([taught_lean(1)[-1]], few, 0)
    tensors = {name: value.numpy() for name, value in network.state_dict().items()}
    other = network_of(tensors, vars(few), "f.nsh").state_dict()
    assert all(torch.equal(value, other[name]) for name, value in network.state_dict().items())
    for broken in ({**tensors, "mean": np.zeros(3, np.float32)}, {"mean": tensors["mean"]}):
        with pytest.raises(AssetError) as caught:
            network_of(broken, vars(few), "f.nsh")
        same_message(str(caught.value), "f.nsh", "Train")
