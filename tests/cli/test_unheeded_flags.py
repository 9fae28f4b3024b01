"""cli: a flag that could change nothing is refused, and says what to leave out."""

import pytest

import neuralshade

SIZED = ("which have sizes of their own, need encoding='auto' or hidden_width=0. Leave bpp out, or "
         "the preset that names them.")  # fmt: skip
TORCH = "the PyTorch engine has no choice of it. Leave"
NEED_BITS = "Fewer bits make a smaller file."


@pytest.mark.parametrize("flags, message", [
    (["--preset", "rtxns", "--bpp", "0.5"],
     f"--bpp: got 0.5 with encoding='frequency:octaves=3' and hidden_width=64, {SIZED}"),
    (["--preset", "tiny", "--bpp=1"],
     f"--bpp: got 1 with encoding='identity' and hidden_width=32, {SIZED}"),
    (["--encoding", "frequency:octaves=2", "--hidden-width", "16", "--bpp", "1"],
     f"--bpp: got 1 with encoding='frequency:octaves=2' and hidden_width=16, {SIZED}"),
    (["--engine", "torch", "--kernels", "fma"],
     f"kernels: got 'fma', need 'auto': {TORCH} kernels out."),
    (["--engine", "torch", "--deterministic"],
     f"deterministic: got True, need False: {TORCH} deterministic out."),
    (["--device", "cpu", "--deterministic"],
     f"deterministic: got True, need False: {TORCH} deterministic out."),
    (["--grid-bits", "0"], f"--grid-bits: got 0, need one of 4, 8, 16, 32. {NEED_BITS}"),
    (["--grid-bits", "5"], f"--grid-bits: got 5, need one of 4, 8, 16, 32. {NEED_BITS}"),
    (["--network-bits", "4"], f"--network-bits: got 4, need one of 8, 16, 32. {NEED_BITS}"),
])  # fmt: skip
def test_fit_image(refused, folder, flags, message):
    assert refused("fit", "image", "a.png", *flags) == message


@pytest.mark.parametrize("preset", ["grid", "detail"])
def test_bpp_sizes_the_presets_that_leave_it_the_encoding(run, folder, preset):
    done = run("fit", "image", "a.png", "--preset", preset, "--bpp", "64", "--steps", "1",
               "--engine", "torch", "--quiet")  # fmt: skip
    assert (done.code, done.err) == (0, [])
    assert (folder / "a.nsh").stat().st_size <= 64 * 24 * 36 / 8


def test_bpp_sizes_a_network_where_the_encoding_is_named(run, folder):
    done = run("fit", "image", "a.png", "--encoding", "frequency:octaves=2", "--bpp", "64",
               "--hidden-width", "0", "--steps", "1", "--engine", "torch", "--quiet")  # fmt: skip
    assert (done.code, done.err) == (0, [])


def test_a_recipe_that_an_asset_tells_is_taken_back(run, folder):
    """As a file: it names the encoding that was found for its bpp, and the bpp."""
    run("fit", "image", "a.png", "--steps", "1", "--engine", "torch", "--quiet")
    told = neuralshade.info("a.nsh")["recipe"]
    assert told["encoding"] != "auto" and told["hidden_width"]
    printed = run("info", "a.nsh", "--toml")
    assert (printed.code, printed.err) == (0, [])
    (folder / "again.toml").write_text("\n".join(printed.out))
    done = run("fit", "image", "a.png", "-o", "b.nsh", "--recipe", "again.toml", "--engine",
               "torch", "--quiet")  # fmt: skip
    assert (done.code, done.err) == (0, [])
    assert neuralshade.info("b.nsh")["recipe"] == told


@pytest.mark.parametrize("flags, other", [
    (["--bytes", "2000"], "bytes=2000"), (["--count", "10"], "count=10"),
])  # fmt: skip
def test_fit_splats_takes_one_size(refused, folder, flags, other):
    message = refused("fit", "splats", "a.png", "--bpp", "3", *flags)
    assert message == f"--bpp: got 3.0 with {other}, need one of the two. Leave one out."


def test_view_compares_nothing_with_nothing(run, folder):
    done = run("view", "--reference", "a.png")
    assert (done.code, done.out) == (2, [])
    assert done.err == ["neuralshade: got --reference without ASSET, need what to compare with it: "
                        "name the asset. See neuralshade view --help."]  # fmt: skip


def test_view_compares_with_one_picture(run, folder):
    done = run("view", "a.nsh", "a.png", "--reference", "b.png")
    assert (done.code, done.out) == (2, [])
    assert done.err == ["neuralshade: got PICTURE and --reference, need one of them: leave one "
                        "out. See neuralshade view --help."]  # fmt: skip
