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
    beside="neuralshade.kinds.textures.blocks_beside:blocks_beside",
    estimates="neuralshade.kinds.textures.estimate:ESTIMATE",
    recipe=TexturesRecipe,
    fits="neuralshade.kinds.textures.fit:fit_textures",
    subject=Subject("source", several=True, example="bricks/", what="a folder of maps",
                    maps="neuralshade.source.map_files:find_material",
                    ahead="neuralshade.kinds.textures.request:read_ahead"),
    usual=("bpp", "target-psnr", "plan", "latents", "weights", "wrap", "engine"),
    takes=("engine", "device", "kernels", "deterministic", "tensorboard", "events", "live",
           "report", "resume"),
    flags=(
        Flag("bytes", "Largest size of the file in bytes, in place of --bpp.", "N", group="model"),
        Flag("target-psnr", "Mean PSNR of the maps to reach, in dB, in place of a size; short fits "
             "find the smallest size that reaches it.", "DB", group="model"),
        Flag("target", "PSNR to reach for single maps, as in albedo=35,normal=34.", "MAP=DB,...",
             group="model"),
        Flag("plan", "Print the quality expected at each size, beside BCn and AVIF, and stop; "
             "-o FILE.svg plots it.", stops=True),
        Flag("normal-convention", "Direction of green in normal maps: opengl (up) or directx. "
             "[default: detected]", "[opengl|directx]"),
    ),
    calls="neuralshade.kinds.textures.fit:call_of",
    after=("view {asset}", "decode {asset} -o {stem}_maps", "export {asset} -o {stem}.html"),
    valued=True,
    output="File to write. [default: the set's name with .nsh, in this folder]",
    manual="""
    SOURCE is a folder of maps, recognized by their file names, a JSON manifest, or the maps
    themselves; arm=packed.png names one. FOLDER/wood picks the files that begin with wood. Up to 16
    channels. Ctrl-C keeps a checkpoint.

    \b
    neuralshade fit textures bricks/ --report bricks.html
    neuralshade fit textures bricks/ --bpp 2.5 -o bricks.nsh
    neuralshade fit textures bricks/ --target albedo=35,normal=34 -o bricks.nsh
    neuralshade fit textures bricks/ --plan -o curve.svg
    neuralshade fit textures bricks/ --bpp 10 --latents bc1
    neuralshade fit textures tea_set/ --wrap clamp --weights normal=2
    """,
)  # fmt: skip
