"""A user's Slang function trained: how its module and the values it is given make a task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.shader import SHOWN, Task
from neuralshade.engine.shader_engine import ShaderEngine, TaskTraining
from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.slang_reflection import reflect_struct
from neuralshade.model.trainable import Given, Member, first_numbers, members_of
from neuralshade.nearest import nearest
from neuralshade.recipes.shader import ShaderRecipe, threads_of
from neuralshade.source.picture import Picture
from neuralshade.source.shader import ShaderSource, given_picture

STRUCT = "Task"
OF_MEMBERS = ("size", "rate")  # what can be set of a trained member besides where it starts
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class BuiltTask:
    """A task with all that its members were given.

    ``start`` float32 [task.count] is where training begins.
    """

    task: Task
    start: Floats
    numbers: dict[str, float]
    pictures: dict[str, Picture]


def build_task(source: ShaderSource, values: Mapping[str, Any], seed: int) -> BuiltTask:
    """Return the task of a module, its members given ``values``.

    Args:
        values: by name: a number or a picture of a member that is not trained; of a trained one
            where it begins, a number or an array of its shape. NAME.size (WxH or a pair) is a
            texture's, NAME.rate a trained member's step size.
        seed: of networks' first numbers.

    Raises: KernelError with all that the compiler said; ConfigError for a module without such a
        struct, a member without a value, or a value without a member; PictureError.
    """
    struct = reflect_struct(source.text, source.place, STRUCT, ("loss", "render"))
    if struct is None or struct.methods.get("loss") != "float":
        raise ConfigError(f"{source.place}: got no struct {STRUCT} with a method loss that returns "
                          "float, need one. Write struct Task : ITask.")  # fmt: skip
    renders = struct.methods.get("render")
    if renders is not None and renders not in SHOWN:
        raise ConfigError(f"{source.place}: got render that returns {renders}, need float, or a "
                          "vector of up to four. Return a color.")  # fmt: skip
    _check_names(values, [field.name for field in struct.fields])
    sizes = {
        name.removesuffix(".size"): _size(name, value)
        for name, value in values.items()
        if name.endswith(".size")
    }
    members, given = members_of(struct.fields, sizes, source.place)
    members = [_with_rate(member, values) for member in members]
    task = Task(source.text, source.place, tuple(members), tuple(given), renders)
    numbers, pictures = _given_values(given, values, source.place)
    return BuiltTask(task, _start(members, values, seed), numbers, pictures)


def build_shader_engine(built: BuiltTask, recipe: ShaderRecipe, gpu: Gpu) -> ShaderEngine:
    """Return what trains the task."""
    training = TaskTraining(
        threads_of(recipe), (recipe.beta1, recipe.beta2), recipe.epsilon, recipe.seed
    )
    pictures = {name: picture.as_float() for name, picture in built.pictures.items()}
    return ShaderEngine(gpu, built.task, training, built.start, built.numbers, pictures)


def _check_names(values: Mapping[str, Any], names: list[str]) -> None:
    known = [*names, *(f"{name}.{of}" for name in names for of in OF_MEMBERS)]
    for name in values:
        if name not in known:
            raise ConfigError(f"set: got {name}, need a member of Task: {', '.join(names)}."
                              f"{nearest(name, known)}")  # fmt: skip


def _size(name: str, value: Any) -> tuple[int, int]:
    sides = value.lower().split("x") if isinstance(value, str) else value
    try:
        width, height = (int(side) for side in sides)
    except (TypeError, ValueError):
        width = height = 0
    if min(width, height) < 1:
        raise ConfigError(f"set: got {name}={value!r}, need WxH in texels. Write for example "
                          f"{name}=256x256.")  # fmt: skip
    return width, height


def _with_rate(member: Member, values: Mapping[str, Any]) -> Member:
    rate = values.get(f"{member.name}.rate")
    if rate is None:
        return member
    number = _number(f"{member.name}.rate", rate)
    if not number >= 0:
        raise ConfigError(f"set: got {member.name}.rate={rate}, need 0 or more. 0 keeps it as it "
                          "is.")  # fmt: skip
    return replace(member, rate=number)


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(np.float32(number)):
        raise ConfigError(f"set: got {name}={value!r}, need a number. Write for example "
                          f"{name}=0.5.")  # fmt: skip
    return number


def _given_values(
    given: list[Given], values: Mapping[str, Any], place: str
) -> tuple[dict[str, float], dict[str, Picture]]:
    numbers, pictures = {}, {}
    for member in given:
        value, where = values.get(member.name, member.default), f"{place}: Task.{member.name}"
        if value is None:
            kind, example = (
                ("a number", "0.5") if member.channels is None else ("a picture", "a.png")
            )
            raise ConfigError(f"{where}: got no value, need {kind}. Write --set "
                              f"{member.name}={example}.")  # fmt: skip
        if member.channels is None:
            numbers[member.name] = _number(member.name, value)
        else:
            pictures[member.name] = given_picture(value, member.channels, where)
    return numbers, pictures


def _start(members: list[Member], values: Mapping[str, Any], seed: int) -> Floats:
    start = first_numbers(members, seed)
    for member in members:
        value = values.get(member.name)
        if value is None:
            continue
        try:
            array = np.broadcast_to(np.asarray(value, np.float32), member.shape)
        except ValueError as error:
            raise ConfigError(
                f"set: got {member.name} of shape {list(np.shape(value))}, need a number, or "
                f"shape {list(member.shape)}. Reshape it."
            ) from error
        if not np.isfinite(array).all():
            raise ConfigError(f"set: got {member.name} with numbers that are not finite, need "
                              "finite ones. Replace them.")  # fmt: skip
        start[member.first : member.first + member.size] = array.reshape(-1)
    return start
