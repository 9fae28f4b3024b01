"""Task and engine assembly: from a user's module and its members' values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.slang_reflection import Field, Method, reflect_struct
from neuralshade.kinds.shader.engine import ShaderEngine, TaskTraining
from neuralshade.kinds.shader.recipe import ShaderRecipe, threads_of
from neuralshade.kinds.shader.source import ShaderSource, remedies
from neuralshade.kinds.shader.task import AS_PIXEL, Task
from neuralshade.model.input_pictures import load_input_picture
from neuralshade.model.trainable import FREE, PLAIN, InputMember, Member, first_numbers, members_of
from neuralshade.model.unbound import check_bound
from neuralshade.source.picture import Picture

STRUCT = "Task"
PLACE = ("vector<float,2>",)  # the parameter of render
UNBOUND = ("Make a texture a member of Task, Picture<float3> NAME;, and a number float NAME;, both "
           "set by --set; write tables as static const, and leave out samplers.")  # fmt: skip
WHOLE_NUMBERS = {"int": (-(2**31), 2**31 - 1), "uint": (0, 2**32 - 1), "bool": (0, 1)}
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class BuiltTask:
    """A task and the values of its members.

    ``start`` float32 [task.count]: initial values of the trained ones.
    """

    task: Task
    start: Floats
    numbers: dict[str, float]  # only those set; others keep the module's defaults
    pictures: dict[str, Picture]


def build_task(
    source: ShaderSource, values: Mapping[str, Any], seed: int, *, trained: bool = True
) -> BuiltTask:
    """Return the task of a module, with ``values`` for its members.

    Args:
        values: by name: a number or a picture for a member that is not trained; for a trained one
            its initial value, a number or an array of its shape. NAME.size (WxH or a pair) sets a
            texture's size, NAME.rate a trained member's step size.
        seed: for networks' initial weights.
        trained: whether it will be trained; NAME.rate is refused otherwise.

    Raises: KernelError with the compiler's whole output; ConfigError for a module without such a
        struct, a member without a value, or a value without a member; PictureError.
    """
    with remedies():
        methods = ("loss", "render")
        struct = reflect_struct(source.text, source.place, STRUCT, methods, source.folder)
    loss = None if struct is None else struct.methods.get("loss")
    if struct is None or loss is None or loss.result != "float":
        raise ConfigError(f"{source.place}: got no struct {STRUCT} with a method loss that returns "
                          "float, need one. Write struct Task : ITask.")  # fmt: skip
    check_bound(struct.parameters, source.place, UNBOUND)
    renders = _renders(struct.methods.get("render"), source.place)
    _check_names(values, struct.fields, trained)
    sizes = {
        name.removesuffix(".size"): _size(name, value)
        for name, value in values.items()
        if name.endswith(".size")
    }
    _check_complete(struct.fields, values, sizes, source.place)
    members, inputs = members_of(struct.fields, sizes, source.place)
    members = [_with_rate(member, values) for member in members]
    task = Task(source.text, source.place, tuple(members), tuple(inputs), renders, source.folder,
                source.foreign)  # fmt: skip
    numbers, pictures = _input_values(inputs, values, source.place)
    return BuiltTask(task, _initial_numbers(members, values, seed), numbers, pictures)


def build_shader_engine(built: BuiltTask, recipe: ShaderRecipe, gpu: Gpu) -> ShaderEngine:
    """Return the engine that trains the task."""
    training = TaskTraining(
        threads_of(recipe),
        (recipe.beta1, recipe.beta2),
        recipe.epsilon,
        recipe.seed,
        recipe.rate,
    )
    pictures = {name: picture.as_float() for name, picture in built.pictures.items()}
    return ShaderEngine(gpu, built.task, training, built.start, built.numbers, pictures)


def _renders(method: Method | None, place: str) -> str | None:
    """Return the color type that a task renders, None for a task without render."""
    if method is None:
        return None
    if method.result not in AS_PIXEL:
        raise ConfigError(f"{place}: got render that returns {method.result}, need float, or a "
                          "vector of up to four. Return a color.")  # fmt: skip
    if method.parameters != PLACE:
        raise ConfigError(
            f"{place}: got render({', '.join(method.parameters)}), need one place in the unit "
            "square. Write render(float2 uv)."
        )
    return method.result


def _check_names(values: Mapping[str, Any], fields: Sequence[Field], trained: bool) -> None:
    names = [field.name for field in fields]
    rates = [f"{f.name}.rate" for f in fields if trained and "Trainable" in f.attributes]
    sizes = [f"{f.name}.size" for f in fields if f.type.startswith("Texture<")]
    known = [*names, *rates, *sizes]
    for name in values:
        if name not in known:
            raise ConfigError(f"set: got {name}, need one of {', '.join(known)}."
                              f"{did_you_mean(name, known)}")  # fmt: skip


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
    if not abs(number) <= FREE:  # NaN fails, too
        raise ConfigError(f"set: got {name}={value!r}, need a number. Write for example "
                          f"{name}=0.5.")  # fmt: skip
    return number


def _input_values(
    inputs: list[InputMember], values: Mapping[str, Any], place: str
) -> tuple[dict[str, float], dict[str, Picture]]:
    numbers, pictures = {}, {}
    for member in inputs:
        value, where = values.get(member.name), f"{place}: Task.{member.name}"
        if value is None and member.has_default:
            continue
        if value is None:
            kind, example = (
                ("a number", "0.5") if member.channels is None else ("a picture", "a.png")
            )
            raise ConfigError(f"{where}: got no value, need {kind}. Write --set "
                              f"{member.name}={example}.")  # fmt: skip
        if member.channels is None:
            numbers[member.name] = _converted(member, value)
        else:
            pictures[member.name] = load_input_picture(value, member.channels, where)
    return numbers, pictures


def _check_complete(
    fields: Sequence[Field], values: Mapping[str, Any], sizes: Mapping[str, Any], place: str
) -> None:
    """Raise ConfigError that names all members without a value or size, if there are several.

    A single one is reported where its value is read.
    """
    lacking = [
        (field.name, *what)
        for field in fields
        if values.get(field.name) is None and (what := _missing_value(field, field.name in sizes))
    ]
    if len(lacking) > 1:
        needed = ", ".join(f"{kind} for {name}" for name, kind, _ in lacking)
        flags = " ".join(f"--set {name}{example}" for name, _, example in lacking)
        raise ConfigError(f"{place}: Task: got no values for {len(lacking)} members, need "
                          f"{needed}. Write {flags}.")  # fmt: skip


def _missing_value(field: Field, sized: bool) -> tuple[str, str] | None:
    """Return the missing value of a member and an example; None where nothing is missing."""
    if "Trainable" in field.attributes:
        free = field.type.startswith("Texture<") and "Size" not in field.attributes and not sized
        return ("a size", ".size=256x256") if free else None
    if field.type.startswith("Picture<"):
        return "a picture", "=a.png"
    return ("a number", "=0.5") if field.type in PLAIN and not field.has_default else None


def _converted(member: InputMember, value: Any) -> float:
    """Return a number converted to the member's type."""
    if member.type == "bool" and str(value).lower() in ("true", "false"):
        return float(str(value).lower() == "true")
    number = _number(member.name, value)
    low, high = WHOLE_NUMBERS.get(member.type, (number, number))
    if not low <= number <= high or (member.type != "float" and number != int(number)):
        raise ConfigError(f"set: got {member.name}={value}, need {member.type}: a whole number "
                          f"in {low} ... {high}. Round it, or change the member's "
                          "type.")  # fmt: skip
    return number


