"""Surfaces of a page's views, in the dialect: what a pixel sees, as a point with a frame and uv.

The eye looks along -z from far away, x right and y up; the shorter side of a picture is -1 to 1.
``page_in(0)``: width, height, shape, sample; ``page_in(1)``: cosine and sine of the turn around y,
then about x; ``page_in(3)``: zoom, repeats around the sphere, and u, v of a plane's middle.
"""

from __future__ import annotations

from neuralshade.languages.numbers import number
from neuralshade.model.shader_form import Function, Parameter, Struct

SHAPES = ("sphere", "plane", "cloth", "ball")
RADIUS = 0.95  # of half a picture's shorter side, as kinds draw their spheres
POLE = 1e-12
STEPS = 48  # along a ray
POINT = "page_point"
AT, P = Parameter("float2", "at"), Parameter("float3", "p")

POINT_STRUCT = Struct(POINT, (
    ("float3", "tangent"), ("float3", "bitangent"), ("float3", "normal"), ("float2", "uv"),
    ("float", "footprint"),  # side in uv of the square that a pixel covers
    ("float", "inside"),
))  # fmt: skip


def surface_functions() -> list[Function]:
    """Return ``page_seen(at)`` and what it calls."""
    return [*_turns(), _framed(), _sphere(), _plane(), *_cloth(), *_ball(), _seen()]


def _turns() -> list[Function]:
    """Return rotations from an object's axes to the eye's, and back."""
    turn = "const float4 turn = page_in(1);"
    return [
        Function("float3", "page_turned", (P,), (
            turn,
            "const float2 q = float2(turn.x * p.x + turn.y * p.z, turn.x * p.z - turn.y * p.x);",
            "return float3(q.x, turn.z * p.y + turn.w * q.y, turn.z * q.y - turn.w * p.y);",
        )),
        Function("float3", "page_unturned", (P,), (
            turn,
            "const float2 q = float2(turn.z * p.y - turn.w * p.z, turn.z * p.z + turn.w * p.y);",
            "return float3(turn.x * p.x - turn.y * q.y, q.x, turn.x * q.y + turn.y * p.x);",
        )),
        # Within 1e-5: the atan2 of a shading language may be off by 4,096 times float32's step.
        # The odd polynomial of degree 11 with the least largest error.
        Function("float", "page_angle", (Parameter("float", "y"), Parameter("float", "x")), (
            "const float large = max(max(abs(x), abs(y)), 0.0000001);",
            "const float a = min(abs(x), abs(y)) / large;",
            "const float s = a * a;",
            "const float even = 0.99997726 + s * (-0.33262347 + s * (0.19354346 + s * (-0.11643287 "
            "+ s * (0.05265332 - s * 0.0117212))));",
            "float angle = a * even;",
            "if (abs(y) > abs(x))", "{", "angle = 1.5707963 - angle;", "}",
            "if (x < 0.0)", "{", "angle = 3.1415927 - angle;", "}",
            "return angle * (1.0 - 2.0 * float(y < 0.0));",
        )),
        Function("float2", "page_place", (AT,), (
            "const float4 size = page_in(0);",
            "const float shorter = min(size.x, size.y);",
            "return float2(2.0 * at.x - size.x, size.y - 2.0 * at.y) / (shorter * page_in(3).x);",
        )),
    ]  # fmt: skip


def _framed() -> Function:
    """Return a point of an object: its frame, turned to the eye."""
    parameters = (Parameter("float3", "normal"), Parameter("float3", "tangent"),
                  Parameter("float2", "uv"), Parameter("float", "per_length"))  # fmt: skip
    return Function(POINT, "page_framed", parameters, (
        f"{POINT} found;",
        "found.normal = page_turned(normal);",
        "found.tangent = page_turned(tangent);",
        "found.bitangent = cross(found.normal, found.tangent);",
        "found.uv = uv;",
        "const float shorter = min(page_in(0).x, page_in(0).y) * page_in(3).x;",
        # Source: Akenine-Moeller et al. 2019, ray cones: model/ray_cone.py
        "found.footprint = 2.0 / shorter * per_length / max(abs(found.normal.z), 0.01);",
        "found.inside = 1.0;",
        "return found;",
    ))  # fmt: skip


