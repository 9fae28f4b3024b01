"""Evaluation kernels of a material's graph and decoder over a screen of points, timed on the GPU.

Each pixel finds its own point and directions (screen.slang), and writes three halves and a zero;
"nothing" does no more than that. Lights are added up, and a compiler may share what they have in
common.

On a GPU the decoder is kinds/material/batched_decoder.py: it reads its map once for all lights, by
texture units or, with CUDA, out of a buffer. In software it is the engine's for any field, which
reads a pixel's position, writes three float32 and is evaluated for each light separately.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.kernels.infer.field_inference import field_inference
from neuralshade.gpu.clock import Patience, steps_seconds
from neuralshade.gpu.gpu import Gpu, Steps, run_steps
from neuralshade.kinds.material.asset import pack_field
from neuralshade.kinds.material.batched_decoder import build_decoder
from neuralshade.kinds.material.batched_maps import Mapped
from neuralshade.kinds.material.field import encoding_of
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import HEAD, LOWEST, ReferenceBsdf
from neuralshade.kinds.material.speed.screen import Screen
from neuralshade.model.encoding import Encoding
from neuralshade.model.field import Field
from neuralshade.model.parameters import SlangType, Table

Floats = npt.NDArray[np.float32]
GROUPS = {"cuda": 256}  # threads by API; for networks of 32 x 2, scattered, 78 us (128: 91 us)
USUAL_GROUP = 128  # with Vulkan 83 us (256: 89 us); groups of 64 take 20 us to start
NOTHING = """
float3 eval(float2 uv, float3 wi, float3 wo)
{
    return wi + wo * float3(uv, 1.0f);
}
"""
GRAPH = """
typealias ScreenSurface = float2;

ScreenSurface screen_surface(float2 uv)
{
    return uv;
}

float3 screen_towards(ScreenSurface point, float3 wi, float3 wo)
{
    return eval(point, wi, wo);
}
"""
SHADE = """
RWStructuredBuffer<uint2> screen_drawn;

[shader("compute")]
[numthreads({group}, 1, 1)]
void shade_screen(uint thread : SV_DispatchThreadID)
{{
    float3 found = float3(0.0f);
    ScreenSurface point = screen_surface(screen_point(screen_at(thread)).uv);
    [ForceUnroll]
    for (int light = 0; light < SCREEN_LIGHTS; ++light)
    {{
        ScreenPoint seen = screen_point(screen_at(thread) + float2(light, 0.0f));
        found += screen_towards(point, seen.wi, seen.wo);
    }}
    screen_drawn[thread] = screen_halves(found);
}}
"""
DECODED = """
typealias ScreenSurface = DecodedPoint;

ScreenSurface screen_surface(float2 uv)
{
    return decoded_at(0u, uv, 0.0f);
}

