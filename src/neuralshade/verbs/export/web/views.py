"""Views of a page, by what the functions of a form mean."""

from __future__ import annotations

from typing import Any

from neuralshade.errors import AssetError
from neuralshade.verbs.export.web.maps_view import maps_view
from neuralshade.verbs.export.web.material_view import material_view
from neuralshade.verbs.export.web.page_asset import PageAsset
from neuralshade.verbs.export.web.picture_view import picture_view


def view_of(page: PageAsset, beside: Any) -> dict[str, Any]:
    """Return the facts of an asset's view; AssetError where there is none for it."""
    form = page.form
    if form.program is not None:
        raise AssetError(f"{page.opened.path}: got a function of Slang of your own or of another "
                         "package, which WebGL 2 cannot run, need a picture, texture set or "
                         "material. Export it as wgsl.")  # fmt: skip
    if form.meaning("color") is not None:
        return picture_view(page, beside)
    if form.maps:
        return maps_view(page, beside)
    if form.meaning("light") is not None:
        return material_view(page, beside)
    raise AssetError(f"{page.opened.path}: got an asset of {page.opened.kind.made_by}, which no "
                     "page shows, need a picture, maps or a material. Name one.")  # fmt: skip
