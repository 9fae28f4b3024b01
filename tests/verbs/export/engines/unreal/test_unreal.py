"""engines/unreal: a Custom node's code compiles where Unreal puts it, and is right."""

import re

import numpy as np
import pytest
from fixtures.compute_rows import SIZES, compiled, entry_text, run_rows, texture_text
from fixtures.engine_exports import (
    ARGUMENT,
    MAP_KINDS,
    VARIANTS,
    allowed,
    exported,
    levels_of,
    picture,
    places,
    shown,
    values_of,
)
from fixtures.small_kinds import ASSETS, DATA

from neuralshade.verbs.export.check.hlsl_by_dxc import VALIDATED

pytestmark = [pytest.mark.slow]
DOWN = np.array([1, -1, 1])


def head(text, function):
    """Return the type of a function's result, and its arguments."""
    kind, listed = re.search(rf"^(\w+) {function}\(([^)]*)\)", text, re.MULTILINE).groups()
    return kind, [ARGUMENT.fullmatch(one.strip()).groups() for one in listed.split(",")]


def material_function(files, title):
    """Return the text of Unreal's material with one Custom node, and the node's pins."""
    text, code = files["Shaders/photo.ush"].decode(), files[f"photo_{title}.txt"].decode()
    kind, arguments = head(text, f"photo_{title}")
    listed = ", ".join(f"{'inout ' if way else ''}{type_} {name}" for way, type_, name in arguments)
    lines = [f"{kind} CustomExpression0(FMaterialPixelParameters Parameters, {listed})", "{", code,
             "}"]  # fmt: skip
    whole = "struct FMaterialPixelParameters { float4 SvPosition; };\n" + text
    return whole + "\n".join(lines) + "\n", kind, arguments


def called(kind, arguments, textures):
    """Return the lines that call the material's function, and what they set up."""
    names = [name for _, type_, name in arguments if type_ == "Texture2D"]
    assert len(names) == textures
    sources = {name: f"texture{i}" for i, name in enumerate(names)}
    sources |= {f"{name}Sampler": f"sampler{i}" for i, name in enumerate(names)}
    passed = ", ".join(sources.get(name, name) for _, _, name in arguments)
    return f"First = CustomExpression0((FMaterialPixelParameters)0, {passed});"


def node(form, files, title, inputs):
    """Return what a node returns for rows of its inputs, by output; the first is First."""
    text, kind, arguments = material_function(files, title)
    textures = []
    if "photo_numbers.tga" in files:
        textures.append(([picture(files["photo_numbers.tga"])], False, False))
    for name, content in files.items():
        if name.endswith(".dds"):
            textures.append((levels_of(content), content.format.endswith("_srgb"), content.wraps))
    given = [(type_, name) for way, type_, name in arguments if way is None and type_ in SIZES]
    made = [(kind, "First"), *((type_, name) for way, type_, name in arguments if way)]
    whole = texture_text(len(textures)) + text + entry_text(
        [], given, made, called(kind, arguments, len(textures))
    )  # fmt: skip
    results = run_rows(whole, inputs, sum(SIZES[type_] for type_, _ in made), textures)
    ends = np.cumsum([SIZES[type_] for type_, _ in made])[:-1]
    return dict(zip([name for _, name in made], np.split(results, ends, axis=1), strict=True))


@pytest.fixture(scope="module", params=VARIANTS, ids="-".join)
def unreal(request):
    kind, numbers = request.param
    return kind, *exported(DATA / ASSETS[kind], "unreal", in_text=numbers == "text")


def test_nodes_answer_as_the_asset_does(unreal):
    kind, form, files = unreal
    values = values_of(form, kind)
    for function, names in values:
        names = ["First", *names[1:]] if function is values[0][0] else names
        assert places(form, function)
        for golden in places(form, function):
            inputs = golden.inputs.copy()
            if kind == "material":  # the frame's second axis goes down
                inputs[:, 3:6] *= DOWN
                inputs[:, 6:9] *= DOWN
            found = node(form, files, MAP_KINDS[kind], inputs)
            got = np.concatenate([found[name] for name in names if name in found], axis=1)
            expected = shown(function, golden.outputs)
            expected = expected * DOWN if function.meaning == "normal" else expected
            off = np.abs(got - expected)
            if golden.relative_to is not None:
                off /= np.abs(golden.outputs) + golden.relative_to
            assert off.max() <= allowed(golden, form.textures), function.name


def test_all_nodes_compile(unreal):
    _, _, files = unreal
    titles = [name[6:-4] for name in files if name.endswith(".txt")]
    assert titles
    for title in titles:
        text, kind, arguments = material_function(files, title)
        names = [name for _, type_, name in arguments if type_ == "Texture2D"]
        lines = [texture_text(len(names)), "float4 draw(float4 x : TEXCOORD0) : SV_Target {",
                 f"{kind} First;"]  # fmt: skip
        for way, type_, name in arguments:
            if way:
                lines.append(f"{type_} {name} = ({type_})0;")
            elif type_ in SIZES:
                lines.append(f"{type_} {name} = x.{'xyzw'[: SIZES[type_]]};")
        lines += [called(kind, arguments, len(names)),
                  f"return {'First' if kind == 'float' else 'First.x'};", "}"]  # fmt: skip
        compiled(text + "\n".join(lines), "draw", "ps_6_0", *VALIDATED)


def test_the_readme_names_all_files_and_pins(unreal):
    kind, _, files = unreal
    text = files["README.md"].decode()
    assert "/Project/photo.ush" in text
    assert files[f"photo_{MAP_KINDS[kind]}.txt"].decode().strip() in text
    _, arguments = head(files["Shaders/photo.ush"].decode(), f"photo_{MAP_KINDS[kind]}")
    assert all(f"| {name} |" in text for _, type_, name in arguments if type_ != "SamplerState")
    assert "Never opened in Unreal" in text
