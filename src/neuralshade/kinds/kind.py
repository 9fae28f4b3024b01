"""Protocol of kinds/, of a kind and of an opened asset; light: help loads it, and no NumPy."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from neuralshade.base.closeable import Closeable
from neuralshade.base.lazy_import import import_object, lazy_type
from neuralshade.base.short_repr import ShortRepr
from neuralshade.errors import AssetError, ConfigError
from neuralshade.fitting.command import A_PICTURE, Flag, Subject
from neuralshade.fitting.recipe import check_preset, stored_recipe
from neuralshade.kinds.hints import (
    Asset,
    Form,
    Header,
    MapChain,
    Numbers,
    Region,
    Rule,
    Scene,
    Table,
)
from neuralshade.kinds.notebook import InNotebooks
from neuralshade.kinds.positions import AtPositions
from neuralshade.source.crop import WHOLE, Crop

if TYPE_CHECKING:
    AssetLike: TypeAlias = "str | os.PathLike[str] | Opened | Asset"
else:  # for who reads hints while a program runs
    AssetLike = str | os.PathLike[str] | lazy_type("neuralshade.kinds.kind:Opened") | Asset
OpenedLike = TypeVar("OpenedLike", bound="Opened")
Notice = Callable[[str], None]


def ignore(notice: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Kind:
    """One kind of asset: all that others need to know of it before it is used.

    ``opens``, ``fits``, ``calls`` say where something lies, "module:name", loaded when needed.
    ``fits`` takes what is fitted, ``output``, ``options``, ``observer`` and the recipe's fields;
    ``calls`` makes a call of it of what was typed, see fitting/command.py."""

    name: str  # of its assets, and of its verb: neuralshade fit NAME
    about: str  # in a line
    opens: str  # a subclass of Opened
    recipe: type
    fits: str | None = None  # None where another kind's fit makes such assets
    subject: Subject = A_PICTURE
    takes: tuple[str, ...] = ()  # options of a fit that it heeds, by their names in FitOptions
    flags: tuple[Flag, ...] = ()
    presets: tuple[str, ...] = ()  # the first is the usual one
    usual: tuple[str, ...] = ()  # flags of its own that --help lists; none: --help lists all
    manual: str = ""  # what --help says besides; \b begins lines that stay as they are
    output: str = "File to write."  # what -o is
    output_form: str = "ASSET"
    after: tuple[str, ...] = ("view {asset}", "export {asset} -o {stem}.hlsl")  # what comes next
    calls: str | None = None  # None where flags are called as parameters are
    recipe_files: Mapping[str, str] = field(default_factory=dict)  # other readers, by suffix
    recipe_about: str = "TOML file with these settings, _ for -."
    compared: bool = True  # results are compared with what was fitted
    rated: bool = True  # a PSNR is measured on the way
    valued: bool = False  # members of its assets can be given values
    evaluated: str | None = None  # a torch.nn.Module of an opened one, at positions
    shaders: str | None = None  # a ShaderForm of an opened one and a name
    imports: str | None = None  # what makes an asset of another program's numbers
    traced: str | None = None  # a Scattering of an opened one and a reference, for scenes
    timed: str | None = None  # what ``bench`` times of it, see speed.torch_twin.Timed
    verb: str | None = None  # that makes its assets, where that is another kind's

    @property
    def made_by(self) -> str:
        """Return the verb that makes its assets, for people."""
        return self.verb or f"fit {self.name}"

    @property
    def fit(self) -> Callable[..., Any]:
        """Return what fits it. Raises ConfigError where nothing does by itself."""
        if self.fits is None:
            raise ConfigError(f"{self.name}: got a kind that no fit makes by itself, need one that "
                              "is fitted. See neuralshade fit --help.")  # fmt: skip
        return import_object(self.fits)

    @property
    def opened(self) -> type[Opened]:
        """Return what its assets are when they are opened."""
        return import_object(self.opens)

    def check_preset(self, name: str) -> None:
        """Raise ConfigError for a preset that it has not, with the nearest name."""
        check_preset(name, self.presets)


@dataclass(frozen=True)
class Opened(Closeable, AtPositions, InNotebooks, ShortRepr):
    """An asset with its recipe read; close one that was drawn: it may hold a GPU."""

    asset: Asset
    recipe: Any

    kind: ClassVar[Kind]
    parts: ClassVar[Mapping[str, Rule]] = {}  # of headers' own, by name; training, quality
    trusted = False  # somebody vouched for code that came with it
    draws_view = False  # of any aspect, and what pixels cover is its own matter; else a picture

    def __post_init__(self) -> None:  # called by the one __init__ that all kinds have
        """Refuse what does not belong together: AssetError."""

    @classmethod
    def of(cls: type[OpenedLike], asset: Asset, given: Mapping[str, Any] | None = None,
           *, trust: bool = False) -> OpenedLike:  # fmt: skip
        """Return an asset of this kind opened; AssetError where header or tensors break its rules.

        ``trust``: code that came with it may run; most kinds have none.
        """
        from neuralshade.asset.asset import check_own, check_tensors
        from neuralshade.asset.plugin_provenance import losses_of, unreadable_recipe

        check_own(asset, cls.parts)
        try:
            said = asset.header.recipe
            opened = cls(asset, stored_recipe(cls.kind.recipe, said, losses_of(asset)))
            check_tensors(asset, opened.forms())
            return opened
        except ConfigError as error:
            raise unreadable_recipe(asset, error) from error

    @classmethod
    def read(cls: type[OpenedLike], asset: str | os.PathLike[str] | Asset | Opened) -> OpenedLike:
        """Return an asset of this kind, opened; AssetError for one of another."""
        from neuralshade.asset import asset as assets

        asset = asset.asset if isinstance(asset, Opened) else asset
        file = asset if isinstance(asset, assets.Asset) else assets.read_asset(asset)
        if file.kind != cls.kind.name:
            need = f"{cls.kind.name!r}. Use one that {cls.kind.made_by} made."
            raise AssetError(f"{file.path}: got an asset of kind {file.kind!r}, need {need}")
        return cls.of(file)

    def forms(self) -> Mapping[str, Form] | None:
        """Return what tensors must be, by recipe and header; None is for any. Raises AssetError."""
        return None

    @property
    def header(self) -> Header:
        """Return what the asset says of itself."""
        return self.asset.header

    @property
    def tensors(self) -> dict[str, Numbers]:
        """Return the stored numbers, by name."""
        return self.asset.tensors

    @property
    def path(self) -> str:
        return self.asset.path

    def brief(self) -> str:
        return f"{self.path}, {self.byte_count:,} bytes"

    @property
    def byte_count(self) -> int:
        return self.asset.byte_count

    @property
    @abstractmethod
    def numbers(self) -> int:
        """Return how many trained numbers there are."""

    @property
    def shows(self) -> bool:
        """Return whether there is something to see."""
        return True

    @property
    @abstractmethod
    def picture(self) -> Mapping[str, Any]:
        """Return name, width, height, channels and color_space of what is drawn.

        Raises: AssetError where nothing is.
        """

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height in pixels of what was fitted."""
        return self.picture["width"], self.picture["height"]

    @property
    def color_space(self) -> str:
        return str(self.picture["color_space"])

    @abstractmethod
    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> Numbers:
        """Return float32 [height, width, C] at pixel centers of ``crop``, not clamped."""

    def chains(
        self, maps: Sequence[str] | None = None, levels: int | None = None,
        region: Region | None = None, *, blocks: Sequence[str] = (), device: str = "auto",
        on_device: Notice = ignore,
    ) -> Iterator[MapChain]:  # fmt: skip
        """Return its texture maps with their levels, one at a time, each decoded when it is asked.

        Args:
            maps: names; levels: how many, level 0 among them; None is all. region: of level 0.
            blocks: as ``write_maps`` will be given them: a GPU makes them where it decodes.
            device: auto, cpu or an API: where maps are decoded; ``on_device`` is told, for people.

        Raises: ConfigError, before anything is decoded, for what is not there; AssetError where
            it holds no such maps, and where numbers in it are too large.
        """
        instead = "Draw it with neuralshade render" if self.shows else "See neuralshade info"
        raise AssetError(f"{self.path}: got an asset of kind {self.kind.name!r}, which holds no "
                         f"texture maps, need one that does. {instead}.")  # fmt: skip

    def latent_files(self, folder: Path) -> list[Path]:
        """Write latents that are textures into ``folder``; AssetError where there are none."""
        raise AssetError(f"{self.path}: got an asset of kind {self.kind.name!r}, need one of fit "
                         "textures --latents bc1. Leave --latents out.")  # fmt: skip

    @abstractmethod
    def scene(self, reference: Any = None) -> Scene:
        """Return what a live page shows, beside ``reference`` where one is given.

        Raises: AssetError where it shows nothing, or for another reference; PictureError.
        """

    def check_reference(self, reference: Any) -> None:
        """Raise AssetError for a reference that is shown nowhere, where it is another's."""

    def same_reference(self, reference: Any) -> Any:
        """Return ``reference`` where it is what the asset was fitted to, else None."""
        return None

    @abstractmethod
    def evaluate(self, reference: Any = None, notice: Notice = ignore) -> Table:
        """Return how good it is beside what its user would take in its place.

        Raises: AssetError for another reference; ConfigError where one is missing.
        """

    def speed(self, reference: Any, notice: Notice = ignore) -> Table:
        """Return what a GPU takes for it, ``reference`` beside it. ConfigError for most kinds."""
        raise ConfigError(f"{self.path}: got --speed, need a material's asset. Leave it out.")

    @abstractmethod
    def report(
        self, reference: Any, output: str | os.PathLike[str], *, snapshots: Any = (),
        facts: Sequence[tuple[str, str]] = (), notice: Notice = ignore,
    ) -> None:  # fmt: skip
        """Write one self-contained page about it. Raises AssetError, PictureError, OutputError."""

    @property
    def bits_per_pixel(self) -> float | None:
        """Return the file's, None where what is shown is of any size."""
        return None

    @property
    def memory_bytes(self) -> int | None:
        """Return the bytes in a GPU's memory, as shaders read it; None where that is not told."""
        return None

    def facts(self) -> dict[str, Any]:
        """Return what the asset says of itself, as plain JSON data; see ``info``."""
        from neuralshade.asset.file import FORMAT

        return {
            "path": self.path, "kind": self.kind.name, "format": FORMAT, "bytes": self.byte_count,
            "memory_bytes": self.memory_bytes, "bits_per_pixel": self.bits_per_pixel,
            "parameters": self.numbers,
            **{n: getattr(self.header, n) for n in ("picture", "recipe", "training", "quality")},
            "tensors": {n: f"{t.dtype} {list(t.shape)}" for n, t in self.tensors.items()},
            **{n: self.header.own[n] for n in (*self.parts, "plugins", "source")
               if n in self.header.own},
        }  # fmt: skip

    def told_flags(self) -> dict[str, Any]:
        """Return flags of its fit beside the recipe, as a --recipe file has them."""
        return {}

    @abstractmethod
    def told(self) -> dict[str, str]:
        """Return lines for people, by their titles: what it takes, shows and reached."""

    def told_tensors(self) -> dict[str, str]:
        """Return a line for each of its tensors, or for what they are together."""
        return {f"  {name}": f"{t.dtype} {list(t.shape)}" for name, t in self.tensors.items()}

    def close(self) -> None:
        """Give back what it is drawn with; drawn again, it opens that anew."""
