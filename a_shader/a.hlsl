// a: A picture as a function of its position.
// asset: a.nsh, 2,484 bytes, kind image
// PSNR: 20.00 dB
// color space: sRGB-encoded, 0 to 1 where it is not clamped
// size: 5 x 3 pixels, as fitted
// cost: 120 multiply-adds in networks
// license: yours: this text and its numbers are output of your fit
// Written by neuralshade export.

StructuredBuffer<uint> a_words : register(t0);

uint a_word(int i)
{
    return a_words[i];
}

// Return four numbers of 8 bits.
float4 a_entry8bit(int first, int bit) {
    const uint w0 = a_word(first + bit / 32) >> uint(bit % 32);
    return float4(float(w0 & 255u), float((w0 >> 8u) & 255u), float((w0 >> 16u) & 255u), float((w0 >> 24u) & 255u));
}

// Texel centers lie at (i + 0.5) / size; beyond the outermost they are clamped.
// bits: of an entry
// begin: bit of it that is read first
float4 a_dense8bit(float u, float v, int across, int down, int first, int bits, int begin) {
    const float x = clamp(u * float(across) - 0.5, 0.0, float(across - 1));
    const float y = clamp(v * float(down) - 0.5, 0.0, float(down - 1));
    const int c0 = int(x);
    const int c1 = min(c0 + 1, across - 1);
    const int r0 = int(y) * across;
    const int r1 = min(int(y) + 1, down - 1) * across;
    const float4 e0 = a_entry8bit(first, (r0 + c0) * bits + begin);
    const float4 e1 = a_entry8bit(first, (r0 + c1) * bits + begin);
    const float4 e2 = a_entry8bit(first, (r1 + c0) * bits + begin);
    const float4 e3 = a_entry8bit(first, (r1 + c1) * bits + begin);
    const float s = x - floor(x);
    return lerp(lerp(e0, e1, s), lerp(e2, e3, s), y - floor(y));
}

// Return the color at uv: sRGB-encoded, 0 to 1 where it is not clamped.
// uv: u to the right, v down, 0 to 1; pixel centers at (i + 0.5) / size
float3 a(float2 uv) {
    const float4 grid0 = a_dense8bit(uv.x, uv.y, 2, 1, 0, 16, 0);
    const float4 grid1 = a_dense8bit(uv.x, uv.y, 5, 3, 1, 16, 0);
    // Layer 1: 4 to 8, relu.
    const float4 color_h1_0 = max((float4(0.030987268, 0.005364578, 0.006147881, 0.0015661094) + grid0.x * float4(-8.284562e-5, -4.4765424e-5, -1.0775532e-5, -6.543401e-5) + grid0.y * float4(-4.4868222e-5, 1.6817471e-6, -5.935693e-5, -2.192004e-5) + grid1.x * float4(-2.2993114e-5, 1.4372216e-5, 4.43801e-5, -1.1983992e-5) + grid1.y * float4(-9.328729e-5, -1.3529313e-5, -2.2656148e-5, 8.700647e-5)), ((float4)(0.0)));
    const float4 color_h1_1 = max((float4(-0.010690123, -0.01666079, -0.008721202, 0.03223755) + grid0.x * float4(4.9896506e-5, 6.1391554e-5, 4.1139552e-5, -7.0462636e-5) + grid0.y * float4(-3.682041e-5, 2.2715265e-5, -4.0785948e-5, -4.0461415e-5) + grid1.x * float4(-1.2056219e-5, -3.1218893e-5, 6.148156e-5, -6.497564e-5) + grid1.y * float4(8.3154315e-5, 7.82994e-5, 6.8357217e-6, -7.793927e-5)), ((float4)(0.0)));
    // Layer 2: 8 to 8, relu.
    const float4 color_h2_0 = max((float4(0.0, 0.0, 0.0, 0.0) + color_h1_0.x * float4(0.022474818, 0.5347811, -0.7816696, -0.3506535) + color_h1_0.y * float4(-0.6180575, 0.29971248, 0.049239032, 0.25624678) + color_h1_0.z * float4(0.46073377, 0.10578088, 0.7324306, -0.72828037) + color_h1_0.w * float4(0.3876906, 0.72283596, -0.7570501, 0.85640377) + color_h1_1.x * float4(0.18541725, 0.19980831, 0.34467322, 0.12812339) + color_h1_1.y * float4(0.7135755, 0.5817948, -0.763205, 0.30345014) + color_h1_1.z * float4(-0.39330932, -0.74634284, -0.5785586, -0.5866703) + color_h1_1.w * float4(0.011237409, -0.74634284, -0.29543418, 0.4787769)), ((float4)(0.0)));
    const float4 color_h2_1 = max((float4(0.0, 0.0, 0.0, 0.0) + color_h1_0.x * float4(-0.20356716, -0.2952303, -0.5753042, -0.7890252) + color_h1_0.y * float4(-0.43088382, -0.32112768, -0.7358542, -0.41491842) + color_h1_0.z * float4(0.1458898, 0.51794785, 0.72916466, -0.86384654) + color_h1_0.w * float4(0.35963532, -0.605999, 0.7626126, -0.3945126) + color_h1_1.x * float4(0.09160522, 0.37810194, -0.12041251, 0.231266) + color_h1_1.y * float4(-0.30195796, 0.45061466, 0.80943966, -0.020405825) + color_h1_1.z * float4(0.15946095, -0.57492214, 0.2475146, -0.1632466) + color_h1_1.w * float4(-0.33588582, -0.6577938, -0.8495771, 0.05441553)), ((float4)(0.0)));
    // Layer 3: 8 to 3, none.
    const float4 color0 = float4(0.0, 0.0, 0.0, 0.0) + color_h2_0.x * float4(0.27993584, -0.28804618, 0.07394622, 0.0) + color_h2_0.y * float4(0.004408438, -0.0394902, -0.2957849, 0.0) + color_h2_0.z * float4(0.15429534, -0.29501504, 0.15027781, 0.0) + color_h2_0.w * float4(-0.07273923, 0.004645906, 0.2957849, 0.0) + color_h2_1.x * float4(-0.2292388, 0.013937717, -0.21706794, 0.0) + color_h2_1.y * float4(0.059513915, 0.099886976, 0.29817027, 0.0) + color_h2_1.z * float4(0.14107002, -0.10453288, 0.045321878, 0.0) + color_h2_1.w * float4(0.17854175, -0.044136107, 0.302941, 0.0);
    return color0.xyz;
}

// Return the mean of 4 samples of a footprint, which aliases less.
// uv: center of the footprint
// dx: step of uv to the next pixel along x, as dFdx has it
// dy: likewise along y
float3 a_area(float2 uv, float2 dx, float2 dy) {
    return (a(uv + dx * (-0.25) + dy * (-0.25)) + a(uv + dx * (0.25) + dy * (-0.25)) + a(uv + dx * (-0.25) + dy * (0.25)) + a(uv + dx * (0.25) + dy * (0.25))) * 0.25;
}
