"""A network's inputs that another kernel has encoded. Device half: planes.slang."""

from neuralshade.model.parameters import SlangType

TASK = """
typealias Task = PlaneTask<Drawn, {planes}>;
RWStructuredBuffer<uint> planes;
uniform uint plane_size;

Task make_task(uint group)
{{
    return {{ make_drawn(group), planes, plane_size }};
}}
"""
PLANES = """#define LISTED_NUMBERS 1
public RWStructuredBuffer<uint> planes;
public uniform uint plane_size;

public struct Planes : IEncoding
{{
    public typealias Position = float2; // of which the first is a number
    public static const int WIDTH = {width};
    public static const uint PARAMETERS = 0u;

    public static void eval<P : IParameters, S : ISink>(
        float2 at, P parameters, int part, int parts, inout S sink)
    {{
        put_planes<{width} / 2>(planes, plane_size, asuint(at.x), part, parts, sink);
    }}

    public static void backward<D : ISource, P : IParameters, G : IGradients>(
        float2 at, D d_encoded, P parameters, G d_parameters, int part, int parts)
    {{
    }}
}}
"""


def planes_type(planes: int) -> SlangType:
    """Return the encoding that reads planes, as levels.encode.cs.slang leaves them."""
    modules = frozenset({"neuralshade.engine.kernels.levels.planes"})
    return SlangType("Planes", modules, PLANES.format(width=2 * planes))
