"""A fit as it was called for, and as pages want it instead."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.place import loaded
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
# settings that begin another fit, not the last one again
OTHERS = {"picture", "maps", "source", "preset"}


@dataclass(frozen=True)
class Call:
    """A fit verb and what it is called with, by name.

    ``sent``: what the picture is called, where it came from a page. ``drawn``: where it lies, where
    that page drew it. ``spared``: the asset of another kind whose name this one does not take.
    """

    fit: Callable[..., Any]
    arguments: Mapping[str, Any]
    sent: str | None = None
    drawn: Path | None = None
    spared: Path | None = None

    @classmethod
    def of(cls, fit: Callable[..., Any], given: tuple[Any, ...], named: Mapping[str, Any]) -> Call:
        """Return the call that ``fit(*given, **named)`` is."""
        names = list(inspect.signature(fit).parameters)
        return cls(fit, {**dict(zip(names, given, strict=False)), **named})

    @property
    def kind(self) -> Kind:
        """Return the kind whose fit this is."""
        place = f"{self.fit.__module__}:{self.fit.__name__}"
        return next((kind for kind in all_kinds() if kind.fits == place), usual_kind())

    @property
    def subject(self) -> Any:
        """Return what is fitted."""
        return self.arguments.get(_subject_of(self.fit))

    @property
    def output(self) -> Path:
        """Return where the asset of a picture's fit goes."""
        given = self.arguments.get("output")
        return Path(f"{Path(name_of(self.subject)).stem}.nsh") if given is None else Path(given)

    def with_live(self, live: Any) -> Call:
        """Return the same call, shown by ``live``."""
        options: FitOptions = self.arguments.get("options", USUAL)
        return self._with({"options": replace(options, live=live)})

    def begun_anew(self, settings: Mapping[str, Any]) -> Call:
        """Return the same fit from its first step on, where this goes on from a checkpoint.

        ``settings``: those of the checkpoint's recipe, which what is called with agrees with.
        """
        options: FitOptions = self.arguments.get("options", USUAL)
        if options.resume is None:
            return self
        return self._with({**settings, "options": replace(options, resume=None)})

    def _with(self, changed: Mapping[str, Any]) -> Call:
        return replace(self, arguments={**self.arguments, **changed})

    def changed(self, wanted: Mapping[str, Any], uploads: Uploads) -> Call:
        """Return the fit that a page wants: ``wanted`` has an action and its settings.

        Raises: ConfigError, PictureError for a picture that is not there.
        """
        arguments = dict(self.arguments)
        arguments["options"] = replace(arguments.get("options", USUAL), resume=None)
        if wanted["action"] != "start":
            kept = ("seed", "transform")
            anew = {name: wanted[name] for name in kept if name in wanted}
            return replace(self, arguments=arguments | anew, spared=None)
        return self._started(arguments, wanted, uploads)

    def _started(
        self, arguments: dict[str, Any], wanted: Mapping[str, Any], uploads: Uploads
    ) -> Call:
        kind = _kind(wanted["kind"]) if "kind" in wanted else None
        if kind is None:
            kind = usual_kind() if wanted.keys() & OTHERS else self.kind
        settings = _settings(kind, wanted)
        if not wanted.keys() & OTHERS and kind == self.kind:
            ends = dict.fromkeys(ENDS) if "seconds" in wanted else {}
            kept = {name: value for name, value in arguments.items() if name not in ends}
            again = kept | _valued(kept, wanted) | settings
            return replace(self, arguments=again, spared=None)
        kept = {name: arguments[name] for name in ("options", "observer") if name in arguments}
        if "maps" in wanted:
            return Call(kind.fit, {**kept, **_of_maps(kind, wanted["maps"], uploads), **settings})
        if "source" in wanted:
            given = _of_source(kind, wanted["source"], uploads)
            return Call(kind.fit, {**kept, **given, **_valued(given, wanted), **settings})
        if not kind.subject.picture:
            raise ConfigError(f"start.kind: got {kind.name} for a picture, need one of "
                              f"{[k.name for k in all_kinds() if _takes_pictures(k)]}. Start it in "
                              f"a terminal: neuralshade {kind.made_by} --live.")  # fmt: skip
        if "picture" in wanted:
            picture = uploaded(uploads, wanted["picture"])
            given = {
                kind.subject.name: picture,
                "output": _free(Path(picture.name).stem or "picture", kind),
            }
            drawn = uploads.drawn(wanted["picture"])
            return Call(kind.fit, {**kept, **given, **settings}, picture.name, drawn)
        if not self.kind.subject.picture or self.subject is None:
            raise ConfigError("start: got no picture, need one to fit. Upload it first.")
        given = {kind.subject.name: self.subject, "output": arguments.get("output")}
        spared = None
        if kind != self.kind:
            spared = self.output if os.path.exists(self.output) else None
            given["output"] = _beside(self.output, self.kind, kind)
        return Call(kind.fit, {**kept, **given, **settings}, self.sent, self.drawn, spared)


