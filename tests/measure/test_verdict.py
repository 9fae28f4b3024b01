"""measure/verdict: sentences of a table say what its numbers say."""

import math

import pytest

from neuralshade.measure.verdict import verdict


def row(name, size, psnr_db, random_access=True, memory_bytes=None):
    return {"name": name, "bytes": size, "psnr_db": psnr_db, "random_access": random_access,
            "memory_bytes": size if memory_bytes is None else memory_bytes}  # fmt: skip


OURS = row("neuralshade", 1_000, 37.5, memory_bytes=4_000)
BC1, BC7 = row("BC1", 1_010, 33.5), row("BC7", 2_020, 45.0)
WEBP, JPEG = (row(n, 990, q, False, 8_000) for n, q in (("WebP", 42.0), ("JPEG", 41.0)))
WHY = (
    "no shader samples a file: all of it is decoded first, into 8,000 bytes of texels. This asset "
    "takes 4,000 bytes in a GPU's memory, and a shader evaluates it at any place."
)


def test_better_files_and_better_textures():
    assert verdict([OURS, JPEG, WEBP, BC1, BC7]) == [
        "In as many bytes on disk, the best texture here that a shader samples is BC1: 33.50 dB "
        "(4.00 dB less), 101 % of the bytes on disk and 25 % of the bytes in a GPU's memory.",
        "The smallest texture here that is as good is BC7: 45.00 dB (7.50 dB more), 202 % of the "
        "bytes on disk and 50 % of the bytes in a GPU's memory.",
        f"On disk alone, JPEG and WebP are better in as many bytes: WebP has 42.00 dB (4.50 dB "
        f"more). But {WHY}",
    ]


def test_a_texture_that_wins_is_named_once():
    assert verdict([OURS, row("ASTC 6x6", 900, 38.0), BC7]) == [
        "In as many bytes on disk, the best texture here that a shader samples, and the smallest "
        "that is as good, is ASTC 6x6: 38.00 dB (0.50 dB more), 90 % of the bytes on disk and "
        "22 % of the bytes in a GPU's memory.",
        "Of those that desktop GPUs sample too, the smallest that is as good is BC7: 45.00 dB "
        "(7.50 dB more), 202 % of the bytes on disk and 50 % of the bytes in a GPU's memory.",
    ]
    smaller = verdict([OURS, row("ASTC 6x6", 900, 38.0), row("ASTC 8x8", 800, 37.8)])
    assert [line.partition(":")[0][-8:] for line in smaller] == ["ASTC 6x6", "ASTC 8x8"]


def test_beside_astc_stands_what_a_desktop_gpu_samples():
    """It named ASTC 6x6 as the best, right below a line that hardly any of these samples it."""
    best, least = row("ASTC 6x6", 900, 38.0), row("ASTC 8x8", 500, 37.5)
    told = verdict([OURS, BC1, BC7, best, least])
    assert [line.partition(" dB")[0] for line in told] == [
        "In as many bytes on disk, the best texture here that a shader samples is ASTC 6x6: 38.00",
        "The smallest texture here that is as good is ASTC 8x8: 37.50",
        "Of those that desktop GPUs sample too, the best in as many bytes is BC1: 33.50",
        "Of those that desktop GPUs sample too, the smallest that is as good is BC7: 45.00",
    ]
    assert verdict([OURS, BC1, best])[1:] == ["Of those that desktop GPUs sample too, the best in "
        "as many bytes is BC1: 33.50 dB (4.00 dB less), 101 % of the bytes on disk and 25 % of "
        "the bytes in a GPU's memory.", "Of those that desktop GPUs sample too, none is as good.",
    ]  # fmt: skip
    good = row("BC7, reduced", 950, 37.8)
    assert verdict([OURS, good, best, least])[2].startswith(
        "Of those that desktop GPUs sample too, the best in as many bytes, and the smallest that "
        "is as good, is BC7, reduced: 37.80 dB"
    )


def test_nothing_is_as_good():
    poor = row("JPEG", 990, 30.0, False, 8_000)
    assert verdict([OURS, poor, BC1])[1:] == [
        "No texture here that a shader samples is as good.",
        f"No file that was tried is better in as many bytes: JPEG has 30.00 dB (7.50 dB less). "
        f"And {WHY}",
    ]


def test_what_was_not_possible_is_not_spoken_of():
    missing = dict.fromkeys(OURS) | {"name": "BC7", "random_access": True}
    assert verdict([OURS, missing]) == []


def test_pictures_without_error_have_no_decibels():
    whole = row("WebP", 990, math.inf, False, 8_000)
    assert "WebP has no error. But" in verdict([OURS, whole])[0]
    perfect = OURS | {"psnr_db": math.inf}
    assert verdict([perfect, BC1, whole]) == [
        "In as many bytes on disk, the best texture here that a shader samples is BC1: 33.50 dB, "
        "101 % of the bytes on disk and 25 % of the bytes in a GPU's memory.",
        "No texture here that a shader samples is as good.",
        f"No file that was tried is better in as many bytes: WebP has no error. And {WHY}",
    ]


def test_what_is_drawn_is_not_called_sampled():
    drawn = OURS | {"random_access": False}
    assert verdict([drawn, WEBP])[0].endswith("; it is drawn, and what was drawn is sampled.")


@pytest.mark.parametrize("rest", [[], [BC1, WEBP]])
def test_nothing_is_said_where_memory_is_not_known(rest):
    assert verdict([OURS | {"memory_bytes": None}, *rest]) == []


def test_light_is_judged_by_logarithms_too():
    """A texture may be better by the few bright pixels that PSNR sees, and worse elsewhere."""
    ours, bc6h = OURS | {"log_psnr_db": 34.4}, row("BC6H, reduced", 950, 39.0)
    assert verdict([ours, bc6h | {"log_psnr_db": 28.8}]) == [
        "In as many bytes on disk, the best texture here that a shader samples, and the smallest "
        "that is as good, is BC6H, reduced: 39.00 dB (1.50 dB more), log-PSNR 28.80 dB (5.60 dB "
        "less), 95 % of the bytes on disk and 24 % of the bytes in a GPU's memory."
    ]
    assert "log-PSNR" not in verdict([ours, bc6h | {"log_psnr_db": None}])[0]
