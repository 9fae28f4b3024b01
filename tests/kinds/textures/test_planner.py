"""kinds/textures/planner: the smallest layout that is expected to reach what is asked for."""

import math
import signal
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from fixtures.texture_sets import small_set

import neuralshade
from neuralshade.engine.engine_choice import EngineChoice
from neuralshade.errors import ConfigError, FitInterrupted
from neuralshade.fitting.options import FitOptions
from neuralshade.kinds.textures.channels import codings_of
from neuralshade.kinds.textures.layout import SMOOTH, decoder_bits, rate_of
from neuralshade.kinds.textures.planner import REACH_DB, Planner, TargetReached
from neuralshade.kinds.textures.probe import Prober, prober_of, shortened
from neuralshade.kinds.textures.recipe import TexturesRecipe, parse_grids
from neuralshade.kinds.textures.result import missed_target
from neuralshade.kinds.textures.targets import Targets
from neuralshade.kinds.textures.texels import Texels
from neuralshade.source.material_mips import mip_sizes


class Known(Prober):
    """Expects 20 dB and 4 more for every root of a bit, of normals 2 less; counts its calls."""

    def __init__(self, width=1024, height=512):
        textures = small_set()
        super().__init__(None, codings_of(textures), TexturesRecipe(), None)
        self.texels = Texels.__new__(Texels)  # its sizes alone are asked for
        self.texels.sizes, self.texels.channels = mip_sizes(width, height), 6
        self.tried = []

    def expected(self, shapes):
        self.tried.append(shapes)
        reached = 20 + 4 * math.sqrt(rate_of(shapes))
        return {"albedo": reached, "normal": reached - 2, "roughness": reached + 2}


@pytest.mark.parametrize("wanted", [26.0, 28.9, 31.0, 37.5])
def test_the_smallest_that_reaches(wanted):
    prober = Known()
    found = Planner(prober, SMOOTH).smallest(Targets(wanted))
    needed = ((wanted - 20) / 4) ** 2
    assert needed - 1e-9 <= found.rate <= 1.06 * needed  # layouts have steps
    assert found.mean_psnr_db == pytest.approx(20 + 4 * math.sqrt(found.rate), abs=1e-6)
    assert rate_of(parse_grids(found.grids)) == found.rate
    # in memory a decoder has 16 bits per weight, and there is no header
    bits = decoder_bits(TexturesRecipe(), parse_grids(found.grids))
    assert (found.memory_bytes < found.bytes) == (bits == 16)
    assert len(prober.tried) == len(set(prober.tried)) <= 3


def test_each_map_reaches_its_own():
    found = Planner(Known(), SMOOTH).smallest(Targets(None, {"normal": 30.0, "roughness": 20.0}))
    assert 30.0 <= found.psnr_db["normal"] < 30.4
    both = Planner(Known(), SMOOTH).smallest(Targets(34.0, {"normal": 30.0}))
    assert 34.0 <= both.mean_psnr_db < 34.4


def test_below_the_smallest_known_layout_is_none():
    found = Planner(Known(), SMOOTH).smallest(Targets(5.0))
    assert parse_grids(found.grids) == SMOOTH[0]


def test_beyond_reach():
    most = 20 + 4 * math.sqrt(rate_of(SMOOTH[-1]))
    near = Planner(Known(), SMOOTH).smallest(Targets(most + 0.9 * REACH_DB))
    assert parse_grids(near.grids) == SMOOTH[-1]
    with pytest.raises(ConfigError) as caught:
        Planner(Known(), SMOOTH).smallest(Targets(None, {"normal": most + 1}))
    assert str(caught.value) == (
        "target: got more than the largest latents are expected to reach in such a fit, normal "
        f"{most - 2:.2f} of {most + 1:g} dB in {near.bytes:,} bytes; need less. Ask for less, or "
        "give more --steps."
    )


def test_short_fits_have_a_share_of_both_ends():
    recipe = shortened(TexturesRecipe(steps=10_000, seconds=60.0, warmup=100), 0.05)
    assert (recipe.steps, recipe.seconds, recipe.warmup) == (500, 3.0, 5)
    assert shortened(TexturesRecipe(steps=10, seconds=None), 0.05).steps == 2  # a frozen one too


@pytest.mark.slow
def test_layouts_are_tried_on_one_gpu(gpu, monkeypatch):
    monkeypatch.setattr(gpu, "close", lambda: pytest.fail("the fit itself needs it still"))
    recipe = TexturesRecipe(steps=40, batch=64)
    chosen = EngineChoice("gpu", torch.device("cpu"), gpu)
    prober = prober_of(small_set(16, 24), recipe, chosen, FitOptions(kernels="fma"))
    found = prober.expected(parse_grids("2:4:3,4:4:4,8:4:4"))
    assert found.keys() == {"albedo", "normal", "roughness"}
    assert all(5 < value < 60 for value in found.values())


