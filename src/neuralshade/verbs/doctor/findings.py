"""Findings of the doctor: rows under headings, each with a remedy where something is wrong."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from neuralshade.base.commit import version_with_commit
from neuralshade.errors import ConfigError
from neuralshade.verbs.doctor.packages import FOR_WORK, packages
from neuralshade.verbs.doctor.probe_processes import LIMIT_S, run_probes
from neuralshade.verbs.doctor.probes import PROBES
from neuralshade.verbs.doctor.remedies import NVIDIA, vulkan_remedy

OK, MISSING, OFF = "ok", "missing", "off"  # off: absent and optional
WRONG = "wrong"  # present, but not as required
SLANGPY = 'pip install "neuralshade[gpu]"'
CUDA = 'pip install "neuralshade[cuda]"'
PATIENT = "neuralshade devices"  # lists devices in this process, without a timeout
Row = dict[str, Any]  # what, state, found, remedy
Found = Mapping[str, Mapping[str, Any]]


def examine(limit_s: float = LIMIT_S, check_table: Callable[[str], object] = str) -> dict[str, Any]:
    """Return the findings as plain JSON data: headings with rows; never raises.

    A row has ``what``, ``state`` (ok, missing, wrong for a broken part, or off for an absent
    optional one), ``found`` in words, and ``remedy``: a command, other advice, or None.
    ``probes`` has the results of drivers and large packages, each probed in its own process with a
    timeout of ``limit_s`` seconds.
    ``check_table`` is called with each verb that has a table in the user's defaults; its
    ConfigError becomes a finding.
    """
    found = run_probes(list(PROBES), limit_s)
    parts: dict[str, Callable[[], list[Row]]] = {
        "neuralshade": lambda: _itself(check_table),
        "packages": _packages,
        "GPU": lambda: _gpu(found),
        "plug-ins": lambda: _plugins(found["plugins"]),
        "kept between runs": lambda: _caches(found["caches"]),
    }
    return {"headings": {title: _guarded(part) for title, part in parts.items()},
            "probes": found}  # fmt: skip


def _guarded(part: Callable[[], list[Row]]) -> list[Row]:
    try:
        return part()
    except Exception as error:  # an incomplete page is better than none
        return [_row("this part", MISSING, f"{type(error).__name__}: {error}")]


def _row(what: str, state: str, found: str, remedy: str | None = None) -> Row:
    return {"what": what, "state": state, "found": found, "remedy": remedy}


def _itself(check_table: Callable[[str], object]) -> list[Row]:
    place = Path(__file__).parents[2]
    return [
        _row("version", OK, f"{version_with_commit()} in {place}"),
        _row("Python", OK, f"{platform.python_version()} ({platform.python_implementation()}), "
             f"{sys.executable}"),
        _row("system", OK, f"{platform.platform()}, {os.cpu_count()} CPU cores"),
        *_defaults(check_table),
    ]  # fmt: skip


def _defaults(check_table: Callable[[str], object]) -> list[Row]:
    """Return a row on the user's defaults; none where their parser is not installed."""
    try:
        from neuralshade.fitting.defaults import default_tables, defaults_path
        from neuralshade.kinds import fit_verbs
    except ImportError:
        return []
    path = defaults_path()
    if not os.path.exists(path):
        return [_row("your defaults", OFF, f"none in {path}")]
    try:
        names = list(default_tables(fit_verbs))
        for name in names:
            check_table(name)
    except ConfigError as error:
        return [_row("your defaults", WRONG, str(error), f"correct {path}, or remove it")]
    tables = ", ".join(f"[{name}]" for name in names)
    return [_row("your defaults", OK, f"{path}: {tables or 'empty'}")]


def _packages() -> list[Row]:
    known = packages()
    if not known:
        return [_row("installed", MISSING, "this package has no metadata: it was not installed",
                     "pip install neuralshade")]  # fmt: skip
    plain = [p for p in known if p.extra is None]
    there = ", ".join(f"{p.name} {p.found}" for p in plain if p.enough)
    rows = [_row("there", OK, there)]
    for p in plain:
        if not p.enough:
            state = OFF if p.marked and p.found is None else MISSING
            what = "not there" if p.found is None else f"{p.found}, needs {p.least}"
            rows.append(_row(p.name, state, what, None if state == OFF else p.remedy))
    for extra in dict.fromkeys(p.extra for p in known if p.extra not in (None, FOR_WORK)):
        lack = [p.name for p in known if p.extra == extra and not p.enough]
        text = f"without {', '.join(lack)}" if lack else "there"
        remedy = f'pip install "neuralshade[{extra}]"' if lack else None
        rows.append(_row(f"extra {extra}", OFF if lack else OK, text, remedy))
    return rows


