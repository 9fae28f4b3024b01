"""neuralshade: make parts of a renderer trainable, and ship the result.

``__all__`` has the names that most programs need. Others of _HOMES work as well; recipes, results
and opened assets are best imported from the packages of their kinds. Each is loaded when it is
first used, so that importing neuralshade costs next to nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

from neuralshade.base.version import VERSION
from neuralshade.errors import AssetError, ConfigError, NeuralShadeError, PictureError

if TYPE_CHECKING:
    from neuralshade.baking.bake import BakeResult as BakeResult
    from neuralshade.baking.bake import bake
    from neuralshade.errors import DeviceError as DeviceError
    from neuralshade.errors import FitInterrupted as FitInterrupted
    from neuralshade.errors import KernelError as KernelError
    from neuralshade.errors import OutputError as OutputError
    from neuralshade.errors import ShapeError as ShapeError
    from neuralshade.fitting.options import FitOptions
    from neuralshade.fitting.picture_result import FitResult as FitResult
    from neuralshade.kinds import load
    from neuralshade.kinds.image.fit import fit_image
    from neuralshade.kinds.image.gpu_field import GpuField as GpuField
    from neuralshade.kinds.image.opened import OpenedImage as OpenedImage
    from neuralshade.kinds.image.recipe import ImageRecipe as ImageRecipe
    from neuralshade.kinds.kind import Opened as Opened
    from neuralshade.kinds.material.family.fit import fit_materials as fit_materials
    from neuralshade.kinds.material.fit import MaterialResult as MaterialResult
    from neuralshade.kinds.material.fit import fit_material
    from neuralshade.kinds.material.opened import OpenedMaterial as OpenedMaterial
    from neuralshade.kinds.material.recipe import MaterialRecipe as MaterialRecipe
    from neuralshade.kinds.mipmaps.family.fit import fit_mipmaps_family as fit_mipmaps_family
    from neuralshade.kinds.mipmaps.family.opened import OpenedFamily as OpenedFamily
    from neuralshade.kinds.mipmaps.fit import fit_mipmaps
    from neuralshade.kinds.mipmaps.opened import OpenedMipmaps as OpenedMipmaps
    from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe as MipmapsRecipe
    from neuralshade.kinds.mipmaps.result import MipmapsResult as MipmapsResult
    from neuralshade.kinds.shader.check_gradients import check_gradients as check_gradients
    from neuralshade.kinds.shader.fit import ShaderResult as ShaderResult
    from neuralshade.kinds.shader.fit import fit_shader
    from neuralshade.kinds.shader.opened import OpenedShader as OpenedShader
    from neuralshade.kinds.shader.recipe import ShaderRecipe as ShaderRecipe
    from neuralshade.kinds.splats.fit import SplatsResult as SplatsResult
    from neuralshade.kinds.splats.fit import fit_splats
    from neuralshade.kinds.splats.gpu_splats import GpuSplats as GpuSplats
    from neuralshade.kinds.splats.opened import OpenedSplats as OpenedSplats
    from neuralshade.kinds.splats.recipe import SplatsRecipe as SplatsRecipe
    from neuralshade.kinds.textures.fit import fit_textures
    from neuralshade.kinds.textures.opened import OpenedTextures as OpenedTextures
    from neuralshade.kinds.textures.recipe import TexturesRecipe as TexturesRecipe
    from neuralshade.kinds.textures.result import TexturesResult as TexturesResult
    from neuralshade.live.live import Live as Live
    from neuralshade.live.live import view
    from neuralshade.scene.render import render_scene
    from neuralshade.source.image_file import load_picture as load_picture
    from neuralshade.source.image_output import save_picture as save_picture
    from neuralshade.source.material_set import MaterialSet as MaterialSet
    from neuralshade.source.material_set import load_material_set as load_material_set
    from neuralshade.source.picture import Picture as Picture
    from neuralshade.source.picture import picture_from_array as picture_from_array
    from neuralshade.source.texture_set import TextureSet as TextureSet
    from neuralshade.source.texture_set import load_texture_set as load_texture_set
    from neuralshade.speed.bench import bench as bench
    from neuralshade.verbs.decode import decode
    from neuralshade.verbs.devices import devices
    from neuralshade.verbs.evaluate import evaluate
    from neuralshade.verbs.export.export import ExportResult as ExportResult
    from neuralshade.verbs.export.export import export
    from neuralshade.verbs.import_asset import import_asset
    from neuralshade.verbs.info import info
    from neuralshade.verbs.render import render
    from neuralshade.verbs.report import report

__version__ = VERSION

_HOMES = {  # name -> module, and its name there where that differs
    "BakeResult": ("baking.bake", "BakeResult"),
    "DeviceError": ("errors", "DeviceError"),
    "FitInterrupted": ("errors", "FitInterrupted"),
    "KernelError": ("errors", "KernelError"),
    "OutputError": ("errors", "OutputError"),
    "ShapeError": ("errors", "ShapeError"),
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
    "bake": ("baking.bake", "bake"),
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
    "FitOptions",
    "NeuralShadeError",
    "PictureError",
    "bake",
    "decode",
    "devices",
    "evaluate",
    "export",
    "fit_image",
    "fit_material",
    "fit_mipmaps",
    "fit_shader",
    "fit_splats",
    "fit_textures",
    "import_asset",
    "info",
    "load",
    "render",
    "render_scene",
    "report",
    "view",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'neuralshade' has no attribute {name!r}")
    module, there = _HOMES[name]
    value = getattr(importlib.import_module(f"neuralshade.{module}"), there)
    if name.startswith("fit_"):
        from neuralshade.fitting.signatures import with_settings

        with_settings(value)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
