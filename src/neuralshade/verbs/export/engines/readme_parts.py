"""Parts of engines' README.md: steps, tables and facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neuralshade.base.message_text import plain
from neuralshade.model.shader_form import ShaderForm
from neuralshade.verbs.export.engines.surface import Surface

RESULTS = {"color": "picture", "maps": "texture set", "light": "material"}
SHORTER = "`--numbers buffer` moves them into the texture, which makes the text short to compile."
TYPES = {"float": "Float", "float2": "Vector 2", "float3": "Vector 3", "float4": "Vector 4"}


def page(
    form: ShaderForm, title: str, steps: Sequence[str], body: Iterable[str], facts: Iterable[str]
) -> str:
    """Return a page: numbered steps, sections, and what one has to know."""
    lines = [f"# {form.name} in {title}", ""]
    lines += [f"{number}. {step}" for number, step in enumerate(steps, start=1)]
    lines += ["", *body, "## Facts", ""]
    lines += [f"- {one}" for one in facts]
    lines += [f"- {name}: {plain(fact)}" for name, fact in form.facts.items()]
    return "\n".join([*lines, ""])


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table, and an empty one."""
    listed = [head, ["---"] * len(head), *rows]
    return [*(f"| {' | '.join(row)} |" for row in listed), ""]


def meanings(surface: Surface) -> list[str]:
    """Return a line about each value of a surface."""
    return [f"`{one.name}`: {plain(one.about.removeprefix('Return ').rstrip('.'))}"
            for one in surface.values]  # fmt: skip
