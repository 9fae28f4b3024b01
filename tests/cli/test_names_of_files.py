"""cli: file names that cannot be meant so: empty ones, flags, and files of other kinds."""

import shutil

import pytest

IS_ASSET = "need a name that ends in .nsh. Choose another path."


@pytest.mark.parametrize("arguments, message", [
    (["fit", "image", ""], "picture: got an empty name, need a picture's. Name a file."),
    (["info", ""], "asset: got an empty name, need an asset's. Name a file."),
    (["fit", "image", "a.png", "-o", ""],
     "output: got an empty name, need an asset's. Name a file."),
    (["fit", "image", "a.png", "--snapshots", "a.png"],
     "a.png: got a file, need a folder for snapshots. Choose another."),
])  # fmt: skip
def test_refused(refused, folder, few, arguments, message):
    flags = few if arguments[0] == "fit" else []
    assert refused(*arguments, *flags) == message


def test_a_file_that_looks_like_a_flag(run, folder):
    shutil.copy("a.png", "-dash.png")
    ending = "See neuralshade fit image --help."
    done = run("fit", "image", "-dash.png")
    assert done.err == ["neuralshade: No such option '-d'. For the file, write ./-dash.png. "
                        f"{ending}"]  # fmt: skip
    assert run("fit", "image", "-dosh.png").err == [f"neuralshade: No such option '-d'. {ending}"]


@pytest.mark.parametrize("name", ["new.png", "new.EXR", "x.html", "r.toml", "r.json", "t.slang",
                                  "x.txt"])  # fmt: skip
@pytest.mark.parametrize("verb", ["image", "splats"])
def test_an_asset_is_not_named_as_another_kind(refused, folder, verb, name):
    message = refused("fit", verb, "a.png", "-o", name, "--steps", "1")
    assert message == f"{name}: got suffix '{name[name.index('.') :]}' for an asset, {IS_ASSET}"


@pytest.mark.parametrize("name", ["page.pdf", "page.PNG", "other.nsh"])
@pytest.mark.parametrize("verb", ["fit", "report"])
def test_a_page_is_not_named_as_another_kind(refused, folder, few, fitted_asset, verb, name):
    line = (["fit", "image", "a.png", "--report", name, *few] if verb == "fit" else
            ["report", str(fitted_asset), "a.png", "-o", name])  # fmt: skip
    assert refused(*line) == (f"{name}: got suffix '{name[name.index('.') :]}' for a page, need a "
                              "name that ends in .html. Choose another path.")  # fmt: skip


def test_a_page_without_a_folder_is_refused_before_anything_is_drawn(
    refused, fitted_asset, monkeypatch, same_message
):
    monkeypatch.setattr("neuralshade.verbs.report.open_asset", None)
    message = refused("report", str(fitted_asset), "a.png", "-o", "none/page.html")
    same_message(message, "none/page.html", "Create")


def test_a_file_of_another_kind_is_not_replaced(refused, folder, few, same_message):
    (folder / "notes.nsh").write_text("neuralshade: to do")
    message = refused("fit", "image", "a.png", "-o", "notes.nsh", *few)
    same_message(message, "notes.nsh", "Choose")
    assert (folder / "notes.nsh").read_text() == "neuralshade: to do"


@pytest.mark.parametrize("name", ["a.nsh", "plain", "a.v2"])
def test_an_asset_and_an_empty_file_are_replaced(run, folder, few, name):
    (folder / name).touch()
    for seed in ("1", "2"):
        before = (folder / name).read_bytes()
        done = run("fit", "image", "a.png", "-o", name, "--seed", seed, "--quiet", *few)
        assert (done.code, done.err) == (0, [])
        assert (folder / name).read_bytes() != before
