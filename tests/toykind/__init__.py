"""A kind that only tests have: a picture into its mean color."""

from dataclasses import dataclass

from neuralshade.fitting.command import Flag
from neuralshade.fitting.recipe import PictureRecipe, setting
from neuralshade.kinds.kind import Kind


@dataclass(frozen=True)
class ToyRecipe(PictureRecipe):
    """One picture into one color."""

    rate: float = setting(0.1, "share of the way to the mean that a step goes", limits=(0, 1))


KIND = Kind(
    name="toy",
    about="Fit one color to PICTURE.",
    opens="toykind.opened:OpenedToy",
    recipe=ToyRecipe,
    fits="toykind.fit:fit_toy",
    takes=("events", "live", "report", "resume", "snapshots"),
    flags=(Flag("grey", "The same number in all channels."),),
    manual="neuralshade fit toy photo.png",
)
