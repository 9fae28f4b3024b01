"""Product that sums a first layer's gradients, as a Slang function for its number of inputs.

The others are in gpu/instructions/wgmma.slang: only this one's columns differ from network to
network, and each eight of them take four registers of every thread.
"""

BESIDE = 8  # columns of ones
ROWS = 4  # numbers of a thread for eight columns

TEXT = """
/// Add to `d` the product of 64 x {columns} float32, as add_product_64 does in wgmma.slang.
[require(cuda)]
void add_first_product(inout float d[{numbers}], inout float ones[{rows}], uint64_t a, uint64_t b)
{{
    __requirePrelude(R"(
static __device__ __forceinline__ void neuralshade_add_first_product(
    float* d, float* ones, unsigned long long a, unsigned long long b)
{{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n{all_columns}k16.f32.f16.f16 "
        "{{{places}}}, "
        "%{a}, %{b}, 1, 1, 1, 1, 1;"
        : {sums}
        : "l"(a), "l"(b));
}}
)");
    __intrinsic_asm "neuralshade_add_first_product((float*)($0), (float*)($1), $2, $3)";
}}
"""


def first_product(columns: int, *, beside: bool) -> str:
    """Return ``add_first_product`` for a multiple of 8 columns.

    ``beside``: eight more are added up in its ``ones``, else that is not touched.
    """
    numbers = columns // BESIDE * ROWS
    names = [f"d[{i}]" for i in range(numbers)]
    if beside:
        names += [f"ones[{i}]" for i in range(ROWS)]
    count = len(names)
    return TEXT.format(
        columns=columns, numbers=numbers, rows=ROWS, all_columns=columns + BESIDE * beside,
        places=", ".join(f"%{i}" for i in range(count)), a=count, b=count + 1,
        sums=", ".join(f'"+f"({name})' for name in names),
    )  # fmt: skip
