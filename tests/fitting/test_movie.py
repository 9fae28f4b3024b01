"""fitting/movie: the snapshots of a fit become an animation, whole or not at all."""

import io
import re
import signal
import sys

import numpy as np
import pytest
from PIL import Image, ImageSequence

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.asset.checkpoint import load_checkpoint
from neuralshade.cli.main import main
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.errors import DeviceError, OutputError
from neuralshade.fitting.movie import WRITERS, Movie, opaque_frame
from neuralshade.fitting.snapshots import Snapshots, snapshots_for
from neuralshade.measure.display import exposure_stops
from neuralshade.source.color import linear_to_srgb

STEPS = [1, 2, 3, 4, 5, 6, 8, 11, 16, 23, 30]  # snapshots of a fit of 30 steps


def fit(picture, tmp_path, settings, **options):
    output = tmp_path / "x.nsh"
    return neuralshade.fit_image(picture, output, options=FitOptions(**options), **settings)


def gif_frames(path):
    """Return uint8 [n, h, w, 3] and what each frame lasts, in ms."""
    frames, shown_ms = [], []
    with Image.open(path) as movie:
        for frame in ImageSequence.Iterator(movie):
            frames.append(np.asarray(frame.convert("RGB")))
            shown_ms.append(frame.info["duration"])
    return np.stack(frames), shown_ms


def mp4_frames(path):
    """Return [n, h, w, 3] in [0, 255], and the stream."""
    av = pytest.importorskip("av")
    with av.open(path) as movie:
        stream = movie.streams.video[0]
        frames = [rgb(frame.to_ndarray(), stream.height) for frame in movie.decode(stream)]
        return np.stack(frames), stream


def rgb(yuv, height):
    """Return [h, w, 3] of 4:2:0 planes, one below the other, by ITU-R BT.709, limited range.

    PyAV's own conversion to RGB is by BT.601 before its version 17, whatever the stream says.
    """
    luma, chroma = yuv[:height], yuv[height:].reshape(2, height // 2, -1)
    cb, cr = (chroma.repeat(2, axis=1).repeat(2, axis=2) - 128.0) / 224
    y = (luma - 16.0) / 219
    rgb = np.stack([y + 1.5748 * cr, y - 0.1873 * cb - 0.4681 * cr, y + 1.8556 * cb], axis=2)
    return as_bytes(rgb.clip(0, 1))


def as_bytes(drawn):
    return np.rint(drawn * 255)


def test_gif_has_a_frame_per_snapshot(tmp_path, save_smooth, few):
    picture, path = save_smooth(), tmp_path / "fit.gif"
    fit(picture, tmp_path, few, movie=path, snapshots=tmp_path / "snaps")
    frames, shown_ms = gif_frames(path)
    assert frames.shape == (len(STEPS), 24, 36, 3)
    assert shown_ms == [120] * (len(STEPS) - 1) + [2000]
    for frame, step in zip(frames, STEPS, strict=True):
        snapshot = neuralshade.load_picture(tmp_path / f"snaps/prediction_{step:07d}.png")
        # 256 colours for 864 pixels, errors handed on to neighbours
        assert np.abs(frame - as_bytes(snapshot.as_float())).mean() < 4, step
    assert np.abs(frames[0] - frames[-1].astype(int)).mean() > 20


def test_mp4_has_a_frame_per_snapshot_and_holds_the_last(tmp_path, save_smooth, few):
    picture, path = save_smooth(height=23, width=35), tmp_path / "fit.mp4"
    fit(picture, tmp_path, few | {"polish": 0}, movie=path)
    frames, stream = mp4_frames(path)
    assert stream.average_rate == 8
    assert frames.shape == (len(STEPS) + 15, 24, 36, 3)  # even sides; 2 s are 16 frames
    assert np.abs(frames[-1] - frames[-16]).max() <= 8  # the same picture, coded anew
    drawn = as_bytes(neuralshade.render(tmp_path / "x.nsh"))
    assert np.abs(frames[-1][:23, :35] - drawn).mean() < 6  # 4:2:0 halves the colours' sides


@pytest.mark.parametrize("color", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (0.2, 0.5, 0.8)])
def test_colors_of_mp4_are_those_of_the_snapshot(tmp_path, color):
    pixels = np.broadcast_to(np.float32(color), (32, 32, 3)).copy()
    movie = Movie(tmp_path / "x.mp4", neuralshade.picture_from_array(pixels))
    movie.take(1, pixels)
    movie.finish()
    frames, stream = mp4_frames(tmp_path / "x.mp4")
    np.testing.assert_allclose(frames[0], as_bytes(pixels), atol=4)  # two roundings to 8-bit YUV
    codec = stream.codec_context
    assert (codec.colorspace, codec.color_primaries, codec.color_trc, codec.color_range) == (
        1, 1, 1, 1,
    )  # fmt: skip


