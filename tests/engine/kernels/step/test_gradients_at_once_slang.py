"""engine/kernels/step/gradients: 2, 4 and 8 numbers added at once are added to each of them."""

import numpy as np
import pytest

from neuralshade.engine.kernels.step.gradients import COPIES, GRADIENTS, choose_gradients

NUMBERS, ADDITIONS = 24, 200
CROWDED = 8  # the first numbers have several sums, but not fixed ones
ADD = """
import neuralshade.engine.kernels.step.gradients;
{declarations}
StructuredBuffer<uint> indices;
StructuredBuffer<float4> values;
static const uint crowded = {crowded};
static const uint COPIES = {copies};

[shader("compute")]
[numthreads(64, 1, 1)]
void add(uint3 thread : SV_DispatchThreadID, uint3 group_id : SV_GroupID)
{{
    if (thread.x >= {additions})
        return;
    uint group = group_id.x;
    {type} gradients = {{ {fields} }};
    if (indices[thread.x] % 8u == 0u)
        gradients.add8(indices[thread.x], float2x4(values[thread.x], values[thread.x].wzyx));
    else if (indices[thread.x] % 4u == 0u)
        gradients.add4(indices[thread.x], values[thread.x]);
    else
        gradients.add2(indices[thread.x], values[thread.x].xy);
}}
"""


def sums_of(dispatch, name: str, index: np.ndarray, values: np.ndarray) -> np.ndarray:
    kind = GRADIENTS[name]
    crowded = 0 if name == "fixed" else CROWDED
    text = ADD.format(declarations=kind.declarations, type=kind.type, fields=kind.fields,
                      crowded=CROWDED, copies=COPIES, additions=ADDITIONS)  # fmt: skip
    buffers = {
        "grid_sums": np.zeros(kind.sum_bytes * NUMBERS + 4 * COPIES * crowded, np.uint8),
        "grid_halves": np.zeros(kind.half_bytes * NUMBERS, np.uint8),
    }
    run = dispatch(text, {"indices": index, "values": values, **buffers})
    run.run(("add", -(-ADDITIONS // 64)))
    if name == "fixed":
        return run.read("grid_sums", np.int64, NUMBERS) / 65536
    copies = run.read("grid_sums", np.float32, COPIES * crowded).reshape(COPIES, crowded)
    if name == "float":
        rest = run.read("grid_sums", np.float32, COPIES * crowded + NUMBERS)[COPIES * crowded :]
    else:
        rest = run.read("grid_halves", np.float16, NUMBERS).astype(np.float32)
    assert not rest[:crowded].any()
    return np.concatenate([copies.sum(axis=0), rest[crowded:]])


@pytest.mark.parametrize("name", ["float", "fixed", "half"])
def test_each_number_gets_its_own(dispatch, gpu, name):
    if name == "half" and choose_gradients(gpu, exact=False, halves=True) != "half":
        pytest.skip("this GPU adds no pairs of float16")
    rng = np.random.default_rng(5)
    index = 2 * rng.integers(0, NUMBERS // 2 - 1, ADDITIONS).astype(np.uint32)
    values = rng.integers(-8, 9, (ADDITIONS, 4)).astype(np.float32) / 8  # exact in all sums
    wanted = np.zeros(NUMBERS)
    for first, four in zip(index, values, strict=True):
        count = 8 if first % 8 == 0 else 4 if first % 4 == 0 else 2
        wanted[first : first + count] += [*four, *four[::-1]][:count]
    assert len(np.unique(wanted)) > 16
    np.testing.assert_array_equal(sums_of(dispatch, name, index, values), wanted)
