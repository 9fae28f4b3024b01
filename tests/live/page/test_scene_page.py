"""live/page: a scene that is turned, and whose light is moved, while it becomes sharper."""

import numpy as np
import pytest
from PIL import Image

import neuralshade
from neuralshade.fitting.scene import Tone
from neuralshade.live.frame_encoding import on_screen

SCENE = """
size = [60, 40]
samples = 4
bounces = 1
camera = { position = [0, 1.5, 4], look_at = [0, 0.5, 0] }
environment = { color = [0.3, 0.3, 0.4] }
materials.clay = { diffuse = [0.6, 0.3, 0.2] }
mesh = [{ shape = "quad", material = "clay", scale = 4.0 },
        { shape = "sphere", material = "clay", scale = 0.5, position = [0, 0.5, 0] }]
light = [{ type = "point", radiance = [9, 9, 9], position = [2, 3, 1] }]
"""


PANE = "canvas[data-pane=result]"


@pytest.mark.slow
def test_a_scene_is_turned_and_its_light_moved(tab, live, background, one_device, tmp_path):
    path = tmp_path / "clay.toml"
    path.write_text(SCENE)
    rendered = on_screen(neuralshade.render_scene(path, samples=64), True, Tone())
    live.watch(path)
    background(live.wait)
    page = tab(live.address, width=700, height=400)
    page.says("#light-what", "a picture")
    page.says("#scene-size", "drawn at 60 x 40")
    page.says("#drag-turn", "the camera")
    page.says("#withheld", "A scene has no asset of its own to save or report.")
    assert page.page.locator("#save").is_disabled() and page.page.locator("#snapshot").is_enabled()
    assert page.page.locator("#report").get_attribute("href") is None

    def off():
        """Return by how much what is shown differs from what is rendered, of 255."""
        seen = Image.fromarray(page.pixels("result")).resize((60, 40), Image.Resampling.BOX)
        return np.abs(np.asarray(seen, float) - rendered).mean()

    page.until(lambda: off() < 3, "what is rendered, but for its paths")
    azimuth = page.page.locator("#azimuth").input_value()
    assert page.text("#drag-does") == "move its light"
    page.page.select_option("#drag-what", "turn")
    assert page.text("#drag-does") == "move the camera"
    page.drag(PANE, 80, 20)
    page.until(lambda: off() > 4, "another side")
    assert page.page.locator("#azimuth").input_value() == azimuth
    page.drag(PANE, -80, -20)
    page.until(lambda: off() < 3, "the first one again")
    page.press("t")
    page.drag(PANE, -200, 0)
    assert page.page.locator("#azimuth").input_value() != azimuth
    page.until(lambda: off() > 4, "another light")
