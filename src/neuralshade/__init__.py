"""neuralshade: make parts of a renderer trainable, and ship the result.

The names below are the package; each is loaded when it is first used, so that importing
neuralshade costs next to nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

from neuralshade.base.version import VERSION
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
    from neuralshade.fitting.options import FitOptions
    from neuralshade.fitting.picture_result import FitResult
    from neuralshade.kinds import load
    from neuralshade.kinds.image.fit import fit_image
    from neuralshade.kinds.image.gpu_field import GpuField
    from neuralshade.kinds.image.opened import OpenedImage
    from neuralshade.kinds.image.recipe import ImageRecipe
    from neuralshade.kinds.kind import Opened
    from neuralshade.kinds.material.family.fit import fit_materials
    from neuralshade.kinds.material.fit import MaterialResult, fit_material
    from neuralshade.kinds.material.opened import OpenedMaterial
    from neuralshade.kinds.material.recipe import MaterialRecipe
    from neuralshade.kinds.mipmaps.family.fit import fit_mipmaps_family
    from neuralshade.kinds.mipmaps.family.opened import OpenedFamily
    from neuralshade.kinds.mipmaps.fit import fit_mipmaps
    from neuralshade.kinds.mipmaps.opened import OpenedMipmaps
    from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
    from neuralshade.kinds.mipmaps.result import MipmapsResult
    from neuralshade.kinds.shader.check_gradients import check_gradients
    from neuralshade.kinds.shader.fit import ShaderResult, fit_shader
    from neuralshade.kinds.shader.opened import OpenedShader
    from neuralshade.kinds.shader.recipe import ShaderRecipe
    from neuralshade.kinds.splats.fit import SplatsResult, fit_splats
    from neuralshade.kinds.splats.gpu_splats import GpuSplats
    from neuralshade.kinds.splats.opened import OpenedSplats
    from neuralshade.kinds.splats.recipe import SplatsRecipe
    from neuralshade.kinds.textures.fit import fit_textures
    from neuralshade.kinds.textures.opened import OpenedTextures
    from neuralshade.kinds.textures.recipe import TexturesRecipe
    from neuralshade.kinds.textures.result import TexturesResult
    from neuralshade.live.live import Live, view
    from neuralshade.scene.render import render_scene
    from neuralshade.source.image_file import load_picture
    from neuralshade.source.image_output import save_picture
    from neuralshade.source.material_set import MaterialSet, load_material_set
    from neuralshade.source.picture import Picture, picture_from_array
    from neuralshade.source.texture_set import TextureSet, load_texture_set
    from neuralshade.speed.bench import bench
    from neuralshade.verbs.decode import decode
    from neuralshade.verbs.devices import devices
    from neuralshade.verbs.evaluate import evaluate
    from neuralshade.verbs.export.export import ExportResult, export
    from neuralshade.verbs.import_asset import import_asset
    from neuralshade.verbs.info import info
    from neuralshade.verbs.render import render
    from neuralshade.verbs.report import report

__version__ = VERSION

_HOMES = {  # name -> module, and its name there where that differs
    "ExportResult": ("verbs.export.export", "ExportResult"),
    "FitOptions": ("fitting.options", "FitOptions"),
    "FitResult": ("fitting.picture_result", "FitResult"),
    "GpuField": ("kinds.image.gpu_field", "GpuField"),
    "GpuSplats": ("kinds.splats.gpu_splats", "GpuSplats"),
    "ImageRecipe": ("kinds.image.recipe", "ImageRecipe"),
    "Live": ("live.live", "Live"),
    "MaterialRecipe": ("kinds.material.recipe", "MaterialRecipe"),
    "MaterialResult": ("kinds.material.fit", "MaterialResult"),
    "MaterialSet": ("source.material_set", "MaterialSet"),
    "MipmapsRecipe": ("kinds.mipmaps.recipe", "MipmapsRecipe"),
    "MipmapsResult": ("kinds.mipmaps.result", "MipmapsResult"),
    "Opened": ("kinds.kind", "Opened"),
    "OpenedFamily": ("kinds.mipmaps.family.opened", "OpenedFamily"),
    "OpenedImage": ("kinds.image.opened", "OpenedImage"),
    "OpenedMaterial": ("kinds.material.opened", "OpenedMaterial"),
    "OpenedMipmaps": ("kinds.mipmaps.opened", "OpenedMipmaps"),
    "OpenedShader": ("kinds.shader.opened", "OpenedShader"),
    "OpenedSplats": ("kinds.splats.opened", "OpenedSplats"),
    "OpenedTextures": ("kinds.textures.opened", "OpenedTextures"),
    "Picture": ("source.picture", "Picture"),
    "ShaderRecipe": ("kinds.shader.recipe", "ShaderRecipe"),
    "ShaderResult": ("kinds.shader.fit", "ShaderResult"),
    "SplatsRecipe": ("kinds.splats.recipe", "SplatsRecipe"),
    "SplatsResult": ("kinds.splats.fit", "SplatsResult"),
    "TextureSet": ("source.texture_set", "TextureSet"),
    "TexturesRecipe": ("kinds.textures.recipe", "TexturesRecipe"),
    "TexturesResult": ("kinds.textures.result", "TexturesResult"),
    "bench": ("speed.bench", "bench"),
    "check_gradients": ("kinds.shader.check_gradients", "check_gradients"),
    "decode": ("verbs.decode", "decode"),
    "devices": ("verbs.devices", "devices"),
    "evaluate": ("verbs.evaluate", "evaluate"),
    "export": ("verbs.export.export", "export"),
    "fit_image": ("kinds.image.fit", "fit_image"),
    "fit_material": ("kinds.material.fit", "fit_material"),
    "fit_materials": ("kinds.material.family.fit", "fit_materials"),
    "fit_mipmaps": ("kinds.mipmaps.fit", "fit_mipmaps"),
    "fit_mipmaps_family": ("kinds.mipmaps.family.fit", "fit_mipmaps_family"),
    "fit_shader": ("kinds.shader.fit", "fit_shader"),
    "fit_splats": ("kinds.splats.fit", "fit_splats"),
    "fit_textures": ("kinds.textures.fit", "fit_textures"),
    "import_asset": ("verbs.import_asset", "import_asset"),
    "info": ("verbs.info", "info"),
    "load": ("kinds", "load"),
    "load_material_set": ("source.material_set", "load_material_set"),
    "load_picture": ("source.image_file", "load_picture"),
    "load_texture_set": ("source.texture_set", "load_texture_set"),
    "picture_from_array": ("source.picture", "picture_from_array"),
    "render": ("verbs.render", "render"),
    "render_scene": ("scene.render", "render_scene"),
    "report": ("verbs.report", "report"),
    "save_picture": ("source.image_output", "save_picture"),
    "view": ("live.live", "view"),
}

__all__ = [
    "AssetError",
    "ConfigError",
    "DeviceError",
    "ExportResult",
    "FitInterrupted",
    "FitOptions",
    "FitResult",
    "GpuField",
    "GpuSplats",
    "ImageRecipe",
    "KernelError",
    "Live",
    "MaterialRecipe",
    "MaterialResult",
    "MaterialSet",
    "MipmapsRecipe",
    "MipmapsResult",
    "NeuralShadeError",
    "Opened",
    "OpenedFamily",
    "OpenedImage",
    "OpenedMaterial",
    "OpenedMipmaps",
    "OpenedShader",
    "OpenedSplats",
    "OpenedTextures",
    "OutputError",
    "Picture",
    "PictureError",
    "ShaderRecipe",
    "ShaderResult",
    "ShapeError",
    "SplatsRecipe",
    "SplatsResult",
    "TextureSet",
    "TexturesRecipe",
    "TexturesResult",
    "bench",
    "check_gradients",
    "decode",
    "devices",
    "evaluate",
    "export",
    "fit_image",
    "fit_material",
    "fit_materials",
    "fit_mipmaps",
    "fit_mipmaps_family",
    "fit_shader",
    "fit_splats",
    "fit_textures",
    "import_asset",
    "info",
    "load",
    "load_material_set",
    "load_picture",
    "load_texture_set",
    "picture_from_array",
    "render",
    "render_scene",
    "report",
    "save_picture",
    "view",
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
