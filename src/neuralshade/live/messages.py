"""Messages from a page over the WebSocket, parsed and checked. docs/events.md lists them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from neuralshade.base.strict_json import strict_json
from neuralshade.errors import ConfigError
from neuralshade.fitting.scene import Tone, View
from neuralshade.source.crop import Crop
from neuralshade.source.transform import TRANSFORMS

LARGEST_SIDE = 4096  # pixels of a view
MOST_PIXELS = 2**22  # of a view
LEAST_REGION = 1e-9  # of a picture's side; smaller ones exceed float precision
MOST_STOPS = 32.0
MOST_LEVEL = 31  # mip level; a scene shows its last one for those that it lacks
RATE_SCALES = (0.01, 100.0)
BPP = (0.001, 1024.0)  # bits per pixel of a requested fit
MOST_SEED = 2**31 - 1
LONGEST_NAME = 200
MOST_INPUTS = 16  # of a scene; values are clamped to their range
MOST_VALUES = 64  # of members
SOURCES = {
    "picture": "a picture",
    "maps": "maps",
    "source": "a source",
}  # sources that a fit can have
ACTIONS = ("pause", "resume", "step", "stop", "rate", "transform", "reset", "start")


@dataclass(frozen=True)
class FrameShown:
    """Acknowledges that frame ``id`` was shown."""

    id: int


@dataclass(frozen=True)
class Visible:
    """Reports whether the page is visible."""

    visible: bool


@dataclass(frozen=True)
class Pick:
    """Requests the values at u, v."""

    id: int
    scene: int
    u: float
    v: float
    level: int = 0


@dataclass(frozen=True)
class Overlay:
    """Requests the overlay ``name``."""

    scene: int
    name: str


@dataclass(frozen=True)
class Control:
    """Action on the fit, with its settings."""

    action: str
    settings: Mapping[str, Any]


Message = View | FrameShown | Visible | Pick | Overlay | Control


def parse(text: str) -> Message:
    """Return a page's message; ConfigError in one line where it is invalid."""
    try:
        fields = strict_json(text)
    except ValueError as error:
        line = "message: got no strict JSON, need an object with a type."
        raise ConfigError(line) from error
    kind = fields.get("type") if isinstance(fields, dict) else None
    if not isinstance(kind, str) or kind not in READERS:
        raise ConfigError("message: got no type that is known, need one of "
                          f"{', '.join(READERS)}.")  # fmt: skip
    return READERS[kind](fields)


def kind_of(text: str) -> str:
    """Return the type that a message claims, for a refusal."""
    try:
        return str(strict_json(text)["type"])[:LONGEST_NAME]
    except (ValueError, KeyError, TypeError):
        return "message"


def _view(fields: Mapping[str, Any]) -> View:
    width, height = (
        _whole(fields, "width", 1, LARGEST_SIDE),
        _whole(fields, "height", 1, LARGEST_SIDE),
    )
    if width * height > MOST_PIXELS:
        raise ConfigError(f"view: got {width} x {height} pixels, need {MOST_PIXELS} at most.")
    panes = fields.get("panes", [])
    if not isinstance(panes, list) or len(panes) > 8 or not all(_is_name(p) for p in panes):
        raise ConfigError("view.panes: got something else, need up to 8 names.")
    gamma = fields.get("gamma")
    tone = Tone(_number(fields, "exposure", -MOST_STOPS, MOST_STOPS, 0.0),
                None if gamma is None else _number(fields, "gamma", 0.1, 10.0))  # fmt: skip
    light, turn = (_angles(fields, name) for name in ("light", "turn"))
    return View(_id(fields), _whole(fields, "scene", 0), _region(fields), width, height,
                tuple(panes), tone, light, _level(fields), turn, fields.get("parts") is True,
                inputs=_inputs(fields.get("inputs", [])))  # fmt: skip


def _inputs(value: Any) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) > MOST_INPUTS or not all(map(_is_number, value)):
        raise ConfigError(f"view.inputs: need a list of up to {MOST_INPUTS} numbers.")
    return tuple(map(float, value))


def _angles(fields: Mapping[str, Any], name: str) -> tuple[float, float] | None:
    if fields.get(name) is None:
        return None
    first, second = _numbers(fields[name], f"view.{name}", 2, 360.0)
    return first, second


