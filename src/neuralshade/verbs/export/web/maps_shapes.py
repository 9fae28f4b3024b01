"""Shapes of a page under the maps of a set: where a pixel meets them, and how that is lit.

Inputs, of page/maps.js: 0 size of the target, offset of the sample; 1 share of the sample,
whether the background is drawn, whether normals are bent to the eye; 2 radius or focal length in
pixels, distance of the eye, u and v of a radian; 3 to 5 rows of the rotation from the view to the
shape; 6 direction to the light, its brightness; 7 up, ambient light; 8 size of the finest level,
finest level there is, whether texels are sharp; 9 share of the longer side of a footprint in its
level, light of the sky, background, fading; 10 pixel, camera's height, sine and cosine of its
pitch; 11 cosine and sine of its turn, level of sharp texels, width over height; 12 part of a
flat map; 13 which map.
"""

from __future__ import annotations

from neuralshade.languages.numbers import number
from neuralshade.measure.plane.lit_plane import LOWEST_EYE
from neuralshade.measure.plane.sphere_view import EDGE
from neuralshade.model.microfacet import DIELECTRIC_F0, SMALLEST_COSINE
from neuralshade.model.roughness import SMALLEST_ALPHA
from neuralshade.model.shader_form import Function, Parameter, Struct
from neuralshade.verbs.export.web.fragment import AT

TERMS = 13  # of the arc tangent's series, up to tan(pi / 8): an error of 1.2e-7
HIT = Struct("page_hit", (
    ("float4", "place"),  # u, v, level, coverage
    ("float3", "up"), ("float3", "right"), ("float3", "above"), ("float3", "eye"),
))  # fmt: skip
SURFACE = Struct("page_surface", (
    ("float3", "albedo"), ("float3", "normal"), ("float4", "rest"),  # roughness, metallic
    ("float3", "occlusion"),
))  # fmt: skip


def shape_functions(shape: str) -> list[Function]:
    """Return ``page_shape(at)`` and what it calls. ``shape``: of SHAPES."""
    return [_angle(), _turned(), _lengthened(), SHAPES[shape]()]


def _angle() -> Function:
    series = number(1 / TERMS)
    for term in range(TERMS - 2, 0, -2):
        series = f"{number(1 / term)} - s * ({series})"
    return Function(
        "float", "page_angle", (Parameter("float", "y"), Parameter("float", "x")),
        ("const float2 far = abs(float2(x, y));",
         "const float t = min(far.x, far.y) / max(max(far.x, far.y), 1e-20);",
         "const float h = t / (1.0 + sqrt(1.0 + t * t));", "const float s = h * h;",
         f"float found = 2.0 * h * ({series});",
         "found = mix(found, 1.57079633 - found, float(far.y > far.x));",
         "found = mix(found, 3.14159265 - found, float(x < 0.0));",
         "return mix(found, -found, float(y < 0.0));"),
    )  # fmt: skip


def _turned() -> Function:
    rows = ", ".join(f"dot(page_in({row}).xyz, v)" for row in (3, 4, 5))
    return Function("float3", "page_turned", (Parameter("float3", "v"),),
                    (f"return float3({rows});",))  # fmt: skip


def _lengthened() -> Function:
    """Return the function of the level: texels in a pixel's shorter and longer side."""
    return Function(
        "float", "page_lod", (Parameter("float", "shorter"), Parameter("float", "longer")),
        ("return mix(log2(max(shorter, 1e-9)), log2(max(longer, 1e-9)), page_in(9).x);",),
    )  # fmt: skip


