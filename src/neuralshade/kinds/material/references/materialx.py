"""MaterialX documents as references, through MaterialX's own Slang generator.

The package ``materialx`` (1.39.5, not 1.40) generates the text. What it cannot express, or silently
gets wrong, is refused with the name of the node.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import plain, read_failure, shown
from neuralshade.base.regular_file import check_regular
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx_bindings import Placed
from neuralshade.kinds.material.references.materialx_checks import check_nodes, check_surface
from neuralshade.kinds.material.references.materialx_code import (
    check_written,
    files_of,
    implementations,
    untrusted,
)
from neuralshade.kinds.material.references.materialx_graph import graph_nodes, root_of
from neuralshade.kinds.material.references.materialx_inputs import (
    check_free,
    find_inputs,
    replace_values,
    variables,
    with_variables,
)
from neuralshade.kinds.material.references.materialx_limits import check_limits
from neuralshade.kinds.material.references.materialx_pictures import Pictures
from neuralshade.kinds.material.references.materialx_rewrite import (
    LINEAR,
    leave_displacement_out,
    write_pictures_out,
    write_spaces_out,
)
from neuralshade.kinds.material.references.materialx_screening import check_code, check_generated
from neuralshade.kinds.material.references.materialx_texcoords import take_texcoords
from neuralshade.kinds.material.references.materialx_text import edited_text
from neuralshade.kinds.material.references.materialx_tidy import tidy_document
from neuralshade.kinds.material.references.pictures import picture_table
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf
from neuralshade.kinds.material.sandbox.loading import load_sandboxed
from neuralshade.source.channels import shortened_names

SINES = ("sin", "cos", "tan")
SURFACES = ("material", "surfaceshader")  # types of elements that scatter
MISSING = ("got no package MaterialX, need it for .mtlx files. Run: pip install "
           '"neuralshade[materialx]"')  # fmt: skip


def load_materialx(
    path: str | os.PathLike[str], element: str | None = None, varied: Sequence[str] = (), *,
    trust: bool = False, in_sandbox: bool = False,
) -> ReferenceBsdf:  # fmt: skip
    """Return the reference of a MaterialX document's material.

    Args:
        path: a .mtlx file; paths of pictures are relative to its folder.
        element: name of a material or of a surface shader; None is the first one.
        varied: names of inputs that become variables of the text, see materialx_inputs.py.
        trust: run the document's own code, in a sandbox; it is refused otherwise.
        in_sandbox: this process is that sandbox.

    Raises: ConfigError, with the node's name, for an invalid document, a missing element, and what
        cannot be fitted; PictureError for a picture that cannot be read.
    """
    place = Path(path)
    mx = _materialx(place)
    document, library, notes = _document(mx, place)
    code = implementations(document)
    if code and not trust:
        raise untrusted(code, place)
    if code and not in_sandbox:
        return load_sandboxed(path, element, varied, trust=True, readable=files_of(document, place))
    if code:
        folders = mx.core.getDefaultDataSearchPath().asString().split(os.pathsep)
        check_code(code, place, [Path(folder) for folder in folders])
    inputs = find_inputs(document)
    replace_values(document, varied)
    generator, context = _generator(mx, library)
    chosen = _chosen(mx, document, place, element)
    if element is None:
        notes += _choice_note(mx, document, chosen)
    element, name = chosen.getNamePath(), f"{place.stem} {chosen.getName()}"
    if leave_displacement_out(library, chosen, place):
        notes.append("Displacement is left out: the surface is flat.")
    chosen, nodes = _settled(document, library, chosen, place)
    check_nodes(library, nodes, place, partial(_is_converted, mx, generator, context))
    notes += check_surface(library, nodes[0], place)
    shader = _generated(generator, context, chosen, place)
    source = shader.getSourceCode(mx.gen.PIXEL_STAGE)
    if code:
        check_generated(source, place)
    else:
        check_written(document, source, place)
    stage = shader.getStage(mx.gen.PIXEL_STAGE)
    pictures = Pictures(document, nodes, place)
    constants, words = picture_table(list(pictures.lookups(stage)))
    try:
        edited = edited_text(source, constants, _values(stage))
    except ConfigError as error:
        raise ConfigError(f"{place}: {element}: {error}") from error
    text, rewritten = edited.text, None
    if varied:
        text, inputs = with_variables(text, varied, inputs, place), variables(varied, inputs)
    else:
        rewritten = partial(_rewritten, path, element, text, trust=trust, in_sandbox=in_sandbox)
    return ReferenceBsdf(name, text, edited.parameters, words, (*notes, *pictures.notes),
                   element=element, inputs=inputs, written=rewritten,
                   coarse=not _has_sines(nodes), targets=edited.parameters)  # fmt: skip


def _rewritten(
    path: str | os.PathLike[str], element: str | None, plain: str, varied: Sequence[str], *,
    trust: bool, in_sandbox: bool,
) -> ReferenceBsdf:  # fmt: skip
    """Return a document's reference again, with variables for inputs."""
    check_free(plain, Path(path))
    return load_materialx(path, element, varied, trust=trust, in_sandbox=in_sandbox)


