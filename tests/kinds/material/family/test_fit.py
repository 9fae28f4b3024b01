"""kinds/material/family: several materials, alone and with a first layer that they share."""

import dataclasses
import re

import numpy as np
import pytest
import torch
from fixtures.small_material import paint_reference

import neuralshade
from neuralshade import FitOptions
from neuralshade.asset.asset import save_asset
from neuralshade.errors import AssetError, ConfigError, FitInterrupted
from neuralshade.fitting.facts import result_facts
from neuralshade.kinds.material.build import build_engine
from neuralshade.kinds.material.field import build_field
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf
from neuralshade.kinds.material.shared import SharedPart, shared_digest, shared_names

FEW = {"size": 8, "batch": 256, "hidden_width": 16, "steps": 8}
TORCH = FitOptions(engine="torch")
BROKEN = "float3 eval(float2 uv, float3 wi, float3 wo) { return unknown; }\n"


def rust():
    """Return another paint, red where the first one is blue."""
    plain = paint_reference()
    return dataclasses.replace(
        plain, name="rust", text=plain.text.replace("0.1f, 0.3f, 0.7f", "0.7f, 0.2f, 0.1f")
    )


@pytest.fixture(scope="module", autouse=True)
def _judged_briefly(share_device):
    """Let fits be judged by few numbers, on one device."""
    few = {"judging.judge.SIDE_PX": 24, "judging.judge.SKY_LIGHTS": 4,
           "judging.mip_judge.FOOTPRINTS": 64, "judging.measures.PAIRS": 512,
           "judging.measures.PLACES": 64, "noise.PLACES": 16}  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        for name, value in few.items():
            patch.setattr(f"neuralshade.kinds.material.{name}", value)
        share_device(patch)
        yield


@pytest.fixture(scope="module")
def family(tmp_path_factory):
    """Give two materials that share, and one between them that does not compile."""
    broken = ReferenceBsdf("broken", BROKEN, (), {})
    folder = tmp_path_factory.mktemp("family") / "assets"
    return neuralshade.fit_materials([paint_reference(), broken, rust()], folder, share=True,
                                     options=TORCH, **FEW)  # fmt: skip


def test_all_have_the_first_layer_and_the_rest_is_their_own(family):
    first, second = (neuralshade.load(one.fitted.asset) for one in family.materials)
    weights = [name for name in first.tensors if name.endswith(".weight") and "sampler" not in name]
    same = [n for n in weights if np.array_equal(first.tensors[n], second.tensors[n])]
    assert same == ["decoder.0.weight"]
    assert (first.tensors["features"] != second.tensors["features"]).mean() > 0.5
    for opened in (first, second):
        assert opened.material["shared"] == {"layers": 1, "digest": family.digest}
        assert shared_digest(opened.tensors) == family.digest
    assert family.share == first.path


def test_what_sharing_costs_is_told(family):
    lender, other = family.materials
    assert lender.alone is None and lender.cost is None
    assert other.alone.steps == other.fitted.steps == 8
    assert other.cost["psnr_db"] == pytest.approx(other.alone.psnr_db - other.fitted.psnr_db,
                                                  abs=1e-4)  # fmt: skip
    assert dict(family.costs) == {"rust": other.cost}
    assert result_facts(family)["materials"][1]["alone"]["psnr_db"] == other.alone.psnr_db


def test_the_table_has_a_row_of_each_and_tells_what_failed(family, capsys):
    family.print()
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["material", "dB", "worst", "sky", "L1", "bytes", "steps", "seconds",
                            "alone", "dB", "costs", "dB", "costs", "L1"]  # fmt: skip
    assert [line.split()[0] for line in lines[:2]] == ["paint", "rust"]
    assert re.search(r"To share it costs [+-]\d+\.\d\d dB in the mean", lines[4])
    assert lines[5].startswith("not fitted: broken: ") and "unknown" in lines[5]
    assert family.failed.keys() == {"broken"}


def test_one_that_shares_nothing_is_as_it_is_fitted_by_itself(family, tmp_path):
    result = neuralshade.fit_materials([rust()], tmp_path, options=TORCH, **FEW)
    (one,) = result.materials
    assert (result.share, result.digest, result.costs, one.alone) == (None, None, {}, None)
    assert one.fitted.psnr_db == family.materials[1].alone.psnr_db
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rust.nsh"]


def test_a_further_one_joins_and_takes_its_sizes_from_the_asset(family, tmp_path):
    few = {name: value for name, value in FEW.items() if name != "hidden_width"}
    result = neuralshade.fit_material(rust(), tmp_path / "x.nsh", share=family.share,
                                      options=TORCH, **few)  # fmt: skip
    tensors = neuralshade.load(result.asset).tensors
    assert shared_digest(tensors) == family.digest and len(tensors["decoder.0.bias"]) == 16


@pytest.mark.parametrize("name, value", [("hidden_width", 32), ("lobes", 2),
                                         ("lobe_inputs", 3), ("features", 4),
                                         ("activation", "leaky_relu")])  # fmt: skip
def test_another_architecture_is_refused(family, tmp_path, refusal, name, value):
    need = {"hidden_width": 16, "lobes": 3, "lobe_inputs": 4, "below": 0.05, "features": 8,
            "activation": "hard_gelu"}[name]  # fmt: skip
    message = refusal(ConfigError, neuralshade.fit_material, rust(), tmp_path / "x.nsh",
                      share=family.share, options=TORCH, **{**FEW, name: value})  # fmt: skip
    assert message == (f"{family.share}: got {name}={value!r}, need {need!r} as its decoder has. "
                       f"Leave --{name.replace('_', '-')} out.")  # fmt: skip


