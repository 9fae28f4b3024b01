"""README.md of an export of splats."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from neuralshade.base.message_text import plain
from neuralshade.model.gaussian import GaussianPicture
from neuralshade.verbs.export.engines.engine import EngineSource
from neuralshade.verbs.export.engines.gltf_splats.geometry import DEPTH, DISTANCE
from neuralshade.verbs.export.engines.gltf_splats.look import Look

TEXT = """# {title}: Gaussian splats

{files}

{count:,} splats: {own:,} Gaussians of the asset, then {backgrounds:,} for its background.

## Where it goes

- `.glb`: glTF 2.0 with KHR_gaussian_splatting; viewers without it show points. Use the camera in
  the file, or look along -z. Babylon.js: `BABYLON.ImportMeshAsync("{stem}.glb", scene)`.
{ply}
## Facts

- Units: the longer side of the picture is 1, its middle is the origin. In the `.glb` x is to the
  right, y up, and z to the viewer.
- Colors are {space}. They are blended as they are.
- Renderers sort splats by distance. So the order of Gaussians is depth here: {layers:,} layers,
  {depth:g} in all. It holds from afar in front: the camera is {distance:g} away. Nearer than about
  20, or turned by more than a degree, splats change places, and the picture with them.
- From that camera the picture differs from the asset's by {psnr:.1f} dB (PSNR of {white}). It is
  the asset's order, without a renderer's own filters.{fitted}
- A Gaussian of the asset is 0 beyond {cutoff:g} standard deviations. Splats have the Gaussian that
  is closest to it.
- Splats have no sharp edge: the border of the picture is soft.
- Run in Babylon.js 9.35 by a test (Chromium, both files; 2026-11-29), never in another renderer.
  The glTF validator 2.0.0-dev.3.10 does not know the extension: it refuses the attributes' names.
"""
PLY = """\
- `.ply`: columns of the first 3D Gaussian Splatting code, SH degree 0. x is to the right, y down
  and z away from the viewer, as there. Opacities are logits, scales are logarithms.
"""
NO_PLY = """\
- There is no `.ply`: it has no color space, viewers take it for sRGB, and blending of encoded
  colors is not that of linear ones.
"""
FITTED = """ Renderers clamp colors below 0 and
  above white, and their Gaussians end elsewhere: colors and opacities were fitted again."""
SPACES = {"srgb": "sRGB-encoded", "linear": "linear, and above 1 where the picture is"}


def readme(
    source: EngineSource,
    picture: GaussianPicture,
    look: Look,
    sizes: Mapping[str, int],
) -> str:
    """Return the text; ``sizes``: bytes of the files by name."""
    path, splats, count = source.opened.path, look.splats, len(look.colors)
    listed = [f"| `{name}` | {size:,} |" for name, size in sizes.items()]
    asset = f"| {plain(Path(path).name)}, the asset | {source.opened.byte_count:,} |"
    srgb = picture.space == "srgb"
    return TEXT.format(
        title=source.form.name, stem=source.stem,
        files="\n".join(["| file | bytes |", "|---|---|", *listed, asset]),
        count=count, own=count - splats.backgrounds, backgrounds=splats.backgrounds,
        ply=PLY if srgb else NO_PLY, space=SPACES[picture.space],
        layers=int(splats.layers.max()) + 1, depth=DEPTH, distance=DISTANCE, psnr=look.psnr_db,
        white="sRGB values" if srgb else "linear values, against the brightest",
        fitted=FITTED if look.fitted else "", cutoff=picture.compositing.cutoff,
    )  # fmt: skip
