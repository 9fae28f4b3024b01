"""Recipe of the shader kind."""

from dataclasses import dataclass

from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import TrainingRecipe, TrainingSettings, setting, training

COLOR_SPACES = ("srgb", "linear")  # a test compares them with those of pictures

MOST_THREADS = 256 * 65_535  # of a step: the groups that every device supports


@dataclass(frozen=True)
class ShaderRecipe(TrainingRecipe):
    """Training settings of a user's task."""

    threads: str = training("256x256", "threads per step: W, WxH or WxHxD; each evaluates the "
                            "loss once", form="WxH")  # fmt: skip
    rate: float = training(1.0, "factor on the learning rates of all members", limits=(0, 1e6))
    size: str = setting("512x512", "size in pixels of what the task renders, unless its pictures "
                        "set it", form="WxH", group="fitted")  # fmt: skip
    color_space: str = setting("srgb", "color space of what the task renders",
                               choices=COLOR_SPACES, group="fitted")  # fmt: skip

    def __post_init__(self) -> None:
        """Refuse settings that contradict each other."""
        super().__post_init__()
        threads_of(self)
        size_of(self)


class ShaderSettings(TrainingSettings, total=False):
    """Fields of ShaderRecipe, where they are documented; all are optional."""

    threads: str
    rate: float
    size: str
    color_space: str


def threads_of(recipe: ShaderRecipe) -> tuple[int, int, int]:
    """Return the threads of a step along each side; ConfigError for an invalid text."""
    sides = _sides("threads", recipe.threads, 3, "64x64")
    x, y, z = [*sides, 1, 1][:3]
    if x * y * z > MOST_THREADS:
        raise ConfigError(f"ShaderRecipe.threads: got {recipe.threads}, {x * y * z} in all, need "
                          f"{MOST_THREADS} or fewer. Run more steps.")  # fmt: skip
    return x, y, z


def size_of(recipe: ShaderRecipe) -> tuple[int, int]:
    """Return width and height of the picture; ConfigError for an invalid text."""
    sides = _sides("size", recipe.size, 2, "512x512")
    if len(sides) != 2:
        raise ConfigError(f"ShaderRecipe.size: got {recipe.size!r}, need WxH. Write for example "
                          "512x512.")  # fmt: skip
    return sides[0], sides[1]


def _sides(name: str, text: str, most: int, example: str) -> list[int]:
    sides = text.lower().split("x")
    if not 1 <= len(sides) <= most or not all(s.isdecimal() and int(s) > 0 for s in sides):
        raise ConfigError(f"ShaderRecipe.{name}: got {text!r}, need whole numbers of 1 or more, "
                          f"joined by x. Write for example {example}.")  # fmt: skip
    return [int(side) for side in sides]
