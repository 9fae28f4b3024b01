"""The materials verb: several materials of one architecture, which may share a decoder layer."""

from neuralshade.fitting.command import Flag, Subject
from neuralshade.kinds.kind import Kind
from neuralshade.kinds.material.recipe import PRESETS, PRESETS_ABOUT, MaterialRecipe

KIND = Kind(
    name="materials",
    about="Bake several layered materials, which may share a part of their networks.",
    opens="neuralshade.kinds.material.opened:OpenedMaterial",
    recipe=MaterialRecipe,
    presets=tuple(PRESETS),
    presets_about=PRESETS_ABOUT,
    fits="neuralshade.kinds.material.family.fit:fit_materials",
    subject=Subject("material", several=True),
    usual=("share", "reports", "size", "vary", "wrap", "seed", "engine", "device"),
    takes=("engine", "device", "kernels", "deterministic", "tensorboard", "events"),
    flags=(
        Flag("share", "Give all others the first decoder layer of the first MATERIAL: a renderer "
             "keeps it once. For similar materials."),
        Flag("no-compare", "With --share: skip the fits without sharing, which show its cost."),
        Flag("reports", "Write a report NAME.html beside each asset."),
        Flag("trust", "Let code that a MaterialX document contains run here, after a check."),
    ),
    calls="neuralshade.kinds.material.family.command:call_of",
    output_form="DIR",
    output="Folder for the assets, one per MATERIAL. [default: this folder]",
    manual="""
    Fits one MATERIAL after the other, each as fit material does, with the same settings;
    shelf.mtlx#Oak is Oak of a document. A MATERIAL that cannot be fitted is reported, the others
    are fitted, and the exit code is 1. Ctrl-C keeps finished assets and a checkpoint.

    \b
    neuralshade fit materials copper.mtlx velvet.toml -o assets
    neuralshade fit materials copper.mtlx bronze.toml --share --reports -o assets
    neuralshade fit material glaze.toml --share assets/copper.nsh -o assets/glaze.nsh
    """,
)  # fmt: skip
