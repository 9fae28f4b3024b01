"""Protocol of a kind and of an opened asset; light: help imports it without NumPy."""

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
else:  # for tools that read type hints at run time
    AssetLike = str | os.PathLike[str] | lazy_type("neuralshade.kinds.kind:Opened") | Asset
OpenedLike = TypeVar("OpenedLike", bound="Opened")
Notice = Callable[[str], None]


def ignore(notice: str) -> None:
    """Ignore a notice."""


@dataclass(frozen=True)
class Kind:
    """One kind of asset: everything that is needed before one is used.

    "module:name" is imported late. ``fits`` takes subject, output, options, observer, recipe."""

    name: str  # of its assets, and of its verb: neuralshade fit NAME
    about: str  # one line
    opens: str  # a subclass of Opened
    recipe: type
    fits: str | None = None  # None where another kind's fit makes such assets
    subject: Subject = A_PICTURE
    takes: tuple[str, ...] = ()  # supported options of a fit, by their names in FitOptions
    flags: tuple[Flag, ...] = ()
    presets: tuple[str, ...] = ()  # the first is the default
    presets_about: str = ""  # sentences about them, for help
    usual: tuple[str, ...] = ()  # flags of its own that --help lists; none: --help lists all
    manual: str = ""  # further text of --help; \b starts lines that are not wrapped
    output: str = "File to write."  # help of -o
    output_form: str = "ASSET"
    after: tuple[str, ...] = ("export {asset} -o {stem}.html", "export {asset} -o {stem}.hlsl")
    beside: str | None = None  # a line on a result and its source, beside what others make
    calls: str | None = None  # see fitting/command.py; None where flags equal parameters
    estimates: str | None = None  # an Estimate of its fits, see fitting/estimate.py
    recipe_files: Mapping[str, str] = field(default_factory=dict)  # other readers, by suffix
    recipe_about: str = "TOML file of settings, flags with _ for -, as in rate_final = 0.1."
    compared: bool = True  # results are compared with the subject
    rated: bool = True  # PSNR is measured during a fit
    valued: bool = False  # members of its assets accept values
    evaluated: str | None = None  # a torch.nn.Module of an opened asset, at positions
    shaders: str | None = None  # the function from an opened asset and a name to a ShaderForm
    page_script: str | None = None  # gives the script of its forms' ``Compact``
    imports: str | None = None  # importer of another program's numbers
    traced: str | None = None  # a Scattering of an opened asset and a reference, for scenes
    timed: str | None = None  # what ``bench`` measures, see speed.torch_twin.Timed
    verb: str | None = None  # that makes its assets, if that is another kind's

    @property
    def made_by(self) -> str:
        """Return the verb that makes its assets, for users."""
        return self.verb or f"fit {self.name}"

    @property
    def fit(self) -> Callable[..., Any]:
        """Return its fit function. Raises ConfigError for a kind without one."""
        if self.fits is None:
            raise ConfigError(f"{self.name}: got a kind that no fit makes by itself, need one that "
                              "is fitted. See neuralshade fit --help.")  # fmt: skip
        return import_object(self.fits)

    @property
    def opened(self) -> type[Opened]:
        """Return the class of its opened assets."""
        return import_object(self.opens)

    def check_preset(self, name: str) -> None:
        """Raise ConfigError for an unknown preset, with the nearest name."""
        check_preset(name, self.presets)


