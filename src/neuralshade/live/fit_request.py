"""Request for a fit: the arguments of a fit function, and changes that pages make to them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.lazy_import import import_object
from neuralshade.errors import ConfigError, NeuralShadeError
from neuralshade.fitting.command import CommandLine
from neuralshade.fitting.options import USUAL, FitOptions
from neuralshade.fitting.typed_values import parse_values, plain_value
from neuralshade.kinds import all_kinds, usual_kind
from neuralshade.kinds.kind import Kind
from neuralshade.live.map_sets import check_takes_maps
from neuralshade.live.uploads import Uploads
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture

ENDS = ("seconds", "steps", "target_psnr")
# settings that start another fit instead of repeating the last one
OTHERS = {"picture", "maps", "source", "preset"}


@dataclass(frozen=True)
class FitRequest:
    """A fit function and its arguments, by name.

    ``sent``: name of an uploaded picture. ``drawn``: path of a picture that the page drew itself.
    ``spared``: existing asset of another kind, which this fit does not overwrite.
    """

    fit: Callable[..., Any]
    arguments: Mapping[str, Any]
    sent: str | None = None
    drawn: Path | None = None
    spared: Path | None = None

    @classmethod
    def of(
        cls, fit: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> FitRequest:
        """Return the request for ``fit(*args, **kwargs)``."""
        names = list(inspect.signature(fit).parameters)
        return cls(fit, {**dict(zip(names, args, strict=False)), **kwargs})

    @property
    def kind(self) -> Kind:
        """Return the kind that this function fits."""
        place = f"{self.fit.__module__}:{self.fit.__name__}"
        return next((kind for kind in all_kinds() if kind.fits == place), usual_kind())

    @property
    def subject(self) -> Any:
        """Return the source that is fitted."""
        return self.arguments.get(_subject_of(self.fit))

    @property
    def output(self) -> Path:
        """Return the path of the asset."""
        output = self.arguments.get("output")
        return Path(f"{Path(name_of(self.subject)).stem}.nsh") if output is None else Path(output)

    def with_live(self, live: Any) -> FitRequest:
        """Return the same request with ``live`` as its page."""
        options: FitOptions = self.arguments.get("options", USUAL)
        return self._with({"options": replace(options, live=live)})

    def from_first_step(self, settings: Mapping[str, Any]) -> FitRequest:
        """Return the request from its first step on, where it resumes from a checkpoint.

        ``settings``: those of the checkpoint's recipe.
        """
        options: FitOptions = self.arguments.get("options", USUAL)
        if options.resume is None:
            return self
        return self._with({**settings, "options": replace(options, resume=None)})

    def _with(self, changed: Mapping[str, Any]) -> FitRequest:
        return replace(self, arguments={**self.arguments, **changed})

    def changed(self, request: Mapping[str, Any], uploads: Uploads) -> FitRequest:
        """Return the fit that a page requests: ``request`` has an action and its settings.

        Raises: ConfigError; PictureError for a missing picture.
        """
        arguments = dict(self.arguments)
        arguments["options"] = replace(arguments.get("options", USUAL), resume=None)
        if request["action"] != "start":
            kept = ("seed", "transform")
            repeated = {name: request[name] for name in kept if name in request}
            return replace(self, arguments=arguments | repeated, spared=None)
        return self._started(arguments, request, uploads)

    def _started(
        self, arguments: dict[str, Any], request: Mapping[str, Any], uploads: Uploads
    ) -> FitRequest:
        kind = _kind(request["kind"]) if "kind" in request else None
        if kind is None:
            kind = usual_kind() if request.keys() & OTHERS else self.kind
        settings = _settings(kind, request)
        if not request.keys() & OTHERS and kind == self.kind:
            ends = dict.fromkeys(ENDS) if "seconds" in request else {}
            kept = {name: value for name, value in arguments.items() if name not in ends}
            again = kept | _valued(kept, request) | settings
            return replace(self, arguments=again, spared=None)
        kept = {name: arguments[name] for name in ("options", "observer") if name in arguments}
        if "maps" in request:
            return FitRequest(
                kind.fit, {**kept, **_of_maps(kind, request["maps"], uploads), **settings}
            )
        if "source" in request:
            source = _of_source(kind, request["source"], uploads)
            return FitRequest(kind.fit, {**kept, **source, **_valued(source, request), **settings})
        if not kind.subject.picture:
            raise ConfigError(f"start.kind: got {kind.name} for a picture, need one of "
                              f"{[k.name for k in all_kinds() if _takes_pictures(k)]}. Start it in "
                              f"a terminal: neuralshade {kind.made_by} --live.")  # fmt: skip
        if "picture" in request:
            picture = uploaded(uploads, request["picture"])
            source = {
                kind.subject.name: picture,
                "output": _free(Path(picture.name).stem or "picture", kind),
            }
            drawn = uploads.drawn(request["picture"])
            return FitRequest(kind.fit, {**kept, **source, **settings}, picture.name, drawn)
        if not self.kind.subject.picture or self.subject is None:
            raise ConfigError("start: got no picture, need one to fit. Upload it first.")
        source = {kind.subject.name: self.subject, "output": arguments.get("output")}
        spared = None
        if kind != self.kind:
            spared = self.output if os.path.exists(self.output) else None
            source["output"] = _beside(self.output, self.kind, kind)
        return FitRequest(kind.fit, {**kept, **source, **settings}, self.sent, self.drawn, spared)


def startable() -> list[dict[str, Any]]:
    """Return the facts about fitted kinds that pages show: sources, presets, options."""
    return [
        {"name": kind.name, "about": kind.about, "picture": _takes_pictures(kind),
         "maps": bool(kind.subject.maps), "bpp": _is_sized(kind), "presets": list(kind.presets),
         "set": _is_valued(kind),
         "documents": list(kind.subject.documents), "what": kind.subject.what,
         "example": kind.subject.example or kind.subject.name.upper()}
        for kind in all_kinds()
        if kind.fits is not None
    ]  # fmt: skip


def _takes_pictures(kind: Kind) -> bool:
    return kind.fits is not None and kind.subject.picture


def _is_sized(kind: Kind) -> bool:
    """Return whether the kind has a setting for bits per pixel."""
    return any(setting.name == "bpp" for setting in fields(kind.recipe))


def _is_valued(kind: Kind) -> bool:
    """Return whether the kind's command has --set."""
    return any(flag.name == "set" for flag in kind.flags)


