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
SENT = {"picture": "a picture", "maps": "maps", "source": "a source"}  # sources that a fit can have
ACTIONS = ("pause", "resume", "step", "stop", "rate", "transform", "reset", "start")


@dataclass(frozen=True)
class Received:
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


Message = View | Received | Visible | Pick | Overlay | Control


def parse(text: str) -> Message:
    """Return a page's message; ConfigError in one line where it is invalid."""
    try:
        said = strict_json(text)
    except ValueError as error:
        line = "message: got no strict JSON, need an object with a type."
        raise ConfigError(line) from error
    kind = said.get("type") if isinstance(said, dict) else None
    if not isinstance(kind, str) or kind not in READERS:
        raise ConfigError("message: got no type that is known, need one of "
                          f"{', '.join(READERS)}.")  # fmt: skip
    return READERS[kind](said)


def kind_of(text: str) -> str:
    """Return the type that a message claims, for a refusal."""
    try:
        return str(strict_json(text)["type"])[:LONGEST_NAME]
    except (ValueError, KeyError, TypeError):
        return "message"


def _view(said: Mapping[str, Any]) -> View:
    width, height = _whole(said, "width", 1, LARGEST_SIDE), _whole(said, "height", 1, LARGEST_SIDE)
    if width * height > MOST_PIXELS:
        raise ConfigError(f"view: got {width} x {height} pixels, need {MOST_PIXELS} at most.")
    panes = said.get("panes", [])
    if not isinstance(panes, list) or len(panes) > 8 or not all(_is_name(p) for p in panes):
        raise ConfigError("view.panes: got something else, need up to 8 names.")
    gamma = said.get("gamma")
    tone = Tone(_number(said, "exposure", -MOST_STOPS, MOST_STOPS, 0.0),
                None if gamma is None else _number(said, "gamma", 0.1, 10.0))  # fmt: skip
    light, turn = (_angles(said, name) for name in ("light", "turn"))
    return View(_id(said), _whole(said, "scene", 0), _region(said), width, height, tuple(panes),
                tone, light, _level(said), turn, said.get("parts") is True,
                inputs=_inputs(said.get("inputs", [])))  # fmt: skip


def _inputs(value: Any) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) > MOST_INPUTS or not all(map(_is_number, value)):
        raise ConfigError(f"view.inputs: need a list of up to {MOST_INPUTS} numbers.")
    return tuple(map(float, value))


def _angles(said: Mapping[str, Any], name: str) -> tuple[float, float] | None:
    if said.get(name) is None:
        return None
    first, second = _numbers(said[name], f"view.{name}", 2, 360.0)
    return first, second


def _level(said: Mapping[str, Any]) -> int:
    return _whole(said, "level", 0, MOST_LEVEL) if "level" in said else 0


def _region(said: Mapping[str, Any]) -> Crop:
    u0, v0, u1, v1 = _numbers(said.get("region", [0, 0, 1, 1]), "view.region", 4, 1.0)
    if not (0 <= u0 < u1 and 0 <= v0 < v1):
        raise ConfigError(f"view.region: got {u0:g},{v0:g},{u1:g},{v1:g}, need u0 < u1 and "
                          "v0 < v1 in [0, 1].")  # fmt: skip
    if min(u1 - u0, v1 - v0) < LEAST_REGION:
        raise ConfigError(f"view.region: need sides of {LEAST_REGION:g} at least.")
    return u0, v0, u1, v1


def _control(said: Mapping[str, Any]) -> Control:
    action = said.get("action")
    settings: dict[str, Any] = {}
    if action not in ACTIONS:
        raise ConfigError(f"control.action: got {str(action)[:40]!r}, need one of "
                          f"{', '.join(ACTIONS)}.")  # fmt: skip
    if action == "rate":
        settings["rate_scale"] = _number(said, "rate_scale", *RATE_SCALES)
    if action == "transform":
        if said.get("transform") not in TRANSFORMS:
            raise ConfigError(f"control.transform: need one of {', '.join(TRANSFORMS)}.")
        settings["transform"] = said["transform"]
    if action in ("reset", "start") and said.get("seed") is not None:
        settings["seed"] = _whole(said, "seed", 0)
    if action == "start":
        for name in (*SENT, "preset"):
            if said.get(name) is not None:
                if not _is_name(said[name]):
                    raise ConfigError(f"control.{name}: got something else, need a name.")
                settings[name] = said[name]
        given = [name for name in SENT if name in settings]
        if len(given) > 1:
            raise ConfigError(f"control.{given[1]}: got {SENT[given[0]]} too, need one of the two.")
        if said.get("kind") is not None:
            settings["kind"] = _name(said, "kind")
        if said.get("bpp") is not None:
            settings["bpp"] = _number(said, "bpp", *BPP)
        if said.get("seconds") is not None:
            settings["seconds"] = _number(said, "seconds", 0.1, 86_400.0)
        if said.get("set") is not None:
            settings["set"] = _pairs(said["set"])
    return Control(action, settings)


def _pairs(value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > MOST_VALUES or not all(map(_is_name, value)):
        raise ConfigError(f"control.set: need a list of up to {MOST_VALUES} NAME=VALUE.")
    return value


READERS: dict[str, Callable[[Mapping[str, Any]], Message]] = {
    "view": _view,
    "received": lambda said: Received(_id(said)),
    "visible": lambda said: Visible(said.get("visible") is True),
    "pick": lambda said: Pick(_id(said), _whole(said, "scene", 0), _number(said, "u", 0.0, 1.0),
                              _number(said, "v", 0.0, 1.0), _level(said)),
    "overlay": lambda said: Overlay(_whole(said, "scene", 0), _name(said, "name")),
    "control": _control,
}  # fmt: skip


def _id(said: Mapping[str, Any]) -> int:
    return _whole(said, "id", 0)


def _whole(said: Mapping[str, Any], name: str, least: int, most: int = MOST_SEED) -> int:
    value = said.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ConfigError(f"{said['type']}.{name}: need a whole number from {least} to {most}.")
    return value


def _number(
    said: Mapping[str, Any], name: str, least: float, most: float, usual: float | None = None
) -> float:
    value = said.get(name, usual)
    if not _is_number(value) or not least <= value <= most:
        raise ConfigError(f"{said['type']}.{name}: need a number from {least:g} to {most:g}.")
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


def _name(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name)
    if not _is_name(value):
        raise ConfigError(f"{said['type']}.{name}: need a name.")
    return str(value)
