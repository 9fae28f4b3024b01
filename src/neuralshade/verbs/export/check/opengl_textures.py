"""OpenGL textures by its own calls: moderngl uploads neither blocks nor single levels."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable
from typing import Any

from neuralshade.errors import DeviceError
from neuralshade.model.shader_form import ShaderForm, Texture

TEXTURE_2D, TEXTURE0, UNPACK_ALIGNMENT = 0x0DE1, 0x84C0, 0x0CF5
UNSIGNED_BYTE, RED, RGBA = 0x1401, 0x1903, 0x1908
MOST_LEVEL, MAGNIFIED, MINIFIED, ALONG_S, ALONG_T = 0x813D, 0x2800, 0x2801, 0x2802, 0x2803
LINEAR, LINEAR_BETWEEN_LEVELS, REPEATED, CLAMPED = 0x2601, 0x2703, 0x2901, 0x812F
# COMPRESSED_RGB_S3TC_DXT1_EXT, COMPRESSED_RGBA_BPTC_UNORM
BLOCKS = {"bc1": 0x83F0, "bc7": 0x8E8C}
PLAIN = {"r8": (0x8229, RED), "rgba8": (0x8058, RGBA), "rgba8_srgb": (0x8C43, RGBA)}


def bind_textures(context: Any, form: ShaderForm, first: int) -> dict[str, int]:
    """Upload textures to units from ``first`` on, and return the units by their names.

    They live as long as the context. Raises DeviceError without EGL's library.
    """
    calls = _Calls()
    found = {}
    for unit, texture in enumerate(form.textures, start=first):
        calls.of("glActiveTexture", ctypes.c_uint)(TEXTURE0 + unit)
        _upload(calls, texture)
        found[texture.name] = unit
    context.error  # noqa: B018 - reads what went wrong, so that nobody after is blamed
    return found


class _Calls:
    """Functions of OpenGL by their names."""

    def __init__(self) -> None:
        library = ctypes.util.find_library("EGL")
        if library is None:
            raise DeviceError("glsl: got no library of EGL, need it to bind textures. Install "
                              "Mesa's EGL.")  # fmt: skip
        self._address = ctypes.CDLL(library).eglGetProcAddress
        self._address.restype, self._address.argtypes = ctypes.c_void_p, [ctypes.c_char_p]

    def of(self, name: str, *types: Any) -> Callable[..., Any]:
        """Return a function that returns nothing; ``types``: of its arguments."""
        return ctypes.CFUNCTYPE(None, *types)(self._address(name.encode()))


def _upload(calls: _Calls, texture: Texture) -> None:
    whole, pointer = ctypes.c_int, ctypes.c_void_p
    made = ctypes.c_uint()
    calls.of("glGenTextures", whole, pointer)(1, ctypes.byref(made))
    calls.of("glBindTexture", ctypes.c_uint, ctypes.c_uint)(TEXTURE_2D, made)
    calls.of("glPixelStorei", ctypes.c_uint, whole)(UNPACK_ALIGNMENT, 1)
    blocks = calls.of("glCompressedTexImage2D", *[ctypes.c_uint, whole, ctypes.c_uint, whole, whole,
                                                  whole, whole, ctypes.c_char_p])  # fmt: skip
    plain = calls.of("glTexImage2D", *[ctypes.c_uint, *[whole] * 5, ctypes.c_uint, ctypes.c_uint,
                                       ctypes.c_char_p])  # fmt: skip
    for level, ((width, height), data) in enumerate(
        zip(texture.sizes, texture.levels, strict=True)
    ):
        if texture.in_blocks:
            blocks(TEXTURE_2D, level, BLOCKS[texture.format], width, height, 0, len(data), data)
        else:
            inner, outer = PLAIN[texture.format]
            plain(TEXTURE_2D, level, inner, width, height, 0, outer, UNSIGNED_BYTE, data)
    set_ = calls.of("glTexParameteri", ctypes.c_uint, ctypes.c_uint, whole)
    beyond = REPEATED if texture.wraps else CLAMPED
    for name, value in (
        (MOST_LEVEL, len(texture.sizes) - 1),
        (MAGNIFIED, LINEAR),
        (MINIFIED, LINEAR_BETWEEN_LEVELS),
        (ALONG_S, beyond),
        (ALONG_T, beyond),
    ):
        set_(TEXTURE_2D, name, value)
