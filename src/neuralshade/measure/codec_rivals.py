"""Picture codecs as rivals of a texture set at equal bytes: JPEG, WebP, AVIF, JPEG XL."""

import importlib.util
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from PIL import Image

from neuralshade.base.progress_scope import part
from neuralshade.measure.baselines import (
    AVIF_SIDE_PX,
    AVIF_SPEED,
    DRAFT_SPEED,
    JPEG_SIDE_PX,
    LARGEST_PX,
    WEBP_SIDE_PX,
    avif_file,
    file_pixels,
    jpeg_file,
    picture_file,
)
from neuralshade.measure.map_psnr import Bytes
from neuralshade.measure.quality_search import highest_quality, sample_of
from neuralshade.measure.texture_rivals import ByteMaps, TextureRival, qualities

PLAIN = {1: "r8", 2: "rg8", 3: "rgba8"}  # formats of decoded maps in GPU memory, by channels
PLAIN_BYTES = {1: 1, 2: 2, 3: 4}
WEBP_METHOD, JPEG_XL_EFFORT = 5, 5
JPEG_XL_PLUGIN = "pillow_jxl"  # of the package pillow-jxl-plugin, an optional extra

Encode = Callable[[Image.Image, int], bytes]
Files = Sequence[bytes]  # of each map


@dataclass(frozen=True)
class Codec:
    """A picture format that Pillow writes, at one quality for all maps of a set."""

    name: str
    encode: Encode
    lowest: int  # quality
    side_px: int  # limit of a picture
    setting: str  # besides the quality
    draft: Encode | None = None  # files of nearly the same size, faster
    lossless: Encode | None = None  # at any quality


def _jpeg(picture: Image.Image, quality: int) -> bytes:
    return jpeg_file(picture, 0, quality)


def _webp(picture: Image.Image, quality: int, lossless: bool = False) -> bytes:
    how = {"quality": quality, "method": WEBP_METHOD, "lossless": lossless}
    return picture_file(picture.convert("RGB"), "WEBP", **how)


def _avif(picture: Image.Image, quality: int, speed: int = AVIF_SPEED) -> bytes:
    return avif_file(picture, "4:0:0" if picture.mode == "L" else "4:4:4", quality, speed)


def _jpeg_xl(picture: Image.Image, quality: int) -> bytes:
    return picture_file(picture, "JXL", quality=quality, effort=JPEG_XL_EFFORT)


def codecs() -> list[Codec]:
    """Return the codecs of the installed Pillow; JPEG XL where its plugin is installed."""
    known = [
        Codec("JPEG", _jpeg, 1, JPEG_SIDE_PX, "4:4:4"),
        Codec(
            "WebP",
            _webp,
            0,
            WEBP_SIDE_PX,
            "4:2:0, as it has no other",
            lossless=partial(_webp, lossless=True),
        ),
    ]
    Image.init()
    if "AVIF" in Image.SAVE:  # since Pillow 11.3
        draft = partial(_avif, speed=DRAFT_SPEED)
        known.append(Codec("AVIF", _avif, 0, AVIF_SIDE_PX, "4:4:4", draft))
    if importlib.util.find_spec(JPEG_XL_PLUGIN) is not None:
        importlib.import_module(JPEG_XL_PLUGIN)
        known.append(Codec("JPEG XL", _jpeg_xl, 1, AVIF_SIDE_PX, "4:4:4"))
    return known


