"""Status of a fit in words, for its bar and for plain lines."""

from neuralshade.base.message_text import rate_text
from neuralshade.fitting.progress import Progress

LEAST_BAR_COLUMNS = 6  # of the bar beside it
LESS_NEEDED = (
    "since",
    "rate",
    "loss",
    "step",
    "left",
)  # order in which they are omitted for lack of space


def fitting(parts: dict[str, str], columns: int) -> str:
    """Return the parts in one line that leaves space for a bar; the least important are omitted."""
    for left_out in range(len(LESS_NEEDED) + 1):
        kept = [text for name, text in parts.items() if name not in LESS_NEEDED[:left_out]]
        line = "  ".join(filter(None, kept))
        if len(line) + 2 + LEAST_BAR_COLUMNS <= columns:
            break
    return line


def status_parts(p: Progress, compared: bool = True) -> dict[str, str]:
    """Return the parts of a fit's status; no time left where only a PSNR ends it."""
    psnr = f"PSNR {'about ' if p.about else ''}{p.psnr_db or 0:.2f} dB"
    psnr = psnr if p.psnr_db is not None else "PSNR - dB"
    left = f"{p.seconds * (1 - p.share) / p.share:.0f} s left" if p.share > 0 else ""
    return {
        "step": f"step {p.step:,}",
        "loss": f"loss {p.loss:.3g}",
        "psnr": psnr if compared else "",
        "since": f"(step {p.psnr_step:,})" if compared and p.stale else "",
        "rate": rate_text(p.samples_per_second, "samples") if p.samples_per_second else "",
        "left": left,
    }