def _valued(arguments: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of members: those of the page's request over ``arguments``."""
    pairs = parse_values(request.get("set", ()))
    values = {name: plain_value(name, text) for name, text in pairs.items()}
    return {"values": {**(arguments.get("values") or {}), **values}} if values else {}


def _kind(name: str) -> Kind:
    """Return a fitted kind by name; ConfigError otherwise, with the nearest name."""
    known = {kind.name: kind for kind in all_kinds() if kind.fits is not None}
    if name not in known:
        raise ConfigError(f"start.kind: got {name[:80]!r}, need one of {list(known)}."
                          f"{did_you_mean(name, known)}")  # fmt: skip
    return known[name]


def _settings(kind: Kind, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a page's request; ConfigError before the running fit is stopped."""
    found = {
        name: request[name] for name in ("seed", "preset", "seconds", "bpp") if name in request
    }
    if "preset" in found:
        kind.check_preset(found["preset"])
    if request.get("set") and not _is_valued(kind):
        raise ConfigError(f"start.set: got it for {kind.name}, need a kind whose members take "
                          "values. Leave it out.")  # fmt: skip
    if "bpp" in found and not _is_sized(kind):
        raise ConfigError(f"start.bpp: got it for {kind.name}, need a kind that is sized by bits "
                          "per pixel. Leave it out.")  # fmt: skip
    if "bpp" in found and kind.calls is not None and kind.subject.picture:
        typed = {name: value for name, value in found.items() if name != "preset"}
        line = CommandLine("", None, {}, found.get("preset"), typed, typed, {"resume": None})
        import_object(kind.calls)(line)  # raises where no setting is left to size
    return found


def _of_maps(kind: Kind, key: str, uploads: Uploads) -> dict[str, Any]:
    """Return the arguments for a fit of uploaded maps; ConfigError where the kind takes none."""
    check_takes_maps(kind)
    folder = uploads.maps.fit(key, kind)
    return {_subject_of(kind.fit): folder, "output": _free(folder.name, kind)}


def _of_source(kind: Kind, key: str, uploads: Uploads) -> dict[str, Any]:
    """Return the arguments for a fit of an uploaded document; ConfigError where that fails."""
    try:
        arguments = uploads.sources.fit(key, kind)
    except NeuralShadeError as error:  # pages know files by name alone
        raise ConfigError(uploads.public_text(str(error))) from error
    return {
        **arguments,
        "output": _free(Path(name_of(arguments[_subject_of(kind.fit)])).stem, kind),
    }


def _subject_of(fit: Callable[..., Any]) -> str:
    """Return the name of a fit function's first parameter."""
    return next(iter(inspect.signature(fit).parameters))


def uploaded(uploads: Uploads, key: str) -> Picture:
    """Return an uploaded picture; ConfigError for an unknown key."""
    if key not in uploads.pictures:
        raise ConfigError(f"start.picture: got {key[:80]!r}, need one that was uploaded and kept. "
                          "Upload it again.")  # fmt: skip
    return load_picture(uploads.pictures[key])


def initial_request(options: FitOptions) -> FitRequest:
    """Return the request that stands in before the first fit."""
    return FitRequest(usual_kind().fit, {"options": options})


def name_of(subject: Any) -> str:
    """Return the display name of a fit's source."""
    if isinstance(subject, (str, os.PathLike)):
        return Path(subject).name
    return str(getattr(subject, "name", "array"))


def _beside(before: Path, old: Kind, kind: Kind) -> Path:
    """Return the path of an asset of ``kind`` beside one of another kind."""
    stem = f"{before.stem.removesuffix(f'_{old.name}')}_{kind.name}"
    return _free(stem, kind, before.parent)


def _free(stem: str, kind: Kind, folder: Path = Path()) -> Path:
    """Return an unused path in a folder, named after the source."""
    end = ".nsh"
    if kind.output_form == "DIR":
        stem, end = f"{stem}_{kind.name}", ""
    numbers = iter(range(2, 10_000))
    path = folder / f"{stem}{end}"
    while os.path.exists(path):
        path = folder / f"{stem}_{next(numbers)}{end}"
    return path
