"""Checks of what a fit does with a task's render: snapshots, and the report's reference."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from neuralshade.base.message_text import plain_name
from neuralshade.errors import ConfigError
from neuralshade.fitting.options import FitOptions, check_options
from neuralshade.kinds.shader import KIND
from neuralshade.kinds.shader.build import BuiltTask
from neuralshade.kinds.shader.recipe import ShaderRecipe, size_of
from neuralshade.kinds.shader.source import ShaderSource
from neuralshade.kinds.shader.task import CHANNELS
from neuralshade.source.picture import Picture, PictureForm

log = logging.getLogger("neuralshade")


def form_of(source: ShaderSource, built: BuiltTask, recipe: ShaderRecipe) -> PictureForm | None:
    """Return the form of what the task renders; None for a task without render."""
    if built.task.renders is None:
        return None
    channels = CHANNELS[built.task.renders]
    return PictureForm(*size_of(recipe), channels, recipe.color_space, source.name)


def check_drawn(options: FitOptions, built: BuiltTask, form: PictureForm | None) -> None:
    """Refuse options that fit shader lacks, pictures of a task without render, and a report
    without a picture to compare with; log which one it is."""
    check_options(options, KIND.name, KIND.takes)
    if form is None and (options.snapshots or options.movie or options.tev):
        raise _not_rendered(built, "snapshots")
    if options.report is not None:
        name, picture = compared_picture(built, form)
        log.info("the report compares render with Task.%s, %s", name, plain_name(picture.name))


def compared_picture(built: BuiltTask, form: PictureForm | None) -> tuple[str, Picture]:
    """Return the member and its picture that a report compares with; ConfigError without one."""
    if form is None:
        raise _not_rendered(built, "a report")
    name = report_reference(built.pictures, form)
    return name, built.pictures[name]


def _not_rendered(built: BuiltTask, what: str) -> ConfigError:
    return ConfigError(f"{built.task.place}: got a Task without render(float2 uv), need it for "
                       f"{what}. Write one that returns a color.")  # fmt: skip


def report_reference(pictures: Mapping[str, Picture], form: PictureForm) -> str:
    """Return the member whose picture a fit's report compares with what render returns.

    The only one with as many channels as ``form``, what the task renders.

    Raises: ConfigError for none or several, and for one of another color space.
    """
    found = [name for name, picture in pictures.items() if picture.channels == form.channels]
    if len(found) != 1:
        count = f"{len(found)} pictures" if found else "no picture"
        named = f" ({', '.join(found)})" if found else ""
        raise ConfigError(f"report: got {count}{named} with the channels of render, "
                          f"{form.channels}, among the values, need one to compare with. Leave "
                          "report out; after the fit run: neuralshade report ASSET "
                          "PICTURE.")  # fmt: skip
    (name,) = found
    space = pictures[name].color_space
    if space != form.color_space:
        raise ConfigError(f"report: got {name} with {space} colors, where those of render are "
                          f"{form.color_space}, need the same. Set color_space to {space}, or "
                          "leave report out.")  # fmt: skip
    return name
