"""Shell completion of flags' values: choices, files and folders.

It is derived from the placeholder in --help, so that no flag is listed twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ZshComplete,
    add_completion_class,
)

FILES = ("ASSET", "OUT", "PICTURE", "SOURCE", "TASK")  # placeholders of paths without a dot
FOLDER = "DIR"
if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:  # no generic class before click 8.4
    ParamType = click.ParamType


class Text(ParamType):
    """Text as typed; a shell completes it with ``names``, or with files.

    Nothing is refused here: values are checked where they are used.
    """

    name = "text"

    def __init__(self, names: Sequence[str] = (), there: str = "plain"):
        self.names = tuple(names)
        self.there = there  # "file", "dir", or "plain" for neither

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[CompletionItem]:  # fmt: skip
        """Return completions of ``incomplete``; files are left to the shell."""
        if self.names:
            return [CompletionItem(name) for name in self.names if name.startswith(incomplete)]
        return [CompletionItem(incomplete, type=self.there)] if self.there != "plain" else []


def completed(parameters: Iterable[click.Parameter]) -> None:
    """Set the completion of plain text ``parameters`` from their placeholders."""
    for parameter in parameters:
        if parameter.type is click.STRING:
            form = getattr(parameter, "metavar", None) or str(parameter.name)
            parameter.type = text_of(form.upper() if parameter.metavar is None else form)


def text_of(form: str) -> Text:
    """Return the type for a placeholder of --help: [a|b], DIR, or FILE.html and the like."""
    if form.startswith("[") and "|" in form:
        return Text(form.strip("[]").split("|"))
    form = form.strip("[].")
    if form == FOLDER:
        return Text(there="dir")
    return Text(
        there="file" if form in FILES or form.startswith("FILE") or "." in form else "plain"
    )


@add_completion_class
class _Bash(BashComplete):
    """Bash, which splits --preset=gr into three words."""

    def get_completion_args(self) -> tuple[list[str], str]:
        args, incomplete = super().get_completion_args()
        return args[:-1] if args[-1:] == ["="] else args, incomplete


def _joined(items: list[CompletionItem], typed: str) -> list[CompletionItem]:
    """Return items that replace --preset=gr in shells that do not split it."""
    flag, equals, _ = typed.partition("=")
    if not equals or not flag.startswith("--"):
        return items
    return [CompletionItem(f"{flag}={item.value}", type=item.type) for item in items]


@add_completion_class
class _Zsh(ZshComplete):
    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        return _joined(super().get_completions(args, incomplete), incomplete)


@add_completion_class
class _Fish(FishComplete):
    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        return _joined(super().get_completions(args, incomplete), incomplete)
