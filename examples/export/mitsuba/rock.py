# rock: Maps of a surface, all of them together.
# asset: textures.nsh, 4,244 bytes, kind textures
# PSNR: 16.66 dB
# size: 12 x 8 texels, 4 levels
# beyond 0 to 1: repeated
# maps: albedo a color, sRGB-encoded, 0 to 1; normal a unit normal: x to the right, y up, z out of the surface; roughness as its file has it, 0 to 1; metallic as its file has it; the same everywhere
# samples: rock_texel and rock_stochastic run the network once, rock_bilinear 4 times, 8 between levels
# cost: 944 multiply-adds in networks
# license: yours: this text and its numbers are output of your fit
# Written by neuralshade export.

import dataclasses
import importlib
import math
import pathlib
import struct

import drjit as dr
import mitsuba as mi
import numpy as np


class Dialect:
    """What the asset's functions call, for one backend of Dr.Jit.

    ``backend``: name of drjit.scalar, drjit.llvm.ad or drjit.cuda.ad. ``numbers``: uint32, the
    words, then the float32 of networks. Scalars are Python's numbers in drjit.scalar.
    """

    _WORDS = 0
    _NETWORKS = ()  # of each layer: outputs, inputs, activation

    def __init__(self, backend, numbers):
        types = importlib.import_module(backend)
        self._scalar = backend == "drjit.scalar"
        self._first = None if self._scalar else dr.opaque(types.UInt, 0)
        self._types = types
        # Python's numbers are double: vectors of them too, or a number is not equal to its lane.
        kind = "f64" if self._scalar else "f"
        self._of = {n: getattr(types, f"Array{n}{kind}") for n in (2, 3, 4)}
        self._vectors = tuple(self._of.values())
        words = np.ascontiguousarray(numbers[: self._WORDS])
        self._words = memoryview(words) if self._scalar else types.UInt(words)
        self._networks, at = [], self._WORDS
        for network in self._NETWORKS:
            layers = []
            for outputs, inputs, activation in network:
                middle, end = at + outputs * inputs, at + outputs * (inputs + 1)
                weight = numbers[at:middle].view(np.float32).reshape(outputs, inputs)
                layers.append(self._layer(weight, numbers[middle:end].view(np.float32), activation))
                at = end
            self._networks.append(layers)

    def _layer(self, weight, bias, activation):
        """Return a layer: arrays, or for JIT literals, a column of each four rows."""
        if self._scalar:
            return weight, bias, ACTIVATIONS[activation]
        pad = -len(bias) % 4
        weight, bias = np.pad(weight, ((0, pad), (0, 0))), np.pad(bias, (0, pad))
        four = self._of[4]
        fours = [(four(*bias[at : at + 4].tolist()),
                  [four(*column) for column in weight[at : at + 4].T.tolist()])
                 for at in range(0, len(bias), 4)]
        return fours, ACTIVATIONS[activation]

    def _layers(self, index, inputs):
        """Return the outputs of a network, four at a time."""
        four = self._of[4]
        if self._scalar:
            x = np.array(inputs, np.float32)
            for weight, bias, activation in self._networks[index]:
                x = activation(np, weight @ x + bias)
            x = x.tolist() + [0.0] * (-len(x) % 4)
            return [four(*x[at : at + 4]) for at in range(0, len(x), 4)]

        def straight(*inputs):
            for fours, activation in self._networks[index]:
                found = []
                for bias, columns in fours:
                    for column, x in zip(columns, inputs):
                        bias = dr.fma(column, x, bias)
                    found.append(activation(dr, bias))
                inputs = [lane for each in found for lane in each]
            return found

        def nothing(*_):
            return [four(0.0) for _ in self._networks[index][-1][0]]

        # A call, which is compiled once however often a scene evaluates the network. Inlined,
        # LLVM took 100 s for three maps of 6,912 products each, where it now takes 13 s.
        floats = [self._types.Float(x) for x in inputs]
        return dr.switch(self._first, [straight, nothing], *floats)

    def _word(self, i):
        last = self._WORDS - 1  # rows that are done read anywhere
        if self._scalar:
            return self._words[min(max(i, 0), last)]
        return dr.gather(self._types.UInt, self._words, self._types.UInt(dr.clip(i, 0, last)))

    def _flat(self, parts):
        found = []
        for part in parts:
            if isinstance(part, self._vectors):
                found.extend(part)
            else:
                found.append(part)
        return found

    def _floats(self, *parts):
        flat = self._flat(parts)
        return self._of[len(flat)](*flat)

    def _ints(self, *parts):
        return getattr(self._types, f"Array{len(parts)}i")(*parts)

    def _repeated(self, x, count):
        return self._of[count](x)

    def _float(self, x):
        return self._types.Float(x)

    def _int(self, x):
        return self._types.Int(x)

    def _uint(self, x):
        return self._types.UInt(x)

    def _whole(self, x):
        return isinstance(x, int) or dr.is_integral_v(x)

    def _quotient(self, a, b):
        if self._whole(a) and self._whole(b):
            return int(a / b) if isinstance(a, int) and isinstance(b, int) else a // b
        if isinstance(b, float) and b == 0.0:  # Python refuses what other languages do
            return a * math.inf
        return a / b

    def _remainder(self, a, b):
        if isinstance(a, int) and isinstance(b, int):
            return a - b * int(a / b)
        return a % b

    def _amount(self, x, by):
        """Return the bits to shift by, in the type of what is shifted."""
        return by if self._scalar or isinstance(x, int) else type(x)(by)

    def _shifted_left(self, x, by):
        return x << self._amount(x, by)

    def _shifted_right(self, x, by):
        return x >> self._amount(x, by)

    def _mix(self, a, b, t):
        return a * (1.0 - t) + b * t

    def _length(self, x):
        return dr.sqrt(dr.dot(x, x))

    def _normalize(self, x):
        return self._quotient(x, self._length(x))

    def _inversesqrt(self, x):
        return self._quotient(1.0, dr.sqrt(x))

    def _fract(self, x):
        return x - dr.floor(x)

    def _as_float(self, w):
        if self._scalar:
            return struct.unpack("<f", struct.pack("<I", w))[0]
        return dr.reinterpret_array(self._types.Float, w)

    def _halves(self, w):
        return self._of[2](self._half(w & 0xFFFF), self._half(w >> 16))

    def _half(self, bits):
        if self._scalar:
            return struct.unpack("<e", struct.pack("<H", bits))[0]
        high = self._as_float(((bits & 0x7FFF) << 13) + (112 << 23))
        low = self._float(bits & 0x3FF) * 2.0**-24  # without an exponent; backends flush small ones
        size = dr.select((bits & 0x7C00) == 0, low, high)
        return dr.select((bits & 0x8000) == 0, size, -size)

    def _select(self, mask, new, old):
        if isinstance(mask, bool):
            return new if mask else old
        return dr.select(mask, new, old)

    def _chosen(self, answers):
        *early, (_, found) = answers
        for condition, value in reversed(early):
            found = self._select(condition, value, found)
        return found


