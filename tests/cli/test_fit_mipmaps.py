"""cli: what fit mipmaps prints, takes and refuses."""

import dataclasses
import json
import re
from statistics import fmean

import numpy as np
import pytest

import neuralshade
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.measure.plane.plane_view import PlaneView

FEW = ["--steps", "8", "--pool", "16", "--pairs", "4"]


@pytest.fixture
def rock(folder):
    """Stand beside a folder with maps of 12 x 8 texels, whose green points down."""
    (folder / "rock").mkdir()
    rng = np.random.default_rng(0)
    row, col = np.mgrid[:8, :12]
    normal = np.stack([np.sin(2 * col + row), np.cos(row), np.full((8, 12), 3)], axis=2)
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    maps = {"albedo": rng.random((8, 12, 3)), "normal_dx": (normal + 1) / 2,
            "roughness": rng.uniform(0.3, 0.9, (8, 12, 1))}  # fmt: skip
    for name, values in maps.items():
        neuralshade.save_picture(f"rock/{name}.png", values.astype(np.float32), "srgb")
    return folder


@pytest.fixture
def small_plane(monkeypatch):
    """Draw lit planes of a few pixels: those of a page take seconds."""
    view = PlaneView(width=48, height=27)
    monkeypatch.setattr(PlaneView, "showing", classmethod(lambda cls, base: view))


def test_help_tells_every_flag(run):
    done = run("fit", "mipmaps", "--help-all")
    text = " ".join(done.out)
    assert (done.code, done.err) == (0, []) and max(map(len, done.out)) <= 100
    assert text.startswith("Usage: neuralshade fit mipmaps [OPTIONS] [SOURCE]")
    fields = [f"--{field.name.replace('_', '-')}" for field in dataclasses.fields(MipmapsRecipe)]
    for flag in [*fields, "--albedo", "--normal", "--roughness", "--metallic", "--ao", "--opacity",
                 "--arm", "--orm", "--normal-convention", "--output", "--format", "--recipe",
                 "--device", "--report", "--resume", "--json", "--quiet", "--share",
                 "--help"]:  # fmt: skip
        assert re.search(rf"{flag}\b(?!-)", text), flag


def test_help_of_fit_tells_of_it(run):
    assert re.search(r"^  mipmaps ", "\n".join(run("fit", "--help").out), re.M)


@pytest.mark.slow
def test_fit_prints_notes_tables_and_files(run, device, rock, small_plane):
    done = run("fit", "mipmaps", "rock", "-o", "out", "--format", "png", "--format", "ktx2",
               "--report", "r.html", *FEW)  # fmt: skip
    assert done.code == 0, done
    notes = ["normal: green flipped from DirectX to OpenGL.",
             "metallic: no such map, taken as 0 everywhere."]  # fmt: skip
    assert all(note in done.out for note in notes)
    title = "mean error under ours box Toksvig LEAN ours / best"
    (at,) = (i for i, line in enumerate(done.out) if " ".join(line.split()) == title)
    rows = [line.split() for line in done.out[at + 1 : at + 4]]
    assert [row[0] for row in rows] == ["mirror", "cosine", "environment"]
    assert all(0 <= float(x) <= 2 for row in rows for x in row[1:5])
    size = (rock / "out/rock.nsh").stat().st_size
    assert done.out[at + 4].startswith(f"out/rock.nsh: {size:,} bytes; in a GPU: ")
    told = re.compile(r"8 steps in \d+\.\d s on \S.*, loss \S+ of a box filter's")
    assert any(told.match(line) for line in done.out)
    assert done.out[-2] == "r.html" and (rock / "r.html").exists()
    assert done.out[-1].startswith("next: neuralshade view out/rock.nsh, or neuralshade evaluate ")
    assert len(done.out) == len(notes) + 9
    files = [*rock.glob("out/*.png"), *rock.glob("out/*.ktx2")]
    assert len(files) == 4 * 3 + 3 and any(line.startswith("out: 15 files,") for line in done.out)
    assert not any("metallic" in path.name for path in files)  # 0 everywhere: engines need none


@pytest.mark.slow
def test_single_maps(run, device, rock):
    flags = ["--albedo", "rock/albedo.png", "--normal", "rock/normal_dx.png", "--roughness",
             "rock/roughness.png", "--metallic", "rock/roughness.png"]  # fmt: skip
    done = run("fit", "mipmaps", *flags, "--json", *FEW)
    assert (done.code, len(done.out)) == (0, 1), done  # a slow fit tells of itself on stderr
    result = json.loads(done.out[0])
    assert (result["asset"], result["steps"]) == ("rock_mips/rock.nsh", 8)
    assert result["sizes"] == [[12, 8], [6, 4], [3, 2], [1, 1]] and len(result["kept"]) == 3
    assert list(result["errors"]) == ["mirror", "cosine", "environment"]
    facts = json.loads(run("info", result["asset"], "--json").out[0])
    assert (facts["kind"], facts["maps"]["notes"]) == ("mipmaps", result["notes"])


