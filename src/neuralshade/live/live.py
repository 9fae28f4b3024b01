"""Live page in the browser: shows a fit or an asset, and controls it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from neuralshade.base.interrupt import Interruption, last_request_time
from neuralshade.base.log_relay import LogTap
from neuralshade.base.version import VERSION
from neuralshade.errors import ConfigError, NeuralShadeError
from neuralshade.fitting.facts import NO_STATE, fit_facts, reached_text, state_facts
from neuralshade.fitting.job import Job
from neuralshade.fitting.loop import Control, Restart
from neuralshade.fitting.options import USUAL, FitOptions
from neuralshade.kinds import open_asset, usual_kind
from neuralshade.live.access import LOOPBACK
from neuralshade.live.asset_viewer import AssetViewer
from neuralshade.live.channel import Channel
from neuralshade.live.fit_controller import FitController
from neuralshade.live.fit_request import FitRequest, initial_request, name_of, startable
from neuralshade.live.page_renderer import PageRenderer
from neuralshade.live.request_handlers import answer
from neuralshade.live.server import PORT, Server
from neuralshade.live.startup_progress import StartupProgress
from neuralshade.live.uploads import Uploads
from neuralshade.source.transform import TRANSFORMS

log = logging.getLogger("neuralshade")
WAIT_SECONDS = 0.2  # between two checks for Ctrl-C


class Live:
    """Serves the page from construction until ``close``; a with block closes it.

    All work is done by the thread that calls ``run``, ``show`` and ``wait``; a server thread talks
    to the pages.

    Args:
        host: address to listen on. Beyond loopback (127.0.0.1) a token is required; ``address``
            contains it.
        port: to listen on, or the next free one (logged); 0 is any.
        options: of fits that a page starts where none ran before.
        run_shaders: pages may upload tasks and materials, which contain code, and run them here, as
            may everybody who can connect. Otherwise such uploads are refused.

    Raises: ConfigError for a host that is not this machine's, DeviceError where no port is free.
    """

    def __init__(self, host: str = LOOPBACK, port: int = PORT, *, options: FitOptions = USUAL,
                 run_shaders: bool = False):  # fmt: skip
        self.uploads = Uploads(run_shaders)
        self.channel = Channel()
        self.channel.fixed = {"version": VERSION, "presets": list(usual_kind().presets),
                              "transforms": list(TRANSFORMS), "kinds": startable(),
                              "runs_shaders": run_shaders}  # fmt: skip
        self.renderer = PageRenderer(self.channel)
        try:
            self.server = Server(self.channel, self.uploads, host, port)
        except NeuralShadeError:
            self.renderer.close()
            self.uploads.close()
            raise
        self.viewer = AssetViewer(self.renderer)
        self.startup = StartupProgress(partial(self.channel.publish, "preparing"))
        self._request = initial_request(options)
        self._runs = False  # whether this object started the fit that begins, and can restart it
        self._facts: dict[str, Any] | None = None  # of the last fit
        self._job: Job[Any] | None = None  # of the running fit
        self._fits = 0
        self._ends = False  # whether a signal arrived while a fit was finishing
        self._relay = LogTap(self.channel.note)
        log.addHandler(self._relay)

    @property
    def address(self) -> str:
        """Return the address to open in a browser, token included."""
        return self.server.address

    @property
    def addresses(self) -> list[str]:
        """Return every such address: several where it listens on all interfaces."""
        return self.server.addresses

    def close(self) -> None:
        """Disconnect all pages and delete their uploads."""
        log.removeHandler(self._relay)
        self.server.close()
        self.renderer.close()
        self.viewer.close()
        self.viewer.measuring.close()
        self.uploads.close()

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def sent(self, place: str | None) -> str | None:
        """Return the name of an uploaded source; None for a local one.

        ``place``: its path; None: a source in memory.
        """
        if place is None:
            return self._request.sent if self._runs else None
        return self.uploads.name_of(place)

    def drawn(self, place: str | None) -> Path | None:
        """Return the path of a picture that the page drew itself; arguments as of ``sent``."""
        return self._request.drawn if self._runs and place is None else None

    def run(self, fit: Callable[..., Any], *args: Any, **settings: Any) -> Any:
        """Run a fit that pages show and control; run again when a page requests another fit.

        Args:
            fit: fit_image, fit_splats, fit_mipmaps or fit_shader.
            args, settings: its arguments.

        Returns:
            The result of the last fit; None where a page stopped it to show an asset, or where a
            fit that a page requested failed (pages show the error).

        Raises: what ``fit`` raises, unless a page requested the fit.
        """
        self._request = FitRequest.of(fit, args, settings)
        return self._run(by_page=False)

    def _run(self, by_page: bool) -> Any:
        """Run the fit and those that pages request later; ``by_page``: a page requested it."""
        while True:
            try:
                return self._run_once()
            except Restart as restart:
                if not self._change(restart):
                    return None
                by_page = True
            except Exception as error:
                self._end("failed", self._error_text(error))
                if not by_page:
                    raise
                return None

    def _run_once(self) -> Any:
        self._fits, self._runs = self._fits + 1, True
        call, signals = self._request.with_live(self), last_request_time()
        try:
            with self.startup.report(f"fit {call.kind.name}, {name_of(call.subject)}"):
                result = call.fit(**call.arguments)
        finally:
            job, self._job, self._runs = self._job, None, False
            self._ends = last_request_time() != signals
        # the permission to upload code includes trust in an uploaded task
        trust = self.uploads.sources.allowed or bool(call.arguments.get("trust"))
        self.viewer.open(result.asset, self._reference(call), fitted=True, trust=trust)
        self._end("ended", reached_text(result), {} if job is None else state_facts(job))
        return result

    def _change(self, restart: Restart) -> bool:
        """Update the request as a page demands; False where no fit follows."""
        request = restart.settings
        try:
            if request["action"] == "show":
                self._end("stopped", f"stopped to show {request['path'].name}")
                self.viewer.open(request["path"])
                return False
            self._request = self._request.changed(request, self.uploads)
            return True
        except Exception as error:
            self._end("failed", self._error_text(error))
            return False

    def _error_text(self, error: Exception) -> str:
        """Return an error's text for pages; an unexpected error is logged with its traceback.

        No error of a requested fit ends the server.
        """
        if not isinstance(error, NeuralShadeError):
            log.error("live: a fit failed; the server goes on.", exc_info=error)
            error = ConfigError(f"got {type(error).__name__}: {error}. This is a bug.")
        return self.uploads.public_text(str(error))

    def _reference(self, call: FitRequest) -> Any:
        """Return the reference of a request's result, None where there is none."""
        return call.subject if call.kind.compared else None

    def _end(self, state: str, text: str, stands: Mapping[str, Any] = NO_STATE) -> None:
        """Publish the final state of a fit."""
        facts = self._facts or {
            "id": self._fits, "verb": self._request.kind.name, "preset": None, "seed": 0,
            "picture": name_of(self._request.subject), "transform": None, "output": "",
        }  # fmt: skip
        can = ["start"] if self._request.subject is None else ["start", "reset"]
        if facts["transform"] is not None:
            can.append("transform")
        self.channel.publish("fit", {**facts, "state": state, "text": text, "rate_scale": 1.0,
                                     "can": can, **stands})  # fmt: skip

    def begin(self, job: Job[Any]) -> Control:
        """Return the control of a fit that starts; called by the fit."""
        self.viewer.close()  # frees the GPU for the fit
        self._job = job
        self._facts = fit_facts(job, self._fits, job.preset)
        if self._runs:
            self._request = self._request.from_first_step(job.settings)
        call = self._request
        if self._runs and call.spared is not None:  # pages drop earlier lines when a fit begins
            log.info("%s stays as it is: the asset of fit %s goes to %s.", call.spared,
                     call.kind.name, job.output)  # fmt: skip
        again = (lambda request: call.changed(request, self.uploads)) if self._runs else None
        controller = FitController(self.channel, self.renderer, job, self._facts, again)
        self.startup.end()  # the fit is published now
        return controller

    def show(self, asset: Any, reference: Any = None) -> None:
        """Show an asset, beside ``reference`` where there is one.

        Raises: AssetError, PictureError.
        """
        with self.startup.report(f"opening {name_of(getattr(asset, 'path', asset))}"):
            self.viewer.open(asset, reference)

    def watch(self, scene: str | os.PathLike[str], *, trust: bool = False) -> None:
        """Show a path-traced scene: pages rotate it and move its first light.

        ``trust``: run the code of a reference that is a Slang module; it is left out otherwise.

        Raises: what ``render_scene`` does.
        """
        from neuralshade.scene.progressive_scene import open_progressive_scene

        with self.startup.report(f"opening {Path(scene).name}"):
            self.viewer.watch(open_progressive_scene(scene, trust=trust), Path(scene).name)

    def wait(self) -> None:
        """Serve until Ctrl-C, SIGTERM or SIGHUP; run the fits that pages request.

        Returns at once where a signal arrived while a fit was finishing.

        Raises: FitInterrupted where a fit was running, after its checkpoint was saved.
        """
        with Interruption() as interruption:
            while not (interruption.requested or self._ends):
                self.renderer.draw(None, hurried=False)
                self.viewer.measure()
                self.channel.wait(WAIT_SECONDS)
                try:
                    answer(self.channel, self.renderer, self.viewer)
                except Restart as restart:
                    if self._change(restart):
                        self._run(by_page=True)