ACTIVATIONS = {
    'none': lambda lib, x: x,
    'hard_gelu': lambda lib, x: x * lib.minimum(lib.maximum(x / 3.0 + 0.5, 0.0), 1.0),
}


@dataclasses.dataclass
class rock_channels:
    c0: object = None
    c1: object = None


class Functions(Dialect):
    """The functions of the asset."""

    _WORDS = 17
    _NETWORKS = (
        ((16, 37, 'hard_gelu'), (16, 16, 'hard_gelu'), (6, 16, 'none'),),
    )

    def rock_word(self, i):
        return self._word(i)

    # Texels across and down.
    def rock_size(self, mip):
        return self._floats(self._float(dr.maximum(self._shifted_right(self._int(12), self._uint(mip)), 1)), self._float(dr.maximum(self._shifted_right(self._int(8), self._uint(mip)), 1)))

    # The latents before and after a position along one side, each times a stride. Around the border: before is -1 to size - 1.
    def rock_around(self, before, size, stride):
        return self._ints((before + size * dr.maximum(-before, 0)) * stride, (before + 1 - size * dr.maximum(before + 2 - size, 0)) * stride)

    # Grid 0, 4 numbers of 3 bits each: its first number, latents across and down.
    def rock_level0(self, mip):
        return self._ints(0, 6, 4)

    # Four numbers of so many bits from number index on, in words from first on.
    def rock_codes(self, first, index, bits):
        bit = (index & 31) * bits
        at = first + self._shifted_right(index, 5) * bits + self._shifted_right(bit, 5)
        shift = self._uint(bit & 31)
        w = self._shifted_right(self.rock_word(at), shift) | self._shifted_left(self._shifted_left(self.rock_word(at + 1), 1), 31 - shift)
        step = self._uint(bits)
        peak = self._shifted_left(1, step) - 1
        return self._floats(self._float(w & peak), self._float(self._shifted_right(w, 1 * step) & peak), self._float(self._shifted_right(w, 2 * step) & peak), self._float(self._shifted_right(w, 3 * step) & peak))

    def rock_mixed(self, first, index, bits, x, y, share):
        above = self._mix(self.rock_codes(first, index + y.x + x.x, bits), self.rock_codes(first, index + y.x + x.y, bits), share.x)
        below = self._mix(self.rock_codes(first, index + y.y + x.x, bits), self.rock_codes(first, index + y.y + x.y, bits), share.x)
        return self._mix(above, below, share.y)

    # Grid 1, 4 numbers of 4 bits each: its first number, latents across and down.
    def rock_level1(self, mip):
        return self._ints(0, 3, 2)

    # Grid 2, 16 numbers of 4 bits each: its first number, latents across and down.
    def rock_level2(self, mip):
        return self._ints(0, 2, 1)

    # The finest mip that the same latents serve.
    def rock_served(self, mip):
        return self._float(0)

    # Sine and cosine along u, then along v; whole turns are taken off first.
    def rock_waves(self, turns):
        angle = (turns - dr.floor(turns + 0.5)) * 6.2831855
        return self._floats(dr.sin(angle.x), dr.cos(angle.x), dr.sin(angle.y), dr.cos(angle.y))

    # What the latents around uv, 0 to 1, are decoded to.
    def rock_decoded(self, uv, mip):
        level0 = self.rock_level0(mip)
        place0 = uv * self._floats(self._float(level0.y), self._float(level0.z)) - 0.5
        share0 = place0 - dr.floor(place0)
        x0 = self.rock_around(self._int(dr.floor(place0.x)), level0.y, 4)
        y0 = self.rock_around(self._int(dr.floor(place0.y)), level0.z, 4 * level0.y)
        latents0 = self.rock_mixed(0, level0.x, 3, x0, y0, share0)
        level1 = self.rock_level1(mip)
        place1 = uv * self._floats(self._float(level1.y), self._float(level1.z)) - 0.5
        share1 = place1 - dr.floor(place1)
        x1 = self.rock_around(self._int(dr.floor(place1.x)), level1.y, 4)
        y1 = self.rock_around(self._int(dr.floor(place1.y)), level1.z, 4 * level1.y)
        latents1 = self.rock_mixed(9, level1.x, 4, x1, y1, share1)
        level2 = self.rock_level2(mip)
        place2 = uv * self._floats(self._float(level2.y), self._float(level2.z)) - 0.5
        share2 = place2 - dr.floor(place2)
        x2 = self.rock_around(self._int(dr.floor(place2.x)), level2.y, 16)
        y2 = self.rock_around(self._int(dr.floor(place2.y)), level2.z, 16 * level2.y)
        latents2 = self.rock_mixed(12, level2.x, 4, x2, y2, share2)
        latents3 = self.rock_mixed(12, level2.x + 4, 4, x2, y2, share2)
        latents4 = self.rock_mixed(12, level2.x + 8, 4, x2, y2, share2)
        latents5 = self.rock_mixed(12, level2.x + 12, 4, x2, y2, share2)
        depth = mip - self.rock_served(mip)
        turns = self._quotient(uv * self.rock_size(mip) * self._float(self._shifted_left(1, self._uint(depth))), 8.0)
        waves0 = self.rock_waves(turns)
        waves1 = self.rock_waves(turns * 2.0)
        waves2 = self.rock_waves(turns * 4.0)
        decoded0, decoded1, = self._layers(0, [latents0.x, latents0.y, latents0.z, latents0.w, latents1.x, latents1.y, latents1.z, latents1.w, latents2.x, latents2.y, latents2.z, latents2.w, latents3.x, latents3.y, latents3.z, latents3.w, latents4.x, latents4.y, latents4.z, latents4.w, latents5.x, latents5.y, latents5.z, latents5.w, waves0.x, waves0.y, waves0.z, waves0.w, waves1.x, waves1.y, waves1.z, waves1.w, waves2.x, waves2.y, waves2.z, waves2.w, self._float(depth)])
        found = rock_channels()
        found.c0 = dr.clip(decoded0, self._repeated(0.0, 4), self._repeated(1.0, 4))
        found.c1 = dr.clip(decoded1, self._repeated(0.0, 4), self._repeated(1.0, 4))
        return found

    # Return the channels of all maps, each 0 to 1, in column x and row y from above; beyond the border they are repeated.
    def rock_texel(self, x, y, mip):
        level = dr.clip(mip, 0, 3)
        size = self.rock_size(level)
        at = self._floats(self._float(x), self._float(y)) + 0.5
        return self.rock_decoded(self._quotient(at - size * dr.floor(self._quotient(at, size)), size), level)

    # Return the channels of the four texels around uv, mixed as a texture's are.
    @dr.syntax
    def rock_bilinear(self, uv, level):
        inside = dr.clip(level, 0.0, 3.0)
        mip = self._int(inside)
        between = inside - self._float(mip)
        mixed = rock_channels()
        mixed.c0 = self._repeated(0.0, 4)
        mixed.c1 = self._repeated(0.0, 4)
        last1 = dr.minimum(8, 4 + 4 * self._int(between > 0.0))
        i = self._int(0)
        while i < last1:
            coarser = self._shifted_right(i, 2)
            place = (uv - dr.floor(uv)) * self.rock_size(mip + coarser) - 0.5
            first = dr.floor(place)
            share = place - first
            step = self._floats(self._float(i & 1), self._float(self._shifted_right(i, 1) & 1))
            sides = dr.abs(1.0 - step - share)
            weight = sides.x * sides.y * dr.abs(1.0 - self._float(coarser) - between)
            one = self.rock_texel(self._int(first.x + step.x), self._int(first.y + step.y), mip + coarser)
            mixed.c0 = mixed.c0 + (one.c0 * weight)
            mixed.c1 = mixed.c1 + (one.c1 * weight)
            i = i + 1
        return mixed

    # Return one of the texels that rock_bilinear mixes, by their weights: its mean.
    def rock_stochastic(self, uv, level, u):
        mip = self._int(dr.clip(dr.floor(level + u.z), 0.0, 3.0))
        place = (uv - dr.floor(uv)) * self.rock_size(mip) - 0.5
        first = dr.floor(place)
        share = place - first
        return self.rock_texel(self._int(first.x) + self._int(u.x < share.x), self._int(first.y) + self._int(u.y < share.y), mip)

    # Return the level whose texels are as large as the longer side of a footprint.
    def rock_level(self, dx, dy):
        across = dx * self._floats(12.0, 8.0)
        down = dy * self._floats(12.0, 8.0)
        square = dr.maximum(dr.maximum(dr.dot(across, across), dr.dot(down, down)), 1.0)
        return 0.72134752 * dr.log(square)

    # Return the mean of 4 of rock_bilinear in a footprint, of the level of half of it.
    @dr.syntax
    def rock_area(self, uv, dx, dy):
        level = dr.floor(self.rock_level(dx * 0.5, dy * 0.5) + 0.5)
        mean = rock_channels()
        mean.c0 = self._repeated(0.0, 4)
        mean.c1 = self._repeated(0.0, 4)
        last1 = dr.minimum(8, 4 + 4 * self._int(level < 0.0))
        i = self._int(0)
        while i < last1:
            step = self._floats(self._float(i & 1), self._float(self._shifted_right(i, 1) & 1)) * 0.5 - 0.25
            one = self.rock_bilinear(uv + dx * step.x + dy * step.y, level)
            mean.c0 = mean.c0 + (one.c0 * (0.25 * self._float(i < 4)))
            mean.c1 = mean.c1 + (one.c1 * (0.25 * self._float(i < 4)))
            i = i + 1
        return mean

    # Return a color, sRGB-encoded, 0 to 1.
    def rock_albedo(self, c):
        return c.c0.xyz

    # Return a color, sRGB-encoded, 0 to 1. Of several maps call rock_bilinear once.
    def rock_albedo_at(self, uv, level):
        return self.rock_albedo(self.rock_bilinear(uv, level))

    # Return a unit normal: x to the right, y up, z out of the surface.
    def rock_normal(self, c):
        xy = self._floats(c.c0.w, c.c1.x) * 2.0 + -1.0
        return self._floats(xy, dr.sqrt(dr.maximum(1.0 - dr.dot(xy, xy), 0.0)))

    # Return a unit normal: x to the right, y up, z out of the surface. Of several maps call rock_bilinear once.
    def rock_normal_at(self, uv, level):
        return self.rock_normal(self.rock_bilinear(uv, level))

    # Return as its file has it, 0 to 1.
    def rock_roughness(self, c):
        return c.c1.y

    # Return as its file has it, 0 to 1. Of several maps call rock_bilinear once.
    def rock_roughness_at(self, uv, level):
        return self.rock_roughness(self.rock_bilinear(uv, level))

    # Return as its file has it; the same everywhere.
    def rock_metallic(self, c):
        return self._float(1.0)

    # Return as its file has it; the same everywhere. Of several maps call rock_bilinear once.
    def rock_metallic_at(self, uv, level):
        return self.rock_metallic(self.rock_bilinear(uv, level))


