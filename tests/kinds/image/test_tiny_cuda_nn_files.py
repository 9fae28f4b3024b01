"""kinds/image/tiny_cuda_nn: files that are no configuration are refused in a line."""

import pytest

from neuralshade.errors import ConfigError
from neuralshade.kinds.image.tiny_cuda_nn import read_tiny_cuda_nn


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"", "Expecting value: line 1 column 1 (char 0)"),
        (b"\xff", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(content, reason, tmp_path):
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        read_tiny_cuda_nn(path)
    assert str(caught.value) == (
        f"{path}: got {reason}, need a JSON file in tiny-cuda-nn's form. See docs/recipes.md."
    )


def test_a_wrong_path_is_refused(tmp_path, same_message):
    path = tmp_path / "absent.json"
    with pytest.raises(ConfigError) as caught:
        read_tiny_cuda_nn(path)
    same_message(str(caught.value), path, "Check")


@pytest.mark.parametrize("content", ["[" * 100_000, '{"loss": ' + "9" * 5000 + "}"])
def test_a_file_that_python_gives_up_on_is_refused(content, tmp_path):
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(ConfigError) as caught:
        read_tiny_cuda_nn(tmp_path / "config.json")
    assert str(caught.value).endswith(
        ", need a JSON file in tiny-cuda-nn's form. See docs/recipes.md."
    )
    assert "\n" not in str(caught.value)
