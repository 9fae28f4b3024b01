"""Images of a glTF file: their bytes, and what their headers say."""

from __future__ import annotations

import hashlib
import io
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from neuralshade.base.message_text import shown
from neuralshade.scene.gltf_file import GltfFile

MOST_SIDE_PX = 2**15
SUFFIXES = {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp"}
TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
ALPHA = ("LA", "PA", "RGBA", "La", "RGBa")  # Pillow's modes
GREY = ("1", "L", "LA", "I;16", "I;16B", "I")
TAGS = ("icc_profile", "gamma", "srgb", "chromaticity")  # of colors, which glTF ignores


@dataclass(frozen=True, eq=False)
class Image:
    """One image as it is stored; only its header was read."""

    index: int
    content: bytes
    form: str  # of SUFFIXES
    width: int
    height: int
    mode: str  # Pillow's
    tagged: bool  # its colors, by a profile or a gamma
    transparent: bool  # by a palette or a key

    @property
    def has_alpha(self) -> bool:
        """Return whether it has an alpha channel or the like."""
        return self.mode in ALPHA or self.transparent

    @property
    def is_grey(self) -> bool:
        """Return whether it has one channel, but for alpha."""
        return self.mode in GREY

    @property
    def texels(self) -> int:
        """Return its size."""
        return self.width * self.height

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 of its bytes, hex."""
        return hashlib.sha256(self.content).hexdigest()


class UnreadImage(Exception):  # noqa: N818  a reason, not a fault
    """An image in a format that is not read; its text goes on after "images[0]: "."""


def read_image(file: GltfFile, index: Any) -> Image:
    """Return an image of the file.

    Raises: ConfigError for one that is not there, lies outside the folder, or is damaged;
        UnreadImage for another format than PNG, JPEG and WebP.
    """
    content = image_bytes(file, index)
    place = f"images[{index}]"
    from PIL import Image as Pillow
    from PIL import UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Pillow.DecompressionBombWarning)  # checked below
            with Pillow.open(io.BytesIO(content), formats=list(SUFFIXES)) as opened:
                (width, height), mode, form = opened.size, opened.mode, str(opened.format)
                tagged = any(name in opened.info for name in TAGS)
                transparent = "transparency" in opened.info
    except UnidentifiedImageError:
        raise UnreadImage(f"is no PNG, JPEG or WebP ({_said(file, index)})") from None
    except Pillow.DecompressionBombError as error:
        raise file.wrong(f"{place} of too many pixels", "fewer", "Scale it down.") from error
    except (OSError, ValueError, SyntaxError, EOFError) as error:
        raise file.wrong(f"{place}, which is damaged", "a whole picture") from error
    if max(width, height) > MOST_SIDE_PX or min(width, height) < 1:
        raise file.wrong(f"{place} of {width:,} x {height:,} pixels",
                         f"{MOST_SIDE_PX:,} at most", "Scale it down.")  # fmt: skip
    return Image(index, content, form, width, height, mode, tagged, transparent)


def image_bytes(file: GltfFile, index: Any) -> bytes:
    """Return the bytes of an image. Raises ConfigError."""
    row = file.entry("images", index)
    if "bufferView" in row:
        return file.view(row["bufferView"])
    return file.linked(row.get("uri"), f"images[{index}]")


def _said(file: GltfFile, index: Any) -> str:
    row = file.entry("images", index)
    uri = row.get("uri")
    short = uri if isinstance(uri, str) and not uri.startswith("data:") else None
    return shown(row.get("mimeType") or short or row.get("name"))
