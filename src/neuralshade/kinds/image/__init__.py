"""The image kind: a picture as an encoding and a small network."""

from dataclasses import replace

from neuralshade.fitting.command import A_PICTURE
from neuralshade.kinds.image.presets import PRESETS
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.kinds.kind import Kind

KIND = Kind(
    name="image",
    about="Fit an encoding and a small network to PICTURE.",
    subject=replace(A_PICTURE, ahead="neuralshade.kinds.image.textures_beside:begin_ahead"),
    opens="neuralshade.kinds.image.opened:OpenedImage",
    evaluated="neuralshade.kinds.image.module:ImageField",
    shaders="neuralshade.kinds.image.shader:image_shader",
    imports="neuralshade.kinds.image.weights.importer:import_image",
    beside="neuralshade.kinds.image.textures_beside:textures_beside",
    estimates="neuralshade.kinds.image.estimate:ESTIMATE",
    recipe=ImageRecipe,
    fits="neuralshade.kinds.image.fit:fit_image",
    takes=("engine", "kernels", "deterministic", "device", "snapshots", "movie", "tev",
           "tensorboard", "events", "live", "report", "resume", "dump_kernels"),
    presets=tuple(PRESETS),
    presets_about="Named settings: grid, 4 bits per pixel; detail, 16; to compare, networks of "
    "others: rtxns and rtxns-fast (NVIDIA's), lake, tiny and tiny-9 (no encoding).",
    usual=("bpp", "encoding", "hidden-width", "target-psnr", "seed", "engine"),
    calls="neuralshade.kinds.image.fit:call_of",
    timed="neuralshade.kinds.image.bench_networks:BenchPicture",
    recipe_files={".json": "neuralshade.kinds.image.tiny_cuda_nn:read_tiny_cuda_nn"},
    recipe_about="TOML file of settings, as in hidden_width = 64, or a .json config of "
    "tiny-cuda-nn.",
    manual="""
    PICTURE is a PNG, JPEG, WebP, GIF, TIFF, BMP, PPM, PGM, EXR or HDR file. Training stops where
    more steps gain little, or at --seconds, --steps or --target-psnr. Ctrl-C keeps a checkpoint.

    \b
    neuralshade fit image photo.png -o photo.nsh --report photo.html
    neuralshade fit image photo.png --preset detail --seconds 60
    neuralshade fit image photo.png --bpp 1.5 --hidden-width 64
    neuralshade fit image photo.png -o better.nsh --resume photo.nsh --seconds 60
    """,
)  # fmt: skip
