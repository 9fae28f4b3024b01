"""The one way in which content gets into the page's template."""

from __future__ import annotations

import re
from collections.abc import Mapping

PLACE = re.compile(r"<!--([a-z]+)-->")


def filled(template: str, contents: Mapping[str, str], *, more_than_once: str = "") -> str:
    """Return a template with each ``<!--NAME-->`` replaced by that content, in one pass.

    Contents are inserted as they are: text of users is escaped before.

    Args:
        more_than_once: the name of the content that may have several places.

    Raises: ValueError where a content has no place, or several, or a place has no content: a page
        with something missing must not be written.
    """
    places = PLACE.findall(template)
    missing = [name for name in contents if name not in places]
    unknown = [name for name in places if name not in contents]
    twice = [name for name in contents if places.count(name) > 1 and name != more_than_once]
    if missing or unknown or twice:
        raise ValueError(f"page template: got contents without a place {missing}, places without "
                         f"content {unknown}, several places {twice}, need one each. Mend the "
                         "template.")  # fmt: skip
    return PLACE.sub(lambda found: contents[found[1]], template)
