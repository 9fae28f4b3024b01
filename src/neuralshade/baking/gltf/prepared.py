"""Files of a set's maps for ``fit textures``, named by what they hold.

Most are the model's own images, byte for byte. What glTF ignores is taken away where a fit would
read it: an alpha that means nothing, and tags of colors, which are sRGB in any case.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.baking.gltf.images import SUFFIXES, Image
from neuralshade.baking.gltf.materials import BASE, EMISSIVE, NORMAL, OCCLUSION, ROUGH
from neuralshade.baking.gltf.sets import MapSet
from neuralshade.base.atomic import make_folder, whole_file
from neuralshade.source.image_file import load_picture
from neuralshade.source.png16 import write_png16

NAMES = {BASE: "albedo", NORMAL: "normal_gl", ROUGH: "metallicroughness", OCCLUSION: "ao",
         EMISSIVE: "emissive"}  # fmt: skip
PACKED = "orm"  # one image of occlusion, roughness and metallic
RED = 0


def prepare_set(
    one: MapSet, images: dict[str, Image], output: Path, below: Path
) -> tuple[str, ...]:
    """Write the maps of a set into ``output`` / ``below`` and return their paths, absolute.

    Files that are there with the same content stay; others of the folder go.
    Raises: PictureError for an image that has to be changed and cannot be read; OutputError.
    """
    make_folder(output, "assets")
    folder = output / below
    for parent in reversed([below, *below.parents][:-1]):
        make_folder(output / parent, "maps of a model")
    files = list[Path]()
    packed = OCCLUSION in one.uses and one.uses[OCCLUSION] == one.uses.get(ROUGH)
    for slot, use in one.uses.items():
        if packed and slot == OCCLUSION:
            continue
        image = images[use.digest]
        name = PACKED if packed and slot == ROUGH else NAMES[slot]
        files.append(_prepared(image, folder / name, slot, alpha=use.alpha))
    for other in folder.iterdir():
        if other not in files and os.path.isfile(other):
            other.unlink()
    return tuple(str(path.resolve()) for path in files)


def _prepared(image: Image, stem: Path, slot: str, *, alpha: bool) -> Path:
    """Write an image as it is, or as a fit shall read it; return its path."""
    drops_alpha = image.has_alpha and not alpha
    widens = image.is_grey and slot == ROUGH  # a channel each is read of it
    tagged = image.tagged and slot in (BASE, EMISSIVE)  # other maps are read as they are stored
    if not (drops_alpha or widens or tagged or slot == OCCLUSION):
        path = stem.with_suffix(SUFFIXES[image.form])
        _write(path, image.content)
        return path
    path = stem.with_suffix(".png")
    # read from a file, by the reader of all pictures: 16 bits and palettes included
    source = stem.with_name(f"{stem.name}_source{SUFFIXES[image.form]}")
    _write(source, image.content)
    try:
        pixels = load_picture(source, colors=False).pixels
    finally:
        source.unlink()
    _write(path, _png(np.ascontiguousarray(_wanted(pixels, slot, alpha=alpha)), path))
    return path


def _wanted(pixels: npt.NDArray[Any], slot: str, *, alpha: bool) -> npt.NDArray[Any]:
    """Return the channels that a slot reads of pixels [H, W, C]."""
    if alpha:
        return pixels
    color = pixels[..., :-1] if pixels.shape[2] in (2, 4) else pixels
    if slot == OCCLUSION:
        return color[..., RED : RED + 1]
    return np.repeat(color, 3, axis=2) if slot == ROUGH and color.shape[2] == 1 else color


def _png(pixels: npt.NDArray[Any], path: Path) -> bytes:
    """Return pixels of 8 or 16 bits as a file without tags."""
    if pixels.dtype == np.uint16:
        with whole_file(path) as partial:
            write_png16(partial, pixels)
        return path.read_bytes()
    from PIL import Image as Pillow

    file = io.BytesIO()
    Pillow.fromarray(pixels[..., 0] if pixels.shape[2] == 1 else pixels).save(file, "PNG")
    return file.getvalue()


def _write(path: Path, content: bytes) -> None:
    """Write a file unless it has that content already: its time of change is kept."""
    same_size = os.path.isfile(path) and path.stat().st_size == len(content)
    if same_size and path.read_bytes() == content:
        return
    with whole_file(path) as partial:
        partial.write_bytes(content)
