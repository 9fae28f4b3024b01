"""The page of mip levels: what they are called, and the table of their errors."""

import pytest

import neuralshade


@pytest.mark.slow
def test_levels_are_called_what_they_are(tab, live, background, device, fitted, tmp_path, waves):
    """Some were kept from filters: no network is shown."""
    live.show(fitted / "a.nsh")
    background(live.wait)
    page = tab(live.address)
    page.pixels("result")
    neuralshade.fit_mipmaps(waves, tmp_path / "out", steps=4, pool=16, pairs=4)
    levels = next((tmp_path / "out").glob("*.nsh"))
    page.page.set_input_files("#load", levels)
    page.page.wait_for_selector("#light", state="visible")
    assert live.renderer.scene.titles["result"] == "Kept levels"
    opened = neuralshade.load(levels)
    told = opened.summary()  # their errors, which have no PSNR
    assert "held-out error of each kept level by kind of lights" in page.text("#quality-note")
    heads = page.page.locator("#measured thead th").all_inner_texts()
    assert heads == ["level", "mirror", "cosine", "environment"]
    first = page.page.locator("#measured tbody tr").first.inner_text().split()
    kept = opened.header.quality["mirror"]["kept"][0]["symmetric"]
    assert first[0] == "1:" and " ".join(first[2:5]) in told["  1"]
    assert f"{kept:.4f}" in first and set(first) & {"box", "LEAN", "Toksvig"}
    assert told["size"].split(" bytes, ")[1].endswith(" bits per texel of level 0")
    assert page.text("#sizes").count(" bits per texel of level 0)") == 2
