"""One fit of a bake, and the row of the table that it becomes: plain data, sent between machines.

Light: workers and the command line import it before anything that computes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

MADE, KEPT, FAILED = "made", "kept", "failed"


@dataclass(frozen=True)
class Job:
    """One fit: what ``neuralshade fit KIND SUBJECT -o OUTPUT`` does, with its settings.

    Attributes:
        name: unique within the bake: ``output`` without its suffix, such as "rocks/wall".
        kind: verb of ``fit``: image, textures, ...
        subject: sources, each a path (absolute) or a URL that fsspec reads.
        output: the asset, relative to the bake's output folder, with forward slashes.
        settings: preset, recipe fields, flags of the kind and options of a fit, by name with _.
        place: where the user wrote it, for messages: "bake.toml:12".
        digest: SHA-256, hex, of inputs, settings and version; empty until it was computed.
        cost: estimated seconds on this bake's devices; the longest job starts first.
        after: names of jobs that are done before it: the shared part of materials.
        force: make it again where an output of the same digest is there.
    """

    name: str
    kind: str
    subject: tuple[str, ...]
    output: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    place: str = ""
    digest: str = ""
    cost: float = 0.0
    after: tuple[str, ...] = ()
    force: bool = False


@dataclass(frozen=True)
class Row:
    """What became of a job: a row of the table.

    ``state``: MADE, KEPT (it was there, of the same digest) or FAILED with ``message``. ``seconds``
    are those of the last attempt; ``source_bytes`` those of the files it was fitted to; ``psnr_db``
    is None for kinds that measure none. ``bits_per_pixel`` are the file's, for a pixel of a
    picture or a texel of a set's mip 0. ``worker`` is "HOST:PID" of the process that made it.
    ``gpu_bytes``: the most memory that this process had on GPUs during the fit, None where that is
    not known. ``lost``: why earlier attempts ended without a result, a line each.
    """

    name: str
    kind: str
    output: str
    state: str
    message: str = ""
    attempts: int = 1
    seconds: float = 0.0
    psnr_db: float | None = None
    asset_bytes: int | None = None
    memory_bytes: int | None = None
    source_bytes: int | None = None
    gpu_bytes: int | None = None
    bits_per_pixel: float | None = None
    digest: str = ""
    worker: str = ""
    lost: str = ""


def plain_data(thing: Job | Row) -> dict[str, Any]:
    """Return a job or a row as JSON data, without what has its default."""
    found = {}
    for each in fields(thing):
        value = getattr(thing, each.name)
        if each.default is MISSING or value != each.default:
            found[each.name] = dict(value) if isinstance(value, Mapping) else value
    return found


def job_of(data: Mapping[str, Any]) -> Job:
    """Return the job of ``plain_data``."""
    after = tuple(data.get("after", ()))
    return Job(**{**data, "subject": tuple(data["subject"]), "after": after})


def row_of(data: Mapping[str, Any]) -> Row:
    """Return the row of ``plain_data``."""
    return Row(**data)
