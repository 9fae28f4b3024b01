"""Types that hints of kinds name, each loaded where somebody reads these while a program runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from neuralshade.base.lazy_import import lazy_type

if TYPE_CHECKING:
    import numpy.typing as npt
    from torch import Tensor
    from torch import device as TorchDevice
    from torch.nn import Module

    from neuralshade.asset.asset import Asset, Header
    from neuralshade.asset.schema import Form, Rule
    from neuralshade.asset.texture.map_chain import MapChain
    from neuralshade.fitting.scene import Scene
    from neuralshade.measure.quality_rows import InMemory
    from neuralshade.measure.table import Table
    from neuralshade.model.scattering import Scattering
    from neuralshade.model.shader_form import ShaderForm
    from neuralshade.model.stepped_codes import SteppedCodes
    from neuralshade.source.region import Region
    from neuralshade.source.texture_set import TextureSet

    Numbers: TypeAlias = npt.NDArray[Any]
else:
    Numbers = later("numpy:ndarray")
    Tensor = later("torch:Tensor")
    TorchDevice = later("torch:device")
    Module = later("torch.nn:Module")
    Asset = later("neuralshade.asset.asset:Asset")
    Header = later("neuralshade.asset.asset:Header")
    Form = later("neuralshade.asset.schema:Form")
    Rule = later("neuralshade.asset.schema:Rule")
    MapChain = later("neuralshade.asset.texture.map_chain:MapChain")
    Scene = later("neuralshade.fitting.scene:Scene")
    InMemory = later("neuralshade.measure.quality_rows:InMemory")
    Table = later("neuralshade.measure.table:Table")
    Scattering = later("neuralshade.model.scattering:Scattering")
    ShaderForm = later("neuralshade.model.shader_form:ShaderForm")
    SteppedCodes = later("neuralshade.model.stepped_codes:SteppedCodes")
    Region = later("neuralshade.source.region:Region")
    TextureSet = later("neuralshade.source.texture_set:TextureSet")

__all__ = ["Asset", "Form", "Header", "InMemory", "MapChain", "Module", "Numbers", "Region", "Rule",
           "Scattering", "Scene", "ShaderForm", "SteppedCodes", "Table", "Tensor", "TextureSet",
           "TorchDevice"]  # fmt: skip
