"""engines/unity: the node's functions compile with stand-ins for Unity's macros, and are right."""

import io

import numpy as np
import pytest
from fixtures.compute_rows import SIZES, compiled, entry_text, run_rows, texture_text
from fixtures.engine_exports import (
    MAP_KINDS,
    VARIANTS,
    allowed,
    exported,
    levels_of,
    picture,
    places,
    shown,
    signature,
    values_of,
)
from fixtures.small_kinds import ASSETS, DATA
from PIL import Image

from neuralshade.verbs.export.check.hlsl_by_dxc import VALIDATED

pytestmark = [pytest.mark.slow]
# Of com.unity.render-pipelines.core: what Shader Graph's texts see.
STAND_INS = """
#define TEXTURE2D(name) Texture2D name
#define SAMPLER(name) SamplerState name
#define LOAD_TEXTURE2D(name, at) name.Load(int3(at, 0))
#define SAMPLE_TEXTURE2D_LOD(name, filter, uv, lod) name.SampleLevel(filter, uv, lod)
struct UnityTexture2D { TEXTURE2D(tex); SAMPLER(samplerstate); float4 texelSize; };
UnityTexture2D bound(Texture2D tex, SamplerState filter)
{
    UnityTexture2D made;
    made.tex = tex;
    made.samplerstate = filter;
    made.texelSize = float4(0.0, 0.0, 0.0, 0.0);
    return made;
}
"""
REFLECTION = "#define UNITY_EXPORT_REFLECTION\n"


def imported(form, files, arguments):
    """Return textures in the order of arguments, upside down as Unity imports pictures."""
    found, textures = [], list(form.textures)
    for _, kind, name in arguments:
        if kind == "UnityTexture2D" and name == "Numbers":
            found.append(([picture(files["photo_numbers.png"])[::-1]], False, False))
        elif kind == "UnityTexture2D":
            one = textures.pop(0)
            levels = [level[::-1] for level in levels_of(one)]
            found.append((levels, one.format.endswith("_srgb"), one.wraps))
    return found


def node(form, files, function, inputs, *, text=None):
    """Return what a node's function returns for rows of its inputs, and its outputs."""
    text = files["photo.hlsl"].decode() if text is None else text
    arguments = signature(text, function)
    textures = imported(form, files, arguments)
    numbers = iter(range(len(textures)))
    setup = [f"UnityTexture2D {name} = bound(texture{i}, sampler{i});"
             for (_, kind, name) in arguments if kind == "UnityTexture2D"
             for i in [next(numbers)]]  # fmt: skip
    plain = {"half": "float", "half2": "float2", "half3": "float3", "half4": "float4"}
    given = [(plain.get(kind, kind), name) for way, kind, name in arguments
             if way is None and kind != "UnityTexture2D"]  # fmt: skip
    made = [(plain.get(kind, kind), name) for way, kind, name in arguments if way == "out"]
    call = f"{function}({', '.join(name for _, _, name in arguments)});"
    whole = STAND_INS + texture_text(len(textures)) + text + entry_text(setup, given, made, call)
    results = run_rows(whole, inputs, sum(SIZES[kind] for kind, _ in made), textures)
    ends = np.cumsum([SIZES[kind] for kind, _ in made])[:-1]
    return dict(zip([name for _, name in made], np.split(results, ends, axis=1), strict=True))


def upward(inputs):
    """Return golden rows with v up, as Unity has it."""
    found = inputs.copy()
    found[:, 1] = 1 - found[:, 1]
    return found


@pytest.fixture(scope="module", params=VARIANTS, ids="-".join)
def unity(request):
    kind, numbers = request.param
    return kind, *exported(DATA / ASSETS[kind], "unity", in_text=numbers == "text")


def test_nodes_answer_as_the_asset_does(unity):
    kind, form, files = unity
    for function, names in values_of(form, kind):
        assert places(form, function)
        for golden in places(form, function):
            for suffix in ("_float", "_half"):
                found = node(form, files, f"photo_{MAP_KINDS[kind]}{suffix}", upward(golden.inputs))
                got = np.concatenate([found[name] for name in names if name in found], axis=1)
                off = np.abs(got - shown(function, golden.outputs))
                if golden.relative_to is not None:
                    off /= np.abs(golden.outputs) + golden.relative_to
                assert off.max() <= allowed(golden, form.textures), (function.name, suffix)


def test_a_wrong_import_is_magenta(unity):
    kind, form, files = unity
    if "photo_numbers.png" not in files:
        pytest.skip("its numbers stand in the text or in mip levels")
    golden = places(form, values_of(form, kind)[0][0])[0]
    upside_down = dict(files)
    broken = picture(files["photo_numbers.png"])
    upside_down["photo_numbers.png"] = png(broken[::-1])
    found = node(form, upside_down, f"photo_{MAP_KINDS[kind]}_float", upward(golden.inputs))
    first = next(iter(found.values()))
    magenta = [1, 0, 1] if first.shape[1] == 3 else [1]
    np.testing.assert_array_equal(first, np.broadcast_to(magenta, first.shape))


def png(texels):
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(texels)).save(file, "PNG")
    return file.getvalue()


def test_all_nodes_compile(unity):
    _, _form, files = unity
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
