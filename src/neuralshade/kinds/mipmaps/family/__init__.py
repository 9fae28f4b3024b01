"""A network that several sets of a family share."""

from neuralshade.kinds.kind import Kind
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe

KIND = Kind(
    name="mip_family",
    about="The network of a family of mip levels: fit mipmaps --share makes it.",
    opens="neuralshade.kinds.mipmaps.family.opened:OpenedFamily",
    recipe=MipmapsRecipe,
    verb="fit mipmaps --share",
)
