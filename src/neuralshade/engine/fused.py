"""The text of the kernels that train and evaluate one field, and what they share."""

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
