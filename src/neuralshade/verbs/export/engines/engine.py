"""Registry of engines, and what each is made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neuralshade.base.lazy_import import import_object
from neuralshade.errors import ConfigError
from neuralshade.kinds.kind import Opened
from neuralshade.model.shader_form import ShaderForm, Texture

Contents = dict[str, bytes | Texture]  # of files, by path below the engine's folder


@dataclass(frozen=True)
class EngineSource:
    """An asset on its way into an engine."""

    form: ShaderForm  # whose name begins all names in the code
    opened: Opened
    stem: str  # begins the names of files
    in_text: bool | None = None  # networks' numbers, see ``printer_of``

    def refused(self, engine: str, need: str, instead: str) -> ConfigError:
        """Return the error of an asset that an engine cannot take."""
        return ConfigError(f"to: got {engine} for {self.opened.path}, an asset of "
                           f"{self.opened.kind.made_by}, need {need}. {instead}")  # fmt: skip


@dataclass(frozen=True)
class Engine:
    """One engine: its name for ``to``, and the function that returns its files."""

    name: str
    title: str
    makes: str  # "module:function" of an EngineSource, returning Contents with a README.md

    @property
    def files(self) -> Callable[[EngineSource], Contents]:
        """Return the function that makes the files; it may raise ConfigError."""
        return import_object(self.makes)


_FOLDER = "neuralshade.verbs.export.engines"
_ALL: tuple[Engine, ...] = (
    Engine("mitsuba", "Mitsuba 3", f"{_FOLDER}.mitsuba.mitsuba_files:mitsuba_files"),
    Engine("unity", "Unity, Shader Graph", f"{_FOLDER}.unity.files:unity_files"),
    Engine("unreal", "Unreal Engine, Custom node", f"{_FOLDER}.unreal.files:unreal_files"),
    Engine("godot", "Godot", f"{_FOLDER}.godot.files:godot_files"),
    Engine("gltf-splats", "glTF and PLY of Gaussian splats",
           f"{_FOLDER}.gltf_splats.gltf_splats:gltf_splats_files"),
    Engine("threejs", "three.js", f"{_FOLDER}.threejs.files:threejs_files"),
    Engine("osl", "OSL: Blender, Arnold, RenderMan", f"{_FOLDER}.osl.files:osl_files"),
    Engine("babylon", "Babylon.js", f"{_FOLDER}.babylon.files:babylon_files"),
)  # fmt: skip
ENGINES = {one.name: one for one in _ALL}


def engine_contents(source: EngineSource, names: Sequence[str], *, alone: bool) -> Contents:
    """Return the files of engines, each in a folder of its own unless it is ``alone``."""
    contents: Contents = {}
    for name in names:
        before = "" if alone else f"{name}/"
        contents |= {f"{before}{file}": each for file, each in ENGINES[name].files(source).items()}
    return contents
