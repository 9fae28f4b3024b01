"""Web pages of assets: one file that opens by a double click."""

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from neuralshade.base.message_text import plain_name
from neuralshade.errors import ConfigError
from neuralshade.kinds import open_asset
from neuralshade.kinds.kind import AssetLike, Opened
from neuralshade.measure.baselines import picture_file, to_uint8
from neuralshade.measure.pair import color_rgb
from neuralshade.model.shader_form import Texture
from neuralshade.source.color import linear_to_srgb
from neuralshade.verbs.export.names import asset_name
from neuralshade.verbs.export.web.bundle import PAGE, bundled
from neuralshade.verbs.export.web.container import Container, deflate
from neuralshade.verbs.export.web.model_view import PageModel, model_facts
from neuralshade.verbs.export.web.page_asset import PageAsset, Scripts
from neuralshade.verbs.export.web.present import present_fragment
from neuralshade.verbs.export.web.seam import filled
from neuralshade.verbs.export.web.views import view_of
from neuralshade.verbs.render import render

POSTER_PX = 256
POSTER_QUALITY = 70
ENTRY = re.compile(r"(\w+): (\w+)")  # of VIEWS in page/views.js


def web_files(
    assets: Sequence[AssetLike], stem: str | None, **how: Any
) -> dict[str, bytes | Texture]:
    """Return the files of a page, by name. ``how``: as for ``web_page``."""
    return {f"{stem or asset_name(Path(path_of(assets[0])).stem)}.html": web_page(assets, **how)}


def path_of(asset: AssetLike) -> str:
    """Return the path of an asset that may be opened."""
    return os.fspath(asset if isinstance(asset, str | os.PathLike) else asset.path)


def web_page(
    assets: Sequence[AssetLike], *, beside: Sequence[Any] = (), title: str | None = None,
    values: Mapping[str, Any] | None = None, trust: bool = False,
) -> bytes:  # fmt: skip
    """Return an HTML page that shows assets: UTF-8, complete, without any other file.

    Args:
        assets: one, or several for a gallery.
        beside: source of each asset, or None, in their order; fewer is fine.
        title: of the page; by default the asset's name.
        values, trust: as for ``export``.

    Raises: ConfigError for more sources than assets; AssetError for an asset that no view shows.
    """
    return page_file(*page_data(assets, beside=beside, title=title, values=values, trust=trust))


def model_page(model: PageModel) -> bytes:
    """Return an HTML page that shows a model: UTF-8, complete, without any other file.

    Raises: AssetError for an asset that no model shows.
    """
    container, scripts = Container(), Scripts()
    facts = model_facts(model, container, scripts)
    header = page_header(model.title, [facts], container)
    return page_file(header, container.data(header), scripts.module())


def page_file(header: Mapping[str, Any], data: bytes, generated: str) -> bytes:
    """Return a page of the parts that ``page_data`` returns."""
    script = bundled("main.js", {"views.js": _views_module(header), "generated.js": generated})
    style, boot = ((PAGE / name).read_text("utf-8") for name in ("page.css", "boot.js"))
    policy = ("default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
              f"style-src {_hash(style)}; script-src {_hash(boot)} {_hash(script)}")  # fmt: skip
    page = filled((PAGE / "page.html").read_text("utf-8"), {
        "policy": policy, "title": html.escape(header["title"]), "data": _base64(data),
        "style": _base64(deflate(style.encode())), "script": _base64(deflate(script.encode())),
        "boot": boot,
    }, more_than_once="title")  # fmt: skip
    return page.encode()


