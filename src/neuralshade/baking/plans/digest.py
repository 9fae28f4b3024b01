"""Digest of a job: of what its fit reads, its settings after defaults, and this version.

Equal digests mean that a fit would learn the same: absolute paths, engine and device do not count.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from typing import Any

from neuralshade.baking.job import Job
from neuralshade.baking.plans.settings import FILE_FORMS, KindSettings, Recipes, settings_of
from neuralshade.baking.stores.sources import split_source
from neuralshade.baking.stores.store import is_url
from neuralshade.base.lazy_import import import_object
from neuralshade.base.version import VERSION
from neuralshade.errors import NeuralShadeError, PictureError
from neuralshade.fitting.recipe import to_dict
from neuralshade.kinds.kind import Kind

FRESH_NS = 2_000_000_000  # a file changed since may change again without another time
TEXTS = (".mtlx", ".toml", ".slang", ".json")  # documents that may name other files
NAMED = re.compile(r'"([^"\n]{1,400})"|\bimport\s+([\w./]+)\s*;')
PREFIX = re.compile(r'fileprefix\s*=\s*"([^"\n]*)"')
MOST_TEXT, MOST_FILES = 1 << 22, 2000
PARTS = {"version": 8, "settings": 24, "inputs": 32}  # of a digest: hex digits of a SHA-256 each


class FileDigests:
    """SHA-256 of local files, each read once as long as its size and time stay the same."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int, str]] = {}

    def of(self, path: str) -> str:
        """Return the digest of a file, hex. Raises OSError where it cannot be read."""
        found = os.stat(path)
        key = os.path.abspath(path)
        known = self._known.get(key)
        if known is not None and known[:2] == (found.st_size, found.st_mtime_ns):
            return known[2]
        with open(path, "rb") as file:
            digest = _digest_of(file)
        if not _is_fresh(found):
            self._known[key] = found.st_size, found.st_mtime_ns, digest
        return digest


class FileStamps(FileDigests):
    """Sizes and times of local files in place of their digests: nothing is read.

    Equal ones mean equal content; a file that changed just now has another one each time.
    """

    def of(self, path: str) -> str:
        """Return the stamp of a file. Raises OSError where it is missing."""
        found = os.stat(path)
        fresh = secrets.token_hex(8) if _is_fresh(found) else ""
        return f"{found.st_size} {found.st_mtime_ns} {fresh}"


def _is_fresh(found: os.stat_result) -> bool:
    return time.time_ns() - found.st_mtime_ns <= FRESH_NS


def job_digest(job: Job, files: FileDigests, recipes: Recipes | None = None) -> str:
    """Return the digest of a job, hex; "" where an input cannot be read, which its fit reports.

    Its parts are those of PARTS, so that two digests tell what has changed. URLs count by what
    their store says of them: size, time or checksum.

    Raises: DeviceError where a store does not answer; ConfigError for contradicting settings.
    """
    try:
        return cheap_digest(job, files, recipes) + inputs_digest(job, files)
    except (OSError, PictureError):
        return ""


def cheap_digest(job: Job, files: FileDigests, recipes: Recipes | None = None) -> str:
    """Return the parts of a job's digest before its inputs, which may take long.

    Raises: OSError where a file that its settings name cannot be read; ConfigError.
    """
    known = settings_of(job.kind)
    parts = known.split(job.settings)
    facts = {
        "kind": job.kind,
        "preset": parts.preset,
        "recipe": to_dict((recipes or Recipes()).of(known, job.settings)),
        "flags": dict(sorted(_flags(known, parts.flags, files))),
    }
    return _hex(VERSION, PARTS["version"]) + _hex(facts, PARTS["settings"])


def inputs_digest(job: Job, files: FileDigests) -> str:
    """Return the part of a job's digest that its inputs are.

    Raises: OSError, PictureError where one cannot be read; DeviceError.
    """
    kind = settings_of(job.kind).kind
    return _hex([_source(kind, source, files) for source in job.subject], PARTS["inputs"])


def changed_parts(old: str, new: str) -> list[str]:
    """Return the names of the parts in which two digests differ; ``new`` may lack its end."""
    found, begin = [], 0
    for name, digits in PARTS.items():
        part = slice(begin, begin + digits)
        if new[part] and old[part] != new[part]:
            found.append(name)
        begin += digits
    return found


def _hex(facts: Any, digits: int) -> str:
    text = json.dumps(facts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


def _source(kind: Kind, source: str, files: FileDigests) -> list[Any]:
    """Return a source's name and the digests of what the kind reads of it."""
    name, path = split_source(source)
    name += os.path.basename(path.rstrip("/"))
    if is_url(path):
        return [name, _url_token(path)]
    found = sorted(set(_read_of(kind, path)))
    return [name, *([os.path.basename(each), files.of(each)] for each in found)]


def _read_of(kind: Kind, path: str) -> Iterator[str]:
    """Yield the local files that a kind reads of a source. Raises OSError for a missing one."""
    if os.path.isfile(path):
        yield from _with_named(path)
        if not (kind.subject.maps and path.endswith(".json")):
            return
    if kind.subject.maps:
        try:
            found = import_object(kind.subject.maps)(path, {})
        except NeuralShadeError:  # which the fit reports
            found = None
        if found is not None:
            yield from (str(file.path) for file in found.files.values() if file.picture is None)
            return
    for each in sorted(os.listdir(path)):
        if os.path.isfile(os.path.join(path, each)):
            yield os.path.join(path, each)


def _with_named(path: str) -> Iterator[str]:
    """Yield a file, and for a document the files that it names, which may be documents."""
    waiting, seen = [path], {path}
    while waiting:
        place = waiting.pop()
        yield place
        if not place.endswith(TEXTS) or os.path.getsize(place) > MOST_TEXT:
            continue
        with open(place, encoding="utf-8", errors="replace") as file:
            text = file.read()
        folders = [os.path.dirname(place)]
        folders += [os.path.join(folders[0], prefix) for prefix in PREFIX.findall(text)]
        for quoted, module in NAMED.findall(text):
            name = quoted or f"{module.replace('.', '/')}.slang"
            for each in (os.path.normpath(os.path.join(folder, name)) for folder in folders):
                if each not in seen and len(seen) < MOST_FILES and os.path.isfile(each):
                    seen.add(each)
                    waiting.append(each)


def _flags(known: KindSettings, flags: Mapping[str, Any], files: FileDigests
           ) -> Iterator[tuple[str, Any]]:  # fmt: skip
    """Yield flags, files among their values by digest."""
    for name, value in flags.items():
        form = known.flags[name].form
        if form in FILE_FORMS:
            yield name, files.of(value)
        elif isinstance(value, list):
            yield name, [_pair(pair, files) for pair in value]
        else:
            yield name, value


def _pair(pair: str, files: FileDigests) -> str:
    name, _, value = pair.partition("=")
    return f"{name}={files.of(value)}" if value and os.path.isfile(value) else pair


def _url_token(url: str) -> str:
    """Return what a store says of an object, or of all in a folder."""
    from neuralshade.baking.stores.url_files import fingerprint  # fsspec is optional

    return fingerprint(url)


def _digest_of(file: Any) -> str:
    """Return the SHA-256 of an open file; hashlib.file_digest needs Python 3.11."""
    state = hashlib.sha256()
    while piece := file.read(1 << 20):
        state.update(piece)
    return state.hexdigest()
