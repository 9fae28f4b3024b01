"""Replies to single requests of a page: values of a pixel, and overlays."""

from __future__ import annotations

from neuralshade.errors import ConfigError
from neuralshade.fitting.scene import Scene, View
from neuralshade.live.channel import Channel
from neuralshade.live.client import Client
from neuralshade.live.frame_encoding import on_screen, png
from neuralshade.live.messages import Pick


def send_values(channel: Channel, scene: Scene, client: Client, pick: Pick) -> None:
    """Send each pane's channels at a place."""
    values = scene.values(pick.u, pick.v, pick.level)
    channel.send(client, {"type": "values", "id": pick.id, "u": pick.u, "v": pick.v,
                          "values": values})  # fmt: skip


def send_overlay(
    channel: Channel, scene: Scene | None, number: int, client: Client, name: str
) -> None:
    """Draw and send an overlay of the scene with that number.

    Raises: ConfigError for an unknown overlay.
    """
    header = {"type": "overlay", "scene": number, "name": name}
    if scene is not None and name in scene.pages:
        caption, picture = scene.pages[name]()
        file = png(on_screen(picture, False, View(0, 0).tone))
        size = {"width": picture.shape[1], "height": picture.shape[0], "bytes": len(file)}
        channel.send_picture(
            client, {**header, "kind": "picture", "caption": caption, **size}, [file]
        )
    elif scene is not None and name in scene.points:
        points = scene.points[name]().astype("<f4", order="C")
        channel.send_picture(
            client, {**header, "kind": "points", "count": len(points)}, [points.tobytes()]
        )
    else:
        raise ConfigError(f"overlay: got {name[:80]!r}, need one that the scene has.")
