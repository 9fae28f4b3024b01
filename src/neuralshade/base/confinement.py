"""Confinement of a process that runs untrusted code: resource limits and Landlock (Linux)."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable

# Landlock, from linux/landlock.h: system calls, and rights by the version that added them.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_ONLY, PATH_BENEATH = 1, 1
NO_NEW_PRIVILEGES = 38  # of prctl
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = (1 << bit for bit in range(4))
REMOVE_FILE, MAKE_FOLDER, MAKE_FILE = 1 << 5, 1 << 7, 1 << 8
TRUNCATE = 1 << 14
FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1}  # later ones are of devices
TCP_RIGHTS, TCP_SINCE = 0b11, 4  # bind, connect
SCOPES, SCOPES_SINCE = 0b11, 6  # abstract sockets and signals of processes outside
READ = READ_FILE | READ_DIR
CHANGE = WRITE_FILE | TRUNCATE | REMOVE_FILE | MAKE_FOLDER | MAKE_FILE
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE  # rights that a rule for a file may grant


def limit_resources(*, memory: int, files: int, file_bytes: int) -> None:
    """Limit the bytes of memory that this process may write to, its open files and file sizes.

    Also disables core dumps. Does nothing where the system has no such limits.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = {
        "RLIMIT_DATA": memory, "RLIMIT_NOFILE": files, "RLIMIT_FSIZE": file_bytes, "RLIMIT_CORE": 0,
    }  # fmt: skip
    for name, most in limits.items():
        number = getattr(resource, name)
        hard = resource.getrlimit(number)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(number, (least, least))


def restrict_paths(*, read: Iterable[str], write: Iterable[str], devices: str = "/dev") -> bool:
    """Restrict this thread, and threads it starts, to these folders and files, without network.

    Files below ``write`` may be changed and read; ``devices`` can be opened as before. No programs
    can be started. Missing paths are skipped. Threads that run already and open files are not
    affected.

    Returns: whether the kernel supports it; False on other systems, and on Linux before 5.13.
    """
    if not sys.platform.startswith("linux"):
        return False
    system = ctypes.CDLL(None, use_errno=True)
    version = system.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION_ONLY)
    if version < 1:
        return False
    handled = FILE_RIGHTS[min(version, max(FILE_RIGHTS))]
    numbers = [handled]
    if version >= TCP_SINCE:
        numbers.append(TCP_RIGHTS)
    if version >= SCOPES_SINCE:
        numbers.append(SCOPES)
    rules = _made(system, struct.pack(f"={len(numbers)}Q", *numbers))
    if rules < 0:
        return False
    try:
        granted = {READ: read, READ | CHANGE: write, READ | WRITE_FILE: [devices]}
        for rights, places in granted.items():
            for place in places:
                _allow(system, rules, place, rights & handled)
        system.prctl(NO_NEW_PRIVILEGES, *map(ctypes.c_ulong, (1, 0, 0, 0)))
        return bool(system.syscall(RESTRICT_SELF, rules, 0) == 0)
    finally:
        os.close(rules)


def _made(system: ctypes.CDLL, attributes: bytes) -> int:
    return int(system.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0))


def _allow(system: ctypes.CDLL, rules: int, place: str, rights: int) -> None:
    try:
        beneath = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # a missing path: nothing to allow
        return
    try:
        if not os.path.isdir(place):
            rights &= OF_FILES
        system.syscall(ADD_RULE, rules, PATH_BENEATH, struct.pack("=Qi", rights, beneath), 0)
    finally:
        os.close(beneath)
