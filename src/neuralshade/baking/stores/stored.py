"""Asset that a bake wrote, by its header alone, and the row of the table that it is."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neuralshade.baking.job import Job, Row
from neuralshade.baking.stores.store import Store

STAMP = "bake"  # part of an asset's header


def worker_name() -> str:
    """Return "HOST:PID" of this process."""
    return f"{platform.node()}:{os.getpid()}"


@dataclass(frozen=True)
class Stored:
    """Header, stamp and bytes of an asset; anybody may have written them."""

    header: Mapping[str, Any]
    stamp: Mapping[str, Any]
    size: int | None

    @classmethod
    def of(cls, output: str, store: Store) -> Stored | None:
        """Return the asset that a bake wrote to ``output``; None where there is none.

        Raises: OutputError where it cannot be read, DeviceError where a store does not answer.
        """
        header = store.header(output)
        stamp = header and header.get(STAMP)
        if not header or not isinstance(stamp, dict):
            return None
        return cls(header, stamp, store.size(output))

    @property
    def digest(self) -> str:
        """Return the digest of the job that made it; "" where it has none."""
        return str(self.stamp.get("digest", ""))

    def has_stamp(self, stamp: str) -> bool:
        """Return whether its inputs had these names, sizes and times, and all else was equal."""
        return bool(stamp) and self.stamp.get("stamp") == stamp

    def is_same(self, job: Job) -> bool:
        """Return whether it was made of the same inputs and settings, by the same version."""
        return bool(job.digest) and self.digest == job.digest

    def row(self, job: Job, state: str) -> Row:
        """Return its row of the table."""
        quality = self.header.get("quality")
        psnr = quality.get("psnr_db") if isinstance(quality, dict) else None
        pixels = _whole(self.stamp.get("pixels"))
        bits = 8 * self.size / pixels if self.size and pixels else None
        return Row(job.name, job.kind, job.output, state,
                   seconds=_number(self.stamp.get("seconds")) or 0.0, psnr_db=_number(psnr),
                   asset_bytes=self.size, memory_bytes=_whole(self.stamp.get("memory_bytes")),
                   source_bytes=_whole(self.stamp.get("source_bytes")),
                   bits_per_pixel=None if bits is None else round(bits, 4), digest=job.digest,
                   worker=worker_name())  # fmt: skip


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and 0 <= value < 2**53 else None
