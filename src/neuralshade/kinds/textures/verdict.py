"""Verdict on a texture set in sentences for users: against blocks and picture files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from neuralshade.kinds.textures.evaluate import OURS, Comparison
from neuralshade.measure.verdict import listed, more, times


def points(found: Comparison) -> list[tuple[str, float, float, bool]]:
    """Return name, bytes, mean dB and random access of possible rivals, the asset first."""
    return [
        (each.name, each.disk_bytes, each.mean_psnr_db, each.random_access)
        for each in found.rivals
        if each.mean_psnr_db is not None
    ]


def verdict(found: Comparison) -> list[str]:
    """Return the sentences: against blocks, and against the best picture file."""
    ours = found.ours
    assert ours.mean_psnr_db is not None, ours
    possible = [each for each in found.rivals if each.name != OURS and each.maps]
    blocks = [each for each in possible if each.random_access]
    said = [
        f"In {each.name} the set takes {times(each.disk_bytes / ours.disk_bytes)} "
        f"and has {each.mean_psnr_db:.2f} dB, {more(each.mean_psnr_db - ours.mean_psnr_db)}."
        for each in blocks
        if each.mean_psnr_db is not None
    ]
    files = {each.name: each.mean_psnr_db for each in possible if not each.random_access}
    return said + _files(files, ours.mean_psnr_db, found)


def _files(files: Mapping[str, float | None], ours_db: float, found: Comparison) -> list[str]:
    ranked = sorted(((q, n) for n, q in files.items() if q is not None), reverse=True)
    if not ranked:
        return []
    quality, name = ranked[0]
    whole = next(each for each in found.rivals if each.name == name)
    why = (f"no shader reads it in place: all of it is decoded and its mips are made first, into "
           f"{whole.memory_bytes:,} bytes of textures. Of this set {found.ours.memory_bytes:,} "
           "bytes are in memory, and any texel of any mip is decoded by itself."
           f"{_lit([n for _, n in ranked], found)}")  # fmt: skip
    if quality > ours_db:
        better = [n for q, n in ranked if q > ours_db]
        verb = "keeps" if len(better) == 1 else "keep"
        return [f"On disk alone, {listed(better)} {verb} mip 0 better in as many bytes: {name} "
                f"has {quality:.2f} dB, {more(quality - ours_db)}. But {why}"]  # fmt: skip
    return [f"No picture file that was tried keeps mip 0 better in as many bytes: {name}, the "
            f"best, has {quality:.2f} dB, {more(quality - ours_db)}. And {why}"]  # fmt: skip


def _lit(names: Sequence[str], found: Comparison) -> str:
    """Return the sentence on the sphere: against the file that is closest on it."""
    ours = found.flip_of(OURS)
    ranked = sorted((lit, name) for name in names if (lit := found.flip_of(name)) is not None)
    if ours is None or not ranked:
        return ""
    lit, name = ranked[0]
    return (f" On a lit sphere, beside one of the original maps, the FLIP of this set is "
            f"{ours:.4f}, and that of {name}, the closest of these picture files there, "
            f"{lit:.4f}; lower is closer.")  # fmt: skip
