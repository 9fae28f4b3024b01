"""The shader kind: the trainable members of a user's own Slang function."""

from neuralshade.fitting.command import Flag, Subject
from neuralshade.kinds.kind import Kind
from neuralshade.kinds.shader.recipe import ShaderRecipe

KIND = Kind(
    name="shader",
    about="Train what the Slang module TASK marks as trainable.",
    opens="neuralshade.kinds.shader.opened:OpenedShader",
    estimates="neuralshade.kinds.shader.estimate:ESTIMATE",
    recipe=ShaderRecipe,
    shaders="neuralshade.kinds.shader.shader:task_shader",
    fits="neuralshade.kinds.shader.fit:fit_shader",
    subject=Subject("task", example="task.slang", what="a Slang module", documents=(".slang",),
                    uploaded="neuralshade.kinds.shader.uploaded_task:uploaded_task"),
    usual=("set", "threads", "size", "rate", "seed", "snapshots", "device"),
    takes=("device", "snapshots", "movie", "tev", "tensorboard", "events", "live", "report",
           "resume", "dump_kernels"),
    flags=(
        Flag("set", "Value of a member: a number, a picture, or the start of a trained one; "
             "NAME.size=WxH and NAME.rate=X set its size and rate. Can be repeated.", "NAME=VALUE",
             several=True),
    ),
    calls="neuralshade.kinds.shader.fit:call_of",
    compared=False,
    after=("evaluate {asset}", "export {asset} -o {stem}.hlsl"),
    rated=False,
    valued=True,
    output="File to write. [default: TASK's name with .nsh, in this folder]",
    manual="""
    TASK is a .slang file with a struct Task : ITask, whose loss is minimized. Needs a GPU or
    software Vulkan. Training stops at --seconds or --steps. Ctrl-C keeps a checkpoint. --report
    compares render with the one picture of --set that has as many channels.

    \b
    neuralshade fit shader fit_tint.slang --set photo=photo.png --report tint.html
    neuralshade fit shader tone.slang --set a=in.png --set b=out.png --steps 2000
    neuralshade fit shader mip.slang --set albedo.size=128x128 --threads 512x512
    """,
)  # fmt: skip
