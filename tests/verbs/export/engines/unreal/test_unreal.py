"""engines/unreal: a Custom node's code compiles where Unreal puts it, and is right."""

import pytest
from fixtures.compute_rows import SIZES, compiled, texture_text
from fixtures.engine_exports import VARIANTS, exported, title_of
from fixtures.small_kinds import ASSETS, DATA
from fixtures.unreal_nodes import called, head, material_function, unreal_errors

from neuralshade.verbs.export.check.hlsl_by_dxc import VALIDATED

pytestmark = [pytest.mark.slow]


@pytest.fixture(scope="module", params=VARIANTS, ids="-".join)
def unreal(request):
    kind, numbers = request.param
    return exported(DATA / ASSETS[kind], "unreal", in_text=numbers == "text")


def test_nodes_answer_as_the_asset_does(unreal):
    form, files = unreal
    for name, error in unreal_errors(form, files):
        assert error <= 1, name


def test_all_nodes_compile(unreal):
    _, files = unreal
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
    form, files = unreal
    text = files["README.md"].decode()
    assert "/Project/photo.ush" in text
    assert files[f"photo_{title_of(form)}.txt"].decode().strip() in text
    _, arguments = head(files["Shaders/photo.ush"].decode(), f"photo_{title_of(form)}")
    assert all(f"| {name} |" in text for _, type_, name in arguments if type_ != "SamplerState")
    assert "Never opened in Unreal" in text
