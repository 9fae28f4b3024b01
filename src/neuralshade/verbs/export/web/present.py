"""Last shader of a page: what was drawn of one or two layers, onto the canvas."""

from __future__ import annotations

import numpy as np

from neuralshade.model.shader_form import Function, Parameter, ShaderForm, Texture
from neuralshade.verbs.export.web.fragment import AT, MAIN, Fragment, fragment

# Of each layer the last whole picture, of any size, and the one that is being drawn over it.
NAMES = ("page_back0", "page_front0", "page_back1", "page_front1")
UV = Parameter("float2", "uv")
ENCODED = Function(
    "float", "page_encoded", (Parameter("float", "x"),),
    ("const float low = clamp(x, 0.0, 1.0);", "if (low <= 0.0031308) return low * 12.92;",
     "return 1.055 * exp(log(low) / 2.4) - 0.055;"),
)  # fmt: skip


def page_texture(name: str, *, wraps: bool = False) -> Texture:
    """Return a texture that the page binds."""
    return Texture(name, name, "rgba8", ((1, 1),), (b"",), wraps)


def bare_form(*textures: Texture) -> ShaderForm:
    """Return a form with nothing but textures."""
    return ShaderForm("page", (), (), (), np.zeros(0, np.uint32), lambda: (), textures=textures)


def present_fragment() -> Fragment:
    """Return the shader that a page draws its canvas by; inputs as page/stage.js passes them."""
    layer = [Function(
        "float4", f"page_layer{i}", (UV,),
        (f"if (uv.y < page_in(1).{'xy'[i]}) return {NAMES[2 * i + 1]}_sampled(uv, 0.0);",
         f"return {NAMES[2 * i]}_sampled(uv, 0.0);"),
    ) for i in range(2)]  # fmt: skip
    colors = Function(
        "float3", "page_color", (Parameter("float3", "x"), Parameter("float", "gain")),
        ("if (gain <= 0.0) return x;",
         "return float3(page_encoded(x.x * gain), page_encoded(x.y * gain), "
         "page_encoded(x.z * gain));"),
    )  # fmt: skip
    main = Function(
        "float4", MAIN, (AT,),
        ("const float4 size = page_in(0);",
         "const float2 uv = float2(at.x, mix(at.y, size.y - at.y, size.z)) / size.xy;",
         "float4 shown = page_layer0(uv);",
         "float gain = page_in(2).x;",
         "if (uv.x > page_in(1).z) return page_over(page_layer1(uv), page_in(2).y);",
         "return page_over(shown, gain);"),
    )  # fmt: skip
    over = Function(
        "float4",
        "page_over",
        (Parameter("float4", "x"), Parameter("float", "gain")),
        (
            "const float3 color = page_color(x.xyz, gain);",
            "return float4(mix(page_in(3).xyz, color, clamp(x.w, 0.0, 1.0)), 1.0);",
        ),
    )
    return fragment(bare_form(*map(page_texture, NAMES)), main, [ENCODED, *layer, colors, over])


def image_fragment() -> Fragment:
    """Return the shader of a picture that is a texture, in the view of a picture."""
    main = Function(
        "float4", MAIN, (AT,),
        ("const float4 view = page_in(0);", "const float4 size = page_in(2);",
         "const float2 uv = view.xy + at * view.zw;",
         "const float2 texel = (floor(uv * size.xy) + 0.5) / size.xy;",
         "const float2 place = mix(uv, texel, size.z);",
         "const float2 step = abs(view.zw) * size.xy;",
         "const float level = max(log2(max(step.x, step.y)), 0.0);",
         "const float2 beyond = abs(uv - 0.5);",
         "const float4 color = page_image_sampled(clamp(place, float2(0.0), float2(1.0)), level);",
         "return float4(color.xyz, float(max(beyond.x, beyond.y) <= 0.5));"),
    )  # fmt: skip
    return fragment(bare_form(page_texture("page_image")), main)
