"""A kind that only tests have: it writes a tiny asset, and first does the faults of its input."""

from dataclasses import dataclass

from neuralshade.fitting.command import Subject
from neuralshade.fitting.recipe import TrainingRecipe
from neuralshade.kinds.kind import Kind


@dataclass(frozen=True)
class ProbeRecipe(TrainingRecipe):
    """No settings of its own."""


KIND = Kind(
    name="probe",
    about="Write a tiny asset of PICTURE.",
    opens="probekind.fit:none",
    recipe=ProbeRecipe,
    fits="probekind.fit:fit_probe",
    subject=Subject("probe", what="a probe", documents=(".json",)),
    takes=("resume",),
)
