"""Settings that fits of every kind take, typed for editors: the fields of recipes, by keyword.

A test holds that they are the fields of fitting/recipe.py, with their types.
"""

from typing import TypedDict


class TrainingSettings(TypedDict, total=False):
    """Fields of TrainingRecipe; each may be left out."""

    beta1: float
    beta2: float
    epsilon: float
    schedule: str
    rate_final: float
    warmup: int
    steps: int | None
    seconds: float | None
    seed: int


class PictureSettings(TrainingSettings, total=False):
    """Fields of PictureRecipe; each may be left out."""

    target_psnr: float | None
