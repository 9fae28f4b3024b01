"""A user's Slang function trained: the recipe."""

from dataclasses import dataclass

from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import check_end, setting
from neuralshade.recipes.names import COLOR_SPACES, SCHEDULES

MOST_THREADS = 256 * 65_535  # of a step: groups that every device takes


@dataclass(frozen=True)
class ShaderRecipe:
    """How a task that a user wrote is trained."""

    threads: str = setting("256x256", "of a step: W, WxH or WxHxD; each runs the loss once",
                           form="WxH")  # fmt: skip
    rate: float = setting(1.0, "factor of all members' step sizes", limits=(0, 1e6))
    beta1: float = setting(0.9, "Adam decay of the mean gradient", limits=(0, 0.9999))
    beta2: float = setting(0.99, "Adam decay of the mean squared gradient", limits=(0, 0.999999))
    epsilon: float = setting(1e-8, "Adam term that keeps a division by 0 away", limits=(0, 1))
    schedule: str = setting("cosine", "of the step sizes over the fit", choices=SCHEDULES)
    rate_final: float = setting(0.01, "step size at the end, as a share of the start",
                                limits=(1e-6, 1))  # fmt: skip
    warmup: int = setting(0, "steps over which the step size grows to its full value",
                          limits=(0, 1_000_000))  # fmt: skip
    size: str = setting("512x512", "in pixels, of what the task renders", form="WxH")
    color_space: str = setting("srgb", "of what the task renders", choices=COLOR_SPACES)
    steps: int | None = setting(None, "stop after so many steps", limits=(1, 10**9))
    seconds: float | None = setting(20.0, "stop after so many seconds", limits=(0.01, 10**7))
    seed: int = setting(0, "of every random number", limits=(0, 2**63 - 1))

    def __post_init__(self) -> None:
        """Refuse settings that are fine one by one and make no sense together."""
        check_end(self)
        threads_of(self)
        size_of(self)

    @property
    def target_psnr(self) -> None:
        """Return None: what a task makes small is its loss."""
        return None


def threads_of(recipe: ShaderRecipe) -> tuple[int, int, int]:
    """Return the threads of a step along each side; ConfigError where they are none."""
    sides = _sides("threads", recipe.threads, 3, "64x64")
    x, y, z = [*sides, 1, 1][:3]
    if x * y * z > MOST_THREADS:
        raise ConfigError(f"ShaderRecipe.threads: got {recipe.threads}, {x * y * z} in all, need "
                          f"{MOST_THREADS} or fewer. Run more steps.")  # fmt: skip
    return x, y, z


def size_of(recipe: ShaderRecipe) -> tuple[int, int]:
    """Return width and height of what is rendered; ConfigError where they are none."""
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