float3 screen_towards(ScreenSurface point, float3 wi, float3 wo)
{
    return decoded_towards(0u, point, wi, wo);
}
"""
ON_SCREEN = """
public struct {name}OnScreen<E : IEncoding> : IEncoding
    where E.Position == Coordinates<9>
{{
    public typealias Position = float2;
    public static const int WIDTH = E.WIDTH;
    public static const uint PARAMETERS = E.PARAMETERS;

    public override static uint number_count()
    {{
        return E.number_count();
    }}

    public static void eval<P : IParameters, S : ISink>(
        float2 at, P parameters, int part, int parts, inout S sink)
    {{
        ScreenPoint point = screen_point(at);
        Coordinates<9> place = {{}};
        place.set(0, point.uv.x);
        place.set(1, point.uv.y);
        [ForceUnroll]
        for (int axis = 0; axis < 3; ++axis)
        {{
            place.set(3 + axis, point.wi[axis]);
            place.set(6 + axis, point.wo[axis]);
        }}
        E.eval(place, parameters, part, parts, sink);
    }}

    /// Not called: what is timed is evaluated alone.
    public static void backward<D : ISource, P : IParameters, G : IGradients>(
        float2 at, D d_encoded, P parameters, G d_parameters, int part, int parts)
    {{
    }}
}}
"""


class OnScreen(Encoding):
    """A material's encoding at the points of a screen's pixels; not trained."""

    def __init__(self, inner: Encoding, screen: Screen):
        super().__init__()
        self.inner, self.screen, self.width = inner, screen, inner.width

    def slang(self, name: str) -> SlangType:
        return self._seen(name, self.inner.slang(name))

    def sized_slang(self, name: str) -> SlangType:
        return self._seen(name, self.inner.sized_slang(name))

    def _seen(self, name: str, inner: SlangType) -> SlangType:
        text = inner.declarations + self.screen.text() + ON_SCREEN.format(name=name)
        modules = inner.modules | {"neuralshade.model.encoding", "neuralshade.model.parameters"}
        return SlangType(f"{name}OnScreen<{inner.type}>", modules, text, inner.uniforms)

    def fixed_buffers(self, name: str) -> Mapping[str, npt.NDArray[Any]]:
        return self.inner.fixed_buffers(name)

    def number_count(self) -> int:
        return self.inner.number_count()

    def views(self, flat: torch.Tensor) -> list[torch.Tensor]:
        return self.inner.views(flat)

    def tables(self) -> list[Table]:
        return self.inner.tables()


@dataclass(frozen=True)
class Evaluation:
    """Evaluation of a screen, ready to run."""

    gpu: Gpu
    steps: Steps
    drawn: Any  # Buffer
    screen: Screen
    path: str  # of the network; of a graph the API
    by_light: bool = False  # float32 of each light, not halves of their sum

    def values(self) -> Floats:
        """Run it; return the pixels, lights added up: float32 [count, 3]."""
        run_steps(self.gpu, self.steps)
        raw, count, lights = self.drawn.read(), self.screen.count, self.screen.lights
        if not self.by_light:
            return Screen.unpacked(raw, count)
        sums: Floats = raw.view(np.float32)[: 3 * count * lights].reshape(count, lights, 3)
        return sums.sum(1)

    def microseconds(self, patience: Patience) -> float:
        """Return the median time of one screen."""
        return 1e6 * steps_seconds(self.gpu, self.steps, patience)


def graph_evaluation(gpu: Gpu, reference: ReferenceBsdf | None, screen: Screen) -> Evaluation:
    """Return the evaluation of a material's graph; None is the screen itself."""
    if reference is None:
        return _evaluation(gpu, NOTHING + GRAPH, {}, screen, "")
    head = HEAD.format(count=max(1, len(reference.parameters)), lowest=LOWEST)
    variables: Mapping[str, Any] = reference.variables  # arrays, or buffers of a device
    variables = {name: gpu.buffer(value) if isinstance(value, np.ndarray) else value
                 for name, value in variables.items()}  # fmt: skip
    return _evaluation(gpu, head + reference.text + GRAPH, variables, screen, "", reference.folder)


def batched_evaluation(
    gpu: Gpu, material: Mapped, screen: Screen, *, matrices: bool = True
) -> Evaluation:  # fmt: skip
    """Return the evaluation of a material as in a renderer: see ``build_decoder``."""
    decoder = build_decoder(gpu, [material], matrices)
    return _evaluation(gpu, decoder.text + DECODED, decoder.variables, screen, decoder.path,
                       **decoder.options)  # fmt: skip


def decoder_evaluation(gpu: Gpu, field: Field, screen: Screen) -> Evaluation:
    """Return the evaluation of a material's field. Its read-out is an input from now on."""
    if not gpu.adapter.software:
        return batched_evaluation(gpu, as_stored(field), screen)
    encoding = encoding_of(field)
    if list(encoding.lobes.parameters()):
        encoding.lobes.freeze_read_out()
    inference = field_inference(gpu, Field(OnScreen(encoding, screen), field.network))
    steps, drawn = inference.positions_steps(screen.positions())
    return Evaluation(gpu, steps, drawn, screen, inference.path, by_light=True)


def as_stored(field: Field) -> Any:
    """Return a material's field as its file stores it."""
    encoding, network = encoding_of(field), field.network
    recipe = MaterialRecipe(
        features=encoding.grid.features, lobes=encoding.lobes.count,
        lobe_inputs=encoding.lobes.columns, below=encoding.lobes.below,
        hidden_width=len(network.members[0].weight), hidden_layers=len(network.members) - 1,
        activation=network.kinds[0],
        wrap="repeat" if encoding.grid.wraps else "clamp",
    )  # fmt: skip
    side = encoding.grid.sizes[0][0]
    return SimpleNamespace(recipe=recipe, side=side, tensors=pack_field(field))


def _evaluation(
    gpu: Gpu, text: str, variables: Mapping[str, Any], screen: Screen, path: str,
    folder: Path | None = None, **options: Any,
) -> Evaluation:  # fmt: skip
    """Return the evaluation of a text's ``screen_towards`` for each pixel and light."""
    group = GROUPS.get(gpu.api, USUAL_GROUP)
    groups = -(-screen.count // group)
    drawn = gpu.buffer(size=8 * group * groups)
    whole = text + screen.text() + SHADE.format(group=group)
    kernel = gpu.kernel(
        whole, "shade_screen", {**variables, "screen_drawn": drawn}, folder=folder, **options
    )
    steps = gpu.steps([(kernel, groups)])
    return Evaluation(gpu, steps, drawn, screen, path)
