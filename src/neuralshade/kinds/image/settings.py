"""The settings of ``fit image``, typed for editors: the fields of its recipe, by keyword."""

from neuralshade.fitting.settings import PictureSettings


class ImageSettings(PictureSettings, total=False):
    """Fields of ImageRecipe, which says what each is; each may be left out."""

    encoding: str
    bpp: float
    hidden_layers: int
    hidden_width: int
    activation: str
    output_activation: str
    bias: bool
    loss: str
    sampling: str
    batch: int
    rate: float
    grid_rate: float
    grid_optimizer: str
    l2_penalty: float
    average: float
    precision: str
    loss_scale: float
    polish: int
    grid_bits: int
    network_bits: int
    until: str
    plateau_db: float
    transform: str
