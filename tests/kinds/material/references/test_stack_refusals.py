"""kinds/material/references/stack: what is wrong is told in one line, by the layer or the mask."""

import pytest

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.stack import load_stack

BASE = '[[layer]]\nkind = "diffuse"\ncolor = [1.0, 1.0, 1.0]\n'
NOISE = '[mask]\na = { noise = "fractal", scale = 3 }\n'


@pytest.mark.parametrize("text, said", [
    ("layer = 3\nx", "need TOML"),
    ("", "got no layers, need 1 to 16 tables [[layer]]"),
    ("layers = 3", "got key layers, need one of mask, layer, vary. Did you mean layer?"),
    (BASE + 'name = "b"\nruoghness = 1', "layer b: got key ruoghness, need one of name, kind, "),
    ('[[layer]]\nname = "m"\nkind = "metal"', "layer m.kind: got 'metal', need one of conductor"),
    ('[[layer]]\nkind = "difuse"', "Did you mean diffuse?"),
    ("[[layer]]\ncolor = [1, 1, 1]", "layer 1.kind: got nothing, need one of conductor"),
    ('[[layer]]\nkind = "diffuse"', "layer 1.color: got nothing, need three numbers"),
    (BASE + "roughness = 1.5", "layer 1.roughness: got 1.5, need a number from 0 to 1."),
    (BASE + "ior = 1.5",
     "layer 1.ior: got it for a diffuse layer, need a dielectric one for that. Take it out."),
    (BASE + "roughness = { mix = [0, 2], by = 'a' }", "layer 1.roughness: got 2, need a number"),
    (BASE + "roughness = { mix = [0, 1] }", "need { mix = [A, B], by"),
    (BASE.replace("[1.0, 1.0, 1.0]", '"no.png"'), "1.color: got 'no.png', which is not there"),
    (BASE + 'mask = "a"', "layer 1: got a base that is clear or has a mask"),
    (NOISE + BASE + "[[layer]]\nkind = 'sheen'\ncolor = [1, 1, 1]\nmask = 'A'",
     "layer 2.mask: got 'A', need masks among a. Did you mean a?"),
    (BASE + BASE.replace("kind", 'name = "diffuse_1"\nkind'), "got two layers called diffuse_1"),
    (BASE + "flakes = {}\nnormal = 'a.png'", "got normal and flakes, need one of them"),
    (BASE + "bump = { depth = 0.1 }", "layer 1.bump.by: got nothing, need one mask"),
    ("[mask]\n'a b' = {}\n" + BASE, "got the name 'a b', need letters"),
    ("[mask.a]\nscale = 3\n" + BASE, "mask a: got key scale, need one of noise, image"),
    ("[mask.a]\n" + BASE, "mask a: got no source, need one of noise, image"),
    ("[mask.a]\nnoise = 'fractl'\n" + BASE, "mask a.noise: got 'fractl', need one of fractal"),
    ("[mask.a]\nnoise = 'cells'\nscale = 2.5\n" + BASE, "need whole numbers, so that it tiles"),
    ("[mask.a]\nnoise = 'cells'\noctaves = 2\n" + BASE, "octaves: got it for cells, need one of"),
    ("[mask.a]\nnoise = 'cells'\nlevels = [0.5, 0.4]\n" + BASE, "two, the lower one first"),
    ("[mask.a]\nnoise = 'cells'\nimage = 'a.png'\n" + BASE, "got noise and image, need one of"),
    ("[mask.a]\nrecesses = 'h.png'\n" + BASE, "mask a.recesses: got 'h.png', which is not there"),
    ("[mask.a]\nmultiply = 'b'\n[mask.b]\nmultiply = ['a']\n" + BASE,
     "mask a: got a circle (a -> b -> a)"),
])  # fmt: skip
def test_it_is_refused(tmp_path, refusal, text, said):
    (tmp_path / "x.toml").write_text(text)
    found = refusal(ConfigError, load_stack, tmp_path / "x.toml")
    assert said in found and found.startswith(str(tmp_path)) and "\n" not in found


def chain(count, each=1):
    """Return a stack of ``count`` masks, each the product of the ``each`` before it."""
    masks = "[mask.m0]\nnoise = 'cells'\n"
    for i in range(1, count):
        names = [f"m{before}" for before in range(max(i - each, 0), i)]
        masks += f"[mask.m{i}]\nmultiply = {names}\n"
    return masks + BASE


@pytest.mark.parametrize("count", [65, 2000])
def test_more_masks_than_a_stack_may_have(tmp_path, count):
    (tmp_path / "m.toml").write_text(chain(count))
    with pytest.raises(ConfigError, match=f"mask: got {count:,} masks, need 64 at most. Bake"):
        load_stack(tmp_path / "m.toml")


def test_masks_that_call_too_many_others(tmp_path):
    """Each multiplies the two before it, so their calls grow as Fibonacci's numbers do."""
    (tmp_path / "m.toml").write_text(chain(12, each=2))
    with pytest.raises(
        ConfigError, match="m11: got a product of 376 masks, theirs counted, need 256"
    ):
        load_stack(tmp_path / "m.toml")


@pytest.mark.parametrize("text", [chain(64), chain(11, each=2)])
def test_as_many_masks_as_a_stack_may_have(tmp_path, text):
    (tmp_path / "m.toml").write_text(text)
    load_stack(tmp_path / "m.toml")