def test_a_fit_reaches_for_a_target(fitted, maps, tmp_path):
    asked = {"target_psnr": 16.0, "steps": 12}
    result = fitted(maps, target={"roughness": 12.0}, **asked)
    again = fitted(maps, "again.nsh", target="roughness=12", **asked)
    assert result.target.psnr_db == 16.0 and result.target.maps == {"roughness": 12.0}
    assert (result.target.missed == "") == (
        result.psnr_db >= 16 and result.maps["roughness"][0] >= 12
    )
    assert again.target == result.target  # with a seed and steps
    assert again.maps == result.maps
    grids = neuralshade.info(tmp_path / "x.nsh")["recipe"]["grids"]
    assert rate_of(SMOOTH[0]) <= rate_of(parse_grids(grids)) <= rate_of(SMOOTH[-1])


@pytest.mark.slow
def test_what_is_missed_is_warned_of(fitted, maps, monkeypatch, capsys):
    """Only ``target`` had it, and the last line that is printed: no page, no event."""
    monkeypatch.setattr("neuralshade.kinds.textures.planner.REACH_DB", 99.0)
    result = fitted(maps, target_psnr=60.0)
    assert result.target.missed == f"the mean {result.psnr_db:.2f} of 60 dB"
    said = f"fit: target missed: {result.target.missed} in {result.asset_bytes:,} bytes."
    assert any(line.startswith(said) for line in result.warnings)
    result.print()
    assert "target missed" not in capsys.readouterr().out  # the log has it


@pytest.mark.parametrize("share, more", [(1.0, " Give it more --steps."), (0.5, "")])
def test_a_target_that_is_missed_says_what_helps(share, more):
    missed = TargetReached(None, {"albedo": 35.0}, 36.0, {"albedo": 36.0}, "albedo 34.21 of 35 dB")
    progress = SimpleNamespace(share=share, plateau_step=None, seconds=3.0)
    recipe = SimpleNamespace(seconds=None)
    assert missed_target(missed, 25_906, progress, recipe) == (
        f"fit: target missed: albedo 34.21 of 35 dB in 25,906 bytes.{more} To ask for a little "
        "more helps, too."
    )
    assert missed_target(replace(missed, missed=""), 25_906, progress, recipe) is None
    assert missed_target(None, 25_906, progress, recipe) is None


def test_ctrl_c_while_layouts_are_tried(fitted, maps, tmp_path, monkeypatch):
    monkeypatch.setattr("neuralshade.kinds.textures.probe.Loop", _Interrupted)
    with pytest.raises(FitInterrupted) as caught:
        fitted(maps, target_psnr=20.0)
    assert str(caught.value) == (
        "interrupted while layouts were tried: nothing is kept, begin again."
    )
    assert list(tmp_path.iterdir()) == []


class _Interrupted(neuralshade.fitting.loop.Loop):
    def _notify(self, **how):
        super()._notify(**how)
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("asked, message", [
    ({"target_psnr": 30, "bpp": 5.0}, "target_psnr: got it beside bpp, which is a size already, "
     "need one of the two. Leave one out."),
    ({"target_psnr": 30, "latents": "bc1"}, "target_psnr: got it beside latents=bc1, of which no "
     "sizes are tried, need plain latents. Give --bpp or --bytes."),
    ({"target": "ao=3", "grids": "2:4:3"}, "target: got it beside grids, which is a size already, "
     "need one of the two. Leave one out."),
    ({"target_psnr": 30, "byte_count": 9000}, "target_psnr: got it beside bytes, which is a size "
     "already, need one of the two. Leave one out."),
    ({"target": "albdo=30"}, "target: got 'albdo', need a map that varies: albedo, normal, "
     "roughness. Did you mean albedo? Leave it out."),
    ({"target": "albedo"}, "target: got 'albedo', need MAP=DB. Write for example albedo=35."),
    ({"target": "albedo=30,albedo=31"}, "target: got albedo twice, need it once. Leave one out."),
    ({"target": {}}, "target: got no map, need MAP=DB. Write for example albedo=35."),
    ({"target": {"albedo": "high"}}, "target: got albedo='high', need dB above 0, 99 at most. "
     "Write for example albedo=35."),
    ({"target_psnr": "nan"}, "target_psnr: got 'nan', need dB above 0, 99 at most. Write for "
     "example 35."),
    ({"target_psnr": 120.0}, "target_psnr: got 120.0, need dB above 0, 99 at most. Write for "
     "example 35."),
])  # fmt: skip
def test_refusals(refusal, fitted, maps, tmp_path, asked, message):
    assert refusal(ConfigError, fitted, maps, **asked) == message
    assert list(tmp_path.glob("x.*")) == []


def test_a_checkpoint_has_its_size(refusal, fitted, maps, tmp_path, same_message):
    with pytest.raises(FitInterrupted):
        fitted(maps, observer=lambda progress: signal.raise_signal(signal.SIGINT))
    checkpoint = tmp_path / "x.checkpoint.nsh"
    message = refusal(ConfigError, fitted, maps, resume=checkpoint, target_psnr=30.0)
    same_message(message, checkpoint, "--target-psnr")
