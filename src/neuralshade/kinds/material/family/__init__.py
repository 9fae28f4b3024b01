"""The materials verb: several materials of one architecture, which may share a decoder layer."""

from neuralshade.fitting.command import Flag, Subject
from neuralshade.kinds.kind import Kind
from neuralshade.kinds.material.recipe import PRESETS, MaterialRecipe

KIND = Kind(
    name="materials",
    about="Bake several layered materials, which may share a part of their networks.",
    opens="neuralshade.kinds.material.opened:OpenedMaterial",
    recipe=MaterialRecipe,
    presets=tuple(PRESETS),
    fits="neuralshade.kinds.material.family.fit:fit_materials",
    subject=Subject("material", several=True),
    takes=("engine", "device", "kernels", "deterministic", "tensorboard", "events"),
    flags=(
        Flag("share", "The first MATERIAL that is fitted lends its decoder's first layer, which "
             "reads the directions, to all others; there no step changes it."),
        Flag("no-compare", "With --share: do not fit each MATERIAL alone, too, to tell what "
             "sharing costs."),
        Flag("reports", "Write a page about each MATERIAL beside its asset, NAME.html."),
        Flag("trust", "Code that a MaterialX document brings may run here, once it was looked "
             "through."),
    ),
    calls="neuralshade.kinds.material.family.command:call_of",
    output_form="DIR",
    output="Folder to write into, an asset of each MATERIAL by its name. [default: this folder]",
    manual="""
    Each MATERIAL is what fit material takes. They are fitted one after the other with the same
    settings: --seconds 60 means 60 s each; shelf.mtlx#Oak is Oak of a document. One that cannot be
    fitted is reported and skipped; the exit code is then 1. Ctrl-C keeps those that are finished,
    and a checkpoint of the current one. Add a material later with fit material --share.

    \b
    neuralshade fit materials copper.mtlx velvet.toml -o assets
    neuralshade fit materials copper.mtlx velvet.toml --share --reports -o assets
    neuralshade fit material glaze.toml --share assets/copper.nsh -o assets/glaze.nsh
    """,
)  # fmt: skip
