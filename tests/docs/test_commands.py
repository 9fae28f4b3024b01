"""docs, README.md: each command in a block of code is one that the command line takes."""

import pathlib
import re
import shlex

import click
import pytest

from neuralshade.cli.main import commands

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BROUGHT = ("ramp",)  # kinds that a page writes itself: tests/docs/test_extending.py


def typed():
    """Yield the words of each command in a block of code, without comments and pipes."""
    for page in PAGES:
        text = re.sub(r"^```(?!sh$)\w+\n.*?^```$", "", page.read_text(), flags=re.M | re.S)
        fenced = "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S))
        indented = "".join(re.findall(r"^ {4}(neuralshade .*\n)", text, re.M))
        for line in (fenced + indented).splitlines():
            if line.startswith("neuralshade "):
                words = shlex.split(re.split(r" [|>] ", line)[0], comments=True)
                if not {*BROUGHT} & {*words}:
                    yield pytest.param(words[1:], id=f"{page.name}: {' '.join(words[1:])}")


@pytest.mark.parametrize("words", list(typed()))
def test_a_command_is_taken(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in filter(re.compile(r"[\w.-]+\.toml").fullmatch, words):
        pathlib.Path(name).touch()  # recipes are read early
    verb, context = commands, click.Context(commands, info_name="neuralshade")
    while isinstance(verb, click.Group):
        name, verb, words = verb.resolve_command(context, words)
        context = click.Context(verb, context, name)
    verb.parse_args(context, words)
