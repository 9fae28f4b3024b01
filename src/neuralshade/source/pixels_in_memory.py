"""Pictures from NumPy arrays, PIL images and torch tensors in memory."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np

from neuralshade.errors import PictureError
from neuralshade.source.picture import Picture, picture_from_array

# mode of a PIL image -> its conversion; others are refused
PIL_MODES = {"1": "L", "L": "L", "LA": "LA", "La": "LA", "P": "RGB", "PA": "RGBA", "RGB": "RGB",
             "RGBX": "RGB", "RGBA": "RGBA", "RGBa": "RGBA", "CMYK": "RGB", "YCbCr": "RGB",
             "LAB": "RGB", "HSV": "RGB", "I;16": "I;16", "I;16L": "I;16", "I;16B": "I;16",
             "F": "F"}  # fmt: skip


def picture_from_memory(values: Any, floats: str = "srgb") -> Picture:
    """Return a NumPy array, a PIL image or a torch tensor as a picture.

    Arrays and tensors are [H, W, C] or [H, W], sRGB, as for ``picture_from_array``; linear colors
    must be passed to that, with ``color_space="linear"``. A tensor may be on any device, and is
    detached. A PIL image is converted to sRGB by its ICC profile, in its current frame, upright by
    its EXIF orientation; palettes, CMYK and YCbCr become RGB; mode F is linear.

    A Picture is returned unchanged. ``floats``: color space of float arrays and tensors.

    Raises: PictureError for anything else, ShapeError as ``picture_from_array`` does.
    """
    pil, torch = sys.modules.get("PIL.Image"), sys.modules.get("torch")  # if imported
    if pil is not None and isinstance(values, pil.Image):
        return _from_pil(values)
    if isinstance(values, Picture):
        return values
    if torch is not None and isinstance(values, torch.Tensor):
        values = _from_tensor(values)
    if isinstance(values, np.ndarray):
        return picture_from_array(values, floats if values.dtype.kind == "f" else "srgb")
    raise PictureError(f"picture: got {type(values).__name__}, need a path, a Picture, a NumPy "
                       "array, a PIL image or a torch tensor. Convert it with "
                       "numpy.asarray.")  # fmt: skip


def _from_pil(image: Any) -> Picture:
    from PIL import ImageOps

    if image.mode not in PIL_MODES:
        raise PictureError(f"picture: got a PIL image of mode {image.mode}, need one of "
                           f"{', '.join(PIL_MODES)}. Convert it with image.convert.")  # fmt: skip
    mode = PIL_MODES[image.mode]
    if "transparency" in image.info:
        mode = "RGBA"
    upright = ImageOps.exif_transpose(image)
    pixels = np.asarray(upright if upright.mode == mode else upright.convert(mode))
    picture = picture_from_array(pixels, "linear" if mode == "F" else "srgb")
    profile = image.info.get("icc_profile")
    if not profile or mode == "F" or image.mode in ("CMYK", "LAB"):  # it no longer applies
        return picture
    from neuralshade.source.file_tags import profile_tag, unless_alike  # few images have one
    from neuralshade.source.tagged_colors import apply_tag

    return apply_tag(replace(picture, tag=unless_alike(profile_tag(profile))), "picture")


def _from_tensor(tensor: Any) -> Any:
    """Return a tensor's values. Raises PictureError for one with channels first."""
    shape = list(tensor.shape)
    if len(shape) == 4 or (len(shape) == 3 and shape[0] <= 4 < shape[2]):
        order = "tensor[0].permute(1, 2, 0)" if len(shape) == 4 else "tensor.permute(1, 2, 0)"
        raise PictureError(f"picture: got a tensor of shape {shape}, need [H, W, C]. "
                           f"Pass {order} where channels come first.")  # fmt: skip
    if str(tensor.dtype) == "torch.bfloat16":
        raise PictureError("picture: got a tensor of bfloat16, which NumPy has not, need float32. "
                           "Pass tensor.float().")  # fmt: skip
    return tensor.detach().cpu().numpy()