def test_a_preset_of_another_architecture_is_refused_as_what_was_said(family, tmp_path, refusal):
    few = {name: value for name, value in FEW.items() if name != "hidden_width"}
    message = refusal(ConfigError, neuralshade.fit_material, rust(), tmp_path / "x.nsh",
                      preset="high", share=family.share, options=TORCH, **few)  # fmt: skip
    assert message.endswith("=64, need 16 as its decoder has. Leave --preset out.")


def test_inputs_that_are_varied_are_as_many_as_the_decoder_has(family, tmp_path, refusal):
    message = refusal(ConfigError, neuralshade.fit_material, rust(), tmp_path / "x.nsh",
                      share=family.share, options=TORCH, **FEW, vary="wetness=0..1")  # fmt: skip
    assert message == (f"{family.share}: got 1 varied inputs, need 0 as its decoder has. Change "
                       "--vary.")  # fmt: skip


def test_an_asset_whose_digest_is_anothers_is_refused(family, tmp_path, refusal, same_message):
    opened = neuralshade.load(family.share)
    tensors = {**opened.tensors, "decoder.0.bias": opened.tensors["decoder.0.bias"] + 1}
    save_asset(tmp_path / "x.nsh", "material", opened.header, tensors)
    message = refusal(AssetError, neuralshade.load, tmp_path / "x.nsh")
    same_message(message, tmp_path / "x.nsh", "Fit")


def test_an_interruption_keeps_what_is_finished(tmp_path):
    seen = []

    def pressing(progress):
        seen.append(progress.step)
        if progress.step < max(seen):  # it is the next material's
            raise FitInterrupted("interrupted at step 1: kept.")

    third = dataclasses.replace(rust(), name="c")
    with pytest.raises(FitInterrupted) as told:
        neuralshade.fit_materials([paint_reference(), rust(), third],
                                  tmp_path, options=TORCH, observer=pressing, **FEW)  # fmt: skip
    assert str(told.value) == (f"finished: {tmp_path / 'paint.nsh'}; not begun: c; interrupted at "
                               "step 1: kept.")  # fmt: skip
    assert [path.name for path in tmp_path.glob("*.nsh")] == ["paint.nsh"]


SHELF = """<materialx version="1.39" colorspace="lin_rec709">
  <oren_nayar_diffuse_bsdf name="b" type="BSDF"/>
  <surface name="s" type="surfaceshader"><input name="bsdf" type="BSDF" nodename="b"/></surface>
  <surfacematerial name="Oak" type="material">
    <input name="surfaceshader" type="surfaceshader" nodename="s"/>
  </surfacematerial>
  <surfacematerial name="Pine" type="material">
    <input name="surfaceshader" type="surfaceshader" nodename="s"/>
  </surfacematerial>
</materialx>
"""


@pytest.mark.slow
def test_materials_of_a_document_go_by_their_names_and_have_pages(tmp_path, capsys):
    pytest.importorskip("MaterialX")
    (tmp_path / "shelf.mtlx").write_text(SHELF)
    shelf = tmp_path / "shelf.mtlx"
    result = neuralshade.fit_materials([f"{shelf}#Pine", f"{shelf}#Oak"], tmp_path, reports=True,
                                       options=TORCH, **FEW | {"steps": 1})  # fmt: skip
    for one, name in zip(result.materials, ("Pine", "Oak"), strict=True):
        opened = neuralshade.load(tmp_path / f"{name}.nsh")
        assert (one.name, opened.material["element"]) == (name, name)
        assert name in (tmp_path / f"{name}.html").read_text()
        assert one.report == str(tmp_path / f"{name}.html")
    result.print()
    assert f"Oak: {tmp_path / 'Oak.html'}" in capsys.readouterr().out


@pytest.mark.parametrize("sources, message", [
    ([], "materials: got none, need one or more. Name files of materials."),
    (["a/x.toml", "b/x.mtlx"], "b/x.mtlx: got a material named x like a/x.toml, need another name, "
                               "as its asset goes by that. Rename it, or fit it by itself."),
    (["a.mtlx#Oak", "b.mtlx#Oak"],
     "b.mtlx#Oak: got a material named Oak like a.mtlx#Oak, need another name, as its asset goes "
     "by that. Rename it, or fit it by itself."),
    (["x.toml#Oak"], "element: got 'Oak' for a stack of layers, which is one material, need none. "
                     "Leave it out."),
    (["none.toml", "no.toml"], "none.toml: got no such file, need a .toml file. Check the path."),
])  # fmt: skip
def test_refused_before_anything_is_made(tmp_path, refusal, sources, message):
    said = refusal(ConfigError, neuralshade.fit_materials, sources, tmp_path / "out")
    assert said == message and not (tmp_path / "out").exists()


def test_no_step_changes_what_is_given(painted):
    """Neither while an encoder is trained nor after that; the rest is trained."""
    recipe = MaterialRecipe(size=8, batch=256, hidden_width=16, steps=4)
    tensors = {name: p.detach().half().numpy() for name, p in
               zip(shared_names(), build_field(recipe, 8, torch.Generator().manual_seed(5))
                   .network.parameters(), strict=False)}  # fmt: skip
    engine = build_engine(recipe, painted, SharedPart("x", recipe, tensors))
    before = {name: p.detach().clone() for name, p in engine.field().network.named_parameters()}
    for _ in range(3):
        engine.advance([1.0])
    engine.bake()
    engine.advance([1.0])
    changed = {name for name, p in engine.field().network.named_parameters()
               if not torch.equal(p, before[name])}  # fmt: skip
    assert changed == before.keys() - {"layers.0.weight", "layers.0.bias"}
    np.testing.assert_array_equal(before["layers.0.weight"], tensors["decoder.0.weight"])
