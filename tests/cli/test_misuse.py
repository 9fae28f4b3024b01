"""cli: assets that are none, and command lines that nobody can obey."""

import shutil

import pytest

from neuralshade.asset.file import AssetFile, write_asset_file

LOOKS = {
    "info": ("info", "x.nsh"),
    "render": ("render", "x.nsh", "-o", "o.png"),
    "evaluate": ("evaluate", "x.nsh", "a.png"),
    "report": ("report", "x.nsh", "a.png"),
}


@pytest.mark.parametrize("verb", LOOKS)
def test_no_asset(refused, verb, same_message):
    same_message(refused(*LOOKS[verb]), "x.nsh", "Check")


@pytest.mark.parametrize("verb", LOOKS)
def test_a_picture_is_no_asset(folder, refused, verb, same_message):
    shutil.copy("a.png", "x.nsh")
    same_message(refused(*LOOKS[verb]), "x.nsh", "Make")


@pytest.mark.parametrize("verb", LOOKS)
def test_a_damaged_asset(folder, refused, fitted_asset, verb, same_message):
    data = bytearray(fitted_asset.read_bytes())
    data[-5] ^= 1
    (folder / "x.nsh").write_bytes(data)
    same_message(refused(*LOOKS[verb]), "x.nsh", "Copy")


@pytest.mark.parametrize("verb", LOOKS)
def test_an_asset_of_another_kind(folder, refused, verb, same_message):
    write_asset_file("x.nsh", AssetFile({"kind": "texture"}, {}))
    same_message(refused(*LOOKS[verb]), "x.nsh", "Upgrade")


@pytest.mark.parametrize("flags, message", [
    (("--size", "0x9"),
     "size: got 0x9, need 1 to 65536 pixels a side. Write for example 1920x1080."),
    (("--crop", "0.5,0,0.5,1"),
     "crop: got 0.5,0,0.5,1, need u0 < u1 and v0 < v1 in [0, 1]. The whole picture is 0,0,1,1."),
    (("-o", "o.gif"), "o.gif: got suffix '.gif', need one of .png, .jpg, .jpeg, .ppm, .pgm, "
     ".webp, .tif, .tiff, .exr, .hdr. Rename the output."),
    (("-o", "absent/o.png"),
     "absent/o.png: got no such folder, need a folder that exists. Create it first."),
])  # fmt: skip
def test_render(refused, fitted_asset, flags, message):
    assert refused("render", fitted_asset, "-o", "o.png", *flags) == message


@pytest.mark.parametrize("arguments, message", [
    (("fit", "image"), "Missing argument 'PICTURE'. See neuralshade fit image --help."),
    (("fit", "image", "a.png", "--nonsense", "3"),
     "No such option. See neuralshade fit image --help."),
    (("fit", "image", "a.png", "--steps", "many"),
     "Invalid value for '--steps': got 'many', need a whole number. "
     "See neuralshade fit image --help."),
    (("fit", "image", "a.png", "--rate", "abc"),
     "Invalid value for '--rate': got 'abc', need a number. See neuralshade fit image --help."),
    (("report", "x.nsh", "-o"), "Option '-o' requires an argument. See neuralshade report --help."),
    (("fit", "image", "a.png", "--rate"),
     "Option '--rate' requires an argument. See neuralshade fit image --help."),
    (("fit", "video", "a.png"), "No such command 'video'. See neuralshade fit --help."),
    (("rnder", "x"), "No such command 'rnder'. See neuralshade --help."),
    (("render", "x.nsh"), "Missing option '-o' / '--output'. See neuralshade render --help."),
    (("render", "x.nsh", "-o", "o.png", "--size", "x"),
     "Invalid value for '--size': got 'x', need pixels: N for the longer side, or WxH, Wx or xH, "
     "such as 1920x1080. See neuralshade render --help."),
    (("render", "x.nsh", "-o", "o.png", "--size", "axb"),
     "Invalid value for '--size': got 'axb', need pixels: N for the longer side, or WxH, Wx or "
     "xH, such as 1920x1080. "
     "See neuralshade render --help."),
    (("render", "x.nsh", "-o", "o.png", "--crop", "0,1"),
     "Invalid value for '--crop': got '0,1', need four numbers such as 0,0,0.5,0.5. "
     "See neuralshade render --help."),
    (("info",), "Missing argument 'ASSET'. See neuralshade info --help."),
    (("info", "x.nsh", "y.nsh"),
     "Got unexpected extra argument (y.nsh). See neuralshade info --help."),
])  # fmt: skip
def test_misuse(refused, arguments, message):
    got = refused(*arguments, code=2)
    # click words these; newer releases name what was probably meant
    what, _, where = message.partition(". See ")
    assert got.startswith(what) and got.endswith(f" See {where}")


