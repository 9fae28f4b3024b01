"""A browser, and pages in it that must be quiet."""

import base64
import os
import re
import subprocess
import sys
import time
from urllib.parse import urlsplit

import numpy as np
import pytest

SECONDS = 600  # that a page is given for anything: one that hangs, not one that is slow
# As text: a million numbers take a browser and its driver ten seconds.
PIXELS = """name => {
    const found = window.neuralshade?.pixels(name);
    if (!found) return null;
    let text = "";
    for (let i = 0; i < found.data.length; i += 8192)
        text += String.fromCharCode(...found.data.subarray(i, i + 8192));
    return [found.width, found.height, btoa(text)];
}"""


class Tab:
    """A page in the browser; knows what it said on the console and whom it asked."""

    def __init__(self, context, address):
        self.page, self.said, self.asked = context.new_page(), [], []
        self.page.on("console", lambda line: self.said.append((line.type, line.text)))
        self.page.on("pageerror", lambda error: self.said.append(("error", str(error))))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("websocket", lambda socket: self.asked.append(socket.url))
        self.host = urlsplit(address).netloc
        self.page.goto(address)

    def until(self, reached, what=""):
        """Wait until a JavaScript expression, or a function, gives something; return that."""
        end = time.monotonic() + SECONDS
        while not (found := self.js(reached) if isinstance(reached, str) else reached()):
            assert time.monotonic() < end, ("never", what or reached, self.said)
            self.page.wait_for_timeout(30)
        return found

    def js(self, expression, given=None):
        return self.page.evaluate(expression, given)

    def text(self, place):
        return self.page.locator(place).inner_text()

    def says(self, place, text):
        self.until(lambda: self.text(place) == text, (place, text))

    @property
    def step(self):
        return int(re.sub(r"\D", "", self.text("#step")) or 0)

    def points(self):
        """Return how many points the curve of the loss has, as it is read out."""
        label = self.page.locator("#loss-chart").get_attribute("aria-label") or ""
        found = re.search(r"(\d+) points", label)
        return int(found[1]) if found else 0

    def pixels(self, pane):
        """Return a pane's picture as it was received: uint8 [h, w, 3]."""
        width, height, values = self.until(lambda: self.js(PIXELS, pane), pane)
        pixels = np.frombuffer(base64.b64decode(values), np.uint8).reshape(height, width, 4)
        assert (pixels[..., 3] == 255).all()
        return pixels[..., :3]

    def shows(self, pane, expected):
        """Wait until a pane holds exactly these pixels."""
        end = time.monotonic() + SECONDS
        while True:
            found = self.pixels(pane)
            if found.shape == expected.shape and np.array_equal(found, expected):
                return
            if time.monotonic() > end:
                np.testing.assert_array_equal(found, expected)
            self.page.wait_for_timeout(50)

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def drag(self, place, dx, dy):
        """Drag from the middle of an element, in CSS pixels."""
        box = self.page.locator(place).bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + dx, y + dy, steps=4)
        self.page.mouse.up()

    def check(self):
        """See that nothing was said on the console, and no other host was asked."""
        assert self.said == []
        places = [urlsplit(url) for url in self.asked]
        others = [p for p in places if p.scheme in ("http", "https", "ws", "wss")]
        assert {p.netloc for p in others} <= {self.host}


@pytest.fixture
def tab(browser):
    """Give a function that opens an address; at the end, every page must have been quiet."""
    contexts, tabs = [], []

    def tab(address, width=1280, height=800, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **options))
        contexts[-1].set_default_timeout(1000 * SECONDS)
        tabs.append(Tab(contexts[-1], address))
        return tabs[-1]

    yield tab
    for opened in tabs:
        opened.check()
    for context in contexts:
        context.close()


@pytest.fixture
def shown(live, background):
    """Give a function that shows an asset and returns the page's address."""

    def shown(asset, reference=None):
        live.show(asset, reference)
        background(live.wait)
        return live.address

    return shown


@pytest.fixture
def command(tmp_path):
    """Give a function that starts a fit with a page in another process: its address."""
    started = []

    def command(*arguments):
        line = [sys.executable, "-m", "neuralshade", *arguments, "--live", "--port", "0"]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        started.append(
            subprocess.Popen(
                line,
                cwd=tmp_path,
                env=environment,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )
        lines = started[-1].stderr  # where it takes long, what it does comes first
        said = next((line for line in lines if not line.endswith(" s\n")), "")
        assert said.startswith("live page: "), said + started[-1].stderr.read()
        return said.split()[2]

    yield command
    for process in started:
        process.terminate()
        process.communicate(timeout=SECONDS)
