"""references/slang_reference: a module has no globals that nobody sets."""

import pytest

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.slang_reference import UNBOUND, load_slang

EVAL = "float3 eval(float2 uv, float3 wi, float3 wo) { return float3(ALBEDO * wi.z); }\n"
FINE = """static const float ALBEDO = 0.5f;
static float own = 1.0f;
groupshared float together[2];
uniform float wetness = 0.5;
float f(uniform float argument) { return argument; }
"""
DECLARED = {
    "Texture2D albedo;": "Texture2D<float4> albedo",
    "SamplerState s;": "SamplerState s",
    "StructuredBuffer<float3> palette;": "StructuredBuffer<float3> palette",
    "uniform float3 tint;": "float3 tint",
    "float implied;": "float implied",
    "cbuffer Numbers { float k; }": "cbuffer Numbers",
    "struct P { float k; }; ConstantBuffer<P> block;": "ConstantBuffer<P> block",
    "import others;": "float far",
    '#include "others.slang"': "float far",
}


@pytest.mark.parametrize("text", DECLARED)
def test_a_global_that_nobody_sets_is_refused(tmp_path, refusal, text):
    (tmp_path / "others.slang").write_text("public uniform float far;\n")
    path = tmp_path / "own.slang"
    path.write_text(f"{text}\n{FINE}{EVAL}")
    assert refusal(ConfigError, load_slang, path) == (
        f"{path}: got {DECLARED[text]} at global scope, which nothing binds, need values. {UNBOUND}"
    )


def test_constants_inputs_and_variables_of_threads_are_none(tmp_path):
    path = tmp_path / "own.slang"
    path.write_text("import neuralshade.gpu.random;\n" + FINE + EVAL)
    assert list(load_slang(path).inputs) == ["own", "wetness"]
