"""The settings of ``fit splats``, typed for editors: the fields of its recipe, by keyword."""

from neuralshade.fitting.settings import PictureSettings


class SplatsSettings(PictureSettings, total=False):
    """Fields of SplatsRecipe, which says what each is; each may be left out."""

    count: int
    bytes: int | None
    bpp: float
    compositing: str
    strongest: int
    cutoff: float
    background: str
    loss: str
    ssim: float
    center_rate: float
    shape_rate: float
    color_rate: float
    opacity_rate: float
    tiles: float
    begin: float
    grow_until: float
    round_from: float
    center_step: float
    size_step: float
    shear_step: float
    opacity_step: float
    color_step: float
