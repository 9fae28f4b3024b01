"""kinds/shader/trust: code of strangers does not run unasked; this user's own does."""

import os
import stat

import numpy as np
import platformdirs
import pytest

import neuralshade
from neuralshade.asset.file import AssetFile, read_asset_file, write_asset_file
from neuralshade.errors import AssetError
from neuralshade.kinds.shader import trust
from neuralshade.kinds.shader.source import ShaderSource

TEXT = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] [Start(0.25)] float grey;
    [Differentiable] float loss(no_diff Thread thread) { return (grey - 0.5) * (grey - 0.5); }
    float render(float2 uv) { return grey + 0 * uv.x; }
}
"""
BRIEF = {"steps": 1, "threads": "4x4", "size": "4x4"}


@pytest.fixture
def made(device, tmp_path):
    """Give an asset that a fit of this user wrote."""
    (tmp_path / "grey.slang").write_text(TEXT)
    neuralshade.fit_shader(tmp_path / "grey.slang", tmp_path / "own.nsh", **BRIEF)
    return tmp_path / "own.nsh"


@pytest.fixture
def foreign(made, tmp_path):
    """Give one whose module nobody here has seen, its checksum right."""
    file = read_asset_file(made)
    module = file.header["module"] | {"text": TEXT + "// of a stranger\n"}
    write_asset_file(tmp_path / "foreign.nsh", AssetFile(file.header | {"module": module},
                                                         file.tensors))  # fmt: skip
    return tmp_path / "foreign.nsh"


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """Give the folder of notes, empty, as a process that has noted nothing sees it."""
    monkeypatch.setattr(trust, "_noted", set())
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda name: str(tmp_path / "data"))
    return tmp_path / "data/own-modules"


def drawn(asset, **named):
    return neuralshade.render(asset, size=(2, 2), **named)


def test_what_was_fitted_here_is_drawn_unasked(made):
    assert drawn(made).shape == (2, 2, 1)


def test_a_stranger_s_module_asks_for_trust(foreign, refusal, monkeypatch):
    import neuralshade.measure.report  # which asks fc-list for fonts where no cache has them

    def opened(*given):
        raise AssertionError("a GPU was opened for code that nobody vouches for")

    with monkeypatch.context() as patch:
        patch.setattr("neuralshade.kinds.shader.renderer.open_gpu", opened)
        patch.setattr("neuralshade.kinds.shader.build.reflect_struct", opened)
        patch.setattr("subprocess.Popen", opened)
        expected = (
            f"{foreign}: got Slang code that no fit of yours made, need your word that it may run "
            "here. Read it (neuralshade info --json), then add --trust, or trust=True."
        )
        picture = neuralshade.picture_from_array(np.zeros((4, 4), np.uint8))
        assert refusal(AssetError, drawn, foreign) == expected
        assert refusal(AssetError, neuralshade.evaluate, foreign) == expected
        assert refusal(AssetError, neuralshade.evaluate, foreign, picture) == expected
        page = foreign.with_suffix(".html")
        assert refusal(AssetError, neuralshade.report, foreign, picture, page) == expected
        assert not page.exists()
        assert refusal(AssetError, neuralshade.load(foreign).scene) == expected
    assert "of a stranger" in neuralshade.info(foreign)["module"]["text"]  # to be read first


@pytest.mark.slow
def test_trusted_it_is_drawn(foreign):
    opened = neuralshade.load(foreign, trust=True)
    assert (drawn(opened, values={"grey": 0.75}) == 0.75).all()  # other values, the same trust
    assert neuralshade.evaluate(foreign, trust=True)[0]["loss"] >= 0


@pytest.mark.slow
def test_the_command_line_has_a_flag(made, foreign, capsys):
    """With it, it is drawn as the same module is."""
    from neuralshade.cli.main import main

    out, same = (str(asset.with_suffix(".png")) for asset in (foreign, made))
    neuralshade.render(made, same)
    with pytest.raises(SystemExit) as left:
        main(["render", str(foreign), "-o", out])
    assert left.value.code == 1 and "--trust" in capsys.readouterr().err
    main(["render", str(foreign), "-o", out, "--trust"])
    np.testing.assert_array_equal(neuralshade.load_picture(out).as_float(),
                                  neuralshade.load_picture(same).as_float())  # fmt: skip


def test_notes_last_beyond_the_process(alone, monkeypatch):
    source = ShaderSource(TEXT, "grey.slang")
    assert not trust.is_known(source)
    trust.remember(source)
    monkeypatch.setattr(trust, "_noted", set())  # of another process
    assert trust.is_known(source)
    assert stat.S_IMODE(alone.stat().st_mode) == 0o700
    others = [
        ShaderSource(TEXT + " ", "grey.slang"),
        ShaderSource(TEXT, "grey.slang", {"a.slang": "float a;"}),
    ]
    assert not any(map(trust.is_known, others))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permission bits are POSIX's")
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_notes_that_others_could_write_say_nothing(alone, monkeypatch, mode):
    source = ShaderSource(TEXT, "grey.slang")
    trust.remember(source)
    monkeypatch.setattr(trust, "_noted", set())
    alone.chmod(mode)
    assert not trust.is_known(source)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permission bits are POSIX's")
def test_notes_whose_folder_others_could_replace_say_nothing(alone, monkeypatch):
    source = ShaderSource(TEXT, "grey.slang")
    trust.remember(source)
    monkeypatch.setattr(trust, "_noted", set())
    alone.parent.chmod(0o777)
    assert not trust.is_known(source)


def test_notes_that_cannot_be_kept_hold_in_the_process(alone):
    alone.parent.write_text("a file where the folder should be")
    source = ShaderSource(TEXT, "grey.slang")
    trust.remember(source)
    assert trust.is_known(source)
