"""cli: what must not go wrong ends in one line, a fitting exit code, and no new file."""

import json
from pathlib import Path

import numpy as np
import OpenImageIO
import pytest
from PIL import Image

import neuralshade
from neuralshade.cli.main import main
from neuralshade.kinds.image.presets import PRESETS
from neuralshade.source import file_kind

FORMATS = ", ".join(name for name, _ in file_kind.FORMATS.values())


def save_exr(path, value):
    pixels = np.full((6, 5, 3), 0.5, np.float32)
    pixels[2, 3, 1] = value
    spec = OpenImageIO.ImageSpec(5, 6, 3, "float")
    writer = OpenImageIO.ImageOutput.create(str(path))
    assert writer.open(str(path), spec) and writer.write_image(pixels) and writer.close()


def save_truncated_jpeg(path):
    noise = np.random.default_rng(0).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)
    path.write_bytes(path.read_bytes()[:-2000])


INPUTS = {
    "absent.png": (None, "got no such file, need a picture. Check the path."),
    "folder.png": (lambda p: p.mkdir(), "got a folder, need a picture. Name one file inside it."),
    "empty.png": (
        lambda p: p.touch(),
        "got an empty file, need a picture. Copy or download it again.",
    ),
    "text.png": (lambda p: p.write_text("hello, world\n"), None),
    "cut.jpg": (save_truncated_jpeg, None),
    "nan.exr": (lambda p: save_exr(p, np.nan), None),
    "inf.exr": (lambda p: save_exr(p, np.inf), None),
}
BEGINNINGS = {
    "text.png": "got ",
    "cut.jpg": "got a damaged or cut-off ",
    "nan.exr": "got NaN or infinity in 1 value, first at row 2, column 3, channel 1, need finite "
    "values only. Replace them first.",
    "inf.exr": "got NaN or infinity in 1 value, first at row 2, column 3, channel 1, need finite "
    "values only. Replace them first.",
}


@pytest.mark.parametrize("verb", ["fit", "evaluate", "report"])
@pytest.mark.parametrize("name", INPUTS)
def test_pictures(folder, refused, fitted_asset, verb, name):
    write, message = INPUTS[name]
    if write is not None:
        write(folder / name)
    arguments = {"fit": ("fit", "image", name, "--snapshots", "snaps"),
                 "evaluate": ("evaluate", fitted_asset, name),
                 "report": ("report", fitted_asset, name)}  # fmt: skip
    got = refused(*arguments[verb])
    if message is not None:
        assert got == f"{name}: {message}"
    else:
        assert got.startswith(f"{name}: {BEGINNINGS[name]}") and got.endswith(".")


@pytest.mark.parametrize("flags", [("-o", "absent/x.nsh"), ("--report", "absent/x.nsh")])
def test_output_folder_missing(refused, flags, same_message):
    same_message(refused("fit", "image", "a.png", *flags), "absent/x.nsh", "Create")


@pytest.mark.parametrize("flag", ["-o", "--report", "--snapshots"])
def test_output_folder_read_only(folder, refused, mount, few, flag):
    disk = mount("size=64k")
    (disk / "snaps").mkdir()
    mount("remount,size=64k,ro")
    path = disk / "snaps" if flag == "--snapshots" else disk / "x"
    shown = path / "prediction.png" if flag == "--snapshots" else path
    assert refused("fit", "image", "a.png", flag, path, *few) == (
        f"{shown}: got a read-only file system, need a writable folder. Choose another path."
    )


def test_disk_full(folder, run, mount, few):
    disk = mount("size=16k")
    few = ["--steps", "3", "--encoding", "dense_grid:width=200,height=100"]
    done = run("fit", "image", "a.png", "-o", disk / "x.nsh", "--quiet", *few)
    assert (done.code, done.out) == (1, [])
    (line,) = done.err
    assert line.startswith(
        f"neuralshade: {disk}/x.nsh: got a full disk, need room for the file. "
        "Free some space, or choose another path. The fit is kept in "
    )
    assert list(disk.iterdir()) == []


def test_disk_full_keeps_the_older_asset(folder, run, mount, few):
    disk = mount("size=16k")
    assert run("fit", "image", "a.png", "-o", disk / "x.nsh", "--preset", "tiny", *few).code == 0
    older = (disk / "x.nsh").read_bytes()
    many = ["--steps", "3", "--encoding", "dense_grid:width=200,height=100"]
    done = run("fit", "image", "a.png", "-o", disk / "x.nsh", "--quiet", *many)
    assert done.code == 1 and "got a full disk" in done.err[0]
    assert [p.name for p in disk.iterdir()] == ["x.nsh"]
    assert (disk / "x.nsh").read_bytes() == older


