"""Assets in pages of other sites: a script with a custom element, data and posters."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neuralshade.base.lazy_import import import_object
from neuralshade.base.message_text import plain
from neuralshade.errors import OutputError
from neuralshade.kinds import all_kinds, open_asset
from neuralshade.kinds.kind import AssetLike
from neuralshade.model.shader_form import Compact
from neuralshade.verbs.export.web.bundle import PAGE, bundled
from neuralshade.verbs.export.web.container import Container
from neuralshade.verbs.export.web.page_asset import Scripts
from neuralshade.verbs.export.web.seam import filled
from neuralshade.verbs.export.web.web import asset_facts, check_beside, page_header, poster_file

SCRIPT, EXAMPLE = "neural-shade.js", "index.html"
MARK = b'<meta name="generator" content="neuralshade export --embed">'  # of an example
POSTER_PX = 512
STYLES = ("page.css", "embed.css")
BUNDLE = '(() => {{\n"use strict";\n{}}})();\n'  # no name of it is one of the site's


@dataclass(frozen=True)
class Embedded:
    """One asset's files."""

    name: str
    title: str
    data: bytes
    poster: bytes


def embed_files(
    assets: Sequence[AssetLike], *, beside: Sequence[Any] = (), title: str | None = None,
    values: Mapping[str, Any] | None = None, trust: bool = False,
) -> dict[str, bytes]:  # fmt: skip
    """Return the files by name: the script, those of each asset, an example and README.md.

    Args: as for ``web_page``; ``title``: of the example.
    """
    check_beside(beside, assets)
    scripts, made = Scripts(), list[Embedded]()
    for script in _known_scripts():
        scripts.add(script)
    for index, asset in enumerate(assets):
        container, taken = Container(), [one.name for one in made]
        with open_asset(asset, values, trust=trust) as opened:
            source = beside[index] if index < len(beside) else None
            facts = asset_facts(opened, container, scripts, source, taken)
            header = page_header(facts["title"], [facts], container)
            made.append(Embedded(facts["name"], facts["title"], container.data(header),
                                 poster_file(opened, POSTER_PX)))  # fmt: skip
    files = {SCRIPT: _script(scripts).encode()}
    for one in made:
        files |= {f"{one.name}.nsb": one.data, f"{one.name}.webp": one.poster}
    tags = {"first": _tag(made[0]), "tags": "\n".join(map(_tag, made)),
            "title": html.escape(title or ", ".join(one.title for one in made))}  # fmt: skip
    for file, template, names in ((EXAMPLE, "embed.html", ("title", "tags")),
                                  ("README.md", "embed.md", ("first",))):  # fmt: skip
        text = (PAGE / template).read_text("utf-8")
        files[file] = filled(text, {name: tags[name] for name in names}).encode()
    return files


def check_example(folder: Path) -> None:
    """Raise OutputError where a folder has an index.html of another making: a site's own page."""
    file = folder / EXAMPLE
    if os.path.isfile(file) and MARK not in file.read_bytes():
        raise OutputError(f"{file}: got a page that no export wrote, need a folder without one. "
                          "Name another.")  # fmt: skip


def _known_scripts() -> Iterator[str]:
    """Yield the scripts of all kinds: data may be added later to a site that has this element."""
    yield Compact(()).script
    for kind in all_kinds():
        if kind.page_script is not None:
            yield import_object(kind.page_script)()


def _script(scripts: Scripts) -> str:
    """Return the element. Data brings no code: evaluators in JavaScript are left out."""
    style = "".join((PAGE / name).read_text("utf-8") for name in STYLES)
    generated = Scripts(rebuilds=scripts.rebuilds).module()
    return BUNDLE.format(bundled("embed.js", {
        "generated.js": generated, "style.js": f"export const STYLE = {json.dumps(style)};\n",
    }))  # fmt: skip


def _tag(one: Embedded) -> str:
    return (f'<neural-shade src="{one.name}.nsb" poster="{one.name}.webp" '
            f'aria-label="{html.escape(plain(one.title))}"></neural-shade>')  # fmt: skip
