"""fitting/output_checks: by default no fit replaces an asset of another kind."""

import numpy as np
import pytest

import neuralshade
from neuralshade.asset.file import stored_kind
from neuralshade.errors import OutputError

CPU = neuralshade.FitOptions(engine="torch", device="cpu")


@pytest.fixture
def photo(tmp_path, monkeypatch, save_smooth):
    """Give a picture in the current folder, fitted to a.nsh there as a picture."""
    monkeypatch.chdir(tmp_path)
    save_smooth()
    neuralshade.fit_image("a.png", steps=1, options=CPU)
    assert stored_kind("a.nsh") == "image"
    return tmp_path / "a.nsh"


def as_textures(output=None):
    return neuralshade.fit_textures("a.png", output, steps=1, batch=16, options=CPU)


def as_splats(output=None):
    pytest.importorskip("slangpy")
    return neuralshade.fit_splats("a.png", output, steps=1, count=4)


@pytest.mark.parametrize("fit, kind", [
    (as_textures, "textures"), pytest.param(as_splats, "splats", marks=pytest.mark.slow),
])  # fmt: skip
def test_an_asset_of_another_kind_stays(photo, refusal, fit, kind):
    before = photo.read_bytes()
    assert refusal(OutputError, fit) == (
        f"a.nsh: got an asset of kind 'image' where that of {kind} goes by default, need a name "
        "for it. Name another file as its output (-o)."
    )
    assert photo.read_bytes() == before
    fit("a.nsh")  # named, it is replaced
    assert stored_kind("a.nsh") == kind


def test_its_own_is_replaced(photo):
    before = photo.read_bytes()
    neuralshade.fit_image("a.png", steps=2, options=CPU)
    assert stored_kind("a.nsh") == "image" and photo.read_bytes() != before


@pytest.mark.parametrize("content", [b"", b"no asset at all", np.zeros(99).tobytes()])
def test_other_files_say_no_kind(tmp_path, content):
    (tmp_path / "x.nsh").write_bytes(content)
    assert stored_kind(tmp_path / "x.nsh") is None


def test_a_cut_asset_says_no_kind(photo):
    photo.write_bytes(photo.read_bytes()[:100])
    assert stored_kind(photo) is None
