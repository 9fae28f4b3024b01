"""cli: what fit materials prints, writes and refuses."""

import json
import re

import pytest

import neuralshade

PAINT = """
float3 eval(float2 uv, float3 wi, float3 wo)
{{
    return min(wi.z, wo.z) > 0.0f ? float3({color}, uv.x) * wi.z / 3.14159265f : float3(0.0f);
}}
"""
FEW = ["--steps", "4", "--size", "4", "--batch", "64", "--hidden-width", "16", "--engine", "torch"]


@pytest.fixture
def paints(folder, one_device, monkeypatch):
    """Stand beside two materials and one that does not compile; fits are judged by few numbers."""
    few = {"judging.judge.SIDE_PX": 24, "judging.judge.SKY_LIGHTS": 4,
           "judging.mip_judge.FOOTPRINTS": 64, "judging.measures.PAIRS": 512,
           "judging.measures.PLACES": 16, "noise.PLACES": 16}  # fmt: skip
    for name, value in few.items():
        monkeypatch.setattr(f"neuralshade.kinds.material.{name}", value)
    (folder / "red.slang").write_text(PAINT.format(color="0.8f, 0.2f"))
    (folder / "green.slang").write_text(PAINT.format(color="0.2f, 0.8f"))
    (folder / "broken.slang").write_text(PAINT.format(color="unknown, 0.8f"))
    return folder


@pytest.mark.slow
def test_one_that_fails_is_told_and_the_others_are_fitted(run, paints):
    done = run("fit", "materials", "red.slang", "broken.slang", "green.slang", "none.slang",
               "--share", "--no-compare", "-o", "out", *FEW)  # fmt: skip
    assert done.code == 1
    assert sorted(path.name for path in (paints / "out").iterdir()) == ["green.nsh", "red.nsh"]
    assert done.out[0].split()[:3] == ["material", "dB", "worst"]
    assert [line.split()[0] for line in done.out[1:3]] == ["red", "green"]
    assert "The decoder's first layer is that of out/red.nsh." in done.out
    told = [line for line in done.out if line.startswith("not fitted: ")]
    assert re.match("not fitted: broken: ", told[0]) and len(told) == 2
    assert re.match("not fitted: none: none.slang: got no such file", told[1])
    assert next(line for line in done.err if "is not fitted" in line).startswith("broken is not ")


@pytest.mark.slow
def test_json_is_one_line_with_what_sharing_costs(run, paints):
    done = run("fit", "materials", "red.slang", "green.slang", "--share", "-o", ".", "--json",
               "--quiet", *FEW)  # fmt: skip
    assert (done.code, done.err, len(done.out)) == (0, [], 1), done
    result = json.loads(done.out[0])
    lender, other = result["materials"]
    assert (result["share"], lender["alone"], result["failed"]) == ("red.nsh", None, {})
    lost = other["alone"]["psnr_db"] - other["fitted"]["psnr_db"]
    assert result["costs"]["green"]["psnr_db"] == pytest.approx(lost, abs=1e-4)
    told = neuralshade.load("green.nsh").facts()["material"]["shared"]
    assert told == {"layers": 1, "digest": result["digest"]}


def test_refused_in_one_line(refused, paints, same_message):
    same_message(refused("fit", "materials"), "materials", "Name")
    assert refused("fit", "materials", "none.slang", "-o", "out").startswith("none.slang: got no ")
    message = refused("fit", "material", "red.slang", "--share", "red.slang")
    assert message.startswith("red.slang: got ")


def test_misuse(refused, paints):
    assert refused("fit", "materials", "red.slang", "--no-compare", code=2) == (
        "--no-compare is for --share: leave it out. See neuralshade fit materials --help."
    )
