"""One asset of a page: its facts, shaders and numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from neuralshade.kinds.kind import Opened
from neuralshade.model.shader_form import ShaderForm
from neuralshade.verbs.export.web.container import Container
from neuralshade.verbs.export.web.fragment import Fragment, words_of_page


@dataclass(frozen=True)
class PageAsset:
    """What a view is made from."""

    opened: Opened
    form: ShaderForm
    container: Container

    def shader(self, made: Fragment) -> dict[str, Any]:
        """Return the facts of a shader, its numbers added to the data."""
        return {**made.facts(), "numbers": self.container.add(made.numbers.tobytes())}

    def words(self) -> int:
        """Return the number of the segment of the words that its shaders read."""
        return self.container.add(words_of_page(self.form).astype("<u4").tobytes())


View = Callable[[PageAsset, Any], dict[str, Any]]  # of an asset, and what stands beside it
