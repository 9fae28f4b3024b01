"""kinds/mipmaps/family/fit: several sets teach a network, and it helps another set."""

import functools
import signal

import numpy as np
import pytest
from PIL import Image

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.asset.asset import read_asset, save_asset
from neuralshade.errors import AssetError, ConfigError, OutputError
from neuralshade.kinds.mipmaps.family import fit as fit_family
from neuralshade.kinds.mipmaps.family.role import PriorTrainer
from neuralshade.kinds.mipmaps.family.training import FamilyTraining, fine_tuning
from neuralshade.measure.plane.mip_filters import unit
from neuralshade.source.texture_set import TextureSet

FEW = {"steps": 12, "pool": 16, "pairs": 4}
WELL = {"steps": 96, "pool": 64, "pairs": 16, "roughness_rate": 0.02, "slope_rate": 0.1,
        "favor": "mirror"}  # fmt: skip
SHORT = {**WELL, "steps": 4}


def metal(name, seed, side=32):
    """Return a bumpy metal; with others of its kind it is a family."""
    rng = np.random.default_rng(seed)
    slope = rng.normal(0, rng.uniform(0.15, 0.3), (side, side, 2))
    normal = unit(np.float32(np.concatenate([slope, np.ones((side, side, 1))], axis=2)))
    ones = np.ones((side, side), np.float32)
    albedo = np.broadcast_to(np.float32([0.8, 0.6, 0.4]), (side, side, 3)).copy()
    return TextureSet(name, albedo, normal, np.float32(rng.uniform(0.25, 0.4)) * ones, ones,
                      None, {}, ())  # fmt: skip


@pytest.fixture
def stand(tmp_path, monkeypatch):
    """Stand in an empty folder; networks are taught for a moment only."""
    monkeypatch.chdir(tmp_path)
    hasty(monkeypatch, 30)
    return tmp_path


def hasty(monkeypatch, steps):
    training = FamilyTraining(steps=steps, batch=512, rate=1e-2)
    monkeypatch.setattr(
        fit_family, "PriorTrainer", functools.partial(PriorTrainer, training=training)
    )


@pytest.fixture(scope="module")
def family(device, share_device, tmp_path_factory):
    """Give a folder with a network that three metals have taught. Not to be written to."""
    folder = tmp_path_factory.mktemp("family")
    with pytest.MonkeyPatch.context() as patch:
        hasty(patch, 400)
        share_device(patch)
        result = neuralshade.fit_mipmaps_family(
            [metal(name, i) for i, name in enumerate("abc")], folder / "f.nsh", folder, **WELL
        )
    return folder, result


@pytest.mark.slow
def test_members_are_what_they_are_alone(device, family, tmp_path):
    folder, result = family
    alone = neuralshade.fit_mipmaps(metal("b", 1), tmp_path, **WELL)
    member = result.sets[1]
    assert member.asset == str(folder / "b_mips/b.nsh")
    assert (member.kept, member.errors, member.notes) == (alone.kept, alone.errors, alone.notes)
    kept = neuralshade.load(member.asset).tensors
    for name, values in neuralshade.load(alone.asset).tensors.items():
        np.testing.assert_array_equal(kept[name], values)


@pytest.mark.slow
def test_what_is_told_of_the_network(family):
    folder, result = family
    assert (result.share, result.trained) == (str(folder / "f.nsh"), True)
    assert result.taught_by == tuple("abc") == tuple(result.left)
    assert all(0 < left < 0.5 for left in result.left.values())
    assert result.share_bytes == (folder / "f.nsh").stat().st_size < 16_000
    facts = neuralshade.info(folder / "f.nsh")
    assert (facts["kind"], facts["picture"], facts["bits_per_pixel"]) == ("mip_family", None, None)
    assert [(one["name"], one["width"]) for one in facts["family"]["sets"]] == [
        ("a", 32), ("b", 32), ("c", 32)
    ]  # fmt: skip
    assert facts["quality"]["left"] == result.left
    assert facts["recipe"]["steps"] == 96 and facts["training"]["steps"] == 400
    assert facts["parameters"] == 2217  # 26 x 32 + 32 x 32 + 32 x 9, and biases


