"""A page in the browser that shows a fit or an asset, and steers it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from neuralshade.base.interrupt import Interruption, last_asked
from neuralshade.base.log_relay import LogAside
from neuralshade.base.version import VERSION
from neuralshade.errors import ConfigError, NeuralShadeError
from neuralshade.fitting.facts import NO_STATE, fit_facts, reached_text, state_facts
from neuralshade.fitting.job import Job
from neuralshade.fitting.loop import Control, Restart
from neuralshade.fitting.options import USUAL, FitOptions
from neuralshade.kinds import open_asset, usual_kind
from neuralshade.live.access import LOOPBACK
from neuralshade.live.asset_viewer import ShownAsset
from neuralshade.live.channel import Channel
from neuralshade.live.fit_controller import Steering
from neuralshade.live.fit_request import Call, first_call, name_of, startable
from neuralshade.live.page_renderer import Stage
from neuralshade.live.request_handlers import answer
from neuralshade.live.server import PORT, Server
from neuralshade.live.startup_progress import Preparing
from neuralshade.live.uploads import Uploads
from neuralshade.source.transform import TRANSFORMS

log = logging.getLogger("neuralshade")
WAIT_SECONDS = 0.2  # between two looks at whether Ctrl-C was pressed


class Live:
    """Serves the page from when it is made until ``close``; a with block closes it.

    Everything is done by the thread that calls ``run``, ``show`` and ``wait``; a server in a
    thread of its own talks to the pages.

    Args:
        host: address to listen on. Beyond this machine's own (127.0.0.1) a token is demanded,
            which ``address`` has.
        port: to listen on, or the next one that is free (which is said); 0 is any.
        options: of fits that a page starts where none was run before.
        run_shaders: pages may send tasks and materials, which are code or become some, and have
            them run here: whoever may connect may. Else such a one is refused.

    Raises: ConfigError for a host that is not this machine's, DeviceError where no port is free.
    """

    def __init__(self, host: str = LOOPBACK, port: int = PORT, *, options: FitOptions = USUAL,
                 run_shaders: bool = False):  # fmt: skip
        self.uploads = Uploads(run_shaders)
        self.channel = Channel()
        self.channel.fixed = {"version": VERSION, "presets": list(usual_kind().presets),
                              "transforms": list(TRANSFORMS), "kinds": startable(),
                              "runs_shaders": run_shaders}  # fmt: skip
        self.stage = Stage(self.channel)
        try:
            self.server = Server(self.channel, self.uploads, host, port)
        except NeuralShadeError:
            self.stage.close()
            self.uploads.close()
            raise
        self.shown = ShownAsset(self.stage)
        self.preparing = Preparing(partial(self.channel.publish, "preparing"))
        self._call = first_call(options)
        self._runs = False  # whether the fit that begins is this one's to start again
        self._facts: dict[str, Any] | None = None  # of the last fit that began
        self._job: Job[Any] | None = None  # of the fit that runs
        self._fits = 0
        self._ends = False  # whether a fit was asked to end that had but to be finished, and was
        self._relay = LogAside(self.channel.note)
        log.addHandler(self._relay)

    @property
    def address(self) -> str:
        """Return the address to open in a browser, token included."""
        return self.server.address

    @property
    def addresses(self) -> list[str]:
        """Return every such address: several where it listens on all of a machine's."""
        return self.server.addresses

    def close(self) -> None:
        """Hang up on all pages, and delete what they sent."""
        log.removeHandler(self._relay)
        self.server.close()
        self.stage.close()
        self.shown.close()
        self.shown.measuring.close()
        self.uploads.close()

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def sent(self, place: str | None) -> str | None:
        """Return what is called so that a page sent; None for what its user has.

        ``place`` is where it lies; None is what is fitted from memory.
        """
        if place is None:
            return self._call.sent if self._runs else None
        return self.uploads.name_of(place)

    def drawn(self, place: str | None) -> Path | None:
        """Return where a picture lies that the page drew itself, as ``sent`` is asked."""
        return self._call.drawn if self._runs and place is None else None

    def run(self, fit: Callable[..., Any], *given: Any, **settings: Any) -> Any:
        """Fit while pages look on and steer; again where one of them asks for another fit.

        Args:
            fit: fit_image, fit_splats, fit_mipmaps or fit_shader.
            given, settings: what it is called with.

        Returns:
            What the last fit returned; None where a page gave it up to show an asset, or where
            a fit that a page asked for could not be done (which pages are told).

        Raises: what ``fit`` raises, where it was not a page that asked for it.
        """
        self._call = Call.of(fit, given, settings)
        return self._run(asked=False)

    def _run(self, asked: bool) -> Any:
        """Run the call, and those that pages want instead; ``asked``: one of them wanted it."""
        while True:
            try:
                return self._run_once()
            except Restart as restart:
                if not self._change(restart):
                    return None
                asked = True
            except Exception as error:
                self._end("failed", self._told(error))
                if not asked:
                    raise
                return None

    def _run_once(self) -> Any:
        self._fits, self._runs = self._fits + 1, True
        call, asked = self._call.with_live(self), last_asked()
        try:
            with self.preparing.told(f"fit {call.kind.name}, {name_of(call.subject)}"):
                result = call.fit(**call.arguments)
        finally:
            job, self._job, self._runs = self._job, None, False
            self._ends = last_asked() != asked
        # a task that a page sent is vouched for by who let pages send any
        trust = self.uploads.sources.allowed or bool(call.arguments.get("trust"))
        self.shown.open(result.asset, self._reference(call), fitted=True, trust=trust)
        self._end("ended", reached_text(result), {} if job is None else state_facts(job))
        return result

    def _change(self, restart: Restart) -> bool:
        """Make the call what a page wants; False where it wants none."""
        wanted = restart.settings
        try:
            if wanted["action"] == "show":
                self._end("stopped", f"given up to show {wanted['path'].name}")
                self.shown.open(wanted["path"])
                return False
            self._call = self._call.changed(wanted, self.uploads)
            return True
        except Exception as error:
            self._end("failed", self._told(error))
            return False

    def _told(self, error: Exception) -> str:
        """Return what pages are told of an error; one that is a bug goes to the log whole.

        It is no end of the server, whatever a page asked for.
        """
        if not isinstance(error, NeuralShadeError):
            log.error("live: a fit failed; the server goes on.", exc_info=error)
            error = ConfigError(f"got {type(error).__name__}: {error}. This is a bug.")
        return self.uploads.told(str(error))

    def _reference(self, call: Call) -> Any:
        """Return what the result of a call is compared with, None where nothing is."""
        return call.subject if call.kind.compared else None

    def _end(self, state: str, text: str, stands: Mapping[str, Any] = NO_STATE) -> None:
        """Tell pages that there is no fit any more, and what came of it."""
        facts = self._facts or {
            "id": self._fits, "verb": self._call.kind.name, "preset": None, "seed": 0,
            "picture": name_of(self._call.subject), "transform": None, "output": "",
        }  # fmt: skip
        can = ["start"] if self._call.subject is None else ["start", "reset"]
        if facts["transform"] is not None:
            can.append("transform")
        self.channel.publish("fit", {**facts, "state": state, "text": text, "rate_scale": 1.0,
                                     "can": can, **stands})  # fmt: skip

    def begin(self, job: Job[Any]) -> Control:
        """Return the control of a fit that begins, which calls this."""
        self.shown.close()  # what the page showed before leaves the GPU to the fit
        self._job = job
        self._facts = fit_facts(job, self._fits, job.preset)
        if self._runs:
            self._call = self._call.begun_anew(job.settings)
        call = self._call
        if self._runs and call.spared is not None:  # pages drop earlier lines when a fit begins
            log.info("%s stays as it is: the asset of fit %s goes to %s.", call.spared,
                     call.kind.name, job.output)  # fmt: skip
        again = (lambda wanted: call.changed(wanted, self.uploads)) if self._runs else None
        steering = Steering(self.channel, self.stage, job, self._facts, again)
        self.preparing.end()  # the fit is told of now
        return steering

    def show(self, asset: Any, reference: Any = None) -> None:
        """Show an asset, beside ``reference`` where one is given.

        Raises: AssetError, PictureError.
        """
        with self.preparing.told(f"opening {name_of(getattr(asset, 'path', asset))}"):
            self.shown.open(asset, reference)

    def watch(self, scene: str | os.PathLike[str], *, trust: bool = False) -> None:
        """Show a scene, path traced: pages turn it and move its first light.

        ``trust``: a reference that is a Slang module may run here, and is left out otherwise.

        Raises: what ``render_scene`` does.
        """
        from neuralshade.scene.progressive_scene import watched_scene

        with self.preparing.told(f"opening {Path(scene).name}"):
            self.shown.watch(watched_scene(scene, trust=trust), Path(scene).name)

    def wait(self) -> None:
        """Serve until Ctrl-C, SIGTERM or SIGHUP; a fit that a page asks for is run.

        At once where one of them came while a fit was being finished, which that only hastened.

        Raises: FitInterrupted where a fit was running then, after a checkpoint was saved.
        """
        with Interruption() as interruption:
            while not (interruption.requested or self._ends):
                self.stage.draw(None, hurried=False)
                self.shown.measure()
                self.channel.wait(WAIT_SECONDS)
                try:
                    answer(self.channel, self.stage, self.shown)
                except Restart as restart:
                    if self._change(restart):
                        self._run(asked=True)


def view(asset: Any = None, reference: Any = None, *, host: str = LOOPBACK, port: int = PORT,
         options: FitOptions = USUAL, values: Mapping[str, Any] | None = None,
         trust: bool = False, run_shaders: bool = False) -> Live:  # fmt: skip
    """Return a page that shows an asset, a scene or nothing yet; ``wait`` of it serves it.

    Args:
        asset: path of an asset, or what ``load`` returned; or path of a scene's TOML file, which
            says itself what is compared and what inputs are.
        reference: what it was fitted to: a picture, or the maps of mip levels.
        host, port, options, run_shaders: as Live says.
        values: of the asset's inputs, as ``render`` takes them.
        trust: Slang code that came with the asset may run, as ``load`` says; never that of assets
            which pages send.

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
