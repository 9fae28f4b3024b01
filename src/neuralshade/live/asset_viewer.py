"""Asset on the live page while no fit runs."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralshade.errors import ConfigError
from neuralshade.fitting.loop import Restart
from neuralshade.kinds import open_asset
from neuralshade.kinds.kind import Opened
from neuralshade.live.messages import Control
from neuralshade.live.page_renderer import PageRenderer
from neuralshade.live.quality_panes import QualityMeasurement, with_flip

if TYPE_CHECKING:
    from neuralshade.scene.progressive_scene import ProgressiveScene

UNREPORTED = {"report": "A report compares with what was fitted: name that with --reference."}
NO_ASSET = dict.fromkeys(("asset", "report"), "A scene has no asset of its own to save or report.")


@dataclass
class AssetViewer:
    """Saves and controls for pages while no fit runs; ``reference``: its source, if known."""

    renderer: PageRenderer
    opened: Opened | None = None
    reference: Any = None
    unmeasured: bool = False  # no page has looked at it yet
    _watched: ProgressiveScene | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.measuring = QualityMeasurement(self.renderer.channel.publish)

    @property
    def name(self) -> str:
        """Return the file name for downloads."""
        return "asset.nsh" if self.opened is None else Path(self.opened.path).name

    def open(
        self, asset: Any, reference: Any = None, *, fitted: bool = False, trust: bool = False
    ) -> None:
        """Show an asset, beside ``reference`` where there is one.

        ``fitted``: it was fitted just now. Then a task without a picture is no error: its curves
        stay. ``trust``: as in ``load`` of the package.

        Raises: AssetError, PictureError; ConfigError for a reference that is not a set of maps.
        """
        opened = open_asset(asset, trust=trust)
        if reference is not None and not fitted:
            opened.check_reference(reference)  # a report compares with it
        scene = None if fitted and not opened.shows else opened.scene(reference)
        if scene is not None:
            name = scene.name if fitted else Path(opened.path).name
            measured = scene.measured or opened.summary().get("quality")
            scene = replace(scene, name=name, byte_count=opened.byte_count, measured=measured,
                            memory_bytes=opened.memory_bytes,
                            bits_per_pixel=opened.bits_per_pixel,
                            withheld=UNREPORTED if reference is None else {})  # fmt: skip
            scene = with_flip(scene)
            if fitted:
                self.renderer.prepare(scene)
        self.close()
        self.opened, self.reference = opened, reference
        self.renderer.show(scene)
        self.unmeasured = scene is not None

    def watch(self, watched: ProgressiveScene, name: str) -> None:
        """Show a scene, which has no asset to save or report."""
        self.close()
        self.opened, self.reference, self._watched = None, None, watched
        self.renderer.show(replace(watched.scene(name), withheld=NO_ASSET))

    def close(self) -> None:
        """Release drawing resources; the asset opens them again when drawn."""
        self.unmeasured = False
        self.measuring.forget()
        if self.opened is not None:
            self.opened.close()
        if self._watched is not None:
            self.renderer.show(None)
            self._watched.close()
            self._watched = None

    def measure(self) -> None:
        """Measure one pane of what is shown beside a reference, while no page waits for a frame."""
        if self.renderer.scene is None or not self.renderer.is_quiet:
            return
        if self.unmeasured:
            self.unmeasured = False
            self.measuring.begin(self.renderer.scene)
        self.measuring.measure_next()

    def control(self, message: Control) -> None:
        """Start a fit. Raises Restart; ConfigError for actions that need a running fit."""
        if message.action not in ("start", "reset", "transform"):
            raise ConfigError(f"{message.action}: got no fit that runs, need one. Start one.")
        raise Restart({"action": message.action, **message.settings})

    def save(self, path: Path) -> None:
        """Copy the asset's file."""
        shutil.copyfile(self._asset().path, path)

    def report(self, path: Path) -> None:
        """Write the asset's report; ConfigError without a reference."""
        opened = self._asset()
        if self.reference is None:
            raise ConfigError("report: got no reference, need what the asset was fitted to. "
                              "Name it with --reference.")  # fmt: skip
        opened.report(self.reference, path)

    def load(self, path: Path, into_fit: bool) -> str:
        """Show an uploaded asset."""
        if into_fit:
            raise ConfigError("load: got no fit that runs, need one. Show the asset instead.")
        self.open(path, self._reference_of(path))
        channel, text = self.renderer.channel, f"{path.name} is shown."
        fit = channel.state["fit"]  # of an ended fit, which has nothing to do with this asset
        if fit is not None:
            channel.publish("fit", {**fit, "state": "shown", "text": text})
        channel.publish("progress", None)
        channel.new_curve()
        return text

    def _reference_of(self, path: Path) -> Any:
        """Return the reference, where the asset was fitted to the same picture."""
        return None if self.reference is None else open_asset(path).same_reference(self.reference)

    def _asset(self) -> Opened:
        if self.opened is None:
            raise ConfigError("got no asset, need one. Load one, or start a fit.")
        return self.opened
