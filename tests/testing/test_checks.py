"""testing: its checks pass what is right, and say what is wrong."""

import shutil

import pytest

from neuralshade.errors import ConfigError
from neuralshade.gpu import foreign_slang
from neuralshade.gpu.slangpy_gpu import SlangpyGpu
from neuralshade.loss.pointwise import loss_named
from neuralshade.model.encoding import AxisEncoding
from neuralshade.model.registry import build_encoding
from neuralshade.testing import check_encoding, check_loss

WRONG = {  # in planes.slang: what is written there, what in its place, what is then said
    "value": ("* at.x + ", "* at.y + ", "value, 1 threads"),
    "gradient": ("add(3 * plane + 1, d * at.y)", "add(3 * plane + 1, d)", "gradient, two lanes"),
    "parts": ("int plane = part; plane < COUNT; plane += parts)\n        {\n            uint",
              "int plane = 0; plane < COUNT; plane += 1)\n        {\n            uint",
              "columns are put 2 to 2 times by 2 threads"),
    "sizes": ("PARAMETERS = 3 * COUNT", "PARAMETERS = 4 * COUNT",
              "WIDTH and PARAMETERS are"),
}  # fmt: skip


@pytest.fixture
def changed(outside, tmp_path, monkeypatch):
    """Give what changes a line of the package's Slang files, in a copy that kernels then read."""
    shutil.copytree(outside / "outside", tmp_path / "outside")

    def changed(file, before, after):
        build_encoding("planes", None)  # both are loaded, and their package known, before
        loss_named("cauchy")
        path = tmp_path / "outside" / file
        assert before in path.read_text()
        path.write_text(path.read_text().replace(before, after))
        monkeypatch.setitem(foreign_slang._known, "outside", tmp_path)

    return changed


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_slang_half_is_seen(changed, device, wrong):
    before, after, said = WRONG[wrong]
    changed("planes.slang", before, after)
    with pytest.raises(AssertionError, match=said):
        check_encoding("planes:count=3", gpu=SlangpyGpu(device, owned=False))


@pytest.mark.parametrize("before, after, said", [
    ("log1p(", "(", "value"),
    ("2.0f * (p - t)", "3.0f * (p - t)", "gradient"),
    ("checked(2.0f * (p - t) / (1.0f + (p - t) * (p - t)), p - t)",
     "p == t ? 0.0f : 2.0f * (p - t) / (1.0f + (p - t) * (p - t))", "Slang: a finite gradient"),
])  # fmt: skip
def test_a_wrong_loss_is_seen(changed, device, before, after, said):
    changed("cauchy.slang", before, after)
    with pytest.raises(AssertionError, match=said):
        check_loss("cauchy", gpu=SlangpyGpu(device, owned=False))


def test_a_loss_of_a_package_passes(outside, gpu):
    check_loss("cauchy", gpu=gpu)


class Uneven(AxisEncoding):
    """Its lattice is another than its positions."""

    def __init__(self):
        super().__init__(1)

    def axis_features(self, x):
        return x[..., None]

    def along(self, axis, x):
        return self.axis_features(x) + axis


def test_a_wrong_python_half_is_seen_before_a_device_is_opened():
    with pytest.raises(AssertionError, match="lattice: "):
        check_encoding(Uneven())


def test_unknown_names_are_refused(refusal):
    assert refusal(ConfigError, check_loss, "cauchi").startswith("loss: got 'cauchi', need one of")