def _sphere() -> Function:
    return Function(
        HIT.name, "page_shape", (AT,),
        ("const float radius = page_in(2).x;", "const float2 size = page_in(8).xy;",
         "const float2 wide = (at - 0.5 * page_in(0).xy) / radius;",
         "const float far = length(wide);",
         f"const float inwards = min(1.0, {number(EDGE)} / max(far, {number(EDGE)}));",
         "const float2 p = float2(wide.x, -wide.y) * inwards;",
         "const float z = sqrt(1.0 - dot(p, p));",
         "const float3 q = page_turned(float3(p, z));",
         "const float around = page_angle(q.x, q.z);",
         "const float over = page_angle(q.y, sqrt(max(1.0 - q.y * q.y, 0.0)));",
         "const float2 turns = page_in(2).zw;",
         "const float texels = size.x * turns.x / radius;",
         "const float level = mix(page_lod(texels, texels / max(z, 0.05)), page_in(11).z, "
         "page_in(8).w);",
         f"{HIT.name} hit;",
         "hit.place = float4(0.5 + around * turns.x, 0.5 - over * turns.y, level, "
         "clamp((1.0 - far) * radius + 0.5, 0.0, 1.0));",
         "hit.up = q;", "hit.right = normalize(float3(q.z, 0.0, -q.x + 1e-12));",
         "hit.above = cross(q, hit.right);", "hit.eye = page_turned(float3(0.0, 0.0, 1.0));",
         "return hit;"),
    )  # fmt: skip


def _plane() -> Function:
    return Function(
        HIT.name, "page_shape", (AT,),
        ("const float4 view = page_in(10);", "const float2 size = page_in(8).xy;",
         "const float across = (at.x - 0.5 * page_in(0).x) * view.x;",
         "const float rise = (0.5 * page_in(0).y - at.y) * view.x;",
         "const float depth = view.z - rise * view.w;",
         "const float down = max(depth, 1e-6);", "const float scale = view.y / down;",
         "const float2 p = scale * float2(across, view.w + rise * view.z);",
         "const float step = view.x * scale / down;",
         "const float right = view.x * scale * size.x;",
         "const float along = step * length(float2(view.w * across, 1.0)) * size.x;",
         "const float2 turn = page_in(11).xy;",
         "const float2 place = float2(turn.x * p.x - turn.y * p.y, turn.y * p.x + turn.x * p.y);",
         "const float slope = depth / length(float3(across, 1.0, rise));",
         # all of a pixel is below the horizon
         "const float seen = float(depth >= 0.5 * view.x * view.w);",
         f"{HIT.name} hit;",
         "hit.place = float4(place.x, -place.y * page_in(11).w, "
         "page_lod(min(right, along), max(right, along)), "
         "seen * mix(1.0, clamp(slope * 12.0, 0.0, 1.0), page_in(9).w));",
         "hit.up = float3(0.0, 0.0, 1.0);", "hit.right = float3(turn.x, -turn.y, 0.0);",
         "hit.above = float3(turn.y, turn.x, 0.0);",
         "hit.eye = normalize(float3(-p, view.y));", "return hit;"),
    )  # fmt: skip


def _cube() -> Function:
    return Function(
        HIT.name, "page_shape", (AT,),
        ("const float focal = page_in(2).x;", "const float2 size = page_in(8).xy;",
         "const float2 wide = at - 0.5 * page_in(0).xy;",
         "const float3 ray = page_turned(normalize(float3(wide.x, -wide.y, -focal))) + 1e-9;",
         "const float3 origin = page_turned(float3(0.0, 0.0, page_in(2).y));",
         "const float3 sides = abs(1.0 / ray);", "const float3 middle = -origin / ray;",
         "const float3 ins = middle - sides;", "const float3 outs = middle + sides;",
         "const float t = max(max(ins.x, ins.y), ins.z);",
         "const float x = float(ins.x >= t);", "const float y = (1.0 - x) * float(ins.y >= t);",
         "const float z = 1.0 - x - y;",
         "const float3 n = float3(x, y, z) * (1.0 - 2.0 * float3(float(ray.x > 0.0), "
         "float(ray.y > 0.0), float(ray.z > 0.0)));",
         "const float3 p = origin + ray * t;",
         f"{HIT.name} hit;", "hit.up = n;", "hit.right = float3(n.z + y, 0.0, -n.x);",
         "hit.above = float3(0.0, x + z, -n.y);",
         "const float texels = size.x * 0.5 * t / focal;",
         "hit.place = float4(0.5 + 0.5 * dot(p, hit.right), 0.5 - 0.5 * dot(p, hit.above), "
         "page_lod(texels, texels / max(-dot(ray, n), 0.02)), "
         "float(t < min(min(outs.x, outs.y), outs.z)));",
         "hit.eye = -ray;", "return hit;"),
    )  # fmt: skip


