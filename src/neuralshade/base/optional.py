"""Optional packages, imported on first use."""

import importlib
from collections.abc import Callable
from typing import Any

from neuralshade.errors import DeviceError


def optional_module(name: str, package: str, place: str, need: str, remedy: str) -> Any:
    """Import module ``name`` of an optional package.

    Args:
        name: for the import.
        package: for the installer.
        place: the beginning of the error.
        need: the purpose.
        remedy: sentences on what to do.

    Raises: DeviceError where it cannot be imported.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise DeviceError(
            f"{place}: got no package {package} ({error}), need it {need}. {remedy}"
        ) from error


def why_missing(load: Callable[[], object]) -> str | None:
    """Return why ``load`` fails to import; None where it works."""
    try:
        load()
    except DeviceError as error:
        return str(error)
    return None