def _gpu(found: Found) -> list[Row]:
    return [_torch(found["torch"]), *_vulkan(found["vulkan"]), *_cuda(found),
            *_slangpy(found["slangpy"])]  # fmt: skip


def _torch(found: Mapping[str, Any]) -> Row:
    if "failed" in found:
        return _row("PyTorch", MISSING, found["failed"],
                    _remedy(found, "pip install --force-reinstall torch"))  # fmt: skip
    built = f", built for {found['built_for']}" if found["built_for"] else ""
    devices = ", ".join(["CPU", *found["devices"]])
    return _row("PyTorch", OK, f"{found['version']}{built}; {devices}")


def _remedy(found: Mapping[str, Any], usual: str) -> str:
    return PATIENT if "late" in found else usual


def _vulkan(found: Mapping[str, Any]) -> list[Row]:
    needed = MISSING if sys.platform != "darwin" else OFF
    if "failed" in found:
        return [_row("Vulkan", needed, found["failed"], _remedy(found, vulkan_remedy()))]
    if not found["devices"]:
        return [_row("Vulkan", needed, f"{found['loader']} lists no device", vulkan_remedy())]
    return [_row("Vulkan", OK, f"{d['name']} ({d['type']}, Vulkan {d['vulkan']})")
            for d in found["devices"]]  # fmt: skip


def _cuda(found: Found) -> list[Row]:
    driver, nvrtc = found["cuda"], found["nvrtc"]
    if "failed" in driver:
        # no remedy: most machines have no such GPU, which cannot be distinguished from no driver
        return [_row("CUDA", OFF, f"no NVIDIA driver or GPU ({driver['failed']})",
                     NVIDIA if _has_nvidia_gpu() else None)]  # fmt: skip
    rows = [_row("CUDA", OK, f"{', '.join(driver['devices'])}; driver takes {driver['driver']}")]
    if "failed" in nvrtc:
        return [*rows, _row("NVRTC", MISSING, nvrtc["failed"], _remedy(nvrtc, CUDA))]
    return [*rows, _row("NVRTC", OK, nvrtc["version"])]


def _has_nvidia_gpu() -> bool:
    """Return whether Linux lists an NVIDIA display device."""
    return any(
        _text(device / "vendor") == "0x10de" and _text(device / "class").startswith("0x03")
        for device in Path("/sys/bus/pci/devices").glob("*")
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _slangpy(found: Mapping[str, Any]) -> list[Row]:
    if "failed" in found:
        usual = vulkan_remedy() if "libatomic" in found["failed"] else SLANGPY
        return [_row("SlangPy", MISSING, found["failed"], _remedy(found, usual))]
    adapters = found["adapters"]
    rows = [_row("SlangPy", OK if adapters else MISSING, found["version"] + (
        "" if adapters else ", no adapter"), None if adapters else vulkan_remedy())]  # fmt: skip
    for adapter in adapters:
        name = f"{adapter['name']} ({adapter['api']})"
        failed = adapter["error"]
        rows.append(_row("", OK, f"{name} opens") if failed is None else
                    _row("", MISSING, failed, vulkan_remedy()))  # fmt: skip
    return rows


def _plugins(found: Mapping[str, Any]) -> list[Row]:
    if "failed" in found:
        return [_row("packages", MISSING, found["failed"])]
    rows = [_plugin(plugin) for plugin in found["plugins"]]
    return rows or [_row("none", OFF, "no package brings encodings, losses or kinds")]


def _plugin(found: Mapping[str, Any]) -> Row:
    what = f"{found['what']} {found['name']}"
    if found["fault"] is None:
        return _row(what, OK, f"{found['source']}, {found['place']}")
    command = "pip uninstall" if found["refused"] else "pip install --upgrade"
    named = re.fullmatch(r"[\w.-]+", found["package"])
    return _row(what, WRONG, f"{found['source']}: {found['fault']}",
                f"{command} {found['package']}" if named else None)  # fmt: skip


def _caches(found: Mapping[str, Any]) -> list[Row]:
    if "failed" in found:
        return [_row("folders", MISSING, found["failed"])]
    return [_cache(folder) for folder in found["folders"]]


def _cache(folder: Mapping[str, Any]) -> Row:
    size = f"{folder['files']:,} files, {folder['bytes'] / 1e6:.1f} MB"
    report = f"{folder['path']}: {size if folder['there'] else 'none yet'}"
    if folder["error"] is not None:
        report += f" ({folder['error']})"
    if folder["writable"] and folder["error"] is None:
        return _row(folder["what"], OK, report)
    return _row(folder["what"], WRONG, f"{report}; cannot be written",
                'sudo chown -R "$(id -u)" ' + f"'{folder['path']}'"
                if hasattr(os, "getuid") and folder["there"] else None)  # fmt: skip
