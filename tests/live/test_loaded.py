"""live/live: after an asset was loaded the page says what it shows, not what was fitted."""

import neuralshade


def test_an_asset_of_the_same_picture(fitting, look, live, background, tmp_path, picture, small):
    neuralshade.fit_image(picture, tmp_path / "other.nsh", steps=5, **small)
    job, page = fitting(), look()
    page.reach(5)
    page.control("stop")
    job.finish()
    page.state("ended")
    background(live.wait)
    status, _ = page.ask("/asset?name=other.nsh", (tmp_path / "other.nsh").read_bytes())
    assert status == 200
    fit = page.state("shown")
    assert fit["text"] == "other.nsh is shown." and "start" in fit["can"]
    page.until(lambda: page.scene["name"] == "other.nsh")
    page.until(lambda: page.curve == [] and page.progress.get("progress", 0) is None)
    assert page.scene["panes"] == ["target", "result"]
    assert look().hello["progress"] is None


def test_an_asset_of_another_picture_has_no_reference(fitting, look, live, background, tmp_path,
                                                      picture, small):  # fmt: skip
    other = neuralshade.picture_from_array(255 - picture.pixels)
    neuralshade.fit_image(other, tmp_path / "other.nsh", steps=5, **small)
    job, page = fitting(), look()
    page.reach(5)
    page.control("stop")
    job.finish()
    background(live.wait)
    page.ask("/asset?name=other.nsh", (tmp_path / "other.nsh").read_bytes())
    page.until(lambda: page.scene["name"] == "other.nsh")
    assert page.scene["panes"] == ["result"]
