"""The mipmaps kind: mip levels of a PBR set that shade like the texels they cover."""

from neuralshade.fitting.command import Flag, Subject
from neuralshade.kinds.kind import Kind
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe

MAPS = {"albedo": "Base color.", "normal": "Normals in tangent space.",
        "roughness": "Roughness.", "metallic": "Metallic map. [default: 0 everywhere]",
        "ao": "Ambient-occlusion map; it is not used.",
        "opacity": "Opacity, the weight of a texel. [default: the albedo's alpha]"}  # fmt: skip
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
    usual=("format", "albedo", "normal", "roughness", "share", "wrap", "device"),
    takes=("device", "tensorboard", "events", "live", "report", "resume", "dump_kernels"),
    flags=(
        *(Flag(name, about, "FILE") for name, about in MAPS.items()),
        *(Flag(name, f"Packed map: {', '.join(ORDER[letter] for letter in name)}.", "FILE")
          for name in PACKED),
        Flag("normal-convention", "Direction of green in normal maps: opengl (up) or directx. "
             "[default: detected]", "[opengl|directx]"),
        Flag("format", "File format; -bc compresses to BC7, BC5 and BC4. Can be repeated. "
             "[default: dds]", "[png|exr|dds|dds-bc|ktx2|ktx2-bc]", several=True),
        Flag("share", "Network that several sets share: trained by the SOURCEs if FAMILY.nsh does "
             "not exist, else their starting point.", "FAMILY.nsh"),
    ),
    calls="neuralshade.kinds.mipmaps.command:call_of",
    after=("view {asset}", "evaluate {asset} MAPS"),
    rated=False,
    output_form="DIR",
    output="Folder to write into. [default: the set's name with _mips, in this folder]",
    manual="""
    SOURCE is a folder of maps, recognized by their names, or a JSON manifest. FOLDER/wood picks the
    files that begin with wood. Needs a GPU or software Vulkan. Ctrl-C keeps a checkpoint.

    \b
    neuralshade fit mipmaps bricks/ -o bricks_mips --format ktx2-bc
    neuralshade fit mipmaps --albedo a.png --normal n.png --roughness r.png -o out
    neuralshade fit mipmaps bricks/ bark/ --share family.nsh -o out
    neuralshade fit mipmaps moss/ --share family.nsh
    neuralshade fit mipmaps bricks/ --steps 1000 --pool 512 --report bricks.html
    """,
)  # fmt: skip
