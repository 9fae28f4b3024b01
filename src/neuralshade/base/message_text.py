"""Text of values and names in messages: one line, not too long."""

import errno
import math

from neuralshade.base.regular_file import IrregularError

# Bytes of names that are no UTF-8, as os.fsdecode writes them, without terminals' control codes.
NAME_BYTES = frozenset(map(chr, range(0xDCA0, 0xDD00)))
SPEEDS = ((1e9, 1e9, "G", 2), (1e5, 1e6, "M", 2), (1e3, 1e3, "k", 1))  # from, unit, decimals
TOO_LONG = "a name that is too long"
LONGEST = 80  # characters of a value in a message


def shown(value: object) -> str:
    """Return ``repr(value)``, cut where it is long; a huge integer by its number of digits."""
    if isinstance(value, int) and value.bit_length() > 128:  # Python may refuse to print it
        return f"a number of about {int(value.bit_length() * math.log10(2)) + 1} digits"
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: 1 step, 2,000 steps."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def memory_text(memory_bytes: int, count: int, unit: str) -> str:
    """Return a size in GPU memory, in total and per ``unit``."""
    return f"{memory_bytes:,} bytes, {decimals(8 * memory_bytes / count, 3)} bits per {unit}"


def decimals(value: float, places: int) -> str:
    """Return a number with ``places`` decimals; from 1,000 on with none."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.{places}f}"


def rounded_db(value: float) -> float:
    """Return dB as files store them: few digits, with the same two decimals as ``value``.

    Rounding to three decimals and then to two may differ from rounding once.
    """
    digits = (round(value, 3), round(value, 4), round(value - 1e-4, 4), round(value + 1e-4, 4))
    same = (each for each in digits if all(f"{each:.{n}f}" == f"{value:.{n}f}" for n in (1, 2)))
    return next(same, value)


def rate_text(per_second: float, what: str) -> str:
    """Return a rate per second, in the unit with the best number of digits."""
    for least, size, unit, places in SPEEDS:
        if per_second >= least:
            return f"{per_second / size:.{places}f} {unit} {what}/s"
    return f"{per_second:.2g} {what}/s" if per_second < 10 else f"{per_second:.0f} {what}/s"


def plain(text: str) -> str:
    """Return ``text`` on one line without control codes: what a terminal would obey or cannot
    show is escaped as in Python. Bytes of file names that are no text stay, unless a terminal
    would obey them.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in NAME_BYTES else repr(c)[1:-1] for c in text)


def plain_lines(text: str) -> str:
    """Return the lines of ``text``, each made ``plain``; tabs stay."""
    if text.isprintable():
        return text
    return "\n".join("\t".join(map(plain, line.split("\t"))) for line in text.split("\n"))


def named(name: str) -> str:
    """Return ``name`` unchanged where it could be a setting's name, else as ``shown`` does."""
    return name if name.isidentifier() and len(name) <= LONGEST else shown(name)


def plain_name(name: str) -> str:
    """Return ``name`` unchanged where it is short and printable, else as ``shown`` does."""
    return name if name.isprintable() and len(name) <= LONGEST else shown(name)


def sentence(words: str) -> str:
    """Return the words after a colon as a sentence of their own."""
    return words[0].upper() + words[1:]


def read_failure(error: OSError) -> str:
    """Return what a message says was found in place of a readable file."""
    if isinstance(error, IrregularError):
        return str(error.strerror)
    usual = {errno.ENOENT: "no such file", errno.EISDIR: "a folder", errno.ENAMETOOLONG: TOO_LONG}
    return usual.get(error.errno or 0, f"'{error.strerror}'")


def folder_failure(error: OSError) -> str:
    """Return what a message says was found in place of a new folder."""
    usual = {errno.EEXIST: "a file", errno.ENAMETOOLONG: TOO_LONG}
    return usual.get(error.errno or 0, f"'{error.strerror}'")
