"""The mipmaps kind: mip levels of a PBR set that shade like the texels they cover."""

from neuralshade.fitting.command import Flag, Subject
from neuralshade.kinds.kind import Kind
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe

MAPS = {"albedo": "Base color.", "normal": "Normals, in tangent space.",
        "roughness": "Roughness.", "metallic": "Metallic. [default: 0 everywhere]",
        "ao": "Ambient occlusion; read, and not used.",
        "opacity": "Opacity, by which texels count. [default: the albedo's alpha]"}  # fmt: skip
PACKED = ("arm", "orm", "rma", "mra")
ORDER = {"a": "ambient occlusion", "o": "ambient occlusion", "r": "roughness", "m": "metallic"}

KIND = Kind(
    name="mipmaps",
    about="Train the mip levels of a PBR set to look like what they cover.",
    opens="neuralshade.kinds.mipmaps.opened:OpenedMipmaps",
    shaders="neuralshade.kinds.mipmaps.shader:mipmaps_shader",
    recipe=MipmapsRecipe,
    fits="neuralshade.kinds.mipmaps.fit:fit_mipmaps",
    subject=Subject("source", several=True, example="bricks/", what="a folder of maps",
                    maps="neuralshade.source.map_files:find_maps"),
    takes=("device", "tensorboard", "events", "live", "report", "resume", "dump_kernels"),
    flags=(
        *(Flag(name, about, "FILE") for name, about in MAPS.items()),
        *(Flag(name, f"Packed: {', '.join(ORDER[letter] for letter in name)}.", "FILE")
          for name in PACKED),
        Flag("normal-convention", "Which way green points: opengl (up) or directx. [default: by "
             "name or slopes]", "[opengl|directx]"),
        Flag("format", "Of the files; -bc is in BC7, BC5 and BC4. May come more than once. "
             "[default: dds]", "[png|exr|dds|dds-bc|ktx2|ktx2-bc]", several=True),
        Flag("share", "Network of several sets of a family. Where there is no such file, several "
             "SOURCEs train it; where there is, each SOURCE starts from its corrections, and it is "
             "not written.", "FAMILY.nsh"),
    ),
    calls="neuralshade.kinds.mipmaps.command:call_of",
    rated=False,
    output_form="DIR",
    output="Folder to write into. [default: the set's name with _mips, in this folder]",
    manual="""
    SOURCE is a folder with maps, recognized by their names, or a JSON manifest; flags name single
    maps, or all of them. In a folder with several sets, FOLDER/wood is the one whose files begin
    with wood. Runs on a GPU, or on software Vulkan. If a box filter, Toksvig or LEAN is better on
    a level, its level is used. Ctrl-C keeps a checkpoint.

    \b
    neuralshade fit mipmaps bricks/ -o bricks_mips --format ktx2-bc
    neuralshade fit mipmaps --albedo a.png --normal n.png --roughness r.png -o out
    neuralshade fit mipmaps bricks/ bark/ --share family.nsh -o out
    neuralshade fit mipmaps moss/ --share family.nsh
    neuralshade fit mipmaps bricks/ --steps 1000 --pool 512 --report bricks.html
    """,
)  # fmt: skip
