// rock: Maps of a surface, all of them together.
// asset: textures.nsh, 4,244 bytes, kind textures
// PSNR: 16.66 dB
// size: 12 x 8 texels, 4 levels
// beyond 0 to 1: repeated
// maps: albedo a color, sRGB-encoded, 0 to 1; normal a unit normal: x to the right, y up, z out of the surface; roughness as its file has it, 0 to 1; metallic as its file has it; the same everywhere
// samples: rock_texel and rock_stochastic run the network once, rock_bilinear 4 times, 8 between levels
// cost: 944 multiply-adds in networks
// license: yours: this text and its numbers are output of your fit
// Written by neuralshade export.

#ifndef NEURALSHADE_ROCK_INCLUDED
#define NEURALSHADE_ROCK_INCLUDED

struct rock_channels {
    float4 c0;
    float4 c1;
};

// Positions with v down, as functions have them, and with v up.
float2 rock_flipped(float2 uv) { return float2(uv.x, 1.0 - uv.y); }

float4 rock_hard_gelu(float4 x) { return x * clamp(x / 3.0 + 0.5, ((float4)(0.0)), ((float4)(1.0))); }
// Texels across and down.
float2 rock_size(int mip) { return float2(float(max(int(12) >> uint(mip), 1)), float(max(int(8) >> uint(mip), 1))); }

// The latents before and after a position along one side, each times a stride. Around the border: before is -1 to size - 1.
int2 rock_around(int before, int size, int stride) {
    return int2((before + size * max(-before, 0)) * stride, (before + 1 - size * max(before + 2 - size, 0)) * stride);
}

// Grid 0, 4 numbers of 3 bits each: its first number, latents across and down.
int3 rock_level0(int mip) { return int3(0, 6, 4); }
// Grid 1, 4 numbers of 4 bits each: its first number, latents across and down.
int3 rock_level1(int mip) { return int3(0, 3, 2); }
// Grid 2, 16 numbers of 4 bits each: its first number, latents across and down.
int3 rock_level2(int mip) { return int3(0, 2, 1); }
// The finest mip that the same latents serve.
int rock_served(int mip) { return 0; }

// Sine and cosine along u, then along v; whole turns are taken off first.
float4 rock_waves(float2 turns) {
    const float2 angle = (turns - floor(turns + 0.5)) * 6.2831855;
    return float4(sin(angle.x), cos(angle.x), sin(angle.y), cos(angle.y));
}

// Return the level whose texels are as large as the longer side of a footprint.
// dx: step of uv to the next pixel across, as dFdx has it; dy: down
float rock_level(float2 dx, float2 dy) {
    const float2 across = dx * float2(12.0, 8.0);
    const float2 down = dy * float2(12.0, 8.0);
    const float square = max(max(dot(across, across), dot(down, down)), 1.0);
    return 0.72134752 * log(square);
}

// Return a color, sRGB-encoded, 0 to 1.
float3 rock_albedo(rock_channels c) { return c.c0.xyz; }

// Return a unit normal: x to the right, y up, z out of the surface.
float3 rock_normal(rock_channels c) {
    const float2 xy = float2(c.c0.w, c.c1.x) * 2.0 + -1.0;
    return float3(xy, sqrt(max(1.0 - dot(xy, xy), 0.0)));
}

// Return as its file has it, 0 to 1.
float rock_roughness(rock_channels c) { return c.c1.y; }
// Return as its file has it; the same everywhere.
float rock_metallic(rock_channels c) { return 1.0; }

struct rock_asset
{
    TEXTURE2D(rock_numbers); // four bytes a texel, one word

    uint rock_texel_word(int i)
    {
        uint4 b = uint4(LOAD_TEXTURE2D(rock_numbers, int2(i & 7, i / 8)) * 255.0 + 0.5);
        return b.x | (b.y << 8u) | (b.z << 16u) | (b.w << 24u);
    }
    uint rock_word(int i) { return rock_texel_word(i + 1); }

    // Whether the texture arrived without filter, color space and compression.
    bool rock_intact() { return rock_texel_word(0) == 0x7FC03B86u; }

    // Four numbers of so many bits from number index on, in words from first on.
    float4 rock_codes(int first, int index, int bits) {
        const int bit = (index & 31) * bits;
        const int at = first + (index >> 5u) * bits + (bit >> 5u);
        const uint shift = uint(bit & 31);
        const uint w = (rock_word(at) >> shift) | ((rock_word(at + 1) << 1u) << (31u - shift));
        const uint step = uint(bits);
        const uint peak = (1u << step) - 1u;
        return float4(float(w & peak), float((w >> (1u * step)) & peak), float((w >> (2u * step)) & peak), float((w >> (3u * step)) & peak));
    }

    float4 rock_mixed(int first, int index, int bits, int2 x, int2 y, float2 share) {
        const float4 above = lerp(rock_codes(first, index + y.x + x.x, bits), rock_codes(first, index + y.x + x.y, bits), share.x);
        const float4 below = lerp(rock_codes(first, index + y.y + x.x, bits), rock_codes(first, index + y.y + x.y, bits), share.x);
        return lerp(above, below, share.y);
    }

