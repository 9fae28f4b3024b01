"""Fit a photograph and evaluate it in a shader of your own, from 4 bits a number in GPU memory.

    python examples/photo_shader.py PHOTO [--seconds 20]

The shader is photo_shader.slang; the picture it draws goes to out/photo_shader.png. Beside it
stands what BC1 would take, at 4 bits per pixel.
"""

import argparse
import zlib
from pathlib import Path

import numpy as np
import slangpy as spy

import neuralshade
from neuralshade.gpu.device import open_device
from neuralshade.languages.language import Printer
from neuralshade.languages.printers import printer_of

OUT = Path("out")
SHADER = Path(__file__).with_suffix(".slang")
GROUP_PX = 8  # sides of the shader's thread groups


def main() -> None:
    """Fit, run the shader, print how far off it is and what lies in the GPU's memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photo", type=Path)
    parser.add_argument("--seconds", type=float, default=20.0)
    given = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    neuralshade.fit_image(given.photo, OUT / "photo.nsh", seconds=given.seconds)

    opened = neuralshade.load(OUT / "photo.nsh")
    exported = printer_of(opened.shader("photo"), "slang")
    drawn = draw(open_device(), exported, opened.size)
    neuralshade.save_picture(OUT / "photo_shader.png", drawn[..., :3], "srgb")
    difference = np.abs(drawn[..., :3].clip(0, 1) - neuralshade.render(opened)).max()
    width, height = opened.size
    blocks = -(-width // 4) * -(-height // 4)
    print(f"{OUT / 'photo_shader.png'}: {exported.words.nbytes:,} bytes in memory, BC1 takes "
          f"{8 * blocks:,}; maximum difference {difference:.1e}")  # fmt: skip


def draw(device: spy.Device, exported: Printer, size_px: tuple[int, int]) -> np.ndarray:
    """Run the shader for every pixel of a picture (width, height): float32 [H, W, RGBA]."""
    width, height = size_px
    text = exported.text() + SHADER.read_text()
    module = device.load_module_from_source(f"photo_shader_{zlib.crc32(text.encode())}", text)
    program = device.link_program([module], [module.entry_point("draw")])
    picture = device.create_buffer(
        size=width * height * 16, struct_size=16, usage=spy.BufferUsage.unordered_access
    )
    bound = {"picture": picture, "size_px": spy.uint2(width, height)}
    if exported.reads_words:  # else all numbers stand in the text
        read = spy.BufferUsage.shader_resource
        bound["photo_words"] = device.create_buffer(data=exported.words, usage=read)
    threads = [-(-side // GROUP_PX) * GROUP_PX for side in size_px]
    device.create_compute_kernel(program).dispatch([*threads, 1], vars=bound)
    return picture.to_numpy().view(np.float32).reshape(height, width, 4)


if __name__ == "__main__":
    main()
