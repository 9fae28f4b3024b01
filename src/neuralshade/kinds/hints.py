"""Types for the kinds' hints, each imported only when hints are resolved at run time."""

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
    from neuralshade.measure.levels_beside import LevelsBeside
    from neuralshade.measure.quality_rows import InMemory
    from neuralshade.measure.table import Table
    from neuralshade.model.scattering import Scattering
    from neuralshade.model.shader_form import ShaderForm
    from neuralshade.model.stepped_codes import SteppedCodes
    from neuralshade.source.region import Region
    from neuralshade.source.texture_set import TextureSet

    Numbers: TypeAlias = npt.NDArray[Any]
else:
    Numbers = lazy_type("numpy:ndarray")
    Tensor = lazy_type("torch:Tensor")
    TorchDevice = lazy_type("torch:device")
    Module = lazy_type("torch.nn:Module")
    Asset = lazy_type("neuralshade.asset.asset:Asset")
    Header = lazy_type("neuralshade.asset.asset:Header")
    Form = lazy_type("neuralshade.asset.schema:Form")
    Rule = lazy_type("neuralshade.asset.schema:Rule")
    MapChain = lazy_type("neuralshade.asset.texture.map_chain:MapChain")
    Scene = lazy_type("neuralshade.fitting.scene:Scene")
    LevelsBeside = lazy_type("neuralshade.measure.levels_beside:LevelsBeside")
    InMemory = lazy_type("neuralshade.measure.quality_rows:InMemory")
    Table = lazy_type("neuralshade.measure.table:Table")
    Scattering = lazy_type("neuralshade.model.scattering:Scattering")
    ShaderForm = lazy_type("neuralshade.model.shader_form:ShaderForm")
    SteppedCodes = lazy_type("neuralshade.model.stepped_codes:SteppedCodes")
    Region = lazy_type("neuralshade.source.region:Region")
    TextureSet = lazy_type("neuralshade.source.texture_set:TextureSet")

__all__ = ["Asset", "Form", "Header", "InMemory", "LevelsBeside", "MapChain", "Module", "Numbers",
           "Region", "Rule", "Scattering", "Scene", "ShaderForm", "SteppedCodes", "Table", "Tensor",
           "TextureSet", "TorchDevice"]  # fmt: skip