@pytest.mark.slow
def test_helps_a_set_that_it_has_not_seen(family, stand, many_lights):
    """After four steps, errors are far below those after four steps from a box filter."""
    folder, _ = family
    before = (folder / "f.nsh").read_bytes()
    shared = neuralshade.fit_mipmaps_family(metal("new", 7), folder / "f.nsh", "s", **SHORT)
    assert (folder / "f.nsh").read_bytes() == before
    (one,) = shared.sets
    assert (shared.trained, shared.taught_by, one.asset) == (False, tuple("abc"), "s/new.nsh")
    alone = neuralshade.fit_mipmaps(metal("new", 7), "alone", **SHORT)
    for level in range(3):
        errors = [r.errors["mirror"]["trained"][level] for r in (one, alone)]
        assert errors[0] < 0.7 * errors[1], level
    note = f"started from {folder}/f.nsh, which learned from a, b, c."
    assert one.notes[-1] == note == neuralshade.info(one.asset)["maps"]["notes"][-1]


@pytest.mark.slow
def test_levels_that_it_makes_worse_start_from_a_box_filter(family, stand):
    """So a set of another family is fitted as if there were none."""
    asset = read_asset(family[0] / "f.nsh")
    wrong = {**asset.tensors, "network.layers.2.bias": np.full(9, 3, np.float32)}
    save_asset("wrong.nsh", "mip_family", asset.header, wrong)
    shared = neuralshade.fit_mipmaps_family(metal("new", 7, 8), "wrong.nsh", "s", **FEW).sets[0]
    rates = fine_tuning(FEW)
    assert rates["roughness_rate"] == 0.005 * 12 / 64
    alone = neuralshade.fit_mipmaps(metal("new", 7, 8), "alone", **rates)
    assert (shared.errors, shared.kept) == (alone.errors, alone.kept)
    assert shared.notes[0] == (
        "started from wrong.nsh, which learned from a, b, c. It makes levels 1, 2, 3 worse: "
        "started from a box filter there."
    )


@pytest.mark.slow
def test_several_sets_use_it_too(family, stand):
    folder, _ = family
    sets = [metal("p", 8, 8), metal("q", 9, 8)]
    settings = {"pool": 16, "pairs": 4}
    result = neuralshade.fit_mipmaps_family(sets, folder / "f.nsh", **settings)
    assert [one.asset for one in result.sets] == ["p_mips/p.nsh", "q_mips/q.nsh"]
    assert [one.steps for one in result.sets] == [64, 64]


@pytest.mark.slow  # kernels of another diffuse, for what the refusal below is asked of
def test_settings_that_it_learned_are_its_own(device, stand, same_message):
    sets, settings = [metal(name, 0, 8) for name in "ab"], {**FEW, "diffuse": "burley"}
    neuralshade.fit_mipmaps_family(sets, "f.nsh", **settings)
    result = neuralshade.fit_mipmaps_family(sets[0], "f.nsh", **FEW)
    assert neuralshade.info(result.sets[0].asset)["recipe"]["diffuse"] == "burley"
    same_message(refusal(ConfigError, sets[0], "f.nsh", diffuse="lambert"), "f.nsh", "--diffuse")


@pytest.mark.slow
def test_other_settings_than_it_learned_are_refused(family, stand):
    place = f"{family[0]}/f.nsh"
    assert refusal(ConfigError, metal("new", 7, 8), place, diffuse="burley") == (
        f"{place}: got diffuse='burley', need 'lambert' as its sets were trained with. Leave "
        "--diffuse out."
    )