@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 1, 1), (3, 5, 4), (7, 8, 2), (1024, 1, 3)])
@pytest.mark.parametrize("suffix", WRITERS)
def test_any_size_and_number_of_channels(tmp_path, shape, suffix):
    path, rng = tmp_path / f"x{suffix}", np.random.default_rng(0)
    movie = Movie(path, neuralshade.picture_from_array(np.zeros(shape, np.float32)))
    for step in (1, 2):
        movie.take(step, rng.random(shape, np.float32))
    movie.finish()
    frames, _ = (gif_frames if suffix == ".gif" else mp4_frames)(path)
    even = 1 if suffix == ".gif" else 2
    assert frames.shape[1:3] == tuple(-(-side // even) * even for side in shape[:2])


def test_frames_have_1024_pixels_at_most():
    picture = neuralshade.picture_from_array(np.zeros((40, 3000, 3), np.uint8))
    movie = Movie("x.gif", picture)

    class Here:
        def __enter__(self): ...
        def __exit__(self, *_): ...

    snapshots = Snapshots(picture, [movie], Here, lambda w, h: np.zeros((h, w, 3), np.float32))
    snapshots.take(neuralshade.fitting.loop.Progress(step=7))
    assert [frame.shape for frame in movie.decoded()] == [(14, 1024, 3)]
    assert sum(map(len, movie.frames.values())) < 2000  # kept as a file, not as 43,008 bytes


def test_hdr_is_exposed_as_in_the_report(tmp_path, save_smooth, few):
    picture = neuralshade.load_picture(save_smooth("a.exr", peak=40))
    movie = Movie("x.gif", picture)
    values = picture.as_float()
    movie.take(1, values)
    stops = exposure_stops(values)
    wanted = as_bytes(linear_to_srgb(np.minimum(values * 2**stops, 1)))
    np.testing.assert_allclose(next(movie.decoded()), wanted, atol=1)
    fit(tmp_path / "a.exr", tmp_path, few, movie=tmp_path / "x.gif")
    assert len(gif_frames(tmp_path / "x.gif")[0]) == len(STEPS)


def test_what_is_transparent_lies_before_grey():
    drawn = np.float32([[[1, 0.2, 0, 0], [1, 0.2, 0, 0.5], [1, 0.2, 0, 1]]])
    assert opaque_frame(drawn, None).tolist() == [[[128, 128, 128], [191, 89, 64], [255, 51, 0]]]
    grey = np.float32([[[0.2, 1], [0.2, 0]]])
    assert opaque_frame(grey, None).tolist() == [[[51, 51, 51], [128, 128, 128]]]


def test_nan_is_black():
    drawn = np.float32([[[np.nan, 0.2, 1]]])
    assert opaque_frame(drawn, None).tolist() == [[[0, 51, 255]]]


def refusal(kind, *arguments, **options):
    def never(progress):
        raise AssertionError("it trains")

    picture, output = arguments
    with pytest.raises(kind) as caught:
        neuralshade.fit_image(picture, output, observer=never, options=FitOptions(**options))
    assert "\n" not in str(caught.value)
    assert [p.name for p in output.parent.iterdir() if p != picture] == []
    return str(caught.value)


@pytest.mark.parametrize("suffix", [".avi", "", ".webp"])
def test_other_suffix_refused(tmp_path, save_smooth, suffix):
    path = tmp_path / f"x{suffix}"
    assert refusal(OutputError, save_smooth(), tmp_path / "x.nsh", movie=path) == (
        f"{path}: got suffix '{suffix}', need one of .gif, .mp4. Rename the movie."
    )


@pytest.mark.parametrize("suffix", [".gif", ".MP4"])
def test_missing_folder_refused(tmp_path, save_smooth, suffix, same_message):
    path = tmp_path / f"absent/x{suffix}"
    message = refusal(OutputError, save_smooth(), tmp_path / "x.nsh", movie=path)
    same_message(message, path, "Create")


def test_missing_package_refused(tmp_path, save_smooth, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    message = refusal(DeviceError, save_smooth(), tmp_path / "x.nsh", movie=tmp_path / "x.mp4")
    assert re.fullmatch(
        re.escape(f"{tmp_path}/x.mp4: got no package av (")
        + r"[^()]*\), need it for \.mp4\. "
        + re.escape('Run: pip install "neuralshade[movie]", or write .gif.'),
        message,
    )


def test_package_is_not_needed_for_gif(tmp_path, save_smooth, few, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    fit(save_smooth(), tmp_path, few, movie=tmp_path / "x.gif")
    assert (tmp_path / "x.gif").read_bytes().startswith(b"GIF89a")


def test_other_outputs_are_not_overwritten(tmp_path, save_smooth, same_message):
    path = tmp_path / "x.gif"
    message = refusal(OutputError, save_smooth(), tmp_path / "x.nsh", movie=path, report=path)
    same_message(message, path, "Choose")


def test_the_picture_is_not_overwritten(tmp_path, same_message):
    file = io.BytesIO()
    Image.new("RGB", (4, 5)).save(file, "PNG")
    path = tmp_path / "a.gif"  # pictures are known by what they hold
    path.write_bytes(file.getvalue())
    same_message(refusal(OutputError, path, tmp_path / "x.nsh", movie=path), path, "Choose")
    assert path.read_bytes() == file.getvalue()


def interrupted(picture, tmp_path, settings, **options):
    """Fit a.nsh until step 10, and return the message of the interruption."""
    with pytest.raises(FitInterrupted) as caught:
        neuralshade.fit_image(picture, tmp_path / "a.nsh", options=FitOptions(**options),
                              observer=lambda p: p.step >= 10 and signal.raise_signal(2),
                              **settings)  # fmt: skip
    return str(caught.value)


@pytest.mark.slow
def test_movie_of_a_resumed_fit_is_that_of_an_uninterrupted_one(tmp_path, save_smooth, few):
    picture, path = save_smooth(), tmp_path / "a.gif"
    path.write_bytes(b"older")
    message = interrupted(picture, tmp_path, few, movie=path)
    assert f" --movie {path} --resume " in message
    assert path.read_bytes() == b"older"
    resume = tmp_path / "a.checkpoint.nsh"
    fit(picture, tmp_path, {}, movie=path, resume=resume)
    fit(picture, tmp_path, few, movie=tmp_path / "whole.gif")
    assert path.read_bytes() == (tmp_path / "whole.gif").read_bytes()


def test_frames_are_no_business_of_the_engine(tmp_path, save_smooth, few, monkeypatch):
    load, seen = TorchEngine.load_state, []

    def recorded(engine, state):
        seen.extend(state)
        load(engine, state)

    monkeypatch.setattr(TorchEngine, "load_state", recorded)
    interrupted(save_smooth(), tmp_path, few, movie=tmp_path / "a.gif")
    resume = tmp_path / "a.checkpoint.nsh"
    fit(tmp_path / "a.png", tmp_path, {}, resume=resume)
    kept = load_checkpoint(resume, "image").state
    assert "snapshots.movie.0000001" in kept
    assert seen and set(kept) - set(seen) == {n for n in kept if n.startswith("snapshots.")}


@pytest.mark.slow
def test_resumed_with_a_movie_only_before_or_only_after(tmp_path, save_smooth, few):
    picture, resume = save_smooth(), tmp_path / "a.checkpoint.nsh"
    interrupted(picture, tmp_path, few, movie=tmp_path / "a.gif")
    assert fit(picture, tmp_path, {}, resume=resume).steps == 30
    assert not (tmp_path / "a.gif").exists()
    interrupted(picture, tmp_path, few)
    fit(picture, tmp_path, {}, resume=resume, movie=tmp_path / "b.gif")
    reached = load_checkpoint(resume, "image").progress["step"]
    rest = [step for step in STEPS if step > reached]
    assert 1 <= len(gif_frames(tmp_path / "b.gif")[0]) == len(rest)


def test_nothing_is_drawn_when_nothing_is_asked_for():
    assert snapshots_for(FitOptions(), None, None, None, None) is None


@pytest.mark.parametrize("verb", ["image", "splats"])
def test_flag(tmp_path, save_smooth, capsys, verb, same_message):
    with pytest.raises(SystemExit) as leaving:
        main(["fit", verb, str(save_smooth()), "-o", str(tmp_path / "x.nsh"), "--movie", "x.avi"])
    assert leaving.value.code == 1
    same_message(capsys.readouterr().err, "neuralshade: x.avi", "Rename")
