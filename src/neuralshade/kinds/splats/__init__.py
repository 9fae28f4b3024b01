"""The splats kind: a picture as 2D Gaussians."""

from neuralshade.fitting.command import Flag
from neuralshade.kinds.kind import Kind
from neuralshade.kinds.splats.recipe import SplatsRecipe

KIND = Kind(
    name="splats",
    about="Fit 2D Gaussians to PICTURE.",
    opens="neuralshade.kinds.splats.opened:OpenedSplats",
    shaders="neuralshade.kinds.splats.shader:splats_shader",
    page_script="neuralshade.kinds.splats.compact:page_script",
    estimates="neuralshade.kinds.splats.estimate:ESTIMATE",
    recipe=SplatsRecipe,
    fits="neuralshade.kinds.splats.fit:fit_splats",
    takes=("device", "snapshots", "movie", "tev", "tensorboard", "events", "live", "report",
           "resume", "dump_kernels"),
    usual=("bpp", "bytes", "count", "compositing", "target-psnr", "seed", "device"),
    flags=(Flag("naive", "Evaluate every Gaussian at every pixel: slow, for comparison.",
                group="running"),),
    manual="""
    PICTURE is a PNG, JPEG, WebP, GIF, TIFF, BMP, PPM, PGM, EXR or HDR file. Needs a GPU or software
    Vulkan. Training stops at --seconds, --steps or --target-psnr. Ctrl-C keeps a checkpoint.

    \b
    neuralshade fit splats photo.png -o photo.nsh --report photo.html
    neuralshade fit splats photo.png --bpp 0.33
    neuralshade fit splats photo.png --count 200 --compositing over --steps 10000
    """,
)  # fmt: skip