    // What the latents around uv, 0 to 1, are decoded to.
    rock_channels rock_decoded(float2 uv, int mip) {
        const int3 level0 = rock_level0(mip);
        const float2 place0 = uv * float2(float(level0.y), float(level0.z)) - 0.5;
        const float2 share0 = place0 - floor(place0);
        const int2 x0 = rock_around(int(floor(place0.x)), level0.y, 4);
        const int2 y0 = rock_around(int(floor(place0.y)), level0.z, 4 * level0.y);
        const float4 latents0 = rock_mixed(0, level0.x, 3, x0, y0, share0);
        const int3 level1 = rock_level1(mip);
        const float2 place1 = uv * float2(float(level1.y), float(level1.z)) - 0.5;
        const float2 share1 = place1 - floor(place1);
        const int2 x1 = rock_around(int(floor(place1.x)), level1.y, 4);
        const int2 y1 = rock_around(int(floor(place1.y)), level1.z, 4 * level1.y);
        const float4 latents1 = rock_mixed(9, level1.x, 4, x1, y1, share1);
        const int3 level2 = rock_level2(mip);
        const float2 place2 = uv * float2(float(level2.y), float(level2.z)) - 0.5;
        const float2 share2 = place2 - floor(place2);
        const int2 x2 = rock_around(int(floor(place2.x)), level2.y, 16);
        const int2 y2 = rock_around(int(floor(place2.y)), level2.z, 16 * level2.y);
        const float4 latents2 = rock_mixed(12, level2.x, 4, x2, y2, share2);
        const float4 latents3 = rock_mixed(12, level2.x + 4, 4, x2, y2, share2);
        const float4 latents4 = rock_mixed(12, level2.x + 8, 4, x2, y2, share2);
        const float4 latents5 = rock_mixed(12, level2.x + 12, 4, x2, y2, share2);
        const int depth = mip - rock_served(mip);
        const float2 turns = uv * rock_size(mip) * float(1u << uint(depth)) / 8.0;
        const float4 waves0 = rock_waves(turns);
        const float4 waves1 = rock_waves(turns * 2.0);
        const float4 waves2 = rock_waves(turns * 4.0);
        // Layer 1: 37 to 16, hard_gelu.
        const float4 decoded_h1_0 = rock_hard_gelu(float4(-1.8929958, -0.15163422, -0.29522705, 0.32040405) + latents0.x * float4(0.0034375873, -0.037667412, -0.07345145, -0.03566197) + latents0.y * float4(-0.034999304, 0.08426339, -0.050746374, -0.05772182) + latents0.z * float4(0.0045427596, -0.08238002, 0.03302874, 0.0040413993) + latents0.w * float4(0.035365514, 0.09598214, 0.044433594, -0.022181919) + latents1.x * float4(-0.04671224, -0.03146159, 0.006884766, -0.045410156) + latents1.y * float4(0.02179362, -0.031982422, 0.038769532, 0.017675782) + latents1.z * float4(0.0015167237, -0.02828776, -0.024609376, -0.051822916) + latents1.w * float4(0.023795573, 0.05641276, 0.002041626, -0.0012736003) + latents2.x * float4(-0.027034504, 0.018554688, 0.045084637, 0.047395833) + latents2.y * float4(0.04625651, -0.031656902, 0.042317707, 0.04332682) + latents2.z * float4(0.044075523, -0.03736979, 0.042447917, 0.028352864) + latents2.w * float4(-0.03470052, 0.0018849691, -0.050390624, -0.009488932) + latents3.x * float4(0.04388021, -0.014835612, -0.001457723, 0.01751302) + latents3.y * float4(0.00040156048, 0.011075846, -0.051985677, -0.03531901) + latents3.z * float4(0.051790364, 0.032877605, 0.040136717, -0.0023498535) + latents3.w * float4(0.052766927, -0.040559895, 0.03691406, 0.043489583) + latents4.x * float4(0.003133138, -0.054622397, 0.03136393, -0.021158854) + latents4.y * float4(0.014282227, 0.006522624, -0.040983073, -0.05735677) + latents4.z * float4(0.021240234, 0.045735676, -0.02742513, 0.04283854) + latents4.w * float4(0.041178387, 0.03606771, -0.041861977, 0.021126302) + latents5.x * float4(-0.051529948, -0.0019999186, 0.013541667, 0.04202474) + latents5.y * float4(0.0053426106, -0.01332194, 0.04075521, -0.020003255) + latents5.z * float4(0.053059895, 0.0105957035, -0.0064249677, -0.033821616) + latents5.w * float4(-0.045345053, 0.03873698, -0.04235026, -0.008463542) + waves0.x * float4(-0.13757324, -0.30273438, -0.09057617, -0.18066406) + waves0.y * float4(0.09039307, -0.0017700195, 0.16809082, 0.14331055) + waves0.z * float4(0.17858887, 0.24951172, 0.101135254, -0.05899048) + waves0.w * float4(0.26391602, 0.36523438, 0.19348145, -0.021774292) + waves1.x * float4(-0.058044434, 0.40551758, 0.10290527, -0.25732422) + waves1.y * float4(0.07635498, 0.20812988, -0.12451172, -0.1451416) + waves1.z * float4(-0.17871094, 0.36401367, -0.29003906, -0.13183594) + waves1.w * float4(0.36694336, -0.35302734, 0.048736572, 0.03933716) + waves2.x * float4(-0.2668457, 0.056762695, -0.19165039, 0.1697998) + waves2.y * float4(0.23937988, 0.0079574585, -0.30688477, 0.22790527) + waves2.z * float4(0.29052734, 0.32421875, -0.18847656, 0.040863037) + waves2.w * float4(0.3347168, 0.03161621, -0.35913086, -0.28808594) + float(depth) * float4(0.17077637, 0.1105957, 0.038024902, -0.029663086));
        const float4 decoded_h1_1 = rock_hard_gelu(float4(-1.1096268, 0.91845703, -1.1646271, 1.4871979) + latents0.x * float4(-0.02355957, -0.08956473, 0.118303575, -0.0074506486) + latents0.y * float4(0.08677455, 0.09368025, 0.019949777, -0.08468192) + latents0.z * float4(0.03151158, 0.031685967, 0.030674526, 0.08461217) + latents0.w * float4(0.078334264, -0.038364954, 0.051688056, -0.09416853) + latents1.x * float4(0.053613283, -0.009724935, 0.0616862, 0.04075521) + latents1.y * float4(-0.0028299966, -0.0430013, 0.0005574544, -0.02556966) + latents1.z * float4(-0.044466145, -0.05608724, -0.018929036, -0.009163411) + latents1.w * float4(-0.048958335, -0.041861977, -0.031054687, 0.020084636) + latents2.x * float4(0.049609374, -0.0118245445, -0.036360677, -0.03502604) + latents2.y * float4(-0.0230306, -0.018570963, -0.010302735, -0.030045573) + latents2.z * float4(0.00513916, 0.027001953, 0.015014648, -0.022542318) + latents2.w * float4(0.018164063, 0.03125, 0.0035298665, 0.029638672) + latents3.x * float4(-0.0031148274, -0.043489583, -0.0021280923, -0.040527344) + latents3.y * float4(-0.054459635, 0.029541016, -0.01031901, -0.04033203) + latents3.z * float4(-0.0064982097, -0.011238607, 0.058691405, 0.032177735) + latents3.w * float4(0.015177409, -0.016780598, 0.01936849, 0.0051879883) + latents4.x * float4(-0.02664388, 0.04824219, -0.029199218, -0.010262044) + latents4.y * float4(0.005790202, -0.030419922, -0.020817058, 0.04469401) + latents4.z * float4(0.0057495115, 0.01805013, -0.050358072, -0.023079427) + latents4.w * float4(0.02389323, 0.022102864, -0.024169922, 0.002976481) + latents5.x * float4(-0.020947266, 0.01850586, 0.02947591, -0.017740885) + latents5.y * float4(0.053352866, -0.021858724, 0.06656901, -0.059244793) + latents5.z * float4(0.045279946, 0.046158854, -0.005074056, -0.03902995) + latents5.w * float4(0.03173828, -0.046126302, 0.031835936, 0.049576823) + waves0.x * float4(-0.20544434, -0.16955566, -0.13842773, 0.3112793) + waves0.y * float4(-0.22888184, 0.34594727, 0.17053223, -0.28125) + waves0.z * float4(0.013214111, 0.029434204, 0.22961426, 0.057128906) + waves0.w * float4(-0.18395996, -0.12548828, -0.28173828, 0.2454834) + waves1.x * float4(0.048309326, -0.46191406, -0.086242676, -0.11352539) + waves1.y * float4(-0.1739502, -0.3840332, -0.2590332, 0.006023407) + waves1.z * float4(-0.12194824, -0.2434082, -0.048461914, -0.039733887) + waves1.w * float4(0.07305908, -0.09039307, 0.27905273, -0.17675781) + waves2.x * float4(-0.29614258, -0.22253418, -0.13208008, 0.21789551) + waves2.y * float4(0.18981934, 0.17089844, 0.30004883, 0.30078125) + waves2.z * float4(-0.0013113022, -0.10443115, 0.11608887, 0.2770996) + waves2.w * float4(-0.097961426, -0.23913574, -0.39233398, -0.103393555) + float(depth) * float4(-0.08325195, -0.14050293, -0.033813477, -0.19421387));
        const float4 decoded_h1_2 = rock_hard_gelu(float4(-0.15059853, 1.9070587, -0.2930374, 0.41197205) + latents0.x * float4(-0.034633093, 0.058698382, -0.027797153, -0.08607701) + latents0.y * float4(-0.04209682, -0.030011859, 0.12813894, -0.0071803504) + latents0.z * float4(0.029994419, 0.036760602, -0.010968889, -0.022129605) + latents0.w * float4(0.05214146, -0.035365514, 0.06333705, -0.025774274) + latents1.x * float4(0.021891275, -0.038020834, -0.005029297, -0.02976888) + latents1.y * float4(-0.012524414, 0.047460936, 0.047981773, -0.012711588) + latents1.z * float4(-0.05234375, -0.05465495, 0.0019907632, 0.06409505) + latents1.w * float4(0.026839193, -0.031673178, 0.033691406, -0.042447917) + latents2.x * float4(0.010245768, 0.012174479, 0.010424805, 0.008992513) + latents2.y * float4(-0.037434895, -0.013387044, 0.019514974, -0.012320964) + latents2.z * float4(0.009309896, 0.00925293, -0.04863281, 0.018115234) + latents2.w * float4(-0.054589845, -0.040625, -0.002766927, 0.019140625) + latents3.x * float4(-0.03779297, -0.045279946, -0.054134116, -0.01332194) + latents3.y * float4(0.019335937, -0.050553385, -0.03297526, -0.015812175) + latents3.z * float4(0.018815104, -0.05218099, -0.026253255, 0.002681478) + latents3.w * float4(0.037076823, 0.034960937, 0.056933593, 0.008544922) + latents4.x * float4(-0.04108073, -0.026953125, -0.048958335, -0.05201823) + latents4.y * float4(-0.012093099, 0.05345052, 0.025602214, 0.039160155) + latents4.z * float4(0.012906901, 0.039485678, -0.03704427, 0.011311849) + latents4.w * float4(0.041341145, -0.04674479, 0.0035685222, 0.022900391) + latents5.x * float4(0.024039714, -0.047623698, 0.046582032, -0.0515625) + latents5.y * float4(0.003314209, -0.036197916, -0.039485678, 0.022037761) + latents5.z * float4(0.029817708, -0.034147136, -0.018961588, 0.0265625) + latents5.w * float4(-0.00050328573, 0.044791665, 0.009277344, 0.0061442056) + waves0.x * float4(-0.2919922, -0.12060547, 0.07519531, 0.40307617) + waves0.y * float4(0.17224121, 0.3869629, 0.11517334, 0.16015625) + waves0.z * float4(-0.27563477, 0.04751587, -0.20629883, 0.1706543) + waves0.w * float4(0.0034446716, 0.22399902, -0.124816895, -0.035583496) + waves1.x * float4(0.1697998, -0.27661133, 0.3269043, 0.13293457) + waves1.y * float4(-0.33789062, -0.41748047, 0.0059776306, 0.08441162) + waves1.z * float4(0.17272949, 0.38964844, -0.08703613, 0.36083984) + waves1.w * float4(-0.37109375, -0.44482422, -0.22155762, 0.22546387) + waves2.x * float4(-0.00592041, 0.34399414, -0.3720703, -0.24609375) + waves2.y * float4(0.18823242, -0.32763672, -0.33447266, 0.076660156) + waves2.z * float4(0.34399414, 0.21411133, -0.08026123, 0.21582031) + waves2.w * float4(0.14672852, -0.03201294, 0.11022949, -0.359375) + float(depth) * float4(0.046569824, 0.038879395, 0.15161133, -0.087646484));
        const float4 decoded_h1_3 = rock_hard_gelu(float4(-1.286768, 0.81819916, 0.09876633, 0.49438477) + latents0.x * float4(0.023786273, 0.03353446, -0.09884208, -0.07163783) + latents0.y * float4(-0.021780832, 0.01864188, 0.076171875, -0.0582101) + latents0.z * float4(-0.013671875, 0.039271764, 0.13176619, -0.015354701) + latents0.w * float4(-0.06849889, 0.050885882, 0.08628627, 0.030029297) + latents1.x * float4(0.030240886, 0.00090026855, 0.022151692, 0.047526043) + latents1.y * float4(0.042545572, -0.041178387, 0.029557291, 0.009008789) + latents1.z * float4(0.045410156, 0.023404948, -0.013289388, -0.03424479) + latents1.w * float4(-0.054752603, -0.04205729, -0.03339844, 0.004536947) + latents2.x * float4(0.04550781, 0.046126302, 0.017822266, -0.029557291) + latents2.y * float4(-0.035416666, -0.04951172, 0.046158854, 0.051888023) + latents2.z * float4(0.051920574, -0.010058594, -0.048177082, -0.032210287) + latents2.w * float4(0.0030497233, -0.026497396, -0.04329427, 0.04986979) + latents3.x * float4(0.0004041036, 0.0012023926, -0.012866211, -0.000575765) + latents3.y * float4(-0.007877604, 0.007389323, -0.033723958, -0.025846355) + latents3.z * float4(-0.03720703, -0.031591795, 0.019222004, 0.015974935) + latents3.w * float4(0.03828125, 0.040397134, -0.05110677, -0.042773437) + latents4.x * float4(-0.032503255, -0.02125651, 0.044108074, -0.029378256) + latents4.y * float4(0.058658853, 0.0040323893, -0.052408855, 0.029541016) + latents4.z * float4(0.008247884, -0.033154298, -0.0147216795, -0.0050496417) + latents4.w * float4(0.039811198, 0.0018391927, -0.046484374, -0.04433594) + latents5.x * float4(0.021728516, -0.006921387, 0.0421875, 0.009350586) + latents5.y * float4(0.018977864, 0.014428711, 0.025341798, 0.0075764973) + latents5.z * float4(0.005472819, -0.03237305, -0.020930989, 0.01118164) + latents5.w * float4(-0.043684896, -0.04313151, 0.0060465494, -0.014705404) + waves0.x * float4(-0.26635742, -0.29638672, 0.3466797, 0.2409668) + waves0.y * float4(-0.2836914, -0.28100586, -0.45361328, 0.17272949) + waves0.z * float4(0.3635254, -0.042877197, 0.3083496, 0.37475586) + waves0.w * float4(0.18701172, 0.2244873, 0.048217773, 0.20800781) + waves1.x * float4(0.33129883, 0.2993164, 0.18457031, -0.28125) + waves1.y * float4(0.035980225, -0.12841797, -0.23498535, 0.21813965) + waves1.z * float4(0.06536865, 0.1763916, -0.12670898, -0.32788086) + waves1.w * float4(0.25756836, -0.3918457, -0.28222656, 0.12561035) + waves2.x * float4(-0.21142578, 0.4050293, 0.080566406, -0.12487793) + waves2.y * float4(0.32470703, -0.030776978, -0.12017822, 0.006904602) + waves2.z * float4(-0.2602539, -0.09887695, 0.30249023, 0.16394043) + waves2.w * float4(-0.33569336, 0.1328125, -0.030471802, -0.018844604) + float(depth) * float4(0.039245605, 0.14550781, 0.09429932, 0.049804688));
        // Layer 2: 16 to 16, hard_gelu.
        const float4 decoded_h2_0 = rock_hard_gelu(float4(-0.036712646, -0.038848877, -0.019500732, -0.03173828) + decoded_h1_0.x * float4(-0.59765625, -0.4013672, 0.27270508, 0.027542114) + decoded_h1_0.y * float4(-0.26733398, 0.5522461, -0.12585449, 0.12780762) + decoded_h1_0.z * float4(0.33764648, 0.14770508, 0.54296875, 0.21313477) + decoded_h1_0.w * float4(0.29077148, -0.2915039, 0.1274414, -0.4794922) + decoded_h1_1.x * float4(-0.15283203, 0.5029297, 0.16784668, 0.12060547) + decoded_h1_1.y * float4(-0.5332031, 0.51660156, -0.34594727, -0.5576172) + decoded_h1_1.z * float4(0.66064453, -0.44262695, 0.10998535, 0.45751953) + decoded_h1_1.w * float4(-0.23864746, -0.4814453, -0.44067383, 0.14746094) + decoded_h1_2.x * float4(0.48339844, -0.57128906, -0.46972656, 0.5371094) + decoded_h1_2.y * float4(0.5439453, -0.34692383, 0.08111572, 0.28149414) + decoded_h1_2.z * float4(0.27392578, 0.1348877, -0.22741699, -0.056427002) + decoded_h1_2.w * float4(0.07867432, -0.56689453, 0.3449707, -0.5209961) + decoded_h1_3.x * float4(0.030639648, -0.4555664, 0.3425293, 0.296875) + decoded_h1_3.y * float4(-0.30322266, -0.1586914, -0.0927124, 0.43969727) + decoded_h1_3.z * float4(0.27929688, 0.079711914, 0.42163086, 0.05633545) + decoded_h1_3.w * float4(0.00983429, -0.4255371, 0.0758667, -0.16430664));
        const float4 decoded_h2_1 = rock_hard_gelu(float4(-0.062347412, 0.048797607, -0.0013055801, -0.017562866) + decoded_h1_0.x * float4(-0.4128418, -0.55126953, 0.23449707, 0.11883545) + decoded_h1_0.y * float4(-0.52441406, 0.2788086, -0.66845703, 0.47875977) + decoded_h1_0.z * float4(-0.1550293, 0.09967041, 0.08850098, -0.1307373) + decoded_h1_0.w * float4(0.5888672, -0.15026855, 0.56591797, -0.58984375) + decoded_h1_1.x * float4(-0.40551758, 0.037994385, -0.6074219, -0.29418945) + decoded_h1_1.y * float4(-0.40161133, 0.54541016, -0.10736084, 0.3100586) + decoded_h1_1.z * float4(0.53564453, -0.40185547, 0.5957031, -0.32910156) + decoded_h1_1.w * float4(0.27807617, -0.095581055, 0.053649902, -0.2286377) + decoded_h1_2.x * float4(-0.1616211, -0.28588867, 0.008255005, 0.15124512) + decoded_h1_2.y * float4(0.54541016, -0.27856445, 0.08477783, -0.43164062) + decoded_h1_2.z * float4(0.19641113, 0.35742188, -0.015052795, -0.27514648) + decoded_h1_2.w * float4(-0.5239258, -0.09802246, 0.15112305, 0.43725586) + decoded_h1_3.x * float4(0.52490234, 0.21496582, -0.5292969, 0.103881836) + decoded_h1_3.y * float4(0.5126953, 0.24816895, -0.03640747, 0.18493652) + decoded_h1_3.z * float4(0.117126465, -0.03012085, 0.31176758, -0.3161621) + decoded_h1_3.w * float4(-0.6191406, -0.43408203, -0.56933594, -0.22241211));
        const float4 decoded_h2_2 = rock_hard_gelu(float4(-0.015365601, -0.03845215, -0.053527832, -0.009361267) + decoded_h1_0.x * float4(-0.49047852, 0.10601807, -0.08117676, -0.062561035) + decoded_h1_0.y * float4(-0.45507812, 0.32739258, 0.28466797, 0.17553711) + decoded_h1_0.z * float4(0.41259766, 0.19360352, -0.5810547, 0.1875) + decoded_h1_0.w * float4(0.43310547, 0.35131836, 0.0007967949, -0.5576172) + decoded_h1_1.x * float4(0.3317871, 0.46655273, -0.34423828, -0.37548828) + decoded_h1_1.y * float4(0.29736328, 0.43041992, 0.48510742, 0.17590332) + decoded_h1_1.z * float4(-0.31933594, 0.18334961, 0.28588867, 0.49560547) + decoded_h1_1.w * float4(0.42138672, -0.42529297, -0.3869629, 0.0134887695) + decoded_h1_2.x * float4(0.036987305, 0.6142578, 0.4165039, 0.17797852) + decoded_h1_2.y * float4(0.26464844, 0.29614258, -0.15637207, -0.3647461) + decoded_h1_2.z * float4(0.46704102, 0.32250977, -0.43115234, 0.103393555) + decoded_h1_2.w * float4(0.11993408, 0.08660889, -0.34326172, 0.48583984) + decoded_h1_3.x * float4(0.36010742, -0.22302246, -0.03579712, 0.43969727) + decoded_h1_3.y * float4(0.45507812, 0.051361084, -0.44702148, 0.59033203) + decoded_h1_3.z * float4(-0.052581787, -0.20495605, 0.01727295, 0.4416504) + decoded_h1_3.w * float4(0.58203125, 0.39990234, -0.20007324, -0.55566406));
        const float4 decoded_h2_3 = rock_hard_gelu(float4(-0.025299072, -0.05444336, 0.031188965, 0.023117065) + decoded_h1_0.x * float4(0.20129395, 0.18200684, 0.39257812, -0.47680664) + decoded_h1_0.y * float4(0.008033752, -0.20666504, -0.2841797, -0.23156738) + decoded_h1_0.z * float4(0.57958984, 0.61572266, 0.42236328, -0.31591797) + decoded_h1_0.w * float4(0.4128418, 0.34985352, -0.59765625, 0.19104004) + decoded_h1_1.x * float4(-0.34155273, 0.06488037, -0.34716797, -0.5732422) + decoded_h1_1.y * float4(-0.20349121, 0.11981201, 0.45239258, 0.29882812) + decoded_h1_1.z * float4(0.46484375, -0.49853516, -0.21496582, 0.04272461) + decoded_h1_1.w * float4(-0.2548828, 0.47973633, -0.49487305, 0.02229309) + decoded_h1_2.x * float4(0.16442871, 0.43847656, -0.07977295, 0.18273926) + decoded_h1_2.y * float4(-0.6225586, -0.004673004, 0.51464844, 0.39697266) + decoded_h1_2.z * float4(0.13244629, 0.58740234, -0.44262695, -0.5878906) + decoded_h1_2.w * float4(0.5029297, 0.546875, 0.2734375, -0.57373047) + decoded_h1_3.x * float4(-0.1038208, -0.53271484, -0.23168945, 0.17529297) + decoded_h1_3.y * float4(-0.5878906, -0.4790039, -0.15332031, 0.39501953) + decoded_h1_3.z * float4(-0.22546387, -0.4777832, 0.18261719, 0.32128906) + decoded_h1_3.w * float4(-0.484375, -0.23364258, 0.013832092, -0.24658203));
        // Layer 3: 16 to 6, none.
        const float4 decoded0 = float4(0.51464844, 0.5439453, 0.50341797, 0.48291016) + decoded_h2_0.x * float4(-0.08178711, 0.1227417, -0.062408447, 0.11956787) + decoded_h2_0.y * float4(-0.1227417, 0.05581665, 0.079711914, 0.015029907) + decoded_h2_0.z * float4(0.24865723, 0.14648438, 0.14099121, -0.013847351) + decoded_h2_0.w * float4(-0.05883789, 0.110839844, 0.12213135, 0.048187256) + decoded_h2_1.x * float4(0.030181885, -0.21936035, -0.117248535, -0.07836914) + decoded_h2_1.y * float4(-0.095703125, 0.03036499, -0.11706543, 0.019744873) + decoded_h2_1.z * float4(0.076660156, 0.044067383, -0.093811035, 0.025177002) + decoded_h2_1.w * float4(-0.06573486, -0.11401367, -0.037353516, 0.11669922) + decoded_h2_2.x * float4(0.00522995, -0.091430664, 0.11804199, 0.15588379) + decoded_h2_2.y * float4(0.1907959, -0.06011963, -0.19567871, -0.11254883) + decoded_h2_2.z * float4(-0.060333252, 0.017654419, -0.011749268, 0.02709961) + decoded_h2_2.w * float4(0.013412476, 0.031555176, 0.18945312, 0.009407043) + decoded_h2_3.x * float4(-0.076416016, -0.15478516, 0.19702148, -0.07489014) + decoded_h2_3.y * float4(-0.14819336, 0.09906006, -0.19995117, -0.12402344) + decoded_h2_3.z * float4(0.06958008, 0.051757812, 0.22106934, 0.033233643) + decoded_h2_3.w * float4(0.17114258, 0.15185547, 0.1274414, -0.13378906);
        const float4 decoded1 = float4(0.49243164, 0.5727539, 0.0, 0.0) + decoded_h2_0.x * float4(-0.095214844, -0.0029201508, 0.0, 0.0) + decoded_h2_0.y * float4(-0.03012085, -0.14025879, 0.0, 0.0) + decoded_h2_0.z * float4(0.027633667, 0.00025510788, 0.0, 0.0) + decoded_h2_0.w * float4(0.12225342, -0.11315918, 0.0, 0.0) + decoded_h2_1.x * float4(0.041809082, 0.01689148, 0.0, 0.0) + decoded_h2_1.y * float4(0.124572754, -0.017181396, 0.0, 0.0) + decoded_h2_1.z * float4(-0.13806152, -0.0031280518, 0.0, 0.0) + decoded_h2_1.w * float4(-0.17700195, 0.23657227, 0.0, 0.0) + decoded_h2_2.x * float4(-0.04675293, 0.13366699, 0.0, 0.0) + decoded_h2_2.y * float4(0.024780273, -0.109802246, 0.0, 0.0) + decoded_h2_2.z * float4(0.0030498505, -0.032470703, 0.0, 0.0) + decoded_h2_2.w * float4(-0.05596924, 0.071899414, 0.0, 0.0) + decoded_h2_3.x * float4(0.11090088, 0.06311035, 0.0, 0.0) + decoded_h2_3.y * float4(-0.14880371, -0.07537842, 0.0, 0.0) + decoded_h2_3.z * float4(-0.010314941, 0.21740723, 0.0, 0.0) + decoded_h2_3.w * float4(0.08190918, 0.061950684, 0.0, 0.0);
        rock_channels found;
        found.c0 = clamp(decoded0, ((float4)(0.0)), ((float4)(1.0)));
        found.c1 = clamp(decoded1, ((float4)(0.0)), ((float4)(1.0)));
        return found;
    }

