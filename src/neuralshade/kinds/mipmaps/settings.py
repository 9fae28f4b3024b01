"""The settings of ``fit mipmaps``, typed for editors: the fields of its recipe, by keyword."""

from neuralshade.fitting.settings import TrainingSettings


class MipmapsSettings(TrainingSettings, total=False):
    """Fields of MipmapsRecipe, which says what each is; each may be left out."""

    levels: int
    diffuse: str
    pairs: int
    pool: int
    reuse: int
    mirror: float
    mirror_far: float
    lowest: float
    albedo_rate: float
    slope_rate: float
    roughness_rate: float
    metallic_rate: float
    favor: str
    skies: int
    sky_lights: int
    sky_weight: float
