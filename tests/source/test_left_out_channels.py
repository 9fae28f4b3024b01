"""source/image_file: channels that are not taken are told, by name."""

import logging

import numpy as np
import OpenImageIO
import pytest

from neuralshade.source.image_file import load_picture


def write(path, *names):
    spec = OpenImageIO.ImageSpec(4, 3, len(names), "float")
    spec.channelnames = names
    output = OpenImageIO.ImageOutput.create(str(path))
    assert output.open(str(path), spec)
    output.write_image(np.full((3, 4, len(names)), 0.5, np.float32))
    output.close()


@pytest.mark.parametrize("names, told", [
    (("R", "G", "B", "A", "Z"), "took channels R, G, B, A; left out Z"),
    (("R", "G", "B", "diffuse.R", "diffuse.G"), "took channels R, G, B; left out diffuse.R, "
                                                "diffuse.G"),
    (("R", "G", "B"), None),
])  # fmt: skip
def test_what_is_left_out_is_told(tmp_path, caplog, names, told):
    path = tmp_path / "a.exr"
    write(path, *names)
    with caplog.at_level(logging.WARNING, "neuralshade"):
        load_picture(path)
    assert [r.getMessage() for r in caplog.records] == ([] if told is None else [f"{path}: {told}"])
