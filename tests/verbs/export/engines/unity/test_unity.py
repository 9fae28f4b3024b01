"""engines/unity: the node's functions compile with stand-ins for Unity's macros, and are right."""

import io

import numpy as np
import pytest
from fixtures.compute_rows import SIZES, compiled, texture_text
from fixtures.engine_exports import (
    VARIANTS,
    exported,
    functions_of,
    picture,
    rows_of,
    signature,
    title_of,
)
from fixtures.small_kinds import ASSETS, DATA
from fixtures.unity_nodes import STAND_INS, node, unity_errors, upward
from PIL import Image

from neuralshade.verbs.export.check.hlsl_by_dxc import VALIDATED

pytestmark = [pytest.mark.slow]
REFLECTION = "#define UNITY_EXPORT_REFLECTION\n"


@pytest.fixture(scope="module", params=VARIANTS, ids="-".join)
def unity(request):
    kind, numbers = request.param
    return exported(DATA / ASSETS[kind], "unity", in_text=numbers == "text")


@pytest.mark.parametrize("suffix", ["_float", "_half"])
def test_nodes_answer_as_the_asset_does(unity, suffix):
    form, files = unity
    for name, error in unity_errors(form, files, suffix):
        assert error <= 1, name


def test_a_wrong_import_is_magenta(unity):
    form, files = unity
    if "photo_numbers.png" not in files:
        pytest.skip("its numbers stand in the text or in mip levels")
    golden = rows_of(form, functions_of(form)[0])[0]
    upside_down = dict(files)
    broken = picture(files["photo_numbers.png"])
    upside_down["photo_numbers.png"] = png(broken[::-1])
    found = node(form, upside_down, f"photo_{title_of(form)}_float", upward(golden.inputs))
    first = next(iter(found.values()))
    magenta = [1, 0, 1] if first.shape[1] == 3 else [1]
    np.testing.assert_array_equal(first, np.broadcast_to(magenta, first.shape))


def png(texels):
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(texels)).save(file, "PNG")
    return file.getvalue()


def test_all_nodes_compile(unity):
    _, files = unity
    text = files["photo_nodes.hlsl"].decode()
    assert '#include "ShaderApiReflectionSupport.hlsl"' in text
    text = text.replace('#include "ShaderApiReflectionSupport.hlsl"', REFLECTION)
    text = text.replace('#include "photo.hlsl"', files["photo.hlsl"].decode())
    nodes = [line.split("(")[0].split()[1] for line in text.splitlines()
             if line.startswith("void ") and "_node(" in line]  # fmt: skip
    assert nodes
    for gamma in ("", "#define UNITY_COLORSPACE_GAMMA\n"):
        for name in nodes:
            lines = pixel(name, signature(text, name))
            compiled(STAND_INS + gamma + text + lines, "draw", "ps_6_0", *VALIDATED)


def pixel(function, arguments):
    """Return a pixel shader that calls a node's function with what it may depend on."""
    textures = [name for _, kind, name in arguments if kind == "UnityTexture2D"]
    lines = [texture_text(len(textures)), "float4 draw(float4 x : TEXCOORD0) : SV_Target {"]
    lines += [f"UnityTexture2D {name} = bound(texture{i}, sampler{i});"
              for i, name in enumerate(textures)]  # fmt: skip
    total = []
    for way, kind, name in arguments:
        if way == "out":
            lines.append(f"{kind} {name};")
            total.append(name if kind == "float" else f"dot({name}, {name})")
        elif kind != "UnityTexture2D":
            lines.append(f"{kind} {name} = x.{'xyzw'[: SIZES[kind]]};")
    lines += [f"{function}({', '.join(name for _, _, name in arguments)});",
              f"return float4({' + '.join(total)}, 0.0, 0.0, 1.0);", "}"]  # fmt: skip
    return "\n".join(lines)
