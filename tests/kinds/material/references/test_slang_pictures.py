"""references/slang_pictures: a module reads the pictures that it names, as the files have them."""

import numpy as np
import pytest
from PIL import Image

from neuralshade.errors import ConfigError, PictureError
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels
from neuralshade.kinds.material.references.slang_reference import load_slang
from neuralshade.kinds.material.references.sources import reference_digest
from neuralshade.kinds.material.references.varied_reference import vary_reference

TEXT = """// a comment, and /* uniform Picture<float3> none = "none.png"; */
uniform Picture<float3> albedo = "maps/wood.png";
  Picture < float >
      rough="rough.png" ; // uniform Picture<float> none = "none.png";
uniform float wet = 0.25;
float3 eval(float2 uv, float3 wi, float3 wo)
{
    return (albedo.sample(uv) + rough.load(int2(1, 2)) + wet + albedo.size.x) * wi.z;
}
"""
UP = np.float32([[0, 0, 1]])


@pytest.fixture
def wood(tmp_path, noise):
    """Return a module with a picture of 7 x 5 in a folder below, and one of 2 x 3 beside it."""
    (tmp_path / "maps").mkdir()
    color, grey = (noise.integers(0, 256, size, np.uint8) for size in ((5, 7, 3), (3, 2)))
    Image.fromarray(color).save(tmp_path / "maps/wood.png")
    Image.fromarray(grey).save(tmp_path / "rough.png")
    path = tmp_path / "wood.slang"
    path.write_text(TEXT)
    return path, color / 255, grey / 255


def test_pictures_are_what_their_files_have(gpu, wood):
    path, color, grey = wood
    reference = load_slang(path)
    y, x = np.mgrid[0:5, 0:7]
    uv = np.stack([(x + 0.5) / 7, (y + 0.5) / 5], 2).reshape(-1, 2).astype(np.float32)
    up = np.repeat(UP, len(uv), 0)
    wanted = color.reshape(-1, 3) + grey[2, 1] + 7
    found = ReferenceKernels(gpu, reference).eval(uv, up, up)
    np.testing.assert_allclose(found, wanted + 0.25, rtol=1e-6)
    beyond = ReferenceKernels(gpu, reference).eval(uv + 1, up, up)  # it repeats
    np.testing.assert_allclose(beyond, wanted + 0.25, rtol=1e-5)
    wet = ReferenceKernels(gpu, vary_reference(reference, "wet=0..1"))
    given = np.concatenate([uv, np.ones((len(uv), 1), np.float32)], 1)
    np.testing.assert_allclose(wet.eval(given, up, up), wanted + 1, rtol=1e-6)


def test_lines_stay_and_other_pixels_are_another_material(wood):
    path, color, _ = wood
    reference = load_slang(path)
    lines, before = reference.text.split("\n"), TEXT.split("\n")
    assert lines[5:9] == before[5:9] and lines[0] == before[0]
    assert list(reference.inputs) == ["wet"]
    other = (255 * color).astype(np.uint8)
    other[0, 0] ^= 1
    Image.fromarray(other).save(path.parent / "maps/wood.png")
    assert reference_digest(load_slang(path)) != reference_digest(reference)


REFUSED = {
    'Picture<float3> a = "../x.png";': "a: got '../x.png', need a picture in the module's folder "
    "or below. Copy it there, and write / between folders.",
    'Picture<float3> a = "/x.png";': "a: got '/x.png', need a picture in the module's folder or "
    "below. Copy it there, and write / between folders.",
    'Picture<float3> a = "";': "a: got '', need a picture in the module's folder or below. Copy it "
    "there, and write / between folders.",
    "uniform Picture<float3> a;": "a: got no file, need that of the picture. Write uniform "
    'Picture<float3> a = "a.png";',
    'Picture<float4> a = "maps/wood.png";': "a: got wood.png with 3 channels, need 4. Change the "
    "member's type, or convert the picture.",
}


@pytest.mark.parametrize("line", REFUSED)
def test_refusals(wood, refusal, line):
    path = wood[0]
    path.write_text(f"{line}\n{TEXT}")
    assert refusal(ConfigError, load_slang, path) == f"{path}: {REFUSED[line]}"


def test_a_picture_that_is_not_there(wood, refusal):
    path = wood[0]
    path.write_text(TEXT.replace("wood.png", "none.png"))
    assert "none.png: got no such file" in refusal(PictureError, load_slang, path)