def page_data(
    assets: Sequence[AssetLike], *, beside: Sequence[Any] = (), title: str | None = None,
    values: Mapping[str, Any] | None = None, trust: bool = False,
) -> tuple[dict[str, Any], bytes, str]:  # fmt: skip
    """Return the header of a page's data, the data, and the module of the assets' scripts."""
    check_beside(beside, assets)
    container, scripts = Container(), Scripts()
    facts: list[dict[str, Any]] = []
    with ExitStack() as stack:
        for index, asset in enumerate(assets):
            opened = stack.enter_context(open_asset(asset, values, trust=trust))
            source = beside[index] if index < len(beside) else None
            taken = [one["name"] for one in facts]
            poster = base64.b64encode(poster_file(opened, POSTER_PX)).decode()
            facts.append({"poster": f"data:image/webp;base64,{poster}",
                          **asset_facts(opened, container, scripts, source, taken)})  # fmt: skip
    header = page_header(title or ", ".join(one["title"] for one in facts), facts, container)
    return header, container.data(header), scripts.module()


def check_beside(beside: Sequence[Any], assets: Sequence[AssetLike]) -> None:
    """Raise ConfigError for more sources than assets."""
    if len(beside) > len(assets):
        raise ConfigError(f"beside: got {len(beside)} for {len(assets)} assets, need at most one "
                          "each, in their order. Leave the others out.")  # fmt: skip


def page_header(
    title: str, facts: Sequence[Mapping[str, Any]], container: Container
) -> dict[str, Any]:
    """Return the header of assets' facts, with the shader that all of them need."""
    present = present_fragment()
    numbers = container.add(present.numbers)
    return {"title": title, "assets": facts, "present": {**present.facts(), "numbers": numbers}}


def asset_facts(
    opened: Opened, container: Container, scripts: Scripts, beside: Any, taken: Sequence[str]
) -> dict[str, Any]:
    """Return one asset's facts but for its poster, its numbers added to the data.

    ``taken``: names of others.
    """
    stem = asset_name(Path(opened.path).stem)
    name = next(each for each in _numbered(stem) if each not in taken)
    form = opened.shader(name)
    quality = opened.header.quality.get("psnr_db")
    size = f"{opened.byte_count:,} bytes"
    memory = opened.memory_bytes
    # a material has no size of its own, but that of its drawing
    sides = "" if form.meaning("light") else ", {:,} x {:,}".format(*opened.size)
    parts = [f"{opened.kind.name}{sides}", size,
             *([] if memory is None else [f"{memory:,} in a GPU"]),
             *([] if quality is None else [f"{quality:.2f} dB"])]  # fmt: skip
    return {"name": name, "title": plain_name(Path(opened.path).stem),
            "summary": " \N{MIDDLE DOT} ".join(parts),
            "about": f"neuralshade, {size}" + ("" if quality is None else f", {quality:.2f} dB"),
            **view_of(PageAsset(opened, form, container, scripts), beside)}  # fmt: skip


def _numbered(stem: str) -> Iterator[str]:
    yield stem
    yield from (f"{stem}_{number}" for number in range(2, 10**6))


def poster_file(opened: Opened, size: int) -> bytes:
    """Return a picture of an asset as a file of WebP; ``size``: of its longer side, in pixels."""
    scene = opened.scene()
    show = scene.main if scene.light is not None else None  # quick, without a sky
    pixels = render(opened, size=size, show=show)
    if scene.linear:
        pixels = linear_to_srgb(pixels.clip(0, 1))
    colors = color_rgb(to_uint8(np.asarray(pixels)))[..., :3]
    return picture_file(Image.fromarray(np.ascontiguousarray(colors)), "WEBP",
                        quality=POSTER_QUALITY, method=6)  # fmt: skip


def _views_module(header: Mapping[str, Any]) -> str:
    """Return views.js with the views of these assets alone."""
    used = {one["view"] for one in header["assets"]}
    text = (PAGE / "views.js").read_text("utf-8")
    known = dict(ENTRY.findall(text[text.index("export const VIEWS") :]))
    kept = {name: known[name] for name in sorted(used)}
    imports = [line for line in text.splitlines(keepends=True)
               if any(f"{{ {each} }}" in line for each in kept.values())]  # fmt: skip
    return "".join(imports) + "export const VIEWS = { " + ", ".join(
        f"{name}: {each}" for name, each in kept.items()) + " };\n"  # fmt: skip


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
