"""Export of an asset to the functions that a renderer calls."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from neuralshade.base.argument_checks import check_path
from neuralshade.base.atomic import check_writable, make_folder, whole_file
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError, OutputError
from neuralshade.fitting.output_checks import check_no_input
from neuralshade.kinds import open_asset
from neuralshade.kinds.kind import AssetLike
from neuralshade.languages.halves import in_halves
from neuralshade.languages.language import Printer
from neuralshade.languages.printers import printer_of
from neuralshade.measure.table import Table, print_lines
from neuralshade.model.shader_form import ShaderForm, Texture
from neuralshade.verbs.export.engines.engine import EngineSource, engine_contents
from neuralshade.verbs.export.manifest import manifest_text
from neuralshade.verbs.export.names import asset_name, check_name
from neuralshade.verbs.export.number_files import number_files
from neuralshade.verbs.export.readme import readme_text
from neuralshade.verbs.export.targets import Targets, targets_of
from neuralshade.verbs.export.texture_files import BUFFER, TEXTURES, file_of, fill_texture

NUMBERS = ("auto", "text", "buffer")
MATRIX = ("none", "coopvec")


@dataclass(frozen=True)
class ExportResult:
    """Files of an export, and the results of its checks."""

    files: tuple[str, ...]
    functions: tuple[str, ...]  # names of those that a renderer calls
    multiply_adds: int  # of all networks
    checks: Table | None  # a row for each target and function; None without checks

    @property
    def right(self) -> bool:
        """Return whether no check failed."""
        return all(row["right"] is not False for row in self.checks or ())

    def print(self) -> None:
        """Print the files and the results of checks."""
        print_lines([f"{path}: {os.path.getsize(path):,} bytes" for path in self.files])
        if self.checks is not None:
            self.checks.print()


def export(
    asset: AssetLike | Sequence[AssetLike],
    to: str | Sequence[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    *,
    name: str | None = None,
    numbers: str = "auto",
    matrix: str = "none",
    half: bool = False,
    textures: str = "dds",
    check: bool = False,
    values: Mapping[str, Any] | None = None,
    trust: bool = False,
    beside: Any = None,
    embed: bool = False,
) -> ExportResult:
    """Write an asset as functions of shading languages, for engines, or as a web page.

    All files are written, or none.

    Beside a file for each language stand NAME.bin (uint32, little-endian: what the functions read
    from a buffer; none where all numbers stand in the text; torch has NAME.safetensors), NAME_*.dds
    (textures with their mip levels: the maps of mip levels, latents that are BC1), NAME.json
    (functions, bindings, color spaces, and 256 inputs of each function with the outputs that are
    right) and README.md.

    Args:
        asset: path of an asset, or what ``load`` returned; several, as a list, for a web page.
        to: languages: slang, hlsl, glsl, glsl-es (WebGL 2), spirv, wgsl, metal, cuda, cpp, js,
            torch; engines, see docs/engines.md; or web, a page that needs no other file. Several
            as a list or with commas. None where the suffix of ``output`` says it.
        output: folder, made where there is none, by default the asset's name with _shader; or a
            file with the suffix of one language, in whose folder the others are then written too.
            Files of other names stay.
        name: identifier that begins all names of the text; by default that of the file that
            ``output`` names, else of the asset. Of a web page: its title.
        numbers: "text": numbers of networks stand in the text, which is several times faster
            where the network is small; "buffer": in the buffer; "auto": by size.
        matrix: "coopvec": write NAME.coopvec.slang beside NAME.slang, in which cooperative vectors
            evaluate networks in float16, with numbers of its own, NAME.coopvec.bin.
        half: 16-bit numbers for the hidden layers of networks, weights and sums: slang, hlsl
            (shader model 6.2), glsl, spirv, wgsl, metal and cuda have them.
        textures: "dds" or "ktx2": files that texture units sample; C++, CUDA, PyTorch and SPIR-V
            read their texels from the numbers all the same. "buffer": all languages do, exactly.
        check: also run what can run on this machine, and compare; see ``ExportResult.checks``.
        values: for the members of a user's task, by name, in place of those that it has.
        trust: code that came with the asset may be compiled though no fit of yours had it.
        beside: what a web page shows beside each asset: the source, in the form that ``evaluate``
            takes it; a list for several assets.
        embed: of a web page: write what another site includes instead: neural-shade.js, which has
            the element <neural-shade>, NAME.nsb and NAME.webp of each asset, and an example,
            index.html; by default into the folder of the asset's name with _embed.

    Raises: AssetError for an asset that is no function of a position; ConfigError for an unknown
        target, name or setting; KernelError where Slang's compiler refuses a task; OutputError;
        DeviceError for spirv and tasks without slangpy.
    """
    _check_choice("numbers", numbers, NUMBERS)
    _check_choice("matrix", matrix, MATRIX)
    _check_choice("textures", textures, TEXTURES)
    if output is not None:
        check_path("output", output, OutputError)
    targets = targets_of(to, output, vectors=matrix == "coopvec")
    if check and not (targets.languages or targets.web):
        raise ConfigError(f"check: got it for {', '.join(targets.engines)}, which other programs "
                          "run, need a language. Add one, or leave it out.")  # fmt: skip
    if embed:
        _check_embed(targets)
    if name is not None:
        check_name(name)
    assets: list[Any] = list(asset) if isinstance(asset, list | tuple) else [asset]
    if targets.web:
        unused = {"check": check, "half": half, "numbers": numbers != "auto"}
        return _web(assets, targets, beside, unused, embed=embed, title=name, values=values,
                    trust=trust)  # fmt: skip
    if len(assets) != 1 or beside is not None:
        got = "a picture beside it" if len(assets) == 1 else f"{len(assets)} assets"
        raise ConfigError(f"to: got {got} for something else than a web page, need one asset "
                          "alone. Write --to web, or leave that out.")  # fmt: skip
    asset = assets[0]
    with open_asset(asset, values, trust=trust) as opened:
        named = asset_name(targets.stem or Path(opened.path).stem) if name is None else name
        form = opened.shader(named)
        if form.program is not None and numbers != "auto":
            raise ConfigError(
                f"numbers: got {numbers} for a task or another package's encoding, "
                "whose text says where they are, need auto. Leave it out."
            )
        form = in_halves(form) if half else form
        in_text, units = {"auto": None, "text": True, "buffer": False}[numbers], textures != BUFFER
        stem, contents = targets.stem or named, dict[str, bytes | Texture]()
        if targets.languages:
            printers = [printer_of(form, one, in_text, units) for one in targets.languages]
            contents = _contents(form, printers, textures, stem, alone=targets.stem is not None)
        source = EngineSource(form, opened, stem, in_text)
        contents |= engine_contents(source, targets.engines, alone=targets.count == 1)
        folder = targets.folder or Path(f"{Path(opened.path).stem}_shader")
        files = _written(folder, contents, opened.path)
        checks = None
        if check:
            from neuralshade.verbs.export.check.checks import check_form

            checks = check_form(form, targets.languages, in_text, units)
    public = tuple(one.name for one in form.public)
    return ExportResult(tuple(map(str, files)), public, form.multiply_adds, checks)


def _web(
    assets: Sequence[AssetLike], targets: Targets, beside: Any, unused: Mapping[str, bool], *,
    embed: bool, **how: Any,
) -> ExportResult:  # fmt: skip
    """Write a web page of assets, or what another site includes.

    unused: the settings that a page has no use for, by name, and whether they were chosen.
    """
    from neuralshade.verbs.export.web.embed import check_example, embed_files
    from neuralshade.verbs.export.web.web import path_of, web_files

    for name, chosen in unused.items():
        if chosen:
            raise ConfigError(f"{name}: got it for a web page, which has no choice of it, need a "
                              "language or an engine. Leave it out.")  # fmt: skip
    if not assets:
        raise ConfigError("asset: got none, need one or more. Name the file of a fit.")
    listed = (
        [] if beside is None else (list(beside) if isinstance(beside, list | tuple) else [beside])
    )
    paths, folder = list(map(path_of, assets)), targets.folder or Path()
    contents: dict[str, bytes | Texture] = {}
    if embed:
        folder = targets.folder or Path(f"{Path(paths[0]).stem}_embed")
        check_example(folder)
        contents |= embed_files(assets, beside=listed, **how)
    else:
        contents |= web_files(assets, targets.stem, beside=listed, **how)
    files = _written(folder, contents, *paths)
    return ExportResult(tuple(map(str, files)), (), 0, None)


def _check_embed(targets: Targets) -> None:
    if not targets.web:
        others = ", ".join((*targets.engines, *targets.languages))
        raise ConfigError(f"embed: got it for {others}, need web. Write --to web.")
    if targets.stem is not None:
        raise ConfigError(f"output: got {shown(targets.stem)}.html and embed, which writes several "
                          "files, need a folder. Write --to web -o DIR.")  # fmt: skip


def _check_choice(name: str, got: str, choices: Sequence[str]) -> None:
    if got not in choices:
        raise ConfigError(f"{name}: got {shown(got)}, need one of {', '.join(choices)}."
                          f"{did_you_mean(str(got), choices)}")  # fmt: skip


def _contents(
    form: ShaderForm, printers: Sequence[Printer], container: str, stem: str, *, alone: bool
) -> dict[str, bytes | Texture]:
    """Return the content of each file by name. ``container``: of textures."""
    contents: dict[str, bytes | Texture] = {stem + one.suffix: one.content() for one in printers}
    for one in printers:
        contents |= {stem + suffix: content for suffix, content in one.companions().items()}
    for one in printers:
        contents |= one.neighbors()
    files = number_files(printers, stem)
    for one in printers:
        if one.name in files:
            contents.setdefault(files[one.name], one.words.astype("<u4").tobytes())
    textures = next((one.form.textures for one in printers if one.form.textures), ())
    contents |= {file_of(texture, stem, container): texture for texture in textures}
    contents[f"{stem}.json"] = manifest_text(form, printers, stem, container).encode()
    if not alone:
        contents["README.md"] = readme_text(form, printers, stem, container).encode()
    return contents


def _written(folder: Path, contents: Mapping[str, bytes | Texture], *assets: str) -> list[Path]:
    """Write files, none of which may be an asset; none where one cannot be written."""
    files = [folder / name for name in contents]
    new_folders = [place for place in dict.fromkeys((folder, *_folders_below(folder, contents)))
                   if not os.path.exists(place)]  # fmt: skip
    made: list[Path] = []
    try:
        for place in (folder, *new_folders):
            make_folder(place, "the shaders")
        for file in files:
            for asset in assets:
                check_no_input(file, asset)
            check_writable(file)
        with ExitStack() as renamed:  # all at the end, so that an older export stays whole
            for file, content in zip(files, contents.values(), strict=True):
                partial = renamed.enter_context(whole_file(file))
                if isinstance(content, bytes):
                    partial.write_bytes(content)
                else:
                    fill_texture(partial, content)
            made += [file for file in files if not os.path.lexists(file)]
    except BaseException:  # also an interruption: no new file is left
        for file in made:
            file.unlink(missing_ok=True)
        for place in reversed(new_folders):
            with suppress(OSError):  # others have put something there
                place.rmdir()
        raise
    return files


def _folders_below(folder: Path, names: Iterable[str]) -> list[Path]:
    """Return the folders of files with these names, outer ones first."""
    parents = {parent for name in names for parent in PurePosixPath(name).parents}
    return [folder / parent for parent in sorted(parents)]