SHAPES = {"sphere": _sphere, "plane": _plane, "cube": _cube}


def lit_functions() -> list[Function]:
    """Return ``page_reflected(surface, hit)``, linear light, and what it calls."""
    # the host's half is model/microfacet.py, with the diffuse part ``lambert``
    reflected = Function(
        "float3", "page_shade",
        (Parameter(SURFACE.name, "s"), Parameter("float3", "wi"), Parameter("float3", "wo")),
        ("const float cos_i = dot(s.normal, wi);", "const float cos_o = dot(s.normal, wo);",
         f"if (min(cos_i, cos_o) <= {number(SMALLEST_COSINE)}) return float3(0.0);",
         "const float3 wm = normalize(wi + wo);", "const float3 sine = cross(s.normal, wm);",
         f"const float alpha = max(s.rest.x * s.rest.x, {number(SMALLEST_ALPHA)});",
         "const float square = alpha * alpha;",
         "const float spread = square + (1.0 - square) * dot(sine, sine);",
         "const float2 slope = sqrt(square + (1.0 - square) * float2(cos_i * cos_i, "
         "cos_o * cos_o));",
         "const float facets = square / (3.14159265 * spread * spread) * 0.5 / "
         "(cos_i * slope.y + cos_o * slope.x);",
         "const float low = max(1.0 - dot(wi, wm), 0.0);",
         "const float low5 = low * low * low * low * low;",
         f"const float3 f0 = mix(float3({number(DIELECTRIC_F0)}), s.albedo, s.rest.y);",
         "const float3 scattered = s.albedo * ((1.0 - s.rest.y) / 3.14159265);",
         "return ((f0 + (1.0 - f0) * low5) * facets + scattered) * cos_i;"),
    )  # fmt: skip
    sky = Function(
        "float",
        "page_sky",
        (Parameter("float", "rise"), Parameter("float", "soft")),
        # brighter above, darker below, the horizon as soft as the surface is rough
        ("return 0.55 + 0.4 * clamp(rise / soft, -1.0, 1.0);",),
    )
    around = Function(
        "float3", "page_around",
        (Parameter(SURFACE.name, "s"), Parameter("float3", "wo")),
        ("const float3 up = page_in(7).xyz;",
         "const float3 mirrored = 2.0 * dot(s.normal, wo) * s.normal - wo;",
         f"const float3 f0 = mix(float3({number(DIELECTRIC_F0)}), s.albedo, s.rest.y);",
         "const float low = 1.0 - clamp(dot(s.normal, wo), 0.0, 1.0);",
         "const float smooth_part = 1.0 - s.rest.x;",
         "const float3 gloss = f0 + (max(float3(smooth_part), f0) - f0) * "
         "(low * low * low * low * low);",
         "const float3 diffuse = s.albedo * (1.0 - s.rest.y) * "
         "page_sky(dot(s.normal, up), 1.0);",
         "return (diffuse + gloss * page_sky(dot(mirrored, up), 0.15 + 0.85 * s.rest.x)) * "
         "s.occlusion;"),
    )  # fmt: skip
    whole = Function(
        "float3", "page_reflected",
        (Parameter(SURFACE.name, "mapped"), Parameter(HIT.name, "hit")),
        (f"{SURFACE.name} s = mapped;",
         "const float3 n = normalize(mapped.normal.x * hit.right + mapped.normal.y * hit.above + "
         "mapped.normal.z * hit.up);",
         f"const float missing = max({number(LOWEST_EYE)} - dot(n, hit.eye), 0.0);",
         "s.normal = normalize(n + page_in(1).z * missing * hit.eye);",
         "const float3 direct = page_in(6).w * page_shade(s, page_in(6).xyz, hit.eye);",
         "const float3 flat_light = page_in(7).w * s.occlusion * s.albedo;",
         "return direct + flat_light + page_in(9).y * page_around(s, hit.eye);"),
    )  # fmt: skip
    return [reflected, sky, around, whole]
