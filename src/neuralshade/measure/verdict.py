"""Verdict on a quality table, in sentences: the asset beside textures and files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from neuralshade.measure.table import Row

SAME_BYTES = 1.02  # factor within which sizes count as equal


def verdict(rows: Sequence[Row]) -> list[str]:
    """Return sentences that compare the first row with textures for shaders, and with files.

    Args:
        rows: as of ``rows_for``, the asset first; rows without a PSNR are skipped.
    """
    ours = rows[0]
    if ours["memory_bytes"] is None:
        return []
    known = [row for row in rows[1:] if row["psnr_db"] is not None]
    textures = [row for row in known if row["random_access"]]
    files = [row for row in known if not row["random_access"]]
    return _textures(ours, textures) + _files(ours, files)


def is_astc(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a texture for phones, which hardly any desktop GPU samples."""
    return str(row["name"]).startswith("ASTC")


def _textures(ours: Row, textures: Sequence[Row]) -> list[str]:
    if not textures:
        return []
    best, least = _best(ours, textures)
    best_texture = "In as many bytes on disk, the best texture here that a shader samples"
    if best is not None and best is least:
        found = [f"{best_texture}, and the smallest that is as good, is {_sized(best, ours)}."]
    else:
        found = [] if best is None else [f"{best_texture} is {_sized(best, ours)}."]
        found.append("No texture here that a shader samples is as good." if least is None else
                    f"The smallest texture here that is as good is {_sized(least, ours)}."
                    )  # fmt: skip
    named = [row for row in (best, least) if row is not None]
    return found + (_on_desktops(ours, textures) if any(map(is_astc, named)) else [])


def _on_desktops(ours: Row, textures: Sequence[Row]) -> list[str]:
    """Return the comparison for GPUs without ASTC, where ASTC was named."""
    others = [row for row in textures if not is_astc(row)]
    if not others:
        return []
    best, least = _best(ours, others)
    of_them = "Of those that desktop GPUs sample too"
    if best is not None and best is least:
        return [f"{of_them}, the best in as many bytes, and the smallest that is as good, is "
                f"{_sized(best, ours)}."]  # fmt: skip
    found = []
    if best is not None:
        found.append(f"{of_them}, the best in as many bytes is {_sized(best, ours)}.")
    found.append(f"{of_them}, none is as good." if least is None else
                f"{of_them}, the smallest that is as good is {_sized(least, ours)}.")  # fmt: skip
    return found


def _best(ours: Row, textures: Sequence[Row]) -> tuple[Row | None, Row | None]:
    """Return the best row of as many bytes, and the smallest equally good one; None without one."""
    small = [row for row in textures if row["bytes"] <= SAME_BYTES * ours["bytes"]]
    good = [row for row in textures if row["psnr_db"] >= ours["psnr_db"]]
    return (max(small, key=lambda row: row["psnr_db"], default=None),
            min(good, key=lambda row: row["bytes"], default=None))  # fmt: skip


def _sized(row: Row, ours: Row) -> str:
    disk, memory = (row[size] / ours[size] for size in ("bytes", "memory_bytes"))
    return (f"{row['name']}: {_decibels(row, ours)}, {times(disk)} on disk and {times(memory)} in "
            "a GPU's memory")  # fmt: skip


def _files(ours: Row, files: Sequence[Row]) -> list[str]:
    if not files:
        return []
    best = max(files, key=lambda row: row["psnr_db"])
    better = [row["name"] for row in files if row["psnr_db"] > ours["psnr_db"]]
    why = (f"no shader samples a file: all of it is decoded first, into {best['memory_bytes']:,} "
           f"bytes of texels. {_of_ours(ours)}")  # fmt: skip
    if not better:
        return [f"No file that was tried is better in as many bytes: {best['name']} has "
                f"{_decibels(best, ours)}. And {why}"]  # fmt: skip
    verb = "is" if len(better) == 1 else "are"
    return [f"On disk alone, {listed(better)} {verb} better in as many bytes: {best['name']} has "
            f"{_decibels(best, ours)}. But {why}"]  # fmt: skip


def _of_ours(ours: Row) -> str:
    taken = f"This asset takes {ours['memory_bytes']:,} bytes in a GPU's memory"
    if ours["random_access"]:
        return f"{taken}, and a shader evaluates it at any place."
    return f"{taken}; it is drawn, and what was drawn is sampled."


def _decibels(row: Row, ours: Row) -> str:
    if math.isinf(row["psnr_db"]):
        return "no error"
    apart = "" if math.isinf(ours["psnr_db"]) else f" ({more(row['psnr_db'] - ours['psnr_db'])})"
    return f"{row['psnr_db']:.2f} dB{apart}{_by_logarithms(row, ours)}"


def _by_logarithms(row: Row, ours: Row) -> str:
    """Return the logarithmic PSNR of an HDR picture: few bright pixels decide the linear one."""
    own, other = row.get("log_psnr_db"), ours.get("log_psnr_db")
    return "" if own is None or other is None else f", log-PSNR {own:.2f} dB ({more(own - other)})"


def times(ratio: float) -> str:
    """Return a ratio of bytes in words, in one form, as two of them often stand side by side."""
    return f"{100 * ratio:,.0f} % of the bytes"


def more(difference: float) -> str:
    """Return a difference in decibels in words."""
    if abs(difference) < 0.005:
        return "the same"
    return f"{abs(difference):.2f} dB {'more' if difference > 0 else 'less'}"


def listed(names: Sequence[str]) -> str:
    """Return names with commas, and an "and" before the last."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