def view(asset: Any = None, reference: Any = None, *, host: str = LOOPBACK, port: int = PORT,
         options: FitOptions = USUAL, values: Mapping[str, Any] | None = None,
         trust: bool = False, run_shaders: bool = False) -> Live:  # fmt: skip
    """Return a page that shows an asset, a scene or nothing yet; its ``wait`` serves it.

    Args:
        asset: path of an asset, or the result of ``load``; or path of a scene's TOML file, which
            names references and inputs itself.
        reference: source of the asset: a picture, or the maps of mip levels.
        host, port, options, run_shaders: as in Live.
        values: of the asset's inputs, as in ``render``.
        trust: run Slang code that came with the asset, as in ``load``; never that of uploaded
            assets.

    Raises: AssetError, PictureError; what Live raises, and of a scene ``render_scene``.
    """
    is_scene = isinstance(asset, (str, os.PathLike)) and Path(asset).suffix.lower() == ".toml"
    if is_scene and (reference is not None or values):
        name = "reference" if reference is not None else "values"
        raise ConfigError(f"{name}: got one for a scene, need it in the scene's file. Write it "
                          "under [materials.NAME].")  # fmt: skip
    live = Live(host, port, options=options, run_shaders=run_shaders)
    try:
        if is_scene:
            live.watch(asset, trust=trust)
        elif asset is not None:
            live.show(open_asset(asset, values, trust=trust), reference)
    except BaseException:
        live.close()
        raise
    return live
