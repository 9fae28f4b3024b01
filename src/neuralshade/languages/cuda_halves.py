"""Vector of four float16 for CUDA, as far as the dialect uses it."""

from __future__ import annotations

NAMES = ("half4", "to_half", "to_float")  # beside overloads of what cpp_vectors.py has
TEXT = """#include <cuda_fp16.h>
#ifndef NEURALSHADE_HALVES
#define NEURALSHADE_HALVES
namespace neuralshade
{
struct half4
{
    __half x, y, z, w;
    half4() = default;
    __device__ half4(float x_, float y_, float z_, float w_)
        : half4(__floats2half2_rn(x_, y_), __floats2half2_rn(z_, w_)) {}
    __device__ half4(__half2 xy, __half2 zw)
        : x(__low2half(xy)), y(__high2half(xy)), z(__low2half(zw)), w(__high2half(zw)) {}
    __device__ __half2 xy() const { return __halves2half2(x, y); }
    __device__ __half2 zw() const { return __halves2half2(z, w); }
};
__device__ inline half4 operator+(half4 a, half4 b)
{
    return half4(__hadd2(a.xy(), b.xy()), __hadd2(a.zw(), b.zw()));
}
__device__ inline half4 operator*(half4 a, half4 b)
{
    return half4(__hmul2(a.xy(), b.xy()), __hmul2(a.zw(), b.zw()));
}
__device__ inline half4 operator*(__half a, half4 b)
{
    return half4(__half2half2(a), __half2half2(a)) * b;
}
__device__ inline half4 to_half(float4 a) { return half4(a.x, a.y, a.z, a.w); }
__device__ inline float4 to_float(half4 a)
{
    const float2 xy(__low2float(a.xy()), __high2float(a.xy()));
    return float4(xy, float2(__low2float(a.zw()), __high2float(a.zw())));
}
} // namespace neuralshade
#endif
"""
