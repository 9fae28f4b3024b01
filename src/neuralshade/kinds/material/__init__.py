"""The material kind: a layered material fitted as a feature map and a small BSDF decoder."""

from neuralshade.fitting.command import Flag, Subject
from neuralshade.kinds.kind import Kind
from neuralshade.kinds.material.recipe import PRESETS, PRESETS_ABOUT, MaterialRecipe

KIND = Kind(
    name="material",
    about="Bake a layered material into a small network.",
    opens="neuralshade.kinds.material.opened:OpenedMaterial",
    estimates="neuralshade.kinds.material.estimate:ESTIMATE",
    recipe=MaterialRecipe,
    presets=tuple(PRESETS),
    presets_about=PRESETS_ABOUT,
    fits="neuralshade.kinds.material.fit:fit_material",
    subject=Subject("material", example="copper.mtlx",
                    what="a MaterialX document, a stack of layers, a Slang module or a folder of "
                    "maps", maps="neuralshade.source.map_files:find_maps",
                    documents=(".mtlx", ".toml"),
                    uploaded="neuralshade.kinds.material.uploaded_document:uploaded_material"),
    usual=("size", "vary", "element", "share", "wrap", "seed"),
    takes=("engine", "device", "kernels", "deterministic", "tensorboard", "events", "live",
           "report", "resume"),
    flags=(
        Flag("element", "Material of the document to bake. [default: its first]", "NAME"),
        Flag("share", "Asset of a similar material, whose first decoder layer this one takes "
             "unchanged: a renderer keeps it once.", "ASSET"),
        Flag("trust", "Let code that a MaterialX document contains run here, after a check."),
    ),
    after=("view {asset}", "scene {asset} -o {stem}.png"),
    valued=True,
    evaluated="neuralshade.kinds.material.module:MaterialField",
    shaders="neuralshade.kinds.material.shader:material_shader",
    traced="neuralshade.kinds.material.traced:traced_material",
    calls="neuralshade.kinds.material.command:call_of",
    output="File to write. [default: the material's name with .nsh, in this folder]",
    manual="""
    MATERIAL is a MaterialX document (.mtlx), a stack of layers (.toml), a Slang module with eval
    (.slang), or a folder of PBR maps or its manifest (.json). Ctrl-C keeps a checkpoint.

    \b
    neuralshade fit material antique_copper.mtlx -o copper.nsh
    neuralshade fit material antique_copper.toml -o copper.nsh
    neuralshade fit material antique_copper.toml --preset high --size 1024 -o copper.nsh
    neuralshade fit material bronze.toml --share copper.nsh
    neuralshade fit material antique_copper_wet.toml --vary wetness=0..1 -o wet.nsh
    """,
)  # fmt: skip