PLUGIN = 'neuralshade_rock'
NUMBERS = 'rock.npy'
LEVEL = 'rock_level'  # function: level of a footprint
# Of each map: function, lanes, color space, whether it has mip levels.
MAPS = {
    'albedo': ('rock_albedo_at', 'xyz', 'srgb', True),
    'normal': ('rock_normal_at', 'xyz', 'normal', True),
    'roughness': ('rock_roughness_at', None, '', True),
    'metallic': ('rock_metallic_at', None, '', True),
}
PRINCIPLED = {'base_color': 'albedo', 'roughness': 'roughness', 'metallic': 'metallic'}


_cache = {}  # functions of each backend


def functions():
    """Return the functions of the present variant's backend."""
    backend = "drjit.scalar" if mi.Float is float else mi.Float.__module__
    if backend not in _cache:
        numbers = np.load(pathlib.Path(__file__).with_name(NUMBERS), allow_pickle=False)
        _cache[backend] = Functions(backend, numbers)
    return _cache[backend]


class Place:
    """Where a plugin is evaluated: its parameters ``to_uv``, ``level`` and ``footprint``."""

    def __init__(self, props):
        functions()  # uploads numbers before a kernel is recorded
        self.level = float(props.get("level", 0.0))
        self.footprint = bool(props.get("footprint", False))
        rows = np.eye(4)
        if props.has_property("to_uv"):
            rows = np.array(props["to_uv"].matrix, np.float64).reshape(4, 4)
        self.across, self.down = rows[:2, [0, 1, 3]].tolist()
        if np.linalg.det(rows[:2, :2]) == 0.0:
            raise ValueError(f"{PLUGIN}: to_uv squeezes the texture to a line")
        # Steps of the surface's uv for one step of the texture's u, and of its v.
        self.along_u, self.along_v = np.linalg.inv(rows[:2, :2]).T.tolist()

    def uv(self, si):
        """Return texture coordinates, v down."""
        return self._vector(si.uv.x, si.uv.y, True)

    def _vector(self, x, y, moved):
        return functions()._floats(*(row[0] * x + row[1] * y + (row[2] if moved else 0.0)
                                     for row in (self.across, self.down)))

    def mip(self, si):
        """Return the mip level."""
        if LEVEL is None or not self.footprint:
            return self.level
        steps = (self._vector(step.x, step.y, False) for step in (si.duv_dx, si.duv_dy))
        return self.level + getattr(functions(), LEVEL)(*steps)

    def frame(self, si):
        """Return the material's x and y axis, in coordinates s, t of the shading frame.

        x lies along the texture's u and y against its v, whichever way v runs on a shape.
        """
        step_u, step_v = ([dr.dot(axis, si.dp_du) * one + dr.dot(axis, si.dp_dv) * other
                           for axis in (si.sh_frame.s, si.sh_frame.t)]
                          for one, other in (self.along_u, self.along_v))
        length = dr.sqrt(step_u[0] * step_u[0] + step_u[1] * step_u[1])
        known = length > 0.0
        scale = dr.select(known, 1.0 / dr.maximum(length, 1e-30), 0.0)
        x = dr.select(known, step_u[0] * scale, 1.0), step_u[1] * scale
        turned = -x[1] * step_v[0] + x[0] * step_v[1] > 0.0
        side = dr.select(turned, -1.0, 1.0)
        return x, (-x[1] * side, x[0] * side)