def codec_rivals(
    maps: ByteMaps, byte_count: int, largest_px: int = LARGEST_PX, only: str | None = None
) -> Iterator[TextureRival]:
    """Yield level 0 of the set in each of ``codecs``, all maps with ``byte_count`` bytes at most.

    One quality for all maps, the highest that fits. Only level 0 is stored; the others are made
    after decoding. Normals are coded as three components, of which x and y are read; two channels
    get a third of 0. GPUs cannot sample these files: in memory are plain texels of all levels.


    Args:
        maps: level 0 of these is coded.
        byte_count: the budget of all files together.
        largest_px: of all maps together; beyond it the search takes minutes.
        only: the name of a single codec.

    Yields:
        One at a time; without maps where it is not possible, for the reason in ``setting``.
    """
    pictures = [_picture(levels[0]) for levels in maps.levels.values()]
    memory, formats = _in_memory(maps)
    for codec in codecs():
        if only not in (None, codec.name):
            continue
        begun = time.perf_counter()
        setting = _obstacle(pictures, codec, largest_px)
        files: Files = []
        if not setting:
            with part(f"searching for the best {codec.name} files"):
                setting, files = _spent(pictures, byte_count, codec)
        seconds = time.perf_counter() - begun
        shown = _decoded(maps, files) if files else {}
        yield TextureRival(codec.name, _total(files), memory, formats, False, seconds, setting,
                           shown, qualities(maps, shown))  # fmt: skip


def _spent(pictures: Sequence[Image.Image], byte_count: int, codec: Codec) -> tuple[str, Files]:
    """Return setting and files of the highest quality that fits; otherwise a reason, no files."""
    sooner = codec.draft or codec.encode
    sample = sample_of(pictures, lambda parts, quality: _total(_files(parts, sooner, quality)))
    search = partial(highest_quality, byte_count=byte_count, lowest=codec.lowest, size=_total,
                     sample=sample)  # fmt: skip
    near = None if codec.draft is None else search(partial(_files, pictures, codec.draft))[0]
    quality, files = search(partial(_files, pictures, codec.encode), near=near)
    if files is None:
        least = _total(_files(pictures, codec.encode, codec.lowest))
        return f"not possible: quality {codec.lowest} needs {least:,} bytes", []
    if quality == 100 and codec.lossless is not None:
        exact = _files(pictures, codec.lossless, quality)
        if _total(exact) <= byte_count:
            return "lossless", exact
    return f"quality {quality}, {codec.setting}", files


def _files(pictures: Sequence[Image.Image], encode: Encode, quality: int) -> Files:
    with ThreadPoolExecutor() as pool:  # encoders release Python's lock
        return list(pool.map(lambda picture: encode(picture, quality), pictures))


def _obstacle(pictures: Sequence[Image.Image], codec: Codec, largest_px: int) -> str:
    if max(max(picture.size) for picture in pictures) > codec.side_px:
        return f"not possible: at most {codec.side_px:,} pixels a side"
    if sum(picture.width * picture.height for picture in pictures) > largest_px:
        return f"not tried: more than {largest_px >> 20} megapixels"
    return ""


def _total(files: Sequence[bytes]) -> int:
    return sum(map(len, files))


def _picture(level: Bytes) -> Image.Image:
    if level.shape[2] == 1:
        return Image.fromarray(level[..., 0])
    missing = 3 - level.shape[2]
    return Image.fromarray(np.pad(level, ((0, 0), (0, 0), (0, missing))))


def _decoded(maps: ByteMaps, files: Sequence[bytes]) -> dict[str, Bytes]:
    shown = {}
    for (name, levels), file in zip(maps.levels.items(), files, strict=True):
        channels = levels[0].shape[2]
        values = file_pixels(file, 1 if channels == 1 else 3)[..., :channels]
        shown[name] = maps.shown(name, values)
    return shown


def _in_memory(maps: ByteMaps) -> tuple[int, str]:
    """Return the bytes and the formats of all levels as plain texels."""
    kept: Mapping[str, int] = {name: maps.stored_channels(name) for name in maps.levels}
    total = sum(
        level.shape[0] * level.shape[1] * PLAIN_BYTES[kept[name]]
        for name, levels in maps.levels.items()
        for level in levels
    )
    return total, ", ".join(
        PLAIN[channels] for channels in sorted(set(kept.values()), reverse=True)
    )