class _Modules:
    """The MaterialX modules in use."""

    def __init__(self) -> None:
        import MaterialX
        from MaterialX import PyMaterialXGenShader, PyMaterialXGenSlang

        self.core, self.gen, self.slang = MaterialX, PyMaterialXGenShader, PyMaterialXGenSlang


def _materialx(place: Path) -> Any:
    try:
        return _Modules()
    except ImportError as error:
        absent = "got no such file, need a MaterialX document. Check the path."
        raise ConfigError(f"{place}: {MISSING if os.path.exists(place) else absent}") from error


def _document(mx: Any, place: Path) -> tuple[Any, Any, list[str]]:
    """Return a file's document, MaterialX's library, and notes on corrections."""
    library = mx.core.createDocument()
    search = mx.core.getDefaultDataSearchPath()
    mx.core.loadLibraries(mx.core.getDefaultDataLibraryFolders(), search, library)
    document = mx.core.createDocument()
    document.setDataLibrary(library)
    try:
        check_regular(place)
        _read(mx, document, place)
    except ConfigError:  # of an included document
        raise
    except OSError as error:
        raise ConfigError(f"{place}: got {read_failure(error)}, need a MaterialX document. Check "
                          "the path.") from error  # fmt: skip
    except Exception as error:  # of its own types, which differ by version
        raise ConfigError(f"{place}: got {shown(str(error))}, need a MaterialX document. Check "
                          "the file.") from error  # fmt: skip
    check_limits(mx, document, place)
    notes = tidy_document(document, place)
    check_limits(mx, document, place)  # corrections may select another definition
    valid, reason = document.validate()
    if not valid:
        first = reason.strip().splitlines()[0]
        raise ConfigError(f"{place}: got a document that is not valid ({shown(first)}), need one "
                          "that MaterialX accepts. Check it with mxvalidate.py.")  # fmt: skip
    return document, library, notes


def _read(mx: Any, document: Any, place: Path) -> None:
    """Read a file and its includes. Raises ConfigError for one that is not a regular file."""
    within = [str(place)]

    def included(document: Any, name: Any, search: Any, options: Any) -> None:
        path = search.find(name).asString()
        try:
            check_regular(path)
        except OSError as error:
            raise ConfigError(f"{within[-1]}: got {read_failure(error)} at {plain(path)}, which it "
                              "includes, need a MaterialX document. Check its "
                              "xi:include.") from error  # fmt: skip
        within.append(path)
        mx.core.readFromXmlFile(document, name, search, options)
        for element in document.getChildren():  # its pictures are beside it
            if not element.hasSourceUri():
                element.setSourceUri(os.path.abspath(path))
        within.pop()

    options = mx.core.XmlReadOptions()
    options.readXIncludeFunction = included
    mx.core.readFromXmlFile(document, os.fspath(place), mx.core.FileSearchPath(), options)


def _chosen(mx: Any, document: Any, place: Path, element: str | None) -> Any:
    """Return the requested material or surface shader."""
    found = _surfaces(mx, document)
    if not found:
        raise ConfigError(f"{place}: got a document with nothing to render, need a "
                          "surfacematerial. Add one.")  # fmt: skip
    if element is None:
        return found[0]
    for one in found:
        if element in (one.getName(), one.getNamePath()):
            return one
    names = [one.getNamePath() for one in found]
    raise ConfigError(f"{place}: got element {shown(element)}, need one of {names}."
                      f"{did_you_mean(element, names)}")  # fmt: skip