    // Return the channels of all maps, each 0 to 1, in column x and row y from above; beyond the border they are repeated.
    // mip: 0 is the finest; beyond, the nearest
    rock_channels rock_texel(int x, int y, int mip) {
        const int level = clamp(mip, 0, 3);
        const float2 size = rock_size(level);
        const float2 at = float2(float(x), float(y)) + 0.5;
        return rock_decoded((at - size * floor(at / size)) / size, level);
    }

    // Return the channels of the four texels around uv, mixed as a texture's are.
    // uv: u to the right, v down, 0 to 1; beyond it is repeated
    // level: 0 is the finest; between two levels both are mixed
    rock_channels rock_bilinear(float2 uv, float level) {
        const float inside = clamp(level, 0.0, 3.0);
        const int mip = int(inside);
        const float between = inside - float(mip);
        rock_channels mixed;
        mixed.c0 = ((float4)(0.0));
        mixed.c1 = ((float4)(0.0));
        for (int i = 0; i < min(8, 4 + 4 * int(between > 0.0)); ++i) {
            const int coarser = i >> 2u;
            const float2 place = (uv - floor(uv)) * rock_size(mip + coarser) - 0.5;
            const float2 first = floor(place);
            const float2 share = place - first;
            const float2 step = float2(float(i & 1), float((i >> 1u) & 1));
            const float2 sides = abs(1.0 - step - share);
            const float weight = sides.x * sides.y * abs(1.0 - float(coarser) - between);
            const rock_channels one = rock_texel(int(first.x + step.x), int(first.y + step.y), mip + coarser);
            mixed.c0 += one.c0 * weight;
            mixed.c1 += one.c1 * weight;
        }
        return mixed;
    }