@pytest.mark.slow
def test_disk_full_for_the_report_keeps_the_asset(folder, run, mount, few):
    disk = mount("size=16k")
    done = run("fit", "image", "a.png", "-o", folder / "x.nsh", "--report", disk / "x.html",
               "--quiet", *few)  # fmt: skip
    assert (done.code, done.out) == (1, [])
    assert done.err == [
        f"neuralshade: {disk}/x.html: got a full disk, need room for the file. "
        "Free some space, or choose another path."
    ]
    assert list(disk.iterdir()) == [] and neuralshade.load(folder / "x.nsh")


def test_unknown_preset(refused):
    assert refused("fit", "image", "a.png", "--preset", "gird") == (
        f"preset: got 'gird', need one of {', '.join(PRESETS)}. Did you mean grid?"
    )


def test_settings_are_looked_at_before_what_is_fitted(refused):
    """A name that was mistyped is told, not a file that comes after it."""
    assert refused("fit", "image", "absent.png", "--preset", "gird").startswith(
        "preset: got 'gird'"
    )
    assert refused("fit", "image", "absent.png", "--loss", "l3").startswith("--loss: got 'l3'")
    assert refused("fit", "image", "absent.png", "--engine", "tpu").startswith("engine: got 'tpu'")


def test_another_kind_s_file_to_go_on_with(refused, folder, same_message):
    path = Path(__file__).parents[1] / "data" / "textures.nsh"
    same_message(refused("fit", "image", "a.png", "--resume", str(path)), path, ".checkpoint")


def test_unknown_field_in_a_recipe_file(folder, refused, same_message):
    (folder / "r.toml").write_text("hiden_width = 32\n")
    message = refused("fit", "image", "a.png", "--recipe", "r.toml")
    same_message(message, "r.toml: hiden_width", "hidden_width")


def test_a_heading_of_a_recipe_file_is_no_flag(folder, refused):
    """It was told as --recipe, the flag that was typed."""
    (folder / "r.toml").write_text("[recipe]\nbpp = 4\n")
    said = refused("fit", "image", "a.png", "--recipe", "r.toml")
    assert said.startswith("r.toml: recipe: unknown setting")


@pytest.mark.parametrize("flags, message", [
    (["--activation", "rely"], "--activation: got 'rely', need one of "),
    (["--hidden-width", "7"],
     "--hidden-width: got 7, need 0 or 8 to 256. 0 chooses by bpp."),
    (["--hidden-layers", "9"],
     "--hidden-layers: got 9, need 0 to 8. The default is 2."),
    (["--bpp", "nan"], "--bpp: got nan, need 0.01 to 64. The default is 4.0."),
    (["--seconds", "inf"],
     "--seconds: got inf, need 0.01 to 10000000. The default is 20.0."),
    (["--steps", "0"], "--steps: got 0, need 1 to 1000000000. The default is None."),
    (["--grid-bits", "9"],
     "--grid-bits: got 9, need one of 4, 8, 16, 32. Fewer bits make a smaller file."),
    (["--encoding", "hash_grid:levels=0"],
     "encoding hash_grid.levels: got '0', need a whole number from 1 to 32. "
     "Write for example levels=1."),
    (["--encoding", "hash_gird"], "encoding: got 'hash_gird', need one of "),
    (["--encoding", "hash_grid:levles=3"], "encoding hash_grid.levles: unknown setting, need "),
    (["--encoding", ""], "encoding: got '', need one of "),
    (["--engine", "gpu", "--device", "cpu"],
     "device: got 'cpu', need cuda, vulkan, metal or d3d12: Slang runs on a GPU, or on software "
     "Vulkan. Leave --device out."),
    (["--engine", "tpu"], "engine: got 'tpu', need one of auto, torch, gpu. "
     "Did you mean gpu?"),
    (["--device", ""], "device: got '', need a torch device of this machine: cpu"),
    (["--preset", ""], "preset: got '', need one of grid, "),
    (["--resume", "absent.nsh"],
     "absent.nsh: got no such file, need a readable asset file. Check the path."),
    (["--resume", "a.png"],
     "a.png: got a file that is no safetensors file, need a neuralshade asset. "
     "Make one with neuralshade fit."),
    (["-o", "a.png"], "a.png: got the input a.png itself as output, need another file. "
     "Choose another path."),
    (["--snapshots", "absent/snaps"],
     "absent/snaps: got 'No such file or directory', need a folder for snapshots. "
     "Create its parent, or choose another."),
    (["--recipe", "absent.toml"],
     "absent.toml: got no such file, need a TOML file of recipe settings. "
     "Check the path."),
    (["--recipe", "absent.json"],
     "absent.json: got no such file, need a JSON file in tiny-cuda-nn's form. "
     "Check the path."),
    (["--recipe", "a.png"], "a.png: got suffix '.png', need .toml or .json. Rename the recipe."),
])  # fmt: skip
def test_flags(refused, flags, message):
    got = refused("fit", "image", "a.png", *flags, "--quiet")
    assert got == message if message.endswith(".") else got.startswith(message)
    if "gird" in flags[-1] or "levles" in flags[-1] or "rely" in flags[-1]:
        near = {"rely": "relu", "hash_gird": "hash_grid", "hash_grid:levles=3": "levels"}
        assert got.endswith(f" Did you mean {near[flags[-1]]}?")


