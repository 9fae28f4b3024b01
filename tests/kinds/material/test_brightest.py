"""kinds/material: light of extreme size is refused in a line; no quality is null."""

import json

import pytest

from neuralshade.cli.main import main
from neuralshade.errors import ConfigError

TEXT = """float3 eval(float2 uv, float3 wi, float3 wo)
{
    return wi.z > 0.0f && wo.z > 0.0f ? wi.z * VALUE : float3(0.0f);
}
"""
FEW = {"size": 8, "batch": 128, "hidden_width": 16, "steps": 8}


@pytest.fixture
def fit(tmp_path, share_device, monkeypatch):
    """Give what fits a module that sends back so much of the light."""
    from neuralshade import FitOptions, fit_material

    share_device(monkeypatch)

    def fit(value):
        module = tmp_path / "m.slang"
        module.write_text(TEXT.replace("VALUE", value))
        return fit_material(module, tmp_path / "m.nsh", options=FitOptions(engine="torch"), **FEW)

    return fit


@pytest.mark.parametrize("value", ["1e3f", "1e5f", "float3(1e14f, 0.0f, 0.0f)"])
def test_a_material_that_sends_back_far_more_than_falls_on_it_is_refused(fit, tmp_path, value):
    """Its spheres are white under every light, so no PSNR could be told."""
    with pytest.raises(ConfigError, match=r"times the light that falls on it.*Scale its colors"):
        fit(value)
    assert not (tmp_path / "m.nsh").exists()


@pytest.mark.parametrize("value", ["1e16f", "1e30f", "uv.x * 1e30f",
                                   "float3(uv.x > 0.5f ? 1e30f : 0.5f)"])  # fmt: skip
def test_light_whose_square_is_no_float_is_refused_with_its_place(fit, value):
    with pytest.raises(ConfigError, match=r"m\.slang: eval is .* at uv .*need at most 1e\+15"):
        fit(value)


@pytest.mark.slow
def test_white_spheres_are_no_infinite_decibels(fit, tmp_path, capsys):
    """Of 10 times the light, a sky's sphere is white in the material and in the fit."""
    result = fit("10.0f")
    assert 0 < result.psnr_db <= result.sky_db <= 200
    main(["info", str(tmp_path / "m.nsh"), "--json"])
    quality = json.loads(capsys.readouterr().out)["quality"]
    assert all(value is not None for value in quality.values())
