"""How long a material's graph and its decoder take for a screen of points, by the GPU's clock.

Each pixel reads where it is, finds its own point and directions (material_screen.slang), and
writes three float32, whatever evaluates it; "nothing" does no more than that. With several lights a
graph adds them up, and its compiler may share what they have in common; a decoder is asked for each
light alone, its look-ups and all.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.kernels.infer.field_inference import field_inference
from neuralshade.gpu.gpu import Gpu, Steps, run_steps
from neuralshade.kinds.material.field import encoding_of
from neuralshade.kinds.material.teachers.teacher import HEAD, LOWEST, Teacher
from neuralshade.model.encoding import Encoding
from neuralshade.model.field import Field
from neuralshade.model.parameters import SlangHalf, Table
from neuralshade.speed.timing import Patience, steps_seconds
from rivals.material_screen import Screen

Floats = npt.NDArray[np.float32]
GROUP = 64
NOTHING = """
float3 eval(float2 uv, float3 wi, float3 wo)
{
    return wi + wo * float3(uv, 1.0f);
}
"""
SHADE = """
StructuredBuffer<float2> positions;
RWStructuredBuffer<float> drawn;

[shader("compute")]
[numthreads(64, 1, 1)]
void shade(uint thread : SV_DispatchThreadID)
{
    float3 found = float3(0.0f);
    [ForceUnroll]
    for (int light = 0; light < LIGHTS; ++light)
    {
        ScreenPoint point = screen_point(positions[thread * uint(LIGHTS)] + float2(light, 0.0f));
        found += eval(point.uv, point.wi, point.wo);
    }
    drawn[3u * thread] = found.x;
    drawn[3u * thread + 1u] = found.y;
    drawn[3u * thread + 2u] = found.z;
}
"""
ON_SCREEN = """
public struct {name}OnScreen<E : IEncoding> : IEncoding
    where E.Position == Coordinates<9>
{{
    public typealias Position = float2;
    public static const int WIDTH = E.WIDTH;
    public static const uint PARAMETERS = E.PARAMETERS;

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
    """A material's encoding of the points that a screen's pixels show; it is not trained."""

    def __init__(self, inner: Encoding, screen: Screen):
        super().__init__()
        self.inner, self.screen, self.width = inner, screen, inner.width

    def slang(self, name: str) -> SlangHalf:
        inner = self.inner.slang(name)
        text = inner.declarations + self.screen.text() + ON_SCREEN.format(name=name)
        modules = inner.modules | {"neuralshade.model.encoding", "neuralshade.model.parameters"}
        return SlangHalf(f"{name}OnScreen<{inner.type}>", modules, text)

    def given(self, name: str) -> Mapping[str, npt.NDArray[Any]]:
        return self.inner.given(name)

    def number_count(self) -> int:
        return self.inner.number_count()

    def views(self, flat: torch.Tensor) -> list[torch.Tensor]:
        return self.inner.views(flat)

    def tables(self) -> list[Table]:
        return self.inner.tables()


@dataclass(frozen=True)
class Evaluation:
    """What evaluates a screen, ready to run."""

    gpu: Gpu
    steps: Steps
    drawn: Any  # Buffer
    count: int
    path: str  # what the network runs on; of a graph the API alone

    def values(self) -> Floats:
        """Run it; return what it says, pixel by pixel: float32 [count, 3]."""
        run_steps(self.gpu, self.steps)
        return self.drawn.read().view(np.float32)[: 3 * self.count].reshape(-1, 3)

    def microseconds(self, patience: Patience) -> float:
        """Return the median time of one screen."""
        return 1e6 * steps_seconds(self.gpu, self.steps, patience)


def graph_evaluation(gpu: Gpu, teacher: Teacher | None, screen: Screen) -> Evaluation:
    """Return what evaluates a material's graph, lights added up; None is the screen itself."""
    positions = gpu.buffer(screen.positions())
    drawn = gpu.buffer(size=12 * screen.count)
    variables: dict[str, Any] = {"positions": positions, "drawn": drawn}
    text, folder = NOTHING, None
    if teacher is not None:
        head = HEAD.format(count=max(1, len(teacher.parameters)), lowest=LOWEST)
        text, folder = head + teacher.text, teacher.folder
        variables |= {name: gpu.buffer(values) for name, values in teacher.variables.items()}
    kernel = gpu.kernel(text + screen.text() + SHADE, "shade", variables, folder=folder)
    return Evaluation(gpu, gpu.steps([(kernel, screen.count // GROUP)]), drawn, screen.count, "")


def decoder_evaluation(gpu: Gpu, field: Field, screen: Screen) -> Evaluation:
    """Return what evaluates a material's field, light by light.

    Its read-out is given from now on.
    """
    encoding = encoding_of(field)
    if list(encoding.lobes.parameters()):
        encoding.lobes.hold_read()
    inference = field_inference(gpu, Field(OnScreen(encoding, screen), field.network))
    steps, drawn = inference.positions_steps(screen.positions())
    return Evaluation(gpu, steps, drawn, screen.count * screen.lights, inference.path)