@dataclass(frozen=True)
class Opened(Closeable, AtPositions, InNotebooks, ShortRepr):
    """An asset with its recipe read; close one that was drawn: it may hold a GPU."""

    asset: Asset
    recipe: Any

    kind: ClassVar[Kind]
    parts: ClassVar[Mapping[str, Rule]] = {}  # rules of its headers' own parts, by name
    trusted = False  # the user vouches for code in the asset
    draws_view = False  # drawn for a view of any aspect, not as a picture

    def __post_init__(self) -> None:  # called by the common __init__ of all kinds
        """Refuse inconsistent parts: AssetError."""

    @classmethod
    def of(cls: type[OpenedLike], asset: Asset, values: Mapping[str, Any] | None = None,
           *, trust: bool = False) -> OpenedLike:  # fmt: skip
        """Return an asset of this kind opened; AssetError where header or tensors break its rules.

        ``trust``: code in the asset may run; most kinds have none.
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
        """Return the forms of its tensors, by recipe and header; None: any. Raises AssetError."""
        return None

    @property
    def header(self) -> Header:
        """Return the asset's header."""
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
        """Return the number of trained numbers."""

    @property
    def shows(self) -> bool:
        """Return whether it can be drawn."""
        return True

    @property
    @abstractmethod
    def picture(self) -> Mapping[str, Any]:
        """Return name, width, height, channels and color_space of the drawn picture.

        Raises: AssetError where it cannot be drawn.
        """

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height in pixels of the fitted subject."""
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
        """Return its texture maps with their levels, one by one, each decoded on demand.

        Args:
            maps: names; levels: how many, from level 0 on; None: all. region: of level 0.
            blocks: as for ``write_maps``: made on the GPU that decodes, if one does.
            device: auto, cpu or an API, for decoding; ``on_device`` gets its name for users.

        Raises: ConfigError, before anything is decoded, for names or levels that do not exist;
            AssetError for an asset without maps, and for numbers that are too large.
        """
        instead = "Draw it with neuralshade render" if self.shows else "See neuralshade info"
        raise AssetError(f"{self.path}: got an asset of kind {self.kind.name!r}, which holds no "
                         f"texture maps, need one that does. {instead}.")  # fmt: skip

    def latent_files(self, folder: Path) -> list[Path]:
        """Write latents that are textures into ``folder``; AssetError for other latents."""
        raise AssetError(f"{self.path}: got an asset of kind {self.kind.name!r}, need one of fit "
                         "textures --latents bc1. Leave --latents out.")  # fmt: skip

    @abstractmethod
    def scene(self, reference: Any = None) -> Scene:
        """Return the scene of a live page, beside ``reference`` if there is one.

        Raises: AssetError where it cannot be drawn, or for another reference; PictureError.
        """

    def check_reference(self, reference: Any) -> None:
        """Raise AssetError for another's reference, without drawing it."""

    def same_reference(self, reference: Any) -> Any:
        """Return ``reference`` if the asset was fitted to it, else None."""
        return None

    @abstractmethod
    def evaluate(self, reference: Any = None, notice: Notice = ignore) -> Table:
        """Return its quality beside the alternatives.

        Raises: AssetError for another reference; ConfigError for a missing one.
        """

    def speed(self, reference: Any, notice: Notice = ignore) -> Table:
        """Return its cost on a GPU, with that of ``reference``. ConfigError for most kinds."""
        raise ConfigError(f"{self.path}: got --speed, need a material's asset. Leave it out.")

    @abstractmethod
    def report(
        self, reference: Any, output: str | os.PathLike[str], *, snapshots: Any = (),
        facts: Sequence[tuple[str, str]] = (), notice: Notice = ignore,
    ) -> None:  # fmt: skip
        """Write one self-contained page about it. Raises AssetError, PictureError, OutputError."""

    @property
    def bits_per_pixel(self) -> float | None:
        """Return the file's bits per pixel, None for drawings of any size."""
        return None

    @property
    def memory_bytes(self) -> int | None:
        """Return the bytes in a GPU's memory, as shaders read it; None where unknown."""
        return None

    def facts(self) -> dict[str, Any]:
        """Return the asset's facts as plain JSON data; see ``info``."""
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

    def recipe_flags(self) -> dict[str, Any]:
        """Return flags of its fit besides the recipe, in the form of a --recipe file."""
        return {}

    @abstractmethod
    def summary(self) -> dict[str, str]:
        """Return lines for users, by their titles: its size, contents and quality."""

    def tensor_summary(self) -> dict[str, str]:
        """Return a line for each of its tensors, or for all of them together."""
        return {f"  {name}": f"{t.dtype} {list(t.shape)}" for name, t in self.tensors.items()}

    def close(self) -> None:
        """Release what drawing uses; the next drawing opens it again."""
