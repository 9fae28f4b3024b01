"""The text of the kernels that train a user's task. Device half: shader.cs.slang."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from neuralshade.model.trainable import Given, Member

GROUP = 256  # threads
TRAINED = np.dtype([("first", "<u4"), ("rate", "<f4"), ("low", "<f4"), ("high", "<f4")])
VIEW = np.dtype(
    [("from", "<f4", 2), ("to", "<f4", 2), ("size", "<u4", 2), ("first", "<u4"), ("unused", "<u4")]
)
SHOWN = {
    "float": "float4(float3(color), 1.0f)",
    "vector<float,2>": "float4(color, 0.0f, 1.0f)",
    "vector<float,3>": "float4(color, 1.0f)",
    "vector<float,4>": "color",
}  # what a task's render returns, as a pixel with opacity
CHANNELS = {"float": 1, "vector<float,2>": 3, "vector<float,3>": 3, "vector<float,4>": 4}


@dataclass(frozen=True)
class Task:
    """A user's module: its text, the file that errors name, and its members.

    ``renders``: the type that ``render`` returns, None where there is none.
    """

    text: str
    place: str
    members: tuple[Member, ...]
    given: tuple[Given, ...]
    renders: str | None

    @property
    def count(self) -> int:
        """Return how many numbers are trained."""
        return self.members[-1].first + self.members[-1].size


def task_text(
    task: Task, numbers: Mapping[str, float], pictures: Mapping[str, tuple[int, int, int]]
) -> str:
    """Return the module that trains ``task``.

    Args:
        numbers: of members that are given, by name.
        pictures: the same of pictures: first of the given numbers, width, height.
    """
    return "".join([
        f"#line 1 {json.dumps(task.place)}\n",
        task.text,
        '\n#line 1 "neuralshade"\n',
        f"#define RENDERS {int(task.renders is not None)}\n",
        f"static const uint GROUP = {GROUP}u;\n",
        _make_task(task, numbers, pictures),
        _shown(task.renders),
        '#include "neuralshade/engine/shader.cs.slang"\n',
        _add_gradients(task.members),
    ])  # fmt: skip


def _make_task(
    task: Task, numbers: Mapping[str, float], pictures: Mapping[str, tuple[int, int, int]]
) -> str:
    lines = []
    for member in task.members:
        if member.kind == "texture":
            height, width, _ = member.shape
            lines += [f"task.{member.name} = {{ {member.first}u, uint2({width}u, {height}u) }};"]
        elif member.kind == "network":
            lines += [f"task.{member.name} = {{ {member.first}u }};"]
        else:
            lines += [f"task.{member.name}{part} = trained_numbers[{index}];"
                      for index, part in _parts(member)]  # fmt: skip
    for given in task.given:
        if given.channels is not None:
            first, width, height = pictures[given.name]
            lines += [f"task.{given.name} = {{ {first}u, uint2({width}u, {height}u) }};"]
        else:
            lines += [f"task.{given.name} = {given.type}({numbers[given.name]!r});"]
    body = "".join(f"    {line}\n" for line in lines)
    return f"Task make_task()\n{{\n    Task task;\n{body}    return task;\n}}\n"


def _add_gradients(members: Sequence[Member]) -> str:
    lines = [
        f"    add_from_group({index}u, d.{member.name}{part}, thread);\n"
        for member in members
        if member.kind == "numbers"
        for index, part in _parts(member)
    ]
    return f"void add_gradients(Task.Differential d, uint thread)\n{{\n{''.join(lines)}}}\n"


def _parts(member: Member) -> list[tuple[int, str]]:
    """Return each number's index and how it is written behind the member's name."""
    places = product(*(range(side) for side in member.shape))
    return [
        (member.first + i, "".join(f"[{index}]" for index in place))
        for i, place in enumerate(places)
    ]


def _shown(renders: str | None) -> str:
    if renders is None:
        return ""
    return (
        "float4 shown(Task task, float2 uv)\n{\n"
        f"    {renders} color = task.render(uv);\n    return {SHOWN[renders]};\n}}\n"
    )


def trained_table(members: Sequence[Member]) -> np.ndarray:
    """Return what the device half knows of the members: TRAINED [members]."""
    return np.array([(m.first, m.rate, m.low, m.high) for m in members], TRAINED)