@pytest.mark.parametrize("arguments, meant", [
    (("fit", "image", "a.png", "--psnr", "30"), "No such option '--psnr'. Did you mean "
     "--target-psnr? See neuralshade fit image --help."),
    (("fit", "image", "a.png", "--lr", "1"), "No such option '--lr'. Did you mean --rate? "
     "See neuralshade fit image --help."),
    (("fit", "image", "a.png", "--bits", "8"), "No such option '--bits'. Did you mean --grid-bits "
     "or --network-bits? See neuralshade fit image --help."),
    (("fit", "image", "a.png", "--stepz", "8"), "No such option '--stepz'. Did you mean --steps? "
     "See neuralshade fit image --help."),
    (("fit", "image", "a.png", "--sec", "3"), "No such option '--sec'. Did you mean --seconds? "
     "See neuralshade fit image --help."),
    (("fit", "shader", "a.slang", "--snap", "x"), "No such option '--snap'. Did you mean "
     "--snapshots? See neuralshade fit shader --help."),
    (("fit", "image", "a.png", "--bbp", "3"), "No such option '--bbp'. Did you mean --bpp? "
     "See neuralshade fit image --help."),
    (("fit", "image", "a.png", "--bitrate", "3"), "No such option '--bitrate'. Did you mean --bpp? "
     "See neuralshade fit image --help."),
    (("fit", "image", "a.png", "--live", "8765"), "Got unexpected extra argument (8765). --live "
     "takes none: write --live --port 8765. See neuralshade fit image --help."),
    (("fit", "image", "--live=8765", "a.png"), "Option '--live' does not take a value. --live "
     "takes none: write --live --port 8765. See neuralshade fit image --help."),
    (("fit", "image", "a.png", "b.png", "--live"),
     "Got unexpected extra argument (b.png) See neuralshade fit image --help."),
    (("fit", "image", "a.png", "b.nsh"), "Got unexpected extra argument (b.nsh). To have that "
     "written, give -o b.nsh. See neuralshade fit image --help."),
    (("fit", "image", "a.png", "b.nsh", "-o", "c.nsh"),
     "Got unexpected extra argument (b.nsh) See neuralshade fit image --help."),
    (("fit", "image", "a.png", "--quality", "8"),
     "No such option '--quality'. Did you mean --preset? See neuralshade fit image --help."),
    (("fit", "textures", "maps", "--quality", "high"),
     "No such option '--quality'. See neuralshade fit textures --help."),
    (("render", "a.nsh", "-o", "b.png", "--teacher", "a.mtlx"),
     "No such option '--teacher'. Did you mean --reference? See neuralshade render --help."),
    (("fit", "splats", "a.png", "--preset", "grid"),
     "No such option '--preset'. See neuralshade fit splats --help."),
    (("fit", "splats", "a.png", "--zzz"),
     "No such option '--zzz'. See neuralshade fit splats --help."),
    (("render", "x.nsh", "--width", "300"), "No such option '--width'. Did you mean --size? "
     "See neuralshade render --help."),
    (("render", "x.nsh", "--out", "o.png"), "No such option '--out'. Did you mean --output? "
     "See neuralshade render --help."),
])  # fmt: skip
def test_the_flag_that_was_meant(refused, arguments, meant):
    assert refused(*arguments, code=2) == meant


@pytest.mark.parametrize("arguments, meant", [
    (("render", "x.nsh", "out.png"), "Missing option '-o' / '--output'. To write to out.png, give "
     "-o out.png. See neuralshade render --help."),
    (("render", "--size", "64", "x.nsh", "my out.png", "more"), "Missing option '-o' / "
     "'--output'. To write to my out.png, give -o 'my out.png'. See neuralshade render --help."),
    (("render", "x.nsh", "--size", "64"),
     "Missing option '-o' / '--output'. See neuralshade render --help."),
    (("decode", "x.nsh", "maps"), "Missing option '-o' / '--output'. To write to maps, give -o "
     "maps. See neuralshade decode --help."),
    (("scene", "tray.toml", "tray.png"), "Missing option '-o' / '--output'. To write to tray.png, "
     "give -o tray.png. See neuralshade scene --help."),
    (("report", "x.nsh", "page.html"), "page.html: got a page for PICTURE, need what ASSET was "
     "fitted to. To have that written, give -o page.html. See neuralshade report --help."),
    (("report", "x.nsh", "a.png", "page.html"), "Got unexpected extra argument (page.html). To "
     "have that written, give -o page.html. See neuralshade report --help."),
    (("fit", "textures", "maps", "b.nsh"), "b.nsh: got the name of an asset, need a source. To "
     "have that written, give -o b.nsh. See neuralshade fit textures --help."),
    (("fit", "mipmaps", "maps", "levels"), "levels: got no such file or folder, need a source. To "
     "have that written, give -o levels. See neuralshade fit mipmaps --help."),
    (("fit", "materials", "a.toml", "all"), "all: got no such file or folder, need a source. To "
     "have that written, give -o all. See neuralshade fit materials --help."),
])  # fmt: skip
def test_an_output_is_named_by_its_flag(refused, arguments, meant):
    """Behind its input, where other programs have it, it was an option that is missing."""
    assert refused(*arguments, code=2) == meant


