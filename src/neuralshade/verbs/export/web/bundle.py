"""One script of the page's modules, for an inline script, which can import nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

PAGE = Path(__file__).parent / "page"
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([a-z0-9_]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) ([\w$]+))", re.MULTILINE)
COMMENT = re.compile(r"[ \t]*/\*\*.*?\*/[ \t]*\n?", re.DOTALL)
OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundled(entry: str, replaced: Mapping[str, str] | None = None) -> str:
    """Return a module of the page with all that it imports, each once, in a scope of its own.

    Args:
        entry: its file.
        replaced: texts instead of files, by their names.

    Raises: ValueError for an import or export of another form than the page's modules have, for an
        import of what no module exports, and for two exports of one name.
    """
    texts: dict[str, str] = {}
    _add(entry, texts, replaced or {})
    exports: dict[str, str] = {}
    parts = []
    for name, text in texts.items():
        wanted = [one.strip() for listed, _ in IMPORT.findall(text) for one in listed.split(",")]
        missing = [one for one in wanted if one and one not in exports]
        own = EXPORT.findall(text)
        twice = [one for one in own if one in exports]
        body = COMMENT.sub("", EXPORT.sub("", IMPORT.sub("", text)))
        other = OTHER.search(body)
        if missing or twice or other:
            raise ValueError(f"{name}: got imports that no module exports {missing}, exports of "
                             f"two modules {twice}, other forms {other and other[0]!r}, need "
                             "none. Mend the page's modules.")  # fmt: skip
        exports |= dict.fromkeys(own, name)
        names = ", ".join(own)
        head = f"const {{ {names} }} = (() => {{\n" if own else "(() => {\n"
        tail = f"return {{ {names} }};\n}})();\n" if own else "})();\n"
        parts += [head, body, tail]
    return "".join(parts)


def modules(entry: str) -> Iterator[str]:
    """Yield the names of a module of the page and of all that it imports."""
    texts: dict[str, str] = {}
    _add(entry, texts, {})
    yield from texts


def _add(name: str, texts: dict[str, str], replaced: Mapping[str, str]) -> None:
    """Add a module behind those that it imports."""
    if name in texts:
        return
    text = replaced.get(name) or (PAGE / name).read_text("utf-8")
    for _, other in IMPORT.findall(text):
        _add(other, texts, replaced)
    texts[name] = text
