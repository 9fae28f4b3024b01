"""Early checks of a fit's arguments, and its device's early start: before its packages load."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from neuralshade.base.lazy_import import import_object
from neuralshade.errors import ConfigError
from neuralshade.fitting.command import named_sources
from neuralshade.kinds.kind import Kind

ENGINES = ("auto", "torch", "gpu")  # a test holds them equal to those of engine/engine_choice.py
TEXTS = (".slang", ".toml")  # suffixes of documents that are text


def check_early(kind: Kind, subject: Any, output: str | None, own: Mapping[str, Any],
                options: Mapping[str, Any], live: Mapping[str, Any]) -> None:  # fmt: skip
    """Raise the fit's own errors early: a missing input, a suffix, a port.

    Checks that need its packages are left to the fit.
    """
    check_port(live.get("port"))
    if options.get("engine", ENGINES[0]) not in ENGINES:
        return  # another check refuses it first
    _check_there(kind, subject)
    single = output is not None and kind.output_form == "ASSET" and not own.get("plan")
    if not single and options.get("report") is None:
        return
    from neuralshade.fitting.output_checks import check_asset_place, check_no_input, check_page

    inputs = subject if isinstance(subject, tuple) else (subject,)
    if single and output:
        check_no_input(output, *inputs, options.get("resume"))
        check_asset_place(output)
    if options.get("report") is not None and options["report"]:
        check_no_input(options["report"], *inputs, options.get("resume"))
        check_page(options["report"])


def early_device(kind: Kind, own: Mapping[str, Any],
                 options: Mapping[str, Any]) -> AbstractContextManager[None]:  # fmt: skip
    """Return a context for a fit: NVIDIA's driver starts while packages load, if it may be used."""
    prints = any(own[flag.key] for flag in kind.flags if flag.stops)
    on_gpu = options.get("engine", ENGINES[0]) != "torch" and "device" in kind.takes
    if prints or not on_gpu or options["device"] not in (None, "cuda"):
        return nullcontext()
    from neuralshade.gpu.nvidia_driver import driver_started

    return driver_started()


def check_port(port: int | None) -> None:
    """Raise ConfigError for an invalid port."""
    if port is not None:
        from neuralshade.live.port import check_port

        check_port(port)


def check_asset(path: str) -> None:
    """Raise AssetError for a missing asset."""
    if not os.path.exists(path):
        from neuralshade.kinds import checkpoint_facts

        checkpoint_facts(path)


def check_picture_name(path: str) -> None:
    """Raise OutputError for a picture's path without a known suffix."""
    from neuralshade.source.image_output import check_suffix

    check_suffix(path)


def _check_there(kind: Kind, subject: Any) -> None:
    """Raise the error of a missing input."""
    if kind.subject.several:
        sources, named = named_sources(subject)
        if len(sources) == 1 and not named and kind.subject.maps and not os.path.exists(sources[0]):
            import_object(kind.subject.maps)(sources[0], {})
        return
    if os.path.exists(subject) or not subject:
        return
    suffix = Path(subject).suffix.lower()
    if kind.subject.picture:
        from neuralshade.source.file_kind import file_kind

        file_kind(Path(subject))
    elif suffix in TEXTS:
        from neuralshade.base.text_file import read_text

        read_text(subject, f"a {suffix} file", "text")
    elif suffix == ".mtlx":
        raise ConfigError(f"{subject}: got no such file, need a MaterialX document. Check the "
                          "path.")  # fmt: skip