def refusal(kind, *arguments, **settings):
    with pytest.raises(kind) as caught:
        neuralshade.fit_mipmaps_family(*arguments, **settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_refused_before_anything_is_written(stand, same_message):
    one, other = metal("a", 0, 8), metal("b", 1, 8)
    assert "albedo" in refusal(ConfigError, [], "f.nsh")
    same_message(refusal(ConfigError, one, "f.nsh"), "f.nsh", "Check")
    same_message(refusal(ConfigError, [one, metal("a", 2, 8)], "f.nsh"), "a", "Rename")
    message = refusal(ConfigError, [one, other], "f.nsh", options=FitOptions(resume="c.nsh"))
    same_message(message, "resume", "--share")
    message = refusal(ConfigError, [one, other], "f.nsh", options=FitOptions(report="r.html"))
    same_message(message, "report", "Write")
    message = refusal(ConfigError, [one, other], "f.nsh", maps={"albedo": "a.png"})
    same_message(message, "albedo", "Put")
    same_message(refusal(OutputError, [one, other], "gone/f.nsh"), "gone/f.nsh", "Create")
    same_message(refusal(OutputError, [one, other], "f.nsh", "gone/out"), "gone/out", "Create")
    assert list(stand.iterdir()) == []


def test_a_network_may_not_be_a_set_s_levels(stand, same_message):
    (stand / "a_mips").mkdir()
    message = refusal(OutputError, [metal("a", 0, 8), metal("b", 1, 8)], "a_mips/a.nsh")
    same_message(message, "a_mips/a.nsh", "Choose")
    assert list((stand / "a_mips").iterdir()) == []


def test_files_of_another_kind_are_refused(stand, same_message):
    picture = neuralshade.picture_from_array(np.zeros((6, 5, 3), np.uint8))
    neuralshade.fit_image(picture, "i.nsh", preset="tiny-9", steps=2)
    same_message(refusal(AssetError, metal("a", 0, 8), "i.nsh"), "i.nsh", "--share")
    (stand / "t.nsh").write_text("no network")
    assert refusal(AssetError, [metal("a", 0, 8)] * 1, "t.nsh").startswith("t.nsh: got ")


@pytest.mark.slow
def test_it_shows_nothing(family):
    folder, _ = family
    place = f"{folder}/f.nsh"
    message = (f"{place}: got the network of a family of mip levels, need an asset that shows "
               "something. Give it to fit mipmaps by --share.")  # fmt: skip
    Image.new("RGB", (4, 4)).save(folder / "p.png")
    for verb in (
        lambda: neuralshade.render(place),
        lambda: neuralshade.evaluate(place, folder / "p.png"),
        lambda: neuralshade.report(place, folder / "p.png", folder / "r.html"),
    ):
        with pytest.raises(AssetError) as caught:
            verb()
        assert str(caught.value) == message


def pressing(step=4):
    return lambda p: p.step >= step and signal.raise_signal(signal.SIGINT)


@pytest.mark.slow
def test_interrupted_while_sets_are_trained(device, stand):
    """The set's own checkpoint can be gone on with; of the family there is nothing."""
    sets = [metal("a", 0, 8), metal("b", 1, 8)]
    with pytest.raises(FitInterrupted) as caught:
        neuralshade.fit_mipmaps_family(sets, "f.nsh", observer=pressing(), **FEW)
    message = str(caught.value)
    assert message.startswith("f.nsh is not written, as it learns from all sets; not begun: b; "
                              "interrupted at step ")  # fmt: skip
    assert "the fit is kept in a_mips/a.checkpoint.nsh. Go on with: fit_mipmaps(" in message
    assert sorted(str(p) for p in stand.rglob("*.nsh")) == [f"{stand}/a_mips/a.checkpoint.nsh"]
    options = FitOptions(resume="a_mips/a.checkpoint.nsh")
    assert neuralshade.fit_mipmaps(sets[0], "a_mips", options=options).steps == 12


@pytest.mark.slow
def test_interrupted_while_it_is_used(family, stand):
    folder, _ = family
    with pytest.raises(FitInterrupted) as caught:
        neuralshade.fit_mipmaps_family(
            metal("new", 7, 8), folder / "f.nsh", "out", observer=pressing(), **FEW
        )
    assert str(caught.value).startswith("interrupted at step ")
    whole = neuralshade.fit_mipmaps_family(metal("new", 7, 8), folder / "f.nsh", "whole", **FEW)
    options = FitOptions(resume="out/new.checkpoint.nsh")
    parted = neuralshade.fit_mipmaps(metal("new", 7, 8), "out", options=options)
    assert parted.errors == whole.sets[0].errors


@pytest.mark.slow
def test_interrupted_while_the_network_is_trained(device, stand, monkeypatch):
    def train(examples, training, seed, observer):
        signal.raise_signal(signal.SIGTERM)
        observer(0.5)

    monkeypatch.setattr(fit_family, "train_correction", train)
    with pytest.raises(FitInterrupted) as caught:
        neuralshade.fit_mipmaps_family([metal(n, 0, 8) for n in "ab"], "f.nsh", "out", **FEW)
    assert str(caught.value) == (
        "interrupted while the network of f.nsh was trained: the levels are written, it is not."
    )
    assert not (stand / "f.nsh").exists()
    assert (stand / "out/a_mips/a.nsh").exists() and (stand / "out/b_mips/b.nsh").exists()