def _register(*_):
    """Register the plugin for the present variant."""
    variant = mi.variant()
    if variant is not None and mi.is_rgb and not mi.is_polarized and variant not in _registered:
        _registered.add(variant)
        _plugin()


_registered = set()  # variants


def _linear(x):
    """Return linear light of a number that is sRGB-encoded."""
    x = dr.clip(x, 0.0, 1.0)
    return dr.select(x <= 0.04045, x / 12.92, dr.power((x + 0.055) / 1.055, 2.4))


def _plugin():
    class Texture(mi.Texture):
        """One map. ``map``: a key of MAPS, by default the first."""

        def __init__(self, props):
            mi.Texture.__init__(self, props)
            self.map = props.get("map", next(iter(MAPS)))
            if self.map not in MAPS:
                raise ValueError(f"{PLUGIN}: got map {self.map!r}, need one of {', '.join(MAPS)}")
            self.raw = bool(props.get("raw", False))
            self.place = Place(props)

        def numbers(self, si):
            """Return the map's numbers as a list, converted unless ``raw``."""
            name, lanes, space, leveled = MAPS[self.map]
            uv = self.place.uv(si)
            found = getattr(functions(), name)(*(uv, self.place.mip(si)) if leveled else (uv,))
            found = [found] if lanes is None else [getattr(found, lane) for lane in lanes]
            if space == "normal":
                x, y = self.place.frame(si)
                s, t = (found[0] * x[axis] + found[1] * y[axis] for axis in (0, 1))
                return [0.5 * each + 0.5 for each in (s, t, found[2])]
            if self.raw or not space:
                return found
            return [_linear(x) if space == "srgb" else dr.maximum(x, 0.0) for x in found]

        def eval_3(self, si, active=True):
            found = self.numbers(si)
            return mi.Color3f(*(found * 3 if len(found) == 1 else [*found, 0.0][:3]))

        def eval(self, si, active=True):
            return mi.UnpolarizedSpectrum(self.eval_3(si, active))

        def eval_1(self, si, active=True):
            found = self.numbers(si)
            return mi.Float(mi.luminance(mi.Color3f(*found)) if len(found) == 3 else found[0])

        def mean(self):
            """Return the mean of 16 x 16 samples."""
            middles, si = (np.arange(16) + 0.5) / 16, dr.zeros(mi.SurfaceInteraction3f)
            u, v = (each.ravel().astype(np.float32) for each in np.meshgrid(middles, middles))
            if mi.Float is not float:
                si.uv = mi.Point2f(mi.Float(u), mi.Float(v))
                return dr.mean(self.eval_1(si))
            total = 0.0
            for si.uv in zip(u.tolist(), v.tolist()):
                total += self.eval_1(si)
            return total / len(u)

        def is_spatially_varying(self):
            return True

        def to_string(self):
            return f"{PLUGIN}[map={self.map}, raw={self.raw}, level={self.place.level}]"

    mi.register_texture(PLUGIN, Texture)


mi.detail.add_variant_callback(_register)
_register()


def rock_principled(**parameters):
    """Return Mitsuba's ``principled`` BSDF of these maps, with its normal map, as a scene dict.

    ``parameters``: of every texture, such as level, footprint and to_uv.
    """
    found = {"type": "principled"}
    for key, name in PRINCIPLED.items():
        found[key] = {"type": PLUGIN, "map": name, **parameters}
    if "normal" in MAPS:
        normal = {"type": PLUGIN, "map": "normal", **parameters}
        found = {"type": "normalmap", "normalmap": normal, "bsdf": found}
    if "opacity" in MAPS:
        opacity = {"type": PLUGIN, "map": "opacity", **parameters}
        found = {"type": "mask", "opacity": opacity, "bsdf": found}
    return found