    // Return one of the texels that rock_bilinear mixes, by their weights: its mean.
    // u: three random numbers, 0 to below 1
    rock_channels rock_stochastic(float2 uv, float level, float3 u) {
        const int mip = int(clamp(floor(level + u.z), 0.0, 3.0));
        const float2 place = (uv - floor(uv)) * rock_size(mip) - 0.5;
        const float2 first = floor(place);
        const float2 share = place - first;
        return rock_texel(int(first.x) + int(u.x < share.x), int(first.y) + int(u.y < share.y), mip);
    }

    // Return the mean of 4 of rock_bilinear in a footprint, of the level of half of it.
    rock_channels rock_area(float2 uv, float2 dx, float2 dy) {
        const float level = floor(rock_level(dx * 0.5, dy * 0.5) + 0.5);
        rock_channels mean;
        mean.c0 = ((float4)(0.0));
        mean.c1 = ((float4)(0.0));
        for (int i = 0; i < min(8, 4 + 4 * int(level < 0.0)); ++i) {
            const float2 step = float2(float(i & 1), float((i >> 1u) & 1)) * 0.5 - 0.25;
            const rock_channels one = rock_bilinear(uv + dx * step.x + dy * step.y, level);
            mean.c0 += one.c0 * (0.25 * float(i < 4));
            mean.c1 += one.c1 * (0.25 * float(i < 4));
        }
        return mean;
    }
    float3 rock_albedo_at(float2 uv, float level) { return rock_albedo(rock_bilinear(uv, level)); }
    float3 rock_normal_at(float2 uv, float level) { return rock_normal(rock_bilinear(uv, level)); }
    float rock_roughness_at(float2 uv, float level) { return rock_roughness(rock_bilinear(uv, level)); }
    float rock_metallic_at(float2 uv, float level) { return rock_metallic(rock_bilinear(uv, level)); }
};

