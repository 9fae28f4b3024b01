"""Evaluate an asset in a shader of your own, and compare with what the package draws.

    python examples/own_shader.py [--asset FILE] [--seconds 5]

Without an asset, a procedural marble is fitted first. The shader is own_shader.slang; the
picture it draws goes to out/own_shader.png.
"""

import argparse
from pathlib import Path

import numpy as np
import slangpy as spy
import torch

import neuralshade
from neuralshade.gpu.device import open_device
from neuralshade.model.field import Field
from neuralshade.model.parameters import pack_halves

OUT = Path("out")
SHADER = Path(__file__).with_suffix(".slang")
NETWORK = {
    "encoding": "frequency:octaves=4",
    "hidden_layers": 2,
    "hidden_width": 32,
    "activation": "leaky_relu",
    "output_activation": "sigmoid",
    "network_bits": 16,  # the halves that the shader reads: nothing is rounded twice
}
GROUP_PX = 8  # sides of the shader's thread groups


def main() -> None:
    """Fit where there is no asset, run the shader, print how far off it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--asset", type=Path)
    parser.add_argument("--seconds", type=float, default=5.0)
    arguments = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    asset = arguments.asset or OUT / "marble.nsh"
    if arguments.asset is None:
        texture = neuralshade.picture_from_array(marble(256))
        neuralshade.fit_image(texture, asset, seconds=arguments.seconds, **NETWORK)

    opened = neuralshade.load(asset)
    drawn = draw(open_device(), opened.field, opened.size)
    neuralshade.save_picture(OUT / "own_shader.png", drawn[..., :3], "srgb")
    difference = np.abs(drawn[..., :3] - neuralshade.render(asset)).max()
    print(f"{OUT / 'own_shader.png'}: maximum difference {difference:.1e}")


def marble(side_px: int) -> np.ndarray:
    """Return veins bent by waves: float32 [side_px, side_px, 3], sRGB in [0, 1]."""
    v, u = (np.mgrid[0:side_px, 0:side_px] + 0.5) / side_px
    bend = np.sin(5 * u + 3 * np.sin(7 * v)) + 0.5 * np.sin(11 * (u + v) + 2 * np.sin(9 * u))
    vein = np.abs(np.sin(4 * (u + 2 * v) + 2 * bend))[..., None] ** 0.7
    dark, light = np.array([0.16, 0.23, 0.25]), np.array([0.93, 0.90, 0.84])
    return np.float32(dark + (light - dark) * vein)


def draw(device: spy.Device, field: Field, size_px: tuple[int, int]) -> np.ndarray:
    """Run the shader for every pixel of a picture (width, height): float32 [H, W, RGBA]."""
    check_types(field)
    width, height = size_px
    module = device.load_module(str(SHADER))
    program = device.link_program([module], [module.entry_point("draw")])
    picture = device.create_buffer(
        size=width * height * 16, struct_size=16, usage=spy.BufferUsage.unordered_access
    )
    asset = device.create_buffer(data=pack(field), usage=spy.BufferUsage.shader_resource)
    threads = [-(-side // GROUP_PX) * GROUP_PX for side in size_px]
    device.create_compute_kernel(program).dispatch(
        [*threads, 1],
        vars={"asset": asset, "picture": picture, "size_px": spy.uint2(width, height)},
    )
    return picture.to_numpy().view(np.float32).reshape(height, width, 4)


def pack(field: Field) -> np.ndarray:
    """Return the encoding's numbers and then the network's, two float16 in each uint32."""
    encoding = field.encoding.flatten(list(field.encoding.parameters()))
    network = torch.nn.utils.parameters_to_vector(field.network.parameters())
    return pack_halves(torch.cat([encoding, network.detach()]).numpy())


def check_types(field: Field) -> None:
    """Raise ConfigError where the shader names other types than the asset has."""
    for half in (field.encoding.slang("Asset"), field.network.slang()):
        if f"= {half.type};" not in SHADER.read_text():
            raise neuralshade.ConfigError(
                f"{SHADER.name}: got other types, need {half.type}. Write it there."
            )


if __name__ == "__main__":
    main()
