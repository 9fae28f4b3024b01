"""cli: what fit textures prints, takes and refuses."""

import dataclasses
import html
import json
import re

import numpy as np
import pytest
from fixtures.texture_sets import unit_normals, waves

import neuralshade
from neuralshade.kinds.textures.recipe import TexturesRecipe

FEW = ["--steps", "8", "--batch", "128", "--hidden-width", "16", "--engine", "torch"]


def save(path, values):
    path.parent.mkdir(exist_ok=True)
    space = "linear" if path.suffix == ".exr" else "srgb"
    neuralshade.save_picture(path, np.ascontiguousarray(values, np.float32), space)


@pytest.fixture
def rock(folder):
    """Stand beside a folder with maps of 16 x 12 texels, whose green points up."""
    save(folder / "rock/rock_albedo.png", waves(12, 16, 3))
    save(folder / "rock/rock_normal_gl.png", unit_normals(12, 16) / 2 + 0.5)
    save(folder / "rock/rock_roughness.png", waves(12, 16, 1))
    return folder


def test_help_tells_every_flag(run):
    done = run("fit", "textures", "--help-all")
    text = " ".join(done.out)
    assert (done.code, done.err) == (0, []) and max(map(len, done.out)) <= 100
    assert text.startswith("Usage: neuralshade fit textures [OPTIONS] ")
    fields = [f"--{field.name.replace('_', '-')}" for field in dataclasses.fields(TexturesRecipe)]
    for flag in [*fields, "--normal-convention", "--output", "--recipe", "--engine", "--device",
                 "--report", "--resume", "--json", "--quiet", "--live", "--help"]:  # fmt: skip
        assert re.search(rf"{flag}\b(?!-)", text), flag
    assert re.search(r"^  textures ", "\n".join(run("fit", "--help").out), re.M)


def test_fit_prints_what_was_reached(run, rock):
    done = run("fit", "textures", "rock", *FEW)
    assert done.code == 0
    (told,) = done.err
    assert told.startswith("fit: ended at its 8 steps, 0.08 % of the 10,000 that are usual: far ")
    quality, ran, following = done.out  # too few texels for a line on block compression
    first = {
        name: mips[0] for name, mips in neuralshade.info("rock.nsh")["quality"]["maps"].items()
    }
    worst = min(first, key=first.get)
    assert f" dB, mean of 3 maps (worst: {worst}, {first[worst]:.2f} dB), in " in quality
    size = (rock / "rock.nsh").stat().st_size
    bits = f"{size * 8 / 192:.2f} bits per texel, all maps and mips"
    assert f" in {size:,} bytes ({bits}); in a GPU: " in quality
    assert ran.startswith("8 steps in ")
    assert following == ("next: neuralshade view rock.nsh, or neuralshade decode rock.nsh -o "
                         "rock_maps, or neuralshade export rock.nsh -o rock.html")  # fmt: skip
    told = "\n".join(run("info", "rock.nsh").out)
    assert re.search(r"^kind +textures", told, re.M) and "16 x 12, 5 mips, 6 channels" in told


def test_a_set_of_usual_size_prints_four_lines(run, folder):
    """The third compares with block compression, of which ``evaluate`` prints the same numbers."""
    save(folder / "wall/wall_albedo.png", waves(64, 128, 3))
    save(folder / "wall/wall_roughness.png", waves(64, 128, 1))
    done = run("fit", "textures", "wall", *FEW)
    assert done.code == 0 and len(done.out) == 4, done.out
    ours, *rows = neuralshade.evaluate("wall.nsh", "wall")
    (half,) = [row for row in rows if row.get("name") == "BC7, BC5, BC4 at half size"]
    told = re.fullmatch(r"BC7, BC5, BC4 at half size: (\S+) dB (more|less) in (\d+) % of the bytes "
                        r"\(neuralshade evaluate has more\)", done.out[2])  # fmt: skip
    gain = half["mean_psnr_db"] - ours["mean_psnr_db"]
    assert (told[1], told[2]) == (f"{abs(gain):.2f}", "more" if gain > 0 else "less")
    assert told[3] == f"{100 * half['bytes'] / ours['bytes']:.0f}"


def test_notes_go_to_standard_error(run, rock):
    (rock / "rock/rock_normal_gl.png").rename(rock / "rock/rock_normal.png")
    done = run("fit", "textures", "rock", *FEW)
    assert len(done.out) == 3 and any(line.startswith("normal: ") for line in done.err)


def test_json_says_the_same(run, rock):
    done = run("fit", "textures", "rock", "-o", "x.nsh", "--json", *FEW)
    (line,) = done.out
    result, facts = json.loads(line), neuralshade.info("x.nsh")
    assert (result["asset"], result["steps"], result["notes"]) == ("x.nsh", 8, [])
    assert facts["quality"]["maps"] == result["maps"]
    assert (facts["kind"], facts["textures"]["name"]) == ("textures", "rock")


def test_a_map_is_rendered(run, rock):
    run("fit", "textures", "rock", "--quiet", *FEW)
    done = run("render", "rock.nsh", "-o", "n.png", "--set", "map=normal", "--set", "level=1")
    assert (done.code, done.err) == (0, [])
    assert neuralshade.load_picture("n.png").pixels.shape == (6, 8, 3)


