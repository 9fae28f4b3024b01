// picture.cpp: a fitted picture, evaluated in C++ without neuralshade and written as a PPM file.
//
//     neuralshade export photo.nsh -o photo.hpp
//     g++ -std=c++17 -O3 -march=native examples/export/picture.cpp -I . -o picture
//     ./picture 640 480 > picture.ppm
#include "photo.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

static unsigned char byte_of(float value)
{
    return static_cast<unsigned char>(std::clamp(value, 0.0f, 1.0f) * 255.0f + 0.5f);
}

int main(int count, char** words)
{
    const int width = count > 1 ? std::atoi(words[1]) : 256;
    const int height = count > 2 ? std::atoi(words[2]) : 256;
    const photo_shader::photo_asset asset;
    std::printf("P6\n%d %d\n255\n", width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
        {
            const neuralshade::float2 uv((x + 0.5f) / width, (y + 0.5f) / height);
            const neuralshade::float3 color = asset.photo(uv); // sRGB-encoded, as it was fitted
            for (float channel : { color.x, color.y, color.z })
                std::putchar(byte_of(channel));
        }
}
