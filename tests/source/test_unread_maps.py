"""source/map_sets: files that are maps by their names and that no reader knows are named."""

import numpy as np
import pytest

from neuralshade.errors import ConfigError
from neuralshade.source.material_set import load_material_set
from neuralshade.source.texture_set import load_texture_set

SAID = "not read, as no reader knows what ends so. Convert to PNG, or OpenEXR for floats."


@pytest.mark.parametrize("suffix", [".xcf", ".heic", ".tx", ".sgi", ".unknown", ".XCF", ""])
def test_a_map_in_another_format_is_told_by_name(tmp_path, rng, textures, suffix):
    folder = textures.write_set(tmp_path / "rock", rng)
    for name in (f"rock_metallic{suffix}", f"notes{suffix}", f"._rock_ao{suffix}"):
        (folder / name).write_bytes(b"some picture")
    for load, place in ((load_texture_set, folder), (load_material_set, folder),
                        (load_material_set, folder.parent / "rock/rock")):  # fmt: skip
        assert f"rock_metallic{suffix}: {SAID}" in load(place).notes


@pytest.mark.parametrize("name", ["rock_normal.txt", "rock_albedo.mtlx", "rock_rough.png.meta",
                                  "rock_color.blend", "rock_metal.usda"])  # fmt: skip
def test_documents_are_no_maps(tmp_path, rng, textures, name):
    folder = textures.write_set(tmp_path / "rock", rng)
    before = load_texture_set(folder).notes
    (folder / name).touch()
    (folder / "rock_ao.xcf").mkdir()
    assert load_texture_set(folder).notes == before


def test_a_set_that_lacks_a_map_for_it_says_so(tmp_path, rng, textures):
    folder = textures.write_set(tmp_path / "rock", rng)
    for name in ("normal", "roughness"):
        (folder / f"rock_{name}.png").rename(folder / f"rock_{name}.xcf")
    with pytest.raises(
        ConfigError,
        match=r"got no roughness among rock_albedo\.png \(not read, "
        r"as no reader knows what ends so: rock_normal\.xcf, rock_roughness\.xcf\)",
    ):
        load_texture_set(folder)
    (folder / "rock_albedo.png").rename(folder / "rock_albedo.xcf")
    with pytest.raises(ConfigError, match=r"got no pictures at all \(not read, .*rock_albedo\.xcf"):
        load_material_set(folder)


def test_the_maps_of_another_set_are_not_told(tmp_path, rng, textures):
    folder = textures.write_set(tmp_path, rng, moss_albedo=np.zeros((4, 4, 3), np.uint8),
                                moss_rough=np.zeros((4, 4), np.uint8))  # fmt: skip
    (folder / "moss_ao.xcf").touch()
    assert "moss" not in "".join(load_texture_set(folder / "rock").notes)
    assert f"moss_ao.xcf: {SAID}" in load_texture_set(folder / "moss").notes
