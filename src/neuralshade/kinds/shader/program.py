"""Slang program of a trained task: its module as a function of packed words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from neuralshade.gpu.device import SOURCE_FOLDER
from neuralshade.kinds.shader.build import BuiltTask
from neuralshade.kinds.shader.task import UNROLLED, for_each, levels_table, make_task
from neuralshade.languages.slang_modules import with_modules
from neuralshade.model.trainable import Member

RESULTS = {"float": "float", "vector<float,2>": "float2", "vector<float,3>": "float3",
           "vector<float,4>": "float4"}  # what render returns, in the dialect  # fmt: skip
NUMBERS = "neuralshade/model/trainable.numbers.slang"
STORED = "neuralshade/model/trainable.stored.slang"
WORDS = "asset_words"  # what STORED reads
NOTHING = (0, 1, 1)  # the entry of a picture that render does not read
FUNCTION = """
/// The task's render, with all that was trained.
public {result} {function}(float2 uv)
{{
    Task task = {name}_steps::make_task();
    return task.render(uv);
}}
"""


@dataclass(frozen=True)
class TaskProgram:
    """The text of a module that declares ``NAME_rendered``, and the words it reads."""

    text: str
    result: str  # type of the dialect
    words: npt.NDArray[np.uint32]


def task_program(built: BuiltTask, name: str, unused: Collection[str]) -> TaskProgram:
    """Return the render of a task as a function of ``NAME_words``.

    ``unused``: pictures that its render does not read, which are left out.
    """
    task, start = built.task, built.start
    assert task.renders is not None, task.place
    parts, members, count = list[npt.NDArray[np.uint32]](), list[Member](), 0

    def add(words: npt.NDArray[np.uint32]) -> int:
        nonlocal count
        first, count = count, count + words.size
        parts.append(words.reshape(-1))
        return first

    for member in task.members:
        numbers = start[member.first : member.first + member.size].astype(np.float32)
        held = member.kind != "numbers" or member.size > UNROLLED
        members.append(replace(member, first=add(numbers.view(np.uint32))) if held else member)
    pictures = {}
    for member_name, picture in built.pictures.items():
        texels = picture.as_float()
        height, width = texels.shape[:2]
        first = 0 if member_name in unused else add(np.ascontiguousarray(texels).view(np.uint32))
        pictures[member_name] = NOTHING if member_name in unused else (first, width, height)
    add(np.zeros(-count % 4, np.uint32))  # levels are read four words at a time
    levels = add(levels_table(task.members))
    made = make_task(replace(task, members=tuple(members)), built.numbers, pictures,
                     lambda one: _plain(one, start), levels // 4)  # fmt: skip
    function = FUNCTION.format(result=RESULTS[task.renders], function=f"{name}_rendered", name=name)
    text = f"{task.text.rstrip()}\n\nnamespace {name}_steps\n{{\n{made}}}\n{function}"
    return TaskProgram(text, RESULTS[task.renders], np.concatenate(parts))


def _plain(member: Member, start: npt.NDArray[np.float32]) -> list[str]:
    """Return the statements that set a member's numbers: as literals, where they are few."""
    if member.size > UNROLLED:
        return for_each(member, f"task.{member.name}@ = trained_number(#);")
    places = np.ndindex(member.shape)
    numbers = start[member.first : member.first + member.size]
    return [f"task.{member.name}{''.join(f'[{i}]' for i in place)} = float({number});"
            for place, number in zip(places, map(str, numbers), strict=True)]  # fmt: skip


def program_files(
    program: TaskProgram, own: Mapping[str, str], name: str
) -> tuple[str, dict[str, str]]:
    """Return text that imports the program's module, and all files that it includes, by place.

    ``own``: the user's files, by their places beside the module.
    """
    folder, stem = f"{name}_modules", f"{name}_task"
    while f"{stem}.slang" in own:
        stem += "_"
    beside = {f"{stem}.slang": program.text, **own}
    stored = (SOURCE_FOLDER / STORED).read_text().replace(WORDS, f"{name}_words")
    files = with_modules({f"{folder}/{place}": text for place, text in beside.items()}, folder,
                         {NUMBERS: stored})  # fmt: skip
    return f"{folder}.{stem}", files
