"""The textures kind: a whole PBR set, all maps and mips together, in a few bits per texel."""

from neuralshade.fitting.command import Flag, Subject
from neuralshade.kinds.kind import Kind
from neuralshade.kinds.textures.recipe import TexturesRecipe

KIND = Kind(
    name="textures",
    about="Compress all maps and mips of a PBR set together.",
    opens="neuralshade.kinds.textures.opened:OpenedTextures",
    evaluated="neuralshade.kinds.textures.sample:TextureSetField",
    shaders="neuralshade.kinds.textures.shader:textures_shader",
    recipe=TexturesRecipe,
    fits="neuralshade.kinds.textures.fit:fit_textures",
    subject=Subject("source", several=True, example="bricks/", what="a folder of maps",
                    maps="neuralshade.source.map_files:find_material"),
    takes=("engine", "device", "kernels", "deterministic", "tensorboard", "events", "live",
           "report", "resume"),
    flags=(
        Flag("bytes", "Size of the file, at most, in place of --bpp.", "N", group="model"),
        Flag("target-psnr", "Mean of the maps at mip 0 to reach, in dB, in place of a size: short "
             "fits tell the smallest latents that are expected to.", "DB", group="model"),
        Flag("target", "The same of single maps, as in albedo=35,normal=34.", "MAP=DB,...",
             group="model"),
        Flag("plan", "Print the quality expected of each size, beside BCn and AVIF, and write no "
             "asset; -o FILE.svg or .png plots it."),
        Flag("normal-convention", "Which way green points: opengl (up) or directx. [default: by "
             "name or slopes]", "[opengl|directx]"),
    ),
    calls="neuralshade.kinds.textures.fit:call_of",
    valued=True,
    output="File to write. [default: the set's name with .nsh, in this folder]",
    manual="""
    SOURCE is a folder whose maps are recognized by their names, a JSON manifest, or the maps
    themselves; NAME=FILE says what one is where its own name does not, as in arm=packed.png.
    Of a folder with several sets, FOLDER/wood is the one whose files begin with wood.
    Up to 16 channels. Ctrl-C keeps a checkpoint.

    \b
    neuralshade fit textures bricks/ --report bricks.html
    neuralshade fit textures bricks/ --bpp 2.5 -o bricks.nsh
    neuralshade fit textures bricks/ --target albedo=35,normal=34 -o bricks.nsh
    neuralshade fit textures bricks/ --plan -o curve.svg
    neuralshade fit textures bricks/ --bpp 10 --latents bc1
    neuralshade fit textures tea_set/ --wrap clamp --weights normal=2
    """,
)  # fmt: skip