def test_an_empty_preset_is_not_that_of_the_file(folder, refused):
    (folder / "r.toml").write_text('preset = "tiny"\n')
    message = refused("fit", "image", "a.png", "--recipe", "r.toml", "--preset", "")
    assert message == f"preset: got '', need one of {', '.join(PRESETS)}. Leave it out for grid."


def test_device(refused):
    message = refused("fit", "image", "a.png", "--device", "cuda:99")
    assert message.startswith("device: got 'cuda:99', need a torch device of this machine: cpu")
    assert message.endswith(". Use --device cpu.")


def test_more_memory_than_there_is(refused):
    encoding = "dense_grid:features=64,width=65536,height=65536"
    message = refused("fit", "image", "a.png", "--encoding", encoding)
    assert message.startswith("memory: got ")
    assert message.endswith("Lower bpp, the grids or batch, or free memory.")


@pytest.mark.parametrize("text", ["hidden_width = \n", "hidden_width 32", "[", "a = 1\na = 2\n",
                                  "\x00", "preset = 3\n", "steps = '7'\n", "[network]\nx=1\n",
                                  "encoding = ['identity']\n"])  # fmt: skip
def test_recipe_files_that_make_no_sense(folder, refused, text):
    (folder / "r.toml").write_text(text)
    message = refused("fit", "image", "a.png", "--recipe", "r.toml")
    assert message.startswith("r.toml: ")


def test_recipe_file_that_is_binary(folder, refused, same_message):
    (folder / "r.toml").write_bytes(b"\xff\xfe\x00")
    same_message(refused("fit", "image", "a.png", "--recipe", "r.toml"), "r.toml", "Check")


@pytest.mark.parametrize("config, message", [
    ({"optimizer": {"otype": "Shampoo"}},
     "optimizer.otype: got 'Shampoo', need one of Adam, EMA, ExponentialDecay: "
     "it is not here. Write Adam."),
    ({"encoding": {"otype": "SphericalHarmonics"}},
     "encoding.otype: got 'SphericalHarmonics', need one of "),
    ({"network": {"n_nerons": 3}}, "network.n_nerons: unknown or unsupported key, "),
    ([1], ""),
])  # fmt: skip
def test_tiny_cuda_nn_files_that_cannot_be_honored(folder, refused, config, message):
    (folder / "c.json").write_text(json.dumps(config))
    assert refused("fit", "image", "a.png", "--recipe", "c.json").startswith(message)


def test_json_file_that_is_none(folder, refused):
    (folder / "c.json").write_text("{")
    assert refused("fit", "image", "a.png", "--recipe", "c.json").startswith("c.json: got ")


@pytest.mark.parametrize("error, told", [
    (MemoryError(), "memory: got none left"),
    (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 67094528 "
                  "bytes. Error code 12 (Cannot allocate memory)"), "memory: got no 64.0 MiB more"),
])  # fmt: skip
def test_too_little_memory(refused, monkeypatch, error, told):
    def fail(*given, **named):
        raise error

    monkeypatch.setattr("neuralshade.kinds.image.fit.load_picture", fail)
    assert refused("fit", "image", "a.png") == (
        f"{told}, need as much. End other programs, or take less at a time: a smaller picture, "
        "batch or size."
    )


def test_a_fault_of_ours_is_not_taken_for_another(folder, monkeypatch):
    def fail(*given, **named):
        raise RuntimeError("a fault")

    monkeypatch.setattr("neuralshade.kinds.image.fit.load_picture", fail)
    with pytest.raises(RuntimeError, match="a fault"):
        main(["fit", "image", "a.png"])