// Linear light of an sRGB-encoded color, 0 for what is below; alpha stays.
float4 rock_linear_of(float4 c)
{
    float3 low = max(c.xyz, 0.0) / 12.92;
    float3 high = pow((max(c.xyz, 0.04045) + 0.055) / 1.055, 2.4);
    return float4(lerp(low, high, step(0.04045, c.xyz)), c.w);
}

float4 rock_from_srgb(float4 c)
{
#ifdef UNITY_COLORSPACE_GAMMA
    return c;
#else
    return rock_linear_of(c);
#endif
}

// All maps of a position, by one evaluation. Normal: tangent space, y up.
void rock_Maps_float(UnityTexture2D Numbers, float2 UV, float Level, out float3 Albedo, out float3 Normal, out float Roughness, out float Metallic, out float Smoothness)
{
    rock_asset asset_;
    asset_.rock_numbers = Numbers.tex;
    const float2 uv = rock_flipped(UV);
    const float level = Level;
    const rock_channels channels_ = asset_.rock_bilinear(uv, level);
    const float3 value0_ = rock_albedo(channels_);
    const float3 value1_ = rock_normal(channels_);
    const float value2_ = rock_roughness(channels_);
    const float value3_ = rock_metallic(channels_);
    Albedo = rock_from_srgb(float4(value0_, 1.0)).xyz;
    Normal = value1_;
    Roughness = value2_;
    Metallic = value3_;
    if (!asset_.rock_intact()) Albedo = float3(1.0, 0.0, 1.0);
    Smoothness = 1.0 - Roughness;
}

