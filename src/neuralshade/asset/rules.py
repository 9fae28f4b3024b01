"""Header rules that all kinds and checkpoints share."""

from neuralshade.asset.plugin_provenance import NOTES, PART
from neuralshade.asset.schema import (
    AnyOf,
    Boolean,
    Digits,
    ListOf,
    MapOf,
    Number,
    ObjectOf,
    Rule,
    Text,
)
from neuralshade.source.picture import COLOR_SPACES

COUNT = Number(0, 2**53, whole=True)  # of steps; float64 is exact up to there
SECONDS = Number(0, 1e10)
SIDE = Number(1, 2**24, whole=True)  # of a picture, in pixels
MEASURED = Number(or_none=True)  # a loss or dB; None stands for NaN
DIGEST = Digits(64)  # of SHA-256
RECIPE = MapOf(
    AnyOf((Text(longest=2**16), Number(or_none=True), Boolean()), "a text, a number, true or false")
)
CURVE = ListOf(ListOf(MEASURED, 4, 4))  # step, seconds, loss, psnr_db
BREAKS = ListOf(COUNT, 0, 16)  # steps behind which losses are of another kind
STEPS: dict[str, Rule] = {"steps": COUNT, "seconds": SECONDS}
TRAINING = ObjectOf({**STEPS, "curve": CURVE})  # of what reports show
PICTURE = ObjectOf(
    {"name": Text(), "width": SIDE, "height": SIDE, "channels": Number(1, 4, whole=True),
     "color_space": Text(choices=COLOR_SPACES), "dtype": Text(longest=16)},
    {"digest": DIGEST},
)  # fmt: skip
# quality of assets that are compared with a picture; the others of HDR
PSNR = ObjectOf(
    {"psnr_db": Number(-1e6, 1e6)},
    {"log_psnr_db": Number(-1e6, 1e6, or_none=True), "light_kept": Number(0, 1e30, or_none=True)},
)
# of assets that a bake made: digests of inputs, settings and version, by content and by the times
# of files; facts for its table
BAKE = ObjectOf({}, {"digest": DIGEST, "stamp": DIGEST, "seconds": SECONDS,
                "memory_bytes": Number(0, or_none=True), "source_bytes": Number(0, or_none=True)},
                )  # fmt: skip
# Rules for every asset's header; a kind adds its own.
ASSET = ObjectOf(
    {"recipe": RECIPE, "training": ObjectOf(STEPS, {"curve": CURVE}), "quality": ObjectOf({})},
    {"picture": PICTURE, PART: NOTES, "source": Text(), "bake": BAKE},
)
CHECKPOINT = ObjectOf(
    {
        "recipe": RECIPE,
        "picture": ObjectOf({"name": Text(), "digest": Text(longest=2**20)}),  # a task's is long
        "progress": ObjectOf(
            {"step": COUNT},  # without it a resumed fit would start over
            {"seconds": SECONDS, "loss": MEASURED, "psnr_db": MEASURED,
             "share": Number(0, 1), "samples_per_second": Number(0, or_none=True),
             "psnr_step": COUNT, "plateau_step": Number(0, 2**53, whole=True, or_none=True),
             "about": Number(0, 1, whole=True), "curve": CURVE, "breaks": BREAKS},
        ),
    }
)  # fmt: skip
