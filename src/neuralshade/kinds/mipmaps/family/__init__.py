"""Shared prior: a network for the mip levels of a family of texture sets."""

from neuralshade.kinds.kind import Kind
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe

KIND = Kind(
    name="mip_family",
    about="The network of a family of mip levels: fit mipmaps --share makes it.",
    opens="neuralshade.kinds.mipmaps.family.opened:OpenedFamily",
    recipe=MipmapsRecipe,
    verb="fit mipmaps --share",
)
