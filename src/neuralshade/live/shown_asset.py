"""An asset on the live page, with no fit that runs."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from neuralshade.asset.image import picture_facts
from neuralshade.errors import ConfigError, NeuralShadeError
from neuralshade.fitting.loop import Restart
from neuralshade.fitting.scene import Scene, grid_pages, picture_scene
from neuralshade.kinds.mipmaps.plane_scene import opened_plane
from neuralshade.kinds.shader.opened import OpenedShader
from neuralshade.kinds.splats.draw import unit_centers
from neuralshade.live.messages import Control
from neuralshade.live.stage import Stage
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture
from neuralshade.verbs.canvas import empty_canvas
from neuralshade.verbs.opened_mipmaps import OpenedMipmaps
from neuralshade.verbs.opening import Opened, OpenedImage, OpenedSplats, ignore, open_asset
from neuralshade.verbs.report import report


@dataclass
class Shown:
    """What pages save and steer while no fit runs; ``reference`` was fitted, if it is known."""

    stage: Stage
    opened: Opened | None = None
    reference: Any = None

    @property
    def name(self) -> str:
        """Return what files are called that pages save."""
        return "asset.nsh" if self.opened is None else Path(self.opened.asset.path).name

    def open(self, asset: Any, reference: Any = None, *, fitted: bool = False) -> None:
        """Show an asset, beside ``reference`` where one is given.

        ``fitted``: it was just now. Then a task that renders nothing is no error: its curves stay.

        Raises: AssetError, PictureError; ConfigError for what are no maps, of mip levels.
        """
        opened = open_asset(asset)
        if isinstance(opened, OpenedMipmaps) and reference is not None and not fitted:
            opened.same_textures(reference)  # shown nowhere, but a report compares with it
        renders = not isinstance(opened, OpenedShader) or opened.asset.header.picture is not None
        scene = None if fitted and not renders else asset_scene(opened, reference)
        if scene is not None and not fitted:
            scene = replace(scene, name=Path(opened.asset.path).name)
        self.close()
        self.opened, self.reference = opened, reference
        self.stage.show(scene)

    def close(self) -> None:
        """Give back what is drawn with; drawn again, the asset opens that anew."""
        if self.opened is not None:
            self.opened.close()

    def control(self, wanted: Control) -> None:
        """Start a fit. Raises Restart; ConfigError for what only a running fit does."""
        if wanted.action not in ("start", "reset", "transform"):
            raise ConfigError(f"{wanted.action}: got no fit that runs, need one. Start one.")
        raise Restart({"action": wanted.action, **wanted.settings})

    def save(self, path: Path) -> None:
        """Copy the asset's file."""
        shutil.copyfile(self._there().asset.path, path)

    def report(self, path: Path) -> None:
        """Write the asset's report; ConfigError where there is nothing to compare it with."""
        opened = self._there()
        if self.reference is None:
            raise ConfigError("report: got no reference, need what the asset was fitted to. "
                              "Name it with --reference.")  # fmt: skip
        report(opened.asset, self.reference, path)

    def load(self, path: Path, into_fit: bool) -> str:
        """Show an uploaded asset."""
        if into_fit:
            raise ConfigError("load: got no fit that runs, need one. Show the asset instead.")
        self.open(path, self._reference_of(path))
        channel, text = self.stage.channel, f"{path.name} is shown."
        fit = channel.known["fit"]  # that ended: what is shown now is none of its making
        if fit is not None:
            channel.publish("fit", {**fit, "state": "shown", "text": text})
        channel.publish("progress", None)
        channel.new_curve()
        return text

    def _reference_of(self, path: Path) -> Any:
        """Return the reference that there is, where the asset was fitted to the same picture."""
        opened = open_asset(path)
        if self.reference is None or not isinstance(opened, (OpenedImage, OpenedSplats)):
            return None
        try:
            known = self.reference
            picture = known if isinstance(known, Picture) else load_picture(known)
        except (NeuralShadeError, TypeError):  # maps of a fit of mip levels
            return None
        theirs, ours = opened.asset.header.picture, picture_facts(picture)
        same = all(theirs.get(name, value) == value for name, value in ours.items())
        return picture if same else None

    def _there(self) -> Opened:
        if self.opened is None:
            raise ConfigError("got no asset, need one. Load one, or start a fit.")
        return self.opened


def asset_scene(opened: Opened, reference: Any) -> Scene:
    """Return the scene of an asset. Raises AssetError where it shows nothing, PictureError."""
    if isinstance(opened, OpenedMipmaps):
        return opened_plane(opened)
    facts = opened.facts
    target = None if reference is None else opened.target(reference, ignore)
    size = opened.size if target is None else (target.width, target.height)
    canvas = empty_canvas(size, int(facts["channels"]), opened.color_space, facts["name"], "")
    pages = (
        grid_pages(lambda: [grid for _, grid in opened.grids()])
        if isinstance(opened, OpenedImage)
        else {}
    )
    points = (
        {"Gaussians": lambda: unit_centers(opened.cloud)}
        if isinstance(opened, OpenedSplats)
        else {}
    )
    return picture_scene(opened.kind, target or canvas, opened.draw, compared=target is not None,
                         continuous=True, pages=pages, points=points, changes=())  # fmt: skip