@pytest.mark.parametrize("arguments, meant", [
    (("fit", "imge", "a.png"), "No such command 'imge'. Did you mean 'image'? "
     "See neuralshade fit --help."),
    (("fit", "mipmap", "a"), "No such command 'mipmap'. Did you mean 'mipmaps'? "
     "See neuralshade fit --help."),
    (("fit", "picture", "a.png"), "No such command 'picture'. Did you mean 'image'? "
     "See neuralshade fit --help."),
    (("fit", "a'b"), None), (("fit", "1.5"), None),
])  # fmt: skip
def test_the_verb_of_fit_that_was_meant(refused, arguments, meant):
    got = refused(*arguments, code=2)
    assert got == meant or (meant is None and "Did you mean" not in got and "For the" not in got)


@pytest.mark.parametrize("name, verb", [
    ("a.png", "fit image"), ("b.nsh", "view"), ("c.slang", "fit shader"),
])  # fmt: skip
def test_a_file_in_place_of_a_verb(refused, folder, name, verb):
    (folder / name).touch()
    message = refused(name, code=2)
    assert message.startswith(f"No such command '{name}'.")
    assert message.endswith(f" For the file, write neuralshade {verb} {name}. See neuralshade "
                            "--help.")  # fmt: skip


@pytest.mark.parametrize("name, verb", [
    ("photo.png", "fit image"), ("c.slang", "fit shader"), ("d.mtlx", "fit material"),
    ("e.toml", "fit material"),
])  # fmt: skip
@pytest.mark.parametrize("there", [True, False])
def test_a_file_in_place_of_a_kind(refused, folder, name, verb, there):
    if there:
        (folder / name).touch()
    message = refused("fit", name, code=2)
    assert message == (f"No such command '{name}'. For the file, write neuralshade {verb} {name}. "
                       "See neuralshade fit --help.")  # fmt: skip


@pytest.mark.parametrize("flags, message", [
    (("--loss", "mse"), "--loss: got 'mse', need one of auto, l1, l2, huber, log_l2, "
     "relative_l2, log_l1, smape. Did you mean l2?"),
    (("--precision", "fp16"), "--precision: got 'fp16', need one of auto, float32, "
     "bfloat16, float16. Did you mean float16?"),
    (("--activation", "ReLU"), "--activation: got 'ReLU', need one of none, relu, "
     "leaky_relu, tanh, sigmoid, exp, softplus, silu, hard_gelu, elu, sine. "
     "Did you mean relu?"),
    (("--engine", "torch", "--kernels", "fmaa"), "kernels: got 'fmaa', need one of auto, "
     "wgmma, matrix, fma. Did you mean fma?"),
])  # fmt: skip
def test_the_value_that_was_meant(refused, flags, message):
    assert refused("fit", "image", "a.png", *flags) == message


def test_misuse_in_a_process_of_its_own(folder, start):
    process = start("fit", "image", "a.png", "--nonsense", cwd=folder)
    out, err = process.communicate(timeout=600)
    assert (process.returncode, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("neuralshade: No such option")


@pytest.mark.slow
def test_an_error_in_a_process_of_its_own(folder, start, same_message):
    process = start("fit", "image", "absent.png", cwd=folder)
    out, err = process.communicate(timeout=600)
    assert (process.returncode, out) == (1, "")
    same_message(err, "neuralshade: absent.png", "Check")


def test_the_verb_that_was_meant(refused):
    assert refused("compare", "x.nsh", "a.png", code=2) == (
        "No such command 'compare'. Did you mean 'evaluate'? See neuralshade --help."
    )
    assert "Did you mean 'fit'?" in refused("train", "a.png", code=2)


@pytest.mark.parametrize("flags, message", [
    (("--loss", "mse"), "--loss: got 'mse', need one of auto, l1, l2, huber, log_l2, "
     "relative_l2, log_l1, smape. Did you mean l2?"),
    (("--steps=0",), "--steps: got 0, need 1 to 1000000000. The default is None."),
    (("--preset", "grp"), "preset: got 'grp', need one of grid, detail, rtxns, "
     "rtxns-fast, lake, tiny, tiny-9. Did you mean grid?"),
])  # fmt: skip
def test_a_value_that_no_flag_takes_is_misuse(refused, flags, message):
    """As a flag that there is not; what files say that are named is an error."""
    assert refused("fit", "image", "a.png", *flags, code=2) == message
    with open("r.toml", "w") as file:
        file.write('loss = "mse"\n')
    assert "got 'mse'" in refused("fit", "image", "a.png", "--recipe", "r.toml", code=1)