def test_two_albedos(refused, rock, same_message):
    save(rock / "rock/rock_basecolor.png", waves(12, 16, 3))
    same_message(refused("fit", "textures", "rock"), "rock", "Move")


def test_sizes_without_a_common_shape(refused, rock):
    save(rock / "rock/rock_ao.png", waves(7, 5, 1))
    message = refused("fit", "textures", "rock", "ao=rock/rock_ao.png")
    assert message.startswith("rock: got ao of 5 x 7 beside albedo of 16 x 12, need one aspect ")


def test_pictures_that_are_no_set(refused, folder):
    save(folder / "trip/beach.png", waves(12, 16, 3))
    save(folder / "trip/dog.png", waves(12, 16, 3))
    message = refused("fit", "textures", "trip")
    assert message.startswith("trip: got 2 pictures whose names say no map: beach.png, dog.png; ")
    assert message.endswith("fit image takes a single picture.")


def test_more_than_16_channels(refused, folder):
    files = [folder / f"m{i}.png" for i in range(6)]
    for i, path in enumerate(files):
        save(path, waves(12, 16, 3, seed=i))
    message = refused("fit", "textures", *files)
    assert message.startswith("m0: got 18 channels (m0 3, m1 3, ")
    assert message.endswith("need 16 or fewer. Leave maps out.")


def test_nan_in_a_float_file(refused, folder):
    OpenImageIO = pytest.importorskip("OpenImageIO")
    (folder / "sky").mkdir()
    values = waves(12, 16, 3)
    values[3, 4, 1] = np.nan
    file = OpenImageIO.ImageOutput.create("sky/emissive.exr")
    file.open("sky/emissive.exr", OpenImageIO.ImageSpec(16, 12, 3, "float"))
    file.write_image(values)
    file.close()
    assert refused("fit", "textures", "sky").startswith(
        "sky/emissive.exr: got NaN or infinity in 1 value, first at row 3, column 4, channel 1, "
    )


@pytest.mark.parametrize("flags, message", [
    (["--weights", "albdo=2"], "--weights: got 'albdo', need one of albedo, normal, "
     "roughness. Leave it out."),
    (["--mips", "6"], "mips: got 6 levels of 16 x 12, need 1 to 5. Leave it out for all of them."),
    (["--bpp", "0.1"], "--bpp: got 0.1, need 0.3 to 32. The default is 5.0."),
    (["--wrap", "mirror"], "--wrap: got 'mirror', need one of repeat, clamp."),
    (["--engine", "torch", "--kernels", "fma"], "kernels: got 'fma', need 'auto': the PyTorch "
     "engine has no choice of it. Leave kernels out."),
    (["-o", "x.png"], "x.png: got suffix '.png' for an asset, need a name that ends in .nsh. "
     "Choose another path."),
])  # fmt: skip
def test_flags(refused, rock, flags, message):
    assert refused("fit", "textures", "rock", *flags) == message


def test_a_target_finds_the_size(run, rock):
    done = run("fit", "textures", "rock", "--json", "--target", "albedo=9,normal=9", *FEW)
    (line,) = done.out
    result = json.loads(line)
    assert (done.code, result["target"]["maps"]) == (0, {"albedo": 9.0, "normal": 9.0})
    assert neuralshade.info("rock.nsh")["recipe"]["grids"]


def test_a_target_that_is_missed_is_a_warning(run, rock, monkeypatch):
    """Of --json, of events and of the report."""
    monkeypatch.setattr("neuralshade.kinds.textures.planner.REACH_DB", 99.0)
    done = run("fit", "textures", "rock", "--json", "--target", "albedo=60", *FEW, "--events",
               "e.jsonl", "--report", "page.html")  # fmt: skip
    result = json.loads(done.out[-1])
    (said,) = [line for line in result["warnings"] if "target missed" in line]
    assert done.code == 0 and f"{result['target']['missed']} in " in said and said in done.err
    last = json.loads((rock / "e.jsonl").read_text().splitlines()[-1])
    assert said in last["result"]["warnings"]
    assert said in html.unescape((rock / "page.html").read_text())


def test_a_plan_keeps_nothing(run, rock):
    done = run("fit", "textures", "rock", "--plan", "--json", *FEW)
    (line,) = done.out
    plan = json.loads(line)
    assert (done.code, plan["plot"], plan["steps"]) == (0, None, 8)
    assert sum(row["expected"] for row in plan["rows"]) == 5
    assert {path.name for path in rock.iterdir()} == {"a.png", "rock"}


def test_maps_that_are_equal_are_told_as_evaluate_does(run, rock, monkeypatch):
    found = {"albedo": [99.0, 98.94], "normal": [99.0], "roughness": [99.0]}
    monkeypatch.setattr("neuralshade.kinds.textures.fit.map_psnr", lambda *given: found)
    done = run("fit", "textures", "rock", *FEW)
    assert any(line.startswith("rock.nsh: >= 99 dB in ") for line in done.out)
    assert any(line.endswith("dB by mip: >= 99  98.9") for line in run("info", "rock.nsh").out)