def _initial_numbers(members: list[Member], values: Mapping[str, Any], seed: int) -> Floats:
    start = first_numbers(members, seed)
    for member in members:
        value = values.get(member.name)
        if value is not None:
            array = _initial_value(member, value)
            start[member.first : member.first + member.size] = array.reshape(-1)
    return start


def _initial_value(member: Member, value: Any) -> Floats:
    """Return the initial value of a trained member: float32 of its shape."""
    parts = value.split(",") if isinstance(value, str) else value
    try:
        array = np.asarray(parts, np.float32)
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"set: got {member.name}={shown(value)}, need a number, or numbers with commas "
            f"between. Write for example {member.name}=0.5."
        ) from error
    try:
        array = np.broadcast_to(array[0] if array.shape == (1,) else array, member.shape)
    except ValueError as error:
        raise ConfigError(f"set: got {member.name} of shape {list(array.shape)}, need a number, or "
                          f"shape {list(member.shape)}. Reshape it.") from error  # fmt: skip
    if not np.isfinite(array).all():
        raise ConfigError(f"set: got {member.name} with numbers that are not finite, need "
                          "finite ones. Replace them.")  # fmt: skip
    if (array < np.float32(member.low)).any() or (array > np.float32(member.high)).any():
        raise ConfigError(
            f"set: got {member.name} with numbers in {array.min():g} ... {array.max():g}, need "
            f"{member.low:g} ... {member.high:g}, its [Range]. Change one of the two."
        )
    return array