def _level(fields: Mapping[str, Any]) -> int:
    return _whole(fields, "level", 0, MOST_LEVEL) if "level" in fields else 0


def _region(fields: Mapping[str, Any]) -> Crop:
    u0, v0, u1, v1 = _numbers(fields.get("region", [0, 0, 1, 1]), "view.region", 4, 1.0)
    if not (0 <= u0 < u1 and 0 <= v0 < v1):
        raise ConfigError(f"view.region: got {u0:g},{v0:g},{u1:g},{v1:g}, need u0 < u1 and "
                          "v0 < v1 in [0, 1].")  # fmt: skip
    if min(u1 - u0, v1 - v0) < LEAST_REGION:
        raise ConfigError(f"view.region: need sides of {LEAST_REGION:g} at least.")
    return u0, v0, u1, v1


def _control(fields: Mapping[str, Any]) -> Control:
    action = fields.get("action")
    settings: dict[str, Any] = {}
    if action not in ACTIONS:
        raise ConfigError(f"control.action: got {str(action)[:40]!r}, need one of "
                          f"{', '.join(ACTIONS)}.")  # fmt: skip
    if action == "rate":
        settings["rate_scale"] = _number(fields, "rate_scale", *RATE_SCALES)
    if action == "transform":
        if fields.get("transform") not in TRANSFORMS:
            raise ConfigError(f"control.transform: need one of {', '.join(TRANSFORMS)}.")
        settings["transform"] = fields["transform"]
    if action in ("reset", "start") and fields.get("seed") is not None:
        settings["seed"] = _whole(fields, "seed", 0)
    if action == "start":
        for name in (*SOURCES, "preset"):
            if fields.get(name) is not None:
                if not _is_name(fields[name]):
                    raise ConfigError(f"control.{name}: got something else, need a name.")
                settings[name] = fields[name]
        sources = [name for name in SOURCES if name in settings]
        if len(sources) > 1:
            raise ConfigError(
                f"control.{sources[1]}: got {SOURCES[sources[0]]} too, need one of the two."
            )
        if fields.get("kind") is not None:
            settings["kind"] = _name(fields, "kind")
        if fields.get("bpp") is not None:
            settings["bpp"] = _number(fields, "bpp", *BPP)
        if fields.get("seconds") is not None:
            settings["seconds"] = _number(fields, "seconds", 0.1, 86_400.0)
        if fields.get("set") is not None:
            settings["set"] = _pairs(fields["set"])
    return Control(action, settings)


def _pairs(value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > MOST_VALUES or not all(map(_is_name, value)):
        raise ConfigError(f"control.set: need a list of up to {MOST_VALUES} NAME=VALUE.")
    return value


READERS: dict[str, Callable[[Mapping[str, Any]], Message]] = {
    "view": _view,
    "received": lambda fields: FrameShown(_id(fields)),
    "visible": lambda fields: Visible(fields.get("visible") is True),
    "pick": lambda fields: Pick(_id(fields), _whole(fields, "scene", 0),
                                _number(fields, "u", 0.0, 1.0), _number(fields, "v", 0.0, 1.0),
                                _level(fields)),
    "overlay": lambda fields: Overlay(_whole(fields, "scene", 0), _name(fields, "name")),
    "control": _control,
}  # fmt: skip


def _id(fields: Mapping[str, Any]) -> int:
    return _whole(fields, "id", 0)


def _whole(fields: Mapping[str, Any], name: str, least: int, most: int = MOST_SEED) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ConfigError(f"{fields['type']}.{name}: need a whole number from {least} to {most}.")
    return value


def _number(
    fields: Mapping[str, Any], name: str, least: float, most: float, usual: float | None = None
) -> float:
    value = fields.get(name, usual)
    if not _is_number(value) or not least <= value <= most:
        raise ConfigError(f"{fields['type']}.{name}: need a number from {least:g} to {most:g}.")
    return float(value)


def _numbers(value: Any, place: str, count: int, most: float) -> list[float]:
    if not isinstance(value, list) or len(value) != count or not all(map(_is_number, value)):
        raise ConfigError(f"{place}: need {count} numbers.")
    if any(abs(number) > most for number in value):
        raise ConfigError(f"{place}: got a number beyond {most:g}.")
    return [float(number) for number in value]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e18


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()


def _name(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not _is_name(value):
        raise ConfigError(f"{fields['type']}.{name}: need a name.")
    return str(value)
