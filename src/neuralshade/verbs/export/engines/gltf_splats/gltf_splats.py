"""Files of a picture of Gaussians for renderers of splats."""

from __future__ import annotations

import numpy as np

from neuralshade.model.gaussian import GaussianPicture
from neuralshade.verbs.export.engines.engine import Contents, EngineSource
from neuralshade.verbs.export.engines.gltf_splats.geometry import flat_splats
from neuralshade.verbs.export.engines.gltf_splats.glb import glb
from neuralshade.verbs.export.engines.gltf_splats.look import look_of
from neuralshade.verbs.export.engines.gltf_splats.ply import ply
from neuralshade.verbs.export.engines.gltf_splats.readme import readme

NAME = "gltf-splats"
COLORS = 3


def gltf_splats_files(source: EngineSource) -> Contents:
    """Return a .glb, a .ply where colors are sRGB, and README.md.

    Raises: ConfigError for what is no picture of Gaussians that cover each other, and alpha.
    """
    picture = _checked(source)
    splats = flat_splats(picture)
    behind = np.repeat(picture.background[None], splats.backgrounds, axis=0)
    first = np.concatenate([picture.colors, behind])
    look = look_of(splats, first, picture.draw, None if picture.space == "linear" else 1.0)
    splats, colors = look.splats, np.broadcast_to(look.colors, (len(first), COLORS))
    files = {f"{source.stem}.glb": glb(splats, colors, picture.space, source.form.name)}
    if picture.space == "srgb":
        files[f"{source.stem}.ply"] = ply(splats, colors)
    sizes = {name: len(content) for name, content in files.items()}
    text = readme(source, picture, look, sizes)
    return {**files, "README.md": text.encode()}


def _checked(source: EngineSource) -> GaussianPicture:
    """Return the picture of a source; ConfigError for what splats cannot express."""
    picture = source.form.gaussians
    if picture is None:
        raise source.refused(NAME, "a picture of Gaussians",
                             "Fit splats with --compositing over.")  # fmt: skip
    kind = picture.compositing.kind
    if picture.opacities is None:
        raise source.refused(
            NAME, f"compositing over, not {kind}: renderers of splats have opacity alone",
            "Fit it again with --compositing over.",
        )  # fmt: skip
    if len(picture.background) not in (1, COLORS):
        raise source.refused(
            NAME, "a picture without alpha, which splats cannot take away from what is behind",
            "Fit it without its alpha.",
        )  # fmt: skip
    return picture