def _nothing() -> list[str]:
    return [f"{POINT} nothing;", "nothing.tangent = float3(1.0, 0.0, 0.0);",
            "nothing.bitangent = float3(0.0, 1.0, 0.0);", "nothing.normal = float3(0.0, 0.0, 1.0);",
            "nothing.uv = float2(0.0);", "nothing.footprint = 0.0;",
            "nothing.inside = 0.0;"]  # fmt: skip


def _sphere() -> Function:
    """Return the sphere that ``render --show sphere`` draws."""
    return Function(POINT, "page_sphere", (AT,), (
        *_nothing(),
        f"const float2 xy = page_place(at) / {number(RADIUS)};",
        "const float left = 1.0 - dot(xy, xy);",
        "if (left <= 0.0) return nothing;",
        "const float3 p = page_unturned(float3(xy, sqrt(left)));",
        "const float ring = sqrt(p.x * p.x + p.z * p.z);",
        "float3 tangent = float3(1.0, 0.0, 0.0);",
        f"if (ring > {POLE})", "{", "tangent = float3(p.z, 0.0, -p.x) / ring;", "}",
        "const float tiles = page_in(3).y;",
        "const float2 uv = float2(page_angle(p.x, p.z) * 0.15915494 * tiles + 0.5, "
        "page_angle(ring, p.y) * 0.15915494 * tiles);",
        "const float around = max(sqrt(1.0 - p.y * p.y), 0.001);",
        f"return page_framed(p, tangent, uv - floor(uv), {number(0.15915494 / RADIUS)} * tiles "
        "* inversesqrt(around));",
    ))  # fmt: skip


def _plane() -> Function:
    """Return the ring material, seen from above: the picture is one tile, or a part of it."""
    return Function(POINT, "page_plane", (AT,), (
        *_nothing(),
        "const float4 size = page_in(0);", "const float4 view = page_in(3);",
        "const float shorter = min(size.x, size.y) * view.x;",
        "const float2 uv = view.zw + (at - 0.5 * size.xy) / shorter;",
        "nothing.uv = uv - floor(uv);",
        "nothing.footprint = 1.0 / shorter;",
        "nothing.inside = 1.0;",
        "return nothing;",
    ))  # fmt: skip


def _cloth() -> list[Function]:
    """Return a sheet with folds, seen from both sides."""
    x, y = Parameter("float", "x"), Parameter("float", "y")
    height = Function("float", "page_fold", (x, y), (
        "const float fall = 0.6 + 0.4 * y;",
        "return fall * (0.12 * sin(5.0 * x + 1.4 * sin(1.9 * y)) + 0.05 * sin(9.0 * x - 2.3 * y)) "
        "+ 0.07 * sin(2.6 * y + 0.8 * x);",
    ))  # fmt: skip
    cloth = Function(POINT, "page_cloth", (AT,), (
        *_nothing(),
        "const float2 xy = page_place(at);",
        "const float3 begin = page_unturned(float3(xy, 1.6));",
        "const float3 along = page_unturned(float3(0.0, 0.0, -1.0));",
        f"const float step = {number(3.2 / STEPS)};",
        "float before = begin.z - page_fold(begin.x, begin.y);",
        "float hit = -1.0;",
        f"for (int i = 0; i < {STEPS}; ++i)", "{",
        "const float far = step * float(i + 1);",
        "const float3 p = begin + along * far;",
        "const float now = p.z - page_fold(p.x, p.y);",
        "const float side = max(abs(p.x), abs(p.y));",
        "if (hit < 0.0 && now * before <= 0.0 && side < 0.85)", "{",
        "hit = far - step * now / (now - before);", "}",
        "before = now;", "}",
        "if (hit < 0.0) return nothing;",
        "const float3 p = begin + along * hit;",
        "if (max(abs(p.x), abs(p.y)) > 0.8) return nothing;",
        "const float dx = (page_fold(p.x + 0.001, p.y) - page_fold(p.x - 0.001, p.y)) * 500.0;",
        "const float dy = (page_fold(p.x, p.y + 0.001) - page_fold(p.x, p.y - 0.001)) * 500.0;",
        "const float3 up = normalize(float3(-dx, -dy, 1.0));",
        "const float facing = float(dot(up, along) < 0.0) * 2.0 - 1.0;",
        "const float3 tangent = normalize(float3(1.0, 0.0, dx)) * facing;",
        "const float tiles = page_in(3).y * 0.5;",
        "const float2 uv = float2(p.x, -p.y) * 0.625 * tiles + 0.5;",
        "return page_framed(up * facing, tangent, uv - floor(uv), 0.625 * tiles);",
    ))  # fmt: skip
    return [height, cloth]


