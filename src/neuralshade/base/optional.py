"""Optional packages, imported on first use."""

import importlib
from collections.abc import Callable
from typing import Any

from neuralshade.errors import DeviceError


def optional_module(name: str, package: str, place: str, need: str, remedy: str) -> Any:
    """Return module ``name`` of a package that may be missing.

    Args:
        name: as it is imported.
        package: as it is installed.
        place: what the error begins with.
        need: what it is needed for.
        remedy: sentences that tell what to do.

    Raises: DeviceError where it cannot be imported.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise DeviceError(
            f"{place}: got no package {package} ({error}), need it {need}. {remedy}"
        ) from error


def why_missing(load: Callable[[], object]) -> str | None:
    """Return why what ``load`` loads is not to be had here; None where it is."""
    try:
        load()
    except DeviceError as error:
        return str(error)
    return None
