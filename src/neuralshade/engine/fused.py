"""The text of the kernels that train and evaluate one field, and what they share."""

from neuralshade.engine.layout import NetworkLayout
from neuralshade.engine.task import TaskText
from neuralshade.model.activation import slang_name
from neuralshade.model.field import Field

SIZES = """
typealias Hidden = {hidden};
typealias Output = {output};
static const int INPUTS = {inputs};
static const int OUTPUTS = {outputs};
static const int HIDDEN_LAYERS = {layers};
static const int HIDDEN_WIDTH = {width};
"""
INFER = """
static const int NETWORK_INPUTS = {inputs};
static const int NETWORK_OUTPUTS = {outputs};
typealias Network = MLP<
    NETWORK_INPUTS, NETWORK_OUTPUTS, HIDDEN_LAYERS, {width}, true, Hidden, Output>;
StructuredBuffer<{number}> network;
{parameters} weights()
{{
    return {{ network }};
}}
#include "neuralshade/engine/infer.cs.slang"
"""


def sizes_text(field: Field) -> str:
    """Return the network's sizes and activations as Slang constants."""
    first, last = field.network.members[0].weight, field.network.members[-1].weight
    layers = len(field.network.members) - 1
    return SIZES.format(
        hidden=slang_name(field.network.kinds[0] if layers else "none"),
        output=slang_name(field.network.kinds[-1]),
        inputs=first.shape[1],
        outputs=last.shape[0],
        layers=layers,
        width=first.shape[0],
    )


def kernel_text(field: Field, task: TaskText, stem: str, constants: str) -> str:
    """Return the module that trains ``field`` on ``task`` by ``engine/<stem>.cs.slang``."""
    lines = [
        "import neuralshade.model.activation;\n",
        task.text,
        sizes_text(field),
        constants,
        f'#include "neuralshade/engine/{stem}.cs.slang"\n',
    ]
    return "".join(lines)


def infer_text(field: Field, task: TaskText, layout: NetworkLayout, *, halves: bool) -> str:
    """Return the module that evaluates ``field`` at any position, one thread each."""
    first, last = layout.layers[0], layout.layers[-1]
    infer = INFER.format(
        inputs=first.padded_cols,
        outputs=last.padded_rows,
        width=first.padded_rows,
        number="uint" if halves else "float",
        parameters="PackedParameters" if halves else "FloatParameters",
    )
    imports = "import neuralshade.model.activation;\nimport neuralshade.model.mlp;\n"
    return imports + task.text + sizes_text(field) + infer
