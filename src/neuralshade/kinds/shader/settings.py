"""The settings of ``fit shader``, typed for editors: the fields of its recipe, by keyword."""

from neuralshade.fitting.settings import TrainingSettings


class ShaderSettings(TrainingSettings, total=False):
    """Fields of ShaderRecipe, which says what each is; each may be left out."""

    threads: str
    rate: float
    size: str
    color_space: str
