"""Kernel text for the inference of a field; infer.py runs it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from neuralshade.engine.kernels.matrix.matrix_infer import MatrixInferPlan, matrix_infer_constants
from neuralshade.engine.kernels.wgmma.wgmma import WgmmaPlan, wgmma_infer_constants
from neuralshade.engine.layout import NetworkLayout, sizes_text
from neuralshade.model.field import Field
from neuralshade.model.parameters import SlangType

if TYPE_CHECKING:
    from neuralshade.model.stepped_codes import SteppedCodes

InferPlan = MatrixInferPlan | WgmmaPlan  # where products evaluate, through CUDA

ENCODING = "Drawn"  # begins the names of what is declared for it
TEXT = """
#define DIMENSIONS {dimensions}
typealias Encoding = {encoding};
static const int NETWORK_INPUTS = {inputs};
static const int NETWORK_OUTPUTS = {outputs};
{buffer} grid_numbers;

{parameters} grid()
{{
    return {{ {members} }};
}}
"""
LOOPS = """
typealias Network = MLP<
    NETWORK_INPUTS, NETWORK_OUTPUTS, HIDDEN_LAYERS, {width}, true, Hidden, Output>;
StructuredBuffer<{number}> network;

float[NETWORK_OUTPUTS] run_network(float x[NETWORK_INPUTS])
{{
    {parameters} weights = {{ network }};
    return Network.eval(x, weights);
}}
"""
VECTORS = """
typealias Network = {type};
ByteAddressBuffer network;
uniform CooperativeOffsets offsets;

float[NETWORK_OUTPUTS] run_network(float x[NETWORK_INPUTS])
{{
    return Network.eval(x, network, offsets);
}}
"""


def grid_text(field: Field) -> str:
    """Return a module's beginning: the encoding and its numbers, packed float16."""
    encoding = field.encoding.sized_slang(ENCODING)
    modules = encoding.modules | {"neuralshade.model.encoding", "neuralshade.model.parameters"}
    grid = TEXT.format(encoding=encoding.type, dimensions=field.dimensions, inputs=0, outputs=0,
                       buffer="StructuredBuffer<uint>", members="grid_numbers",
                       parameters="PackedParameters")  # fmt: skip
    return "".join([*_imports(modules), encoding.declarations, grid])


def infer_text(
    field: Field,
    layout: NetworkLayout,
    halves: bool,
    weights: Any,
    plan: InferPlan | None = None,
    codes: SteppedCodes | None = None,
    encoding: SlangType | None = None,
) -> str:
    """Return the module that evaluates ``field``.

    ``weights`` are those of vectors, ``plan`` that of products; loops where both are
    None. ``codes`` are those of the encoding, where it has some in place of numbers.
    ``encoding`` takes the place of the field's.
    """
    first, last = layout.layers[0], layout.layers[-1]
    encoding = encoding or field.encoding.sized_slang(ENCODING)
    kinds = {"number": "uint" if halves else "float",
             "parameters": "PackedParameters" if halves else "FloatParameters"}  # fmt: skip
    own = ("activation", "encoding", "parameters", "mlp_cooperative" if weights else "mlp")
    modules = {f"neuralshade.model.{name}" for name in own}
    grid = {"buffer": f"StructuredBuffer<{kinds['number']}>", "members": "grid_numbers",
            "parameters": kinds["parameters"]}  # fmt: skip
    if codes is not None:
        half = codes.slang()
        modules |= half.modules
        grid = {"buffer": codes.slang_buffer, "members": codes.slang_members("grid_numbers"),
                "parameters": half.type}  # fmt: skip
    inputs, outputs = first.padded_cols, last.padded_rows
    network = LOOPS.format(width=first.padded_rows, **kinds)
    if weights is not None:
        network = VECTORS.format(type=weights.slang().type)
    kernels = '#include "neuralshade/engine/kernels/infer/infer.cs.slang"\n'
    if isinstance(plan, MatrixInferPlan):
        network = matrix_infer_constants(plan)
        kernels = '#include "neuralshade/engine/kernels/matrix/matrix_infer.cs.slang"\n'
    elif plan is not None:
        network = wgmma_infer_constants(plan)
        kernels = '#include "neuralshade/engine/kernels/wgmma/wgmma.infer.cs.slang"\n'
    return "".join([
        *_imports(encoding.modules | modules),
        encoding.declarations,
        sizes_text(field.network),
        TEXT.format(encoding=encoding.type, dimensions=field.dimensions, inputs=inputs,
                    outputs=outputs, **grid),
        network,
        kernels,
    ])  # fmt: skip


def _imports(names: Iterable[str]) -> list[str]:
    return [f"import {name};\n" for name in sorted(names)]
