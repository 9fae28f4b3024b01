"""Reader of picture files through Pillow, where OpenImageIO cannot read them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from neuralshade.errors import PictureError
from neuralshade.source.decoded import ColorTag, Decoded, check_memory, too_little_memory
from neuralshade.source.file_kind import damaged, not_read, too_large
from neuralshade.source.file_tags import cicp_tag, profile_tag, unless_alike
from neuralshade.source.iso_boxes import bits_and_cicp
from neuralshade.source.tagged_colors import converted_image

# conversions of Pillow's modes; others are not read
MODES = {"1": "L", "L": "L", "LA": "LA", "P": "RGB", "PA": "RGBA", "RGB": "RGB", "RGBX": "RGB",
         "RGBA": "RGBA", "I;16": "I;16", "I;16B": "I;16"}  # fmt: skip
INKS = {"jpeg": "JPEG", "tiff": "TIFF"}  # formats whose CMYK is converted by its profile
NAMES = {"avif": "AVIF", "bmp": "BMP", "pnm": "PPM"}  # Pillow's readers, by FORMATS
ORIENTATION = 274  # EXIF's tag


def read_pillow(path: Path, kind: str, memory_limit: int) -> Decoded:
    """Return the first frame of a file.

    Raises: PictureError.
    """
    from PIL import Image, UnidentifiedImageError  # few pictures need it

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # memory_limit decides
            with Image.open(path, formats=[NAMES[kind]]) as image:
                return _read(path, kind, image, memory_limit)
    except PictureError:
        raise
    except Image.DecompressionBombError as error:
        raise too_large(path) from error
    except UnidentifiedImageError as error:
        if kind == "avif" and "AVIF" not in Image.OPEN:
            raise PictureError(f"{path}: got an AVIF file, need a Pillow that reads it, from 11.3 "
                               "on. Upgrade Pillow, or save it as PNG.") from error  # fmt: skip
        raise damaged(path, kind) from error
    except (OSError, ValueError, SyntaxError, EOFError, RuntimeError) as error:
        if "nsupported" in str(error):
            raise not_read(path, kind, str(error)) from error
        raise damaged(path, kind) from error


def read_inks(path: Path, kind: str, tag: ColorTag, memory_limit: int) -> Decoded | None:
    """Return a CMYK picture of 8 bits as sRGB by its profile; None if Pillow cannot."""
    from PIL import Image

    if kind not in INKS or tag.profile is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path, formats=[INKS[kind]]) as image:
                if image.mode != "CMYK":
                    return None
                check_memory(path, (image.height, image.width, 4), "uint8", memory_limit)
                pixels = converted_image(image, tag.profile)
                orientation = int(image.getexif().get(ORIENTATION, 1))
    except PictureError:
        raise
    except (Image.DecompressionBombError, OSError, ValueError, SyntaxError):
        return None
    notes = [f"{path}: its colors ({tag.name}) were converted to sRGB."]
    return None if pixels is None else Decoded(pixels, orientation=orientation, notes=notes)


def _read(path: Path, kind: str, image: Any, memory_limit: int) -> Decoded:
    mode = MODES.get(image.mode)
    if mode is None:
        raise not_read(path, kind, f"mode {image.mode}")
    if mode == "RGB" and "transparency" in image.info:
        mode = "RGBA"
    wide = mode == "I;16"
    shape = (image.height, image.width, 1 if wide else len(mode))
    check_memory(path, shape, "uint16" if wide else "uint8", memory_limit)
    bits, cicp = bits_and_cicp(path) if kind == "avif" else (8, None)
    tag = cicp_tag(cicp) if cicp is not None else None
    if image.info.get("icc_profile") and not (tag is not None and tag.bright):
        tag = profile_tag(image.info["icc_profile"])
    tag = unless_alike(tag)
    if tag is not None and tag.bright:
        check_memory(path, shape, "float", memory_limit)
    notes = []
    if bits > 8:
        notes.append(f"{path}: got {bits} bits a sample, of which 8 are read. Save it as a PNG of "
                     "16 bits to keep them.")  # fmt: skip
    try:
        pixels = np.array(image if image.mode == mode else image.convert(mode))
    except MemoryError as error:
        raise too_little_memory(path, shape, "uint16" if wide else "uint8") from error
    pixels = pixels.reshape(shape)
    return Decoded(pixels, orientation=int(image.getexif().get(ORIENTATION, 1)), tag=tag,
                   animated=getattr(image, "n_frames", 1) > 1, notes=notes)  # fmt: skip
