"""model/stepped_codes: encodings read from an asset's codes give what the stored numbers give."""

import numpy as np
import pytest
import torch

from neuralshade.gpu.gpu import run_once
from neuralshade.model.quantize import dequantize, quantize
from neuralshade.model.registry import build_encoding
from neuralshade.model.stepped_codes import SteppedCodes, takes_codes

SAMPLES, ROWS = 64, (1, 2, 3)  # threads that share a position
PAIR = "dense_grid:width=9,height=7,features={0} + dense_grid:width=5,height=6,features={1}"
ENCODINGS = [
    "dense_grid:width=9,height=7,features=4",
    "dense_grid:levels=3,width=11,height=6,features=3,coarsest=3",
    PAIR.format(8, 2),
    "frequency:octaves=2 + " + PAIR.format(1, 4) + " + one_blob:bins=4",
    "hash_grid:levels=4,features=2,log2_entries=6,coarsest=3,finest=19 + identity",
    "hash_grid:levels=3,features=1,log2_entries=5,coarsest=2,finest=11",
    "identity + hash_grid:levels=3,features=4,log2_entries=6,coarsest=2,finest=17",
]
KERNEL = """
StructuredBuffer<float> positions;
StructuredBuffer<int> parts;
RWStructuredBuffer<float> results;
RWStructuredBuffer<uint> behind;

[shader("compute")]
[numthreads(64, 1, 1)]
void encode_all(uint3 thread : SV_DispatchThreadID)
{
    uint i = thread.x;
    Codes codes = { MEMBERS };
    float2 uv = float2(positions[2 * i], positions[2 * i + 1]);
    for (int row = 0; row < 3; ++row)
    {
        Columns<E.WIDTH> sink = {};
        for (int part = 0; part < parts[row]; ++part)
            E.eval(uv, codes, part, parts[row], sink);
        for (int column = 0; column < E.WIDTH; ++column)
            results[(row * 64 + i) * E.WIDTH + column] = sink.values[column];
    }
#if !IN_BYTES
    behind[0] = Codes.words_of<E>();
#endif
}
"""


def coded(text, bits, seed=0):
    """Return an encoding with rounded numbers, and its codes."""
    rng = torch.Generator().manual_seed(seed)
    encoding = build_encoding(text, rng)
    codes, steps = [], []
    with torch.no_grad():
        for name, parameter in encoding.named_parameters():
            slices = parameter.t() if "vertices" in name else parameter
            slices.copy_(torch.randn(slices.shape, generator=rng) * 0.3)
            levels, step = quantize(slices, bits, grid=True)
            slices.copy_(dequantize(levels, step, bits))
            codes.append(levels.t() if "vertices" in name else levels)
            steps.append(step.flatten())
    return encoding, SteppedCodes(encoding, codes, steps, bits)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("read_as", ["with steps", "folded", "in bytes"])
@pytest.mark.parametrize("text", ENCODINGS)
def test_encoding_is_that_of_the_numbers(gpu, text, read_as, bits):
    """Each column by itself: weights that are 1 have what a column was divided by."""
    encoding, codes = coded(text, bits)
    gains = torch.ones(1, encoding.width)
    assert not codes.read_by_bytes().in_bytes, "steps are words"
    if read_as != "with steps":
        codes, gains = codes.folded_into(gains)
        assert codes.folded and not torch.equal(gains, torch.ones(1, encoding.width))
    if read_as == "in bytes":
        codes = codes.read_by_bytes()
    at = torch.rand(SAMPLES, 2, generator=torch.Generator().manual_seed(1))
    at[:4] = torch.tensor([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.999, 0.001]])
    half, read = encoding.slang("Tested"), codes.slang()
    lines = [f"import {m};" for m in sorted(half.modules | read.modules)]
    lines += ["import neuralshade.model.encoding;", half.declarations,
              f"typealias E = {half.type};", f"typealias Codes = {read.type};",
              f"{codes.slang_buffer} words;", f"#define MEMBERS {codes.slang_members('words')}",
              f"#define IN_BYTES {int(codes.in_bytes)}"]  # fmt: skip
    shape = (len(ROWS), SAMPLES, encoding.width)
    out = gpu.buffer(np.zeros(shape, np.float32)), gpu.buffer(np.zeros(2, np.uint32))
    given = {"words": codes.words, "positions": at.numpy(), "parts": np.array(ROWS, np.int32)}
    bound = {name: gpu.buffer(values) for name, values in given.items()}
    bound |= {name: gpu.buffer(v) for name, v in encoding.fixed_buffers("Tested").items()}
    bound |= dict(zip(("results", "behind"), out, strict=True))
    run_once(gpu, [(gpu.kernel("\n".join([*lines, KERNEL]), "encode_all", bound), 1)])
    assert codes.in_bytes or out[1].read().view(np.uint32)[0] == len(codes.words)
    wanted = encoding(at).detach().numpy()
    for row in out[0].read().view(np.float32).reshape(shape):
        np.testing.assert_allclose(row * gains.numpy(), wanted, rtol=0, atol=2e-5)


def test_weights_that_float16_does_not_hold_stay():
    encoding, codes = coded(ENCODINGS[0], 4)
    most = codes.folded_into(torch.ones(1, encoding.width))[1].max().item()
    for share in (0.99, 1.01, float("nan")):
        weight = torch.full((3, encoding.width), share * 65504.0 / most)
        kept, same = codes.folded_into(weight)
        assert kept.folded == (share == 0.99) and (same is weight) != kept.folded


@pytest.mark.parametrize("text, bits, takes", [
    (ENCODINGS[0], 4, True), (ENCODINGS[3], 8, True), (ENCODINGS[4], 4, True),
    (ENCODINGS[0], 16, False), (ENCODINGS[0], 32, False),
    ("frequency:octaves=2", 4, False), ("identity", 8, False),
])  # fmt: skip
def test_what_takes_codes(text, bits, takes):
    assert takes_codes(build_encoding(text, torch.Generator()), bits) == takes


def test_words_are_a_step_a_column_and_the_codes():
    for bits in (4, 8):
        encoding, codes = coded(ENCODINGS[0], bits)
        assert len(codes.words) == encoding.width + -(-9 * 7 * 4 * bits // 32)