def _surfaces(mx: Any, document: Any) -> list[Any]:
    """Return a document's materials, or its surface shaders if it has none."""
    return [one for one in mx.gen.findRenderableElements(document) if one.getType() in SURFACES]


def _choice_note(mx: Any, document: Any, chosen: Any) -> list[str]:
    """Return a note with the chosen one of several materials."""
    others = [one.getNamePath() for one in _surfaces(mx, document)
              if one.getNamePath() != chosen.getNamePath()]  # fmt: skip
    if not others:
        return []
    return [f"{chosen.getNamePath()}: taken of {1 + len(others)} materials: --element takes "
            f"another ({shortened_names(others)})."]  # fmt: skip


def _settled(document: Any, library: Any, chosen: Any, place: Path) -> tuple[Any, list[Placed]]:
    """Expand what the generator would misread; return the new element, and its nodes."""
    if root_of(chosen) is None:
        raise ConfigError(f"{place}: {chosen.getNamePath()}: got an output of no node, need one "
                          "that is connected. Connect it.")  # fmt: skip
    take_texcoords(graph_nodes(library, chosen, place), place)
    chosen = write_pictures_out(library, chosen, place)
    write_spaces_out(library, document, chosen, place)
    return chosen, graph_nodes(library, chosen, place)


def _has_sines(nodes: Sequence[Placed]) -> bool:
    """Return whether a graph has its own sine, which may serve as noise."""
    return any(one.node.getCategory() in SINES for one in nodes)


def _values(stage: Any) -> dict[str, str | None]:
    """Return the element's own uniforms: values of its inputs, as text."""
    return {one.getVariable(): one.getValue().getValueString() if one.getValue() else None
            for one in stage.getUniformBlock("PublicUniforms")}  # fmt: skip


def _is_converted(mx: Any, generator: Any, context: Any, space: str) -> bool:
    """Return whether MaterialX converts a color space to linear Rec. 709."""
    transform = mx.gen.ColorSpaceTransform(space, LINEAR, context.getTypeDesc("color3"))
    return bool(generator.getColorManagementSystem().supportsTransform(transform))


def _generator(mx: Any, library: Any) -> tuple[Any, Any]:
    """Return MaterialX's Slang generator, and its context."""
    generator = mx.slang.SlangShaderGenerator.create()
    context = mx.gen.GenContext(generator)
    context.registerSourceCodeSearchPath(mx.core.getDefaultDataSearchPath())
    colors = mx.gen.DefaultColorManagementSystem.create(generator.getTarget())
    colors.loadLibrary(library)
    generator.setColorManagementSystem(colors)
    units = mx.gen.UnitSystem.create(generator.getTarget())
    units.loadLibrary(library)
    registry = mx.core.UnitConverterRegistry.create()
    for name in ("distance", "angle"):
        kind = library.getUnitTypeDef(name)
        registry.addUnitConverter(kind, mx.core.LinearUnitConverter.create(kind))
    units.setUnitConverterRegistry(registry)
    generator.setUnitSystem(units)
    options = context.getOptions()
    options.targetColorSpaceOverride, options.targetDistanceUnit = LINEAR, "meter"
    options.fileTextureVerticalFlip = True  # our v starts at the top, MaterialX's at the bottom
    options.hwMaxActiveLightSources, options.hwSrgbEncodeOutput = 1, False
    none = mx.gen.HwSpecularEnvironmentMethod.SPECULAR_ENVIRONMENT_NONE
    options.hwSpecularEnvironmentMethod = none
    options.shaderInterfaceType = mx.gen.ShaderInterfaceType.SHADER_INTERFACE_REDUCED
    light = library.getNodeDef("ND_directional_light")
    mx.gen.HwShaderGenerator.bindLightShader(light, 1, context)
    return generator, context


def _generated(generator: Any, context: Any, chosen: Any, place: Path) -> Any:
    """Return the shader that MaterialX generates for an element."""
    try:
        return generator.generate("teacher", chosen, context)
    except Exception as error:  # of its own types
        first = str(error).strip().splitlines()[0]
        raise ConfigError(f"{place}: {chosen.getNamePath()}: MaterialX cannot write it as Slang "
                          f"({shown(first)}), need nodes that have Slang. Take it "
                          "out.") from error  # fmt: skip
