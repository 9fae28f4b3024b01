"""Functions that read grids, in the dialect of shader forms: of an entry, and of four mixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neuralshade.languages.numbers import LANES
from neuralshade.model.grid import Grid
from neuralshade.model.hash_grid import PRIME, HashGrid
from neuralshade.model.shader_form import Function, Parameter

Words = npt.NDArray[np.uint32]
WORD_BITS = 32
MOST_BITS = 2**31  # that an int counts
POSITION = (Parameter("float", "u"), Parameter("float", "v"))
HASHED = " Which entry a vertex has says a hash (Mueller et al. 2022, equation 4)."
HASH_LINES = (f"const uint r0 = uint(r) * {PRIME}u;", f"const uint r1 = r0 + {PRIME}u;",
              "const uint c0 = uint(c);", "const uint c1 = c0 + 1u;")  # fmt: skip


@dataclass(frozen=True)
class Level:
    """Stored numbers of one level of a grid, ``bits`` each.

    A number is ``scale`` of its feature times the raw one plus ``shift``; 16 and 32 bits are
    floats, of scale 1.
    """

    raw: npt.NDArray[np.uint32]  # [entries, features]
    bits: int
    scale: Sequence[float]  # [features]
    shift: Sequence[float]

    @property
    def entry_bits(self) -> int:
        """Return the bits of an entry, padded so that four numbers cross no word needlessly.

        Four are read at a time, also for the last of more than four features.
        """
        features = self.raw.shape[1]
        bits = self.bits * features
        if bits > WORD_BITS:
            unit = max(WORD_BITS, 4 * self.bits if features > 4 else 0)
            return -(-bits // unit) * unit
        return 1 << (bits - 1).bit_length()

    @property
    def shares_words(self) -> bool:
        """Return whether entries share words, so that four numbers start at a bit within one."""
        whole = self.entry_bits <= WORD_BITS and WORD_BITS % (4 * self.bits) == 0
        return whole and len(self.raw) * self.entry_bits < MOST_BITS

    def words(self) -> Words:
        """Return the entries packed into words, the first number of a word lowest."""
        count, features = self.raw.shape
        width = self.entry_bits // self.bits
        filled = np.zeros((count, width), np.uint32)
        filled[:, :features] = self.raw
        each = WORD_BITS // self.bits
        rows = np.pad(filled.ravel(), (0, -filled.size % each)).reshape(-1, each)
        packed = np.zeros(len(rows), np.uint32)
        for place in range(each):
            packed |= rows[:, place] << np.uint32(place * self.bits)
        return packed


def entry_function(name: str, asset: str, level: Level) -> Function:
    """Return a function that reads one entry of a level: four of its numbers."""
    features, bits = level.raw.shape[1], level.bits
    if level.shares_words:
        body = [f"const uint w0 = {asset}_word(first + bit / {WORD_BITS}) >> uint(bit % "
                f"{WORD_BITS});", *_numbers(bits, 4, 4)]  # fmt: skip
        return Function("float4", name, (Parameter("int", "first"), Parameter("int", "bit")),
                        tuple(body), f"Return four numbers of {bits} bits.")  # fmt: skip
    parameters = [Parameter("int", "first"), Parameter("int", "entry")]
    parameters += [Parameter("int", "part")] if features > 4 else []
    each = 4 * bits  # of four numbers
    body = [f"// {features} number{'s' if features > 1 else ''} of {bits} bits."]
    if level.entry_bits <= WORD_BITS:  # several entries may share a word
        share = WORD_BITS // level.entry_bits
        place = "first + entry" if share == 1 else f"first + entry / {share}"
        shift = "" if share == 1 else f"entry % {share} * {level.entry_bits}"
        if features > 4:
            shift = f"{shift} + part * {each}" if shift else f"part * {each}"
        shifted = f" >> uint({shift})" if shift else ""
        body.append(f"const uint w0 = {asset}_word({place}){shifted};")
        read, in_word = 1, min(4, WORD_BITS // bits)
    else:
        words = level.entry_bits // WORD_BITS
        at = f"first + entry * {words}" + (f" + part * {each // WORD_BITS}" if features > 4 else "")
        if each < WORD_BITS:  # parts share words
            body += [
                f"const uint w0 = {asset}_word(first + entry * {words} + part / "
                f"{WORD_BITS // each}) >> uint(part % {WORD_BITS // each} * {each});"
            ]
            read, in_word = 1, 4
        else:
            read, in_word = each // WORD_BITS, WORD_BITS // bits
            needed = -(-min(features, 4) * bits // WORD_BITS)
            read = read if features > 4 else min(read, needed)
            for word in range(read):
                offset = f" + {word}" if word else ""
                body.append(f"const uint w{word} = {asset}_word({at}{offset});")
    body += _numbers(bits, min(features, 4), in_word)
    return Function("float4", name, tuple(parameters), tuple(body))


def _numbers(bits: int, features: int, in_word: int) -> list[str]:
    """Return lines that return four numbers of the words w0, w1 ..."""
    lanes = []
    if bits == 16:
        for lane in range(features):
            lanes.append(f"h{lane // 2}.{LANES[lane % 2]}")
        halves = [f"const float2 h{i} = halves(w{i});" for i in range(-(-features // 2))]
    else:
        halves = []
        for lane in range(features):
            word, place = divmod(lane, in_word)
            if bits == 32:
                lanes.append(f"as_float(w{word})")
            else:
                shifted = f"(w{word} >> {place * bits}u)" if place else f"w{word}"
                lanes.append(f"float({shifted} & {2**bits - 1}u)")
    lanes += ["0.0"] * (4 - features)
    return [*halves, f"return float4({', '.join(lanes)});"]


def bilinear_function(name: str, entry: str, kind: str, level: Level, grid: Grid) -> Function:
    """Return a function that mixes the four entries around (u, v)."""
    if level.shares_words:
        more: tuple[Parameter, ...] = (
            Parameter("int", "bits", "of an entry"),
            Parameter("int", "begin", "bit of it that is read first"),
        )
        read = f"{entry}(first, ({{}}) * bits + begin)"
    elif level.raw.shape[1] > 4:
        more, read = (Parameter("int", "part"),), f"{entry}(first, {{}}, part)"
    else:
        more, read = (), f"{entry}(first, {{}})"
    corners: tuple[str, ...]
    sizes: tuple[Parameter, ...] = (Parameter("int", "across"), Parameter("int", "down"))
    if kind == "dense":
        about = "Texel centers lie at (i + 0.5) / size; beyond the outermost they are clamped."
        body = [
            "const float x = clamp(u * float(across) - 0.5, 0.0, float(across - 1));",
            "const float y = clamp(v * float(down) - 0.5, 0.0, float(down - 1));",
            "const int c0 = int(x);", "const int c1 = min(c0 + 1, across - 1);",
            "const int r0 = int(y) * across;",
            "const int r1 = min(int(y) + 1, down - 1) * across;",
        ]  # fmt: skip
        corners = ("r0 + c0", "r0 + c1", "r1 + c0", "r1 + c1")
        fractions = "x - floor(x)", "y - floor(y)"
    elif kind == "tile":
        sizes = (Parameter("int", "side"), Parameter("int", "entry"))
        about = "Texels lie at i / (side - 1), from entry on; (u, v) is in the tile."
        body = [
            "const float x = u * float(side - 1);", "const float y = v * float(side - 1);",
            "const float c = min(floor(x), float(side - 2));",
            "const float r = min(floor(y), float(side - 2));",
            "const int c0 = entry + int(r) * side + int(c);",
        ]  # fmt: skip
        fractions = "x - c", "y - r"
        corners = ("c0", "c0 + 1", "c0 + side", "c0 + side + 1")
    elif kind.startswith("staggered"):
        sizes = (Parameter("float", "scale"), Parameter("int", "side"), Parameter("int", "entries"))
        about = "Vertex i lies at (i - 0.5) / scale; those beyond the last begin anew."
        body = [
            "const float x = u * scale + 0.5;", "const float y = v * scale + 0.5;",
            "const float c = clamp(floor(x), 0.0, float(side - 1));",
            "const float r = clamp(floor(y), 0.0, float(side - 1));",
        ]  # fmt: skip
        fractions = "x - c", "y - r"
        if kind == "staggered_hash":
            about += HASHED
            body += [*HASH_LINES, "const uint last = uint(entries - 1);"]
            corners = tuple(f"int(({column} ^ {row}) & last)" for row in ("r0", "r1")
                            for column in ("c0", "c1"))  # fmt: skip
        else:
            body += ["const int first0 = int(r) * side + int(c);"]
            corners = tuple(f"(first0 + {next_}) % entries" for next_ in
                            ("0", "1", "side", "side + 1"))  # fmt: skip
    else:
        about = "Vertices lie at i / cells."
        body = [
            "const float x = u * float(across);", "const float y = v * float(down);",
            "const float c = clamp(floor(x), 0.0, float(across - 1));",
            "const float r = clamp(floor(y), 0.0, float(down - 1));",
        ]  # fmt: skip
        fractions = "x - c", "y - r"
        if kind == "hash":
            assert isinstance(grid, HashGrid)
            about += HASHED
            body += HASH_LINES
            last = f"{grid.table - 1}u"
            corners = tuple(f"int(({column} ^ {row}) & {last})" for row in ("r0", "r1")
                            for column in ("c0", "c1"))  # fmt: skip
        else:
            body += ["const int c0 = int(c);", "const int r0 = int(r) * (across + 1);"]
            corners = ("r0 + c0", "r0 + c0 + 1", "r0 + c0 + across + 1", "r0 + c0 + across + 2")
    body += [f"const float4 e{i} = {read.format(corner)};" for i, corner in enumerate(corners)]
    if grid.smooth:
        about += " Mixed by a cubic that is flat at both ends."
        body += [f"const float p = {fractions[0]};", f"const float q = {fractions[1]};"]
        fractions = "p * p * (3.0 - 2.0 * p)", "q * q * (3.0 - 2.0 * q)"
    body += [f"const float s = {fractions[0]};",
             f"return mix(mix(e0, e1, s), mix(e2, e3, s), {fractions[1]});"]  # fmt: skip
    parameters = [*POSITION, *sizes, Parameter("int", "first"), *more]
    return Function("float4", name, tuple(parameters), tuple(body), about)
