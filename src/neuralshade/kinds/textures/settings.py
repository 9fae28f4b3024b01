"""The settings of ``fit textures``, typed for editors: the fields of its recipe, by keyword."""

from neuralshade.fitting.settings import TrainingSettings


class TexturesSettings(TrainingSettings, total=False):
    """Fields of TexturesRecipe, which says what each is; each may be left out."""

    bpp: float
    grids: str
    latents: str
    mips: int
    wrap: str
    loss: str
    weights: str
    hidden_layers: int
    hidden_width: int
    batch: int
    rate: float
    latent_rate: float
    latent_beta2: float
    noise_until: float
    polish: int
    precision: str
    loss_scale: float
    network_bits: int
