"""Kernel text that trains a user's task. Device half: task.cs.slang."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from neuralshade.model.trainable import InputMember, Member

GROUP = 256  # threads
UNROLLED = 16  # most numbers of a member that the text lists one by one
TRAINED = np.dtype([("first", "<u4"), ("rate", "<f4"), ("low", "<f4"), ("high", "<f4")])
VIEW = np.dtype(
    [("from", "<f4", 2), ("to", "<f4", 2), ("size", "<u4", 2), ("first", "<u4"), ("unused", "<u4")]
)
AS_PIXEL = {
    "float": "float4(float3(color), 1.0f)",
    "vector<float,2>": "float4(color, 0.0f, 1.0f)",
    "vector<float,3>": "float4(color, 1.0f)",
    "vector<float,4>": "color",
}  # from the type of a task's render to a pixel with opacity
CHANNELS = {"float": 1, "vector<float,2>": 3, "vector<float,3>": 3, "vector<float,4>": 4}


@dataclass(frozen=True)
class Task:
    """A user's module: its text, its file's name for errors, and its members.

    ``renders``: the return type of ``render``, None where there is none. ``folder``: of the user's
    included files, None where there are none. ``foreign``: somebody else wrote it, so that it is
    screened before it runs.
    """

    text: str
    place: str
    members: tuple[Member, ...]
    inputs: tuple[InputMember, ...]
    renders: str | None
    folder: pathlib.Path | None = None
    foreign: bool = False

    @property
    def count(self) -> int:
        """Return the number of trained numbers."""
        return self.members[-1].first + self.members[-1].size


def task_text(
    task: Task, numbers: Mapping[str, float], pictures: Mapping[str, tuple[int, int, int]]
) -> str:
    """Return the text of the module that trains ``task``.

    Args:
        numbers: of untrained members, by name; others keep the module's defaults.
        pictures: by name: first number in the buffer, width, height.
    """
    return "".join([
        f"#line 1 {json.dumps(task.place, ensure_ascii=False)}\n",
        task.text,
        '\n#line 1 "neuralshade"\n',
        f"#define RENDERS {int(task.renders is not None)}\n",
        "namespace steps\n{\n",
        f"static const uint GROUP = {GROUP}u;\n",
        make_task(task, numbers, pictures, _stored),
        _shown(task.renders),
        "}\n",
        '#include "neuralshade/kinds/shader/task.cs.slang"\n',
        f"namespace steps\n{{\n{_add_gradients(task.members)}}}\n",
    ])  # fmt: skip


def make_task(
    task: Task, numbers: Mapping[str, float], pictures: Mapping[str, tuple[int, int, int]],
    plain: Callable[[Member], Sequence[str]], levels: int = 0,
) -> str:  # fmt: skip
    """Return the text of a function that creates the task.

    Args:
        numbers, pictures: as for ``task_text``.
        plain: returns the statements that set the numbers of a member.
        levels: index of the first level of encodings.
    """
    lines = ["Task task = {};"]  # with the declarations' defaults
    for member in task.members:
        if member.kind == "texture":
            height, width, _ = member.shape
            lines += [f"task.{member.name} = {{ {member.first}u, uint2({width}u, {height}u) }};"]
        elif member.kind == "network":
            lines += [f"task.{member.name} = {{ {member.first}u }};"]
        elif member.kind == "encoding":
            lines += [f"task.{member.name} = {{ {member.first}u, {levels}u }};"]
            levels += len(member.levels)
        else:
            lines += plain(member)
    for one in task.inputs:
        if one.channels is not None:
            first, width, height = pictures[one.name]
            lines += [f"task.{one.name} = {{ {first}u, uint2({width}u, {height}u) }};"]
        elif one.name in numbers:
            lines += [f"task.{one.name} = {_literal(one.type, numbers[one.name])};"]
    body = "".join(f"    {line}\n" for line in lines)
    return f"Task make_task()\n{{\n{body}    return task;\n}}\n"


def _stored(member: Member) -> list[str]:
    return for_each(member, f"task.{member.name}@ = trained_numbers[#];")


def _literal(of_type: str, number: float) -> str:
    if of_type == "float":
        return f"float({float(number)!r})"
    return f"{of_type}({int(number)})"  # not through a float, which has 24 bits


def _add_gradients(members: Sequence[Member]) -> str:
    lines = [
        f"    {line}\n"
        for member in members
        if member.kind == "numbers"
        for line in for_each(member, f"add_from_all(#, d.{member.name}@);")
    ]
    return f"void add_gradients(Task.Differential d)\n{{\n{''.join(lines)}}}\n"


def for_each(member: Member, line: str) -> list[str]:
    """Return ``line`` for each of a member's numbers: # its index, @ its place in the member.

    A loop where they are many, whose unrolled text would compile slowly.
    """
    if member.size > UNROLLED:
        sides = range(len(member.shape))
        loops = " ".join(f"for (uint i{s} = 0u; i{s} < {member.shape[s]}u; ++i{s})" for s in sides)
        index = "0u"
        for s in sides:
            index = f"({index} * {member.shape[s]}u + i{s})"
        place = "".join(f"[i{s}]" for s in sides)
        return [loops, "    " + line.replace("#", f"{member.first}u + {index}").replace("@", place)]
    places = product(*(range(side) for side in member.shape))
    return [
        line.replace("#", f"{member.first + i}u").replace("@", "".join(f"[{p}]" for p in place))
        for i, place in enumerate(places)
    ]


def _shown(renders: str | None) -> str:
    if renders is None:
        return ""
    return (
        "float4 shown(Task task, float2 uv)\n{\n"
        f"    {renders} color = task.render(uv);\n    return {AS_PIXEL[renders]};\n}}\n"
    )


def trained_table(members: Sequence[Member]) -> np.ndarray:
    """Return the training parameters of the members: TRAINED [members]."""
    return np.array([(m.first, m.rate, m.low, m.high) for m in members], TRAINED)


def levels_table(members: Sequence[Member]) -> np.ndarray:
    """Return the levels of all encodings, in order: uint32 [levels, 4]."""
    rows = [(*level, 0) for member in members for level in member.levels]
    return np.array(rows, np.uint32).reshape(-1, 4)


def number_name(member: Member, index: int) -> str:
    """Return the user's name for one number of a member: ``albedo[y][x][channel]``."""
    if member.kind in ("network", "encoding"):
        return f"{member.name} (number {index})"
    place = np.unravel_index(index, member.shape) if member.shape else ()
    return member.name + "".join(f"[{int(i)}]" for i in place)
