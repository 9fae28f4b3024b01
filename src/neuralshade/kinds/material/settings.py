"""The settings of ``fit material``, typed for editors: the fields of its recipe, by keyword."""

from neuralshade.fitting.settings import TrainingSettings


class MaterialSettings(TrainingSettings, total=False):
    """Fields of MaterialRecipe, which says what each is; each may be left out."""

    size: int
    wrap: str
    features: int
    lobes: int
    hidden_layers: int
    hidden_width: int
    batch: int
    rate: float
    latent_rate: float
    encoded_until: float
    frozen_from: float
    mips: float
    sampler: float
    rare: float
    vary: str