void rock_Maps_half(UnityTexture2D Numbers, half2 UV, half Level, out half3 Albedo, out half3 Normal, out half Roughness, out half Metallic, out half Smoothness)
{
    float3 value0;
    float3 value1;
    float value2;
    float value3;
    float value4;
    rock_Maps_float(Numbers, UV, Level, value0, value1, value2, value3, value4);
    Albedo = half3(value0);
    Normal = half3(value1);
    Roughness = half(value2);
    Metallic = half(value3);
    Smoothness = half(value4);
}

// The same of one texel, which three random numbers choose: a quarter of the work, and noise for temporal antialiasing to average. Random: 0 to 1, new in each frame.
void rock_Stochastic_float(UnityTexture2D Numbers, float2 UV, float Level, float3 Random, out float3 Albedo, out float3 Normal, out float Roughness, out float Metallic, out float Smoothness)
{
    rock_asset asset_;
    asset_.rock_numbers = Numbers.tex;
    const float2 uv = rock_flipped(UV);
    const float level = Level;
    const float3 u = Random;
    const rock_channels channels_ = asset_.rock_stochastic(uv, level, u);
    const float3 value0_ = rock_albedo(channels_);
    const float3 value1_ = rock_normal(channels_);
    const float value2_ = rock_roughness(channels_);
    const float value3_ = rock_metallic(channels_);
    Albedo = rock_from_srgb(float4(value0_, 1.0)).xyz;
    Normal = value1_;
    Roughness = value2_;
    Metallic = value3_;
    if (!asset_.rock_intact()) Albedo = float3(1.0, 0.0, 1.0);
    Smoothness = 1.0 - Roughness;
}

void rock_Stochastic_half(UnityTexture2D Numbers, half2 UV, half Level, half3 Random, out half3 Albedo, out half3 Normal, out half Roughness, out half Metallic, out half Smoothness)
{
    float3 value0;
    float3 value1;
    float value2;
    float value3;
    float value4;
    rock_Stochastic_float(Numbers, UV, Level, Random, value0, value1, value2, value3, value4);
    Albedo = half3(value0);
    Normal = half3(value1);
    Roughness = half(value2);
    Metallic = half(value3);
    Smoothness = half(value4);
}

// The level that serves a pixel. Of fragment stages alone.
void rock_Level_float(float2 UV, out float Level)
{
    Level = rock_level(ddx(UV), ddy(UV));
}

void rock_Level_half(half2 UV, out half Level)
{
    float value0;
    rock_Level_float(UV, value0);
    Level = half(value0);
}

#endif // NEURALSHADE_ROCK_INCLUDED
