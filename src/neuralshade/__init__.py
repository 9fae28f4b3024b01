"""neuralshade: make parts of a renderer trainable, and ship the result.

The names below are the package; each is loaded when it is first used, so that importing
neuralshade costs next to nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

from neuralshade.errors import (
    AssetError,
    ConfigError,
    DeviceError,
    FitInterrupted,
    KernelError,
    NeuralShadeError,
    OutputError,
    PictureError,
    ShapeError,
)

if TYPE_CHECKING:
    from neuralshade.asset.image import load_image_asset as load
    from neuralshade.recipes.image import ImageRecipe
    from neuralshade.source.image_file import load_picture
    from neuralshade.source.image_output import save_picture
    from neuralshade.source.picture import Picture, picture_from_array
    from neuralshade.verbs.bench import bench
    from neuralshade.verbs.devices import devices
    from neuralshade.verbs.evaluate import evaluate
    from neuralshade.verbs.fit_image import FitOptions, FitResult, fit_image
    from neuralshade.verbs.gpu_field import GpuField
    from neuralshade.verbs.info import info
    from neuralshade.verbs.render import render
    from neuralshade.verbs.report import report

__version__ = "0.1.0"

_HOMES = {  # name -> module, and its name there where that differs
    "FitOptions": ("verbs.fit_image", "FitOptions"),
    "FitResult": ("verbs.fit_image", "FitResult"),
    "GpuField": ("verbs.gpu_field", "GpuField"),
    "ImageRecipe": ("recipes.image", "ImageRecipe"),
    "Picture": ("source.picture", "Picture"),
    "bench": ("verbs.bench", "bench"),
    "devices": ("verbs.devices", "devices"),
    "evaluate": ("verbs.evaluate", "evaluate"),
    "fit_image": ("verbs.fit_image", "fit_image"),
    "info": ("verbs.info", "info"),
    "load": ("asset.image", "load_image_asset"),
    "load_picture": ("source.image_file", "load_picture"),
    "picture_from_array": ("source.picture", "picture_from_array"),
    "render": ("verbs.render", "render"),
    "report": ("verbs.report", "report"),
    "save_picture": ("source.image_output", "save_picture"),
}

__all__ = [
    "AssetError",
    "ConfigError",
    "DeviceError",
    "FitInterrupted",
    "FitOptions",
    "FitResult",
    "GpuField",
    "ImageRecipe",
    "KernelError",
    "NeuralShadeError",
    "OutputError",
    "Picture",
    "PictureError",
    "ShapeError",
    "bench",
    "devices",
    "evaluate",
    "fit_image",
    "info",
    "load",
    "load_picture",
    "picture_from_array",
    "render",
    "report",
    "save_picture",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'neuralshade' has no attribute {name!r}")
    module, there = _HOMES[name]
    value = getattr(importlib.import_module(f"neuralshade.{module}"), there)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