def _ball() -> list[Function]:
    """Return a ball in a shell that is cut open, on a foot."""
    distance = Function("float", "page_ball_distance", (P,), (
        "const float3 q = p - float3(0.0, 0.14, 0.0);",
        "const float far = length(q);",
        "const float shell = max(max(far - 0.66, 0.55 - far), 0.1 - abs(q.y - 0.45 * q.x));",
        "const float core = far - 0.53;",
        "const float2 foot = float2(length(p.xz) - 0.5, abs(p.y + 0.72) - 0.07);",
        "const float2 outside = max(foot, float2(0.0));",
        "const float base = length(outside) + min(max(foot.x, foot.y), 0.0) - 0.03;",
        "return min(min(shell, core), base);",
    ))  # fmt: skip
    ball = Function(POINT, "page_ball", (AT,), (
        *_nothing(),
        "const float2 xy = page_place(at) * 1.05;",
        "if (dot(xy, xy) > 1.1) return nothing;",
        "const float3 begin = page_unturned(float3(xy, 2.0));",
        "const float3 along = page_unturned(float3(0.0, 0.0, -1.0));",
        "float far = 0.0;",
        f"for (int i = 0; i < {STEPS}; ++i)", "{",
        "far += page_ball_distance(begin + along * far) * 0.9;", "}",
        "const float3 p = begin + along * min(far, 9.0);",
        "if (page_ball_distance(p) > 0.01) return nothing;",
        "const float2 e = float2(0.002, 0.0);",
        "const float3 slope = float3("
            "page_ball_distance(p + e.xyy) - page_ball_distance(p - e.xyy), "
        "page_ball_distance(p + e.yxy) - page_ball_distance(p - e.yxy), "
        "page_ball_distance(p + e.yyx) - page_ball_distance(p - e.yyx));",
        # At outlines, where steps end beside the surface, it faces the eye all the same.
        "const float behind = max(dot(normalize(slope), along) + 0.02, 0.0);",
        "const float3 normal = normalize(normalize(slope) - along * behind);",
        "const float3 q = normalize(p - float3(0.0, 0.14, 0.0));",
        "const float3 east = float3(q.z, 0.0, -q.x) + float3(0.00001, 0.0, 0.0);",
        "const float3 tangent = normalize(east - normal * dot(east, normal));",
        "const float tiles = page_in(3).y;",
        "const float2 uv = float2(page_angle(q.x, q.z) * 0.15915494 * tiles + 0.5, "
        "page_angle(length(q.xz), q.y) * 0.15915494 * tiles);",
        "return page_framed(normal, tangent, uv - floor(uv), 0.25 * tiles);",
    ))  # fmt: skip
    return [distance, ball]


def _seen() -> Function:
    shape = "page_in(0).z"
    return Function(POINT, "page_seen", (AT,), (
        f"if ({shape} < 0.5) return page_sphere(at);",
        f"if ({shape} < 1.5) return page_plane(at);",
        f"if ({shape} < 2.5) return page_cloth(at);",
        "return page_ball(at);",
    ))  # fmt: skip
