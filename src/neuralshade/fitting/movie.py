"""Animation of a fit's snapshots: GIF through Pillow, MP4 (H.264) through PyAV."""

import io
import os
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image

from neuralshade.base.atomic import check_writable, whole_file
from neuralshade.base.optional import optional_module
from neuralshade.errors import OutputError
from neuralshade.fitting.callback import Callback
from neuralshade.source.picture import Picture, PictureForm

FRAMES_PER_SECOND = 8
LAST_SECONDS = 2  # duration of the last frame
BACKDROP = 0.5  # sRGB grey behind what is transparent: both formats are written without alpha
STATE = "movie."  # prefix of frame names in a checkpoint
PNG_LEVEL = 1  # of queued frames: a third of the default's time
BT709 = 1  # code point of primaries, transfer curve and matrix (ITU-T H.273, tables 2 to 4)
CRF = "16"  # of x264: visually lossless

Frame = npt.NDArray[np.uint8]  # [h, w, 3], sRGB


def check_movie(path: str | os.PathLike[str] | None) -> None:
    """Check before a fit that a movie can be written at ``path``; None is no movie.

    Raises: OutputError for another suffix than .gif and .mp4 or a place that cannot be
        written, DeviceError where .mp4 needs a package that is missing.
    """
    if path is None:
        return
    suffix = _suffix(path)
    if suffix not in WRITERS:
        raise OutputError(
            f"{path}: got suffix '{suffix}', need one of {', '.join(WRITERS)}. Rename the movie."
        )
    if suffix == ".mp4":
        _pyav(path)
    check_writable(path)


class Movie(Callback):
    """Collects a PNG frame per snapshot, and writes the movie when the fit ends.

    Frames are stored in checkpoints, so that a resumed fit's movie equals that of an uninterrupted
    one. HDR is exposed as in the report.
    """

    def __init__(self, path: str | os.PathLike[str], picture: Picture | PictureForm):
        from neuralshade.measure.display import exposure_stops  # loads metrics: half a second

        self.path = path
        self.stops = 0.0 if picture.color_space == "linear" else None
        if self.stops is not None and isinstance(picture, Picture):
            self.stops = exposure_stops(picture.as_float())
        self.frames: dict[int, bytes] = {}  # PNG files by step

    def take(self, step: int, drawn: npt.NDArray[Any]) -> None:
        """Keep the snapshot of ``step`` as a frame."""
        file = io.BytesIO()
        frame = opaque_frame(drawn, self.stops)
        Image.fromarray(frame).save(file, "PNG", compress_level=PNG_LEVEL)
        self.frames[step] = file.getvalue()

    def state(self) -> dict[str, torch.Tensor]:
        """Return the frames: uint8 [bytes] under ``movie.STEP``."""
        return {
            f"{STATE}{step:07d}": torch.frombuffer(bytearray(file), dtype=torch.uint8)
            for step, file in self.frames.items()
        }

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Restore the frames of a checkpoint; entries of others are ignored."""
        kept = {name: file for name, file in state.items() if name.startswith(STATE)}
        for name, file in sorted(kept.items()):
            self.frames[int(name.removeprefix(STATE))] = file.numpy().tobytes()

    def finish(self) -> None:
        """Write the movie, whole or not at all. Raises OutputError."""
        # Encoded in memory: Python's write reports a full disk, some encoders do not.
        file = WRITERS[_suffix(self.path)](self)
        with whole_file(self.path) as partial:
            partial.write_bytes(file)

    def decoded(self) -> Iterator[Frame]:
        """Yield the frames in order of steps, one in memory at a time."""
        for _, file in sorted(self.frames.items()):
            yield np.asarray(Image.open(io.BytesIO(file)))


def opaque_frame(drawn: npt.NDArray[Any], stops: float | None) -> Frame:
    """Return ``drawn`` as uint8 sRGB [h, w, 3], composited over grey.

    Args:
        drawn: float32 [h, w, C], C in 1..4; linear where ``stops`` (exposure in f-stops) is set,
            sRGB otherwise. NaN becomes black.
    """
    from neuralshade.measure.display import on_screen
    from neuralshade.measure.pair import color_rgb

    seen = on_screen(np.nan_to_num(drawn), max(drawn.shape[:2]), stops)
    color = color_rgb(seen)
    if seen.shape[2] in (2, 4):
        alpha = seen[..., -1:]
        color = color * alpha + BACKDROP * (1 - alpha)
    return np.rint(color * 255).astype(np.uint8)


def gif_bytes(movie: Movie) -> bytes:
    """Return the movie as a looping GIF with a palette of 256 colors per frame."""
    first, *rest = map(_dithered, movie.decoded())
    # GIF counts hundredths: 125 ms are stored as 120
    shown_ms = [1000 // FRAMES_PER_SECOND] * len(rest) + [1000 * LAST_SECONDS]
    file = io.BytesIO()
    first.save(file, "GIF", save_all=True, append_images=rest, duration=shown_ms, loop=0)
    return file.getvalue()


def mp4_bytes(movie: Movie) -> bytes:
    """Return the movie as H.264 in MP4, 4:2:0 and BT.709, both sides even."""
    av = _pyav(movie.path)
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream: Any = None
        for frame in _held(map(_even, movie.decoded())):
            if stream is None:
                height, width = frame.shape[:2]
                stream = _h264_stream(container, width, height)
            container.mux(stream.encode(_yuv(av, frame)))
        container.mux(stream.encode(None))
    return file.getvalue()


WRITERS = {".gif": gif_bytes, ".mp4": mp4_bytes}


def _suffix(path: str | os.PathLike[str]) -> str:
    return Path(path).suffix.lower()


def _dithered(frame: Frame) -> Image.Image:
    """Return a frame with an optimized palette; dithered, or skies would show bands."""
    image = Image.fromarray(frame)
    # not Pillow's median cut: it drops rare colors, and takes 8 times longer
    palette = image.quantize(256, Image.Quantize.FASTOCTREE)
    return image.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)


def _held(frames: Iterator[Frame]) -> Iterator[Frame]:
    """Yield the frames, the last one for LAST_SECONDS: some players ignore durations."""
    for frame in frames:
        yield frame
    for _ in range(FRAMES_PER_SECOND * LAST_SECONDS - 1):
        yield frame


def _even(frame: Frame) -> Frame:
    """Repeat the last row or column where 4:2:0 needs an even size."""
    height, width = frame.shape[:2]
    return np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), "edge")


def _h264_stream(container: Any, width: int, height: int) -> Any:
    stream = container.add_stream("libx264", rate=Fraction(FRAMES_PER_SECOND))
    stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
    stream.options = {"crf": CRF}
    codec = stream.codec_context
    codec.color_primaries = codec.color_trc = codec.colorspace = BT709
    return stream


def _yuv(av: Any, frame: Frame) -> Any:
    # explicit matrix: FFmpeg's default is BT.601, whatever the stream states
    rgb = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")
    return rgb.reformat(format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG")


def _pyav(path: str | os.PathLike[str]) -> Any:
    remedy = 'Run: pip install "neuralshade[movie]", or write .gif.'
    return optional_module("av", "av", os.fspath(path), "for .mp4", remedy)
