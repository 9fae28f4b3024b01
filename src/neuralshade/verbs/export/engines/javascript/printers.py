"""Printers of shader text inside ES modules: words from a texture, networks by JavaScript."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from neuralshade.languages.glsl import ACROSS, GlslEs
from neuralshade.languages.wgsl import Wgsl
from neuralshade.model.shader_form import Network

# A comment of the dialect; numbers.js puts lines of the network there
NETWORK = "// network "
ROWS_SHIFT = ACROSS.bit_length() - 1


def words_texture(name: str) -> str:
    """Return the name of the texture that holds an asset's words."""
    return f"{name}_words"


@dataclass(frozen=True)
class ModuleWgsl(Wgsl):
    """WGSL whose words are texels of a texture that the engine declares."""

    types: ClassVar[dict[str, str]] = {**Wgsl.types, "mat3": "mat3x3f", "mat4": "mat4x4f"}

    def head(self) -> list[str]:
        if not self.reads_words:
            return []
        name, texture = self.form.name, words_texture(self.form.name)
        place = f"vec2i({{0}} & {ACROSS - 1}, {{0}} >> {ROWS_SHIFT}u)"
        lines = [f"fn {name}_word(i: i32) -> u32 {{", "    let texel = i >> 2u;",
                 f"    return textureLoad({texture}, {place.format('texel')}, 0)[i & 3];",
                 "}"]  # fmt: skip
        if self.reads_rows:
            lines += ["", f"fn {name}_row(i: i32) -> vec4f {{",
                      f"    return bitcast<vec4f>(textureLoad({texture}, {place.format('i')}, 0));",
                      "}"]  # fmt: skip
        return lines

    def network(self, network: Network) -> Iterable[str]:
        return _placed(self, network) if self.in_text else super().network(network)


@dataclass(frozen=True)
class ModuleGlsl(GlslEs):
    """GLSL ES 3.00 whose words are texels of a texture that the engine declares."""

    def head(self) -> list[str]:
        return [line for line in super().head() if not line.startswith("uniform")]

    def network(self, network: Network) -> Iterable[str]:
        return _placed(self, network) if self.in_text else super().network(network)


def _placed(printer: ModuleWgsl | ModuleGlsl, network: Network) -> list[str]:
    return [f"{NETWORK}{printer.index_of(network)}"]
