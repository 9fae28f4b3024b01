"""Private folders and keys: only this user may write to them."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

KEY_BYTES = 32


def make_private_dir(folder: Path) -> None:
    """Create ``folder`` and its parent for this user alone, where they are missing.

    Existing folders keep their permissions: check ``why_not_private``. Raises: OSError.
    """
    for made in (folder.parent, folder):
        made.mkdir(mode=0o700, parents=True, exist_ok=True)


def why_not_private(folder: Path) -> str | None:
    """Return why others may have written to ``folder``, for messages; None where none could.

    The folder and everything below it must belong to this user, and no other may write to it.
    Of the folders above, only this user and root may be able to replace them.
    """
    if not hasattr(os, "getuid"):  # Windows: folders of a user's profile are the user's
        return None if os.path.isdir(folder) else f"{folder} is no folder"
    try:
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode):
            return f"{folder} is no folder"
        return (
            _why_replaceable(folder)
            or _why_others_write(folder, found, (os.getuid(),), sticky=False)
            or _why_others_own(folder)
        )
    except FileNotFoundError:
        return f"{folder} is no folder"
    except OSError as error:
        return f"{folder} cannot be looked at ({error})"


def _why_replaceable(folder: Path) -> str | None:
    for above in _above(folder):
        for found in (os.lstat(above), os.stat(above)):  # a link, and its target
            why = _why_others_write(above, found, (os.getuid(), 0), sticky=True)
            if why is not None:
                return why
    return None


def _above(folder: Path) -> Iterator[Path]:
    """Yield all folders above, from the root on, as named and with links resolved."""
    named, real = Path(os.path.abspath(folder)), Path(os.path.realpath(folder))
    yield from reversed(named.parents)
    if real != named:
        yield from reversed(real.parents)


def _why_others_write(
    path: Path, found: os.stat_result, owners: tuple[int, ...], *, sticky: bool
) -> str | None:
    """Return why others can write to ``path``. ``sticky``: the sticky bit, as on /tmp, suffices."""
    if found.st_uid not in owners:
        return f"somebody else owns {path}"
    if stat.S_ISLNK(found.st_mode):  # the permission bits of a link mean nothing
        return None
    guarded = sticky and found.st_mode & stat.S_ISVTX
    others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return f"others can write to {path}" if others and not guarded else None


def _why_others_own(folder: Path) -> str | None:
    """Return the first entry below ``folder`` that others own, for messages; None without."""
    for place, folders, files in os.walk(folder):
        for path in (os.path.join(place, name) for name in folders + files):
            with suppress(FileNotFoundError):  # another process may remove its own files
                if os.lstat(path).st_uid != os.getuid():
                    return f"somebody else owns {path}"
    return None


def user_key(path: Path) -> bytes | None:
    """Return this user's random key, kept at ``path`` and created on first use.

    None where it cannot be kept, or others could have read or written it.
    """
    try:
        make_private_dir(path.parent)
        if why_not_private(path.parent) is not None:
            return None
        if not os.path.exists(path):
            _make_key(path)
        return _read_key(path)
    except OSError:
        return None


def _make_key(path: Path) -> None:
    # Written atomically. Of two that are created at once, the first one stays.
    with tempfile.TemporaryDirectory(prefix=".neuralshade-", dir=path.parent) as folder:
        made = os.path.join(folder, "key")
        descriptor = os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
        try:
            os.link(made, path)
        except FileExistsError:
            return
        except OSError:  # a disk without links; there the later one stays
            os.replace(made, path)


def _read_key(path: Path) -> bytes | None:
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
        found = os.fstat(file.fileno())
        if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o077):
            return None
        key = file.read(KEY_BYTES)
    return key if len(key) == KEY_BYTES else None