@pytest.mark.slow
def test_packed_maps(run, device, rock):
    done = run("fit", "mipmaps", "--albedo", "rock/albedo.png", "--normal", "rock/normal_dx.png",
               "--arm", "rock/albedo.png", "-o", "out", "--quiet", *FEW)  # fmt: skip
    assert (done.code, done.out, done.err) == (0, [], [])
    assert neuralshade.info("out/rock.nsh")["maps"]["notes"]


@pytest.mark.slow
def test_every_verb_takes_the_asset(run, device, rock, small_plane):
    assert run("fit", "mipmaps", "rock", "-o", "out", "--quiet", *FEW).code == 0
    text = "\n".join(run("info", "out/rock.nsh").out)
    assert re.search(r"^kind +mipmaps", text, re.M) and re.search(r"^ +3 +1 x 1, ", text, re.M)
    assert re.search(r"^  roughness +uint8, levels 0 to 3, channels: 1$", text, re.M)
    assert "roughness_0" not in text  # no line for each level of each map
    assert run("render", "out/rock.nsh", "-o", "p.png", "--size", "64x36").out == [
        "p.png: 64 x 36, 3 channels"
    ]
    table = json.loads(run("evaluate", "out/rock.nsh", "rock", "--json").out[0])
    assert [row["level"] for row in table["rows"]] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    printed = run("evaluate", "out/rock.nsh", "rock")
    assert (printed.code, printed.out[2].split()[0], len(printed.out)) == (0, "level", 21)
    assert run("report", "out/rock.nsh", "rock").out == ["rock.html"]


@pytest.mark.slow
def test_settings_from_a_file_and_flags_over_them(run, device, rock):
    (rock / "r.toml").write_text("steps = 3\npool = 16\npairs = 4\nlevels = 2\n")
    done = run("fit", "mipmaps", "rock", "--recipe", "r.toml", "--levels", "1", "--json")
    result = json.loads(done.out[0])
    assert (result["steps"], len(result["kept"])) == (3, 1)


@pytest.mark.parametrize("arguments, message", [
    (["none"], "none: got no such file or folder, need a folder of maps or a .json manifest. "
               "Check the path, or give each map by itself."),
    (["rock", "--format", "tga"], "format: got 'tga', need one of png, exr, dds, dds-bc, ktx2, "
                                  "ktx2-bc. Write for example dds."),
    (["rock", "--pool", "9"], "--pool: got 9 with pairs=32, need a multiple. Write "
                              "32."),
    (["rock", "--normal-convention", "opengk"], "normal_convention: got 'opengk', need one of "
                                                "opengl, directx. Did you mean opengl?"),
    (["rock", "-o", "gone/out"], "gone/out: got no such folder, need a folder that exists. Create "
                                 "it first."),
    (["rock", "-o", "a.png"], "a.png/rock.nsh: got a file where a folder should be, need a folder. "
                              "Choose another path."),
])  # fmt: skip
def test_refused_in_one_line(refused, rock, arguments, message):
    assert refused("fit", "mipmaps", *arguments) == message


@pytest.mark.parametrize("given, message", [
    ([], "texture set: got neither a source nor a map, need one of the two. Name a folder, a "
         "manifest or --albedo and --roughness."),
    (["--normal", "rock/normal.png", "--roughness", "rock/roughness.png"],
     "texture set: got no albedo beside normal.png, roughness.png, need albedo, roughness. "
     "Give --albedo FILE."),
])  # fmt: skip
def test_too_little_is_refused(refused, rock, given, message):
    assert refused("fit", "mipmaps", *given) == message


def test_help_tells_ranges(run):
    text = " ".join(" ".join(run("fit", "mipmaps", "--help-all").out).split())
    for flag, told in {"levels N": "0 to 32; default: 0", "reuse N": "1 to 10000; default: 4",
                       "lowest X": "0 to 0.9; default: 0.2", "steps N": "1 or more; default: 256",
                       "seconds X": "0.01 or more; default: none",
                       "schedule NAME": "default: cosine"}.items():  # fmt: skip
        assert re.search(rf"--{flag} [^\[]*\[{re.escape(told)}\]", text), flag


@pytest.mark.slow
def test_a_fit_prints_means_of_what_evaluate_prints(run, device, rock):
    fitted = run("fit", "mipmaps", "rock", "-o", "out", *FEW).out
    rows = json.loads(run("evaluate", "out/rock.nsh", "rock", "--json").out[0])["rows"]
    for light in ("mirror", "cosine", "environment"):
        told = next(line.split() for line in fitted if line.split()[0] == light)
        of_light = [row for row in rows if row["light"] == light]
        for name, found in zip(("ours", "box", "toksvig", "lean"), told[1:], strict=False):
            assert float(found) == pytest.approx(fmean(row[name] for row in of_light), abs=6e-5)


@pytest.mark.parametrize("flag", ["--engine", "--preset", "--movie"])
def test_flags_of_others_are_misuse(refused, rock, flag):
    message = refused("fit", "mipmaps", "rock", flag, "x", code=2)
    assert message.startswith("No such option") and flag in message  # click's own words