def startable() -> list[dict[str, Any]]:
    """Return what pages are told of kinds that are fitted: what each takes, and its presets."""
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
    """Return whether bits per pixel may be asked for."""
    return any(setting.name == "bpp" for setting in fields(kind.recipe))


def _is_valued(kind: Kind) -> bool:
    """Return whether members are given values, as --set of its command does."""
    return any(flag.name == "set" for flag in kind.flags)


def _valued(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a fit is called with, those that a page wants over ``given`` ones."""
    pairs = parse_values(wanted.get("set", ()))
    values = {name: plain_value(name, text) for name, text in pairs.items()}
    return {"values": {**(given.get("values") or {}), **values}} if values else {}


def _kind(name: str) -> Kind:
    """Return a kind that is fitted; ConfigError for any other, with the nearest name."""
    known = {kind.name: kind for kind in all_kinds() if kind.fits is not None}
    if name not in known:
        raise ConfigError(f"start.kind: got {name[:80]!r}, need one of {list(known)}."
                          f"{did_you_mean(name, known)}")  # fmt: skip
    return known[name]


def _settings(kind: Kind, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a page wants; ConfigError before a fit is given up for them."""
    found = {name: wanted[name] for name in ("seed", "preset", "seconds", "bpp") if name in wanted}
    if "preset" in found:
        kind.check_preset(found["preset"])
    if wanted.get("set") and not _is_valued(kind):
        raise ConfigError(f"start.set: got it for {kind.name}, need a kind whose members are given "
                          "values. Leave it out.")  # fmt: skip
    if "bpp" in found and not _is_sized(kind):
        raise ConfigError(f"start.bpp: got it for {kind.name}, need a kind that is sized by bits "
                          "per pixel. Leave it out.")  # fmt: skip
    if "bpp" in found and kind.calls is not None and kind.subject.picture:
        typed = {name: value for name, value in found.items() if name != "preset"}
        line = CommandLine("", None, {}, found.get("preset"), typed, typed, {"resume": None})
        loaded(kind.calls)(line)  # what the command would refuse: nothing is left to be sized
    return found


def _of_maps(kind: Kind, key: str, uploads: Uploads) -> dict[str, Any]:
    """Return what a fit of uploaded maps is called with; ConfigError where it cannot be."""
    check_takes_maps(kind)
    folder = uploads.maps.fit(key, kind)
    return {_subject_of(kind.fit): folder, "output": _free(folder.name, kind)}


def _of_source(kind: Kind, key: str, uploads: Uploads) -> dict[str, Any]:
    """Return what a fit of an uploaded document is called with; ConfigError where none can be."""
    try:
        given = uploads.sources.fit(key, kind)
    except NeuralShadeError as error:  # pages know files by their names alone
        raise ConfigError(uploads.told(str(error))) from error
    return {**given, "output": _free(Path(name_of(given[_subject_of(kind.fit)])).stem, kind)}


def _subject_of(fit: Callable[..., Any]) -> str:
    """Return by what name a fit is given what it fits."""
    return next(iter(inspect.signature(fit).parameters))


def uploaded(uploads: Uploads, key: str) -> Picture:
    """Return a picture that was uploaded; ConfigError where there is none of that key."""
    if key not in uploads.pictures:
        raise ConfigError(f"start.picture: got {key[:80]!r}, need one that was uploaded and kept. "
                          "Upload it again.")  # fmt: skip
    return load_picture(uploads.pictures[key])


def first_call(options: FitOptions) -> Call:
    """Return what stands for the last fit where there was none."""
    return Call(usual_kind().fit, {"options": options})


def name_of(subject: Any) -> str:
    """Return what people call what is fitted."""
    if isinstance(subject, (str, os.PathLike)):
        return Path(subject).name
    return str(getattr(subject, "name", "array"))


def _beside(before: Path, old: Kind, kind: Kind) -> Path:
    """Return where an asset of ``kind`` goes beside one of another: each has its own name."""
    stem = f"{before.stem.removesuffix(f'_{old.name}')}_{kind.name}"
    return _free(stem, kind, before.parent)


def _free(stem: str, kind: Kind, folder: Path = Path()) -> Path:
    """Return a path in a folder, named after what is fitted, that nothing has yet."""
    end = ".nsh"
    if kind.output_form == "DIR":
        stem, end = f"{stem}_{kind.name}", ""
    numbers = iter(range(2, 10_000))
    path = folder / f"{stem}{end}"
    while os.path.exists(path):
        path = folder / f"{stem}_{next(numbers)}{end}"
    return path
