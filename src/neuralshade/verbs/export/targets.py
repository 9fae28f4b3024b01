"""Targets of an export: languages, engines or a web page, and where their files go."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.languages.printers import LANGUAGES
from neuralshade.verbs.export.engines.engine import ENGINES

VECTORS = "-coopvec"  # suffix of languages with cooperative vectors
WEB = "web"
PAGE = ".html"


@dataclass(frozen=True)
class Targets:
    """What is written, and where."""

    languages: tuple[str, ...]
    engines: tuple[str, ...]
    web: bool
    folder: Path | None  # None: named after the asset
    stem: str | None = None  # of the file that the user named; None where it is a folder

    @property
    def count(self) -> int:
        return len(self.languages) + len(self.engines) + self.web


def targets_of(
    to: str | Sequence[str] | None, output: str | os.PathLike[str] | None, *, vectors: bool
) -> Targets:
    """Return the targets of ``to`` and of the suffix of ``output``.

    ``vectors``: each language also in its version with cooperative vectors.

    Raises: ConfigError for an unknown target, for none, and where the two disagree.
    """
    suffixes = {PAGE: WEB, **{one.suffix: name for name, one in LANGUAGES.items()}}
    place = None if output is None else Path(output)
    suffix = None if place is None or os.path.isdir(place) else next(
        (s for s in sorted(suffixes, key=len, reverse=True) if place.name.endswith(s)), None
    )  # fmt: skip
    if place is not None and suffix is not None:
        target = suffixes[suffix]
        if to is not None and _listed(to) != [target]:
            raise ConfigError(f"to: got {shown(to)} and a file that ends in {suffix}, need "
                              f"{target} alone. Name a folder for several.")  # fmt: skip
        return _sorted([target], place.parent, place.name[: -len(suffix)], vectors)
    if to is None:
        raise ConfigError(f"to: got no language, need one or more of {', '.join(_known())}. "
                          "Write for example --to wgsl, or -o NAME.hlsl.")  # fmt: skip
    return _sorted(_listed(to), place, None, vectors)


def _known() -> list[str]:
    return [WEB, *ENGINES, *LANGUAGES]


def _sorted(names: Sequence[str], folder: Path | None, stem: str | None, vectors: bool) -> Targets:
    languages = [name for name in names if name in LANGUAGES]
    found = Targets(tuple(_with_vectors(languages) if vectors else languages),
                    tuple(name for name in names if name in ENGINES),
                    WEB in names, folder, stem)  # fmt: skip
    if found.web and found.count > 1:
        others = [name for name in names if name != WEB]
        raise ConfigError(f"to: got {WEB} and {', '.join(others)}, need {WEB} alone. Export the "
                          "others in a second command.")  # fmt: skip
    return found


def _with_vectors(languages: Sequence[str]) -> list[str]:
    """Return languages, each with its cooperative-vector file if it has one."""
    found = [each for one in languages for each in (one, f"{one}{VECTORS}") if each in LANGUAGES]
    if found == languages and not any(one.endswith(VECTORS) for one in languages):
        raise ConfigError(f"matrix: got coopvec and {', '.join(languages) or 'no language'}, need "
                          "slang, which has cooperative vectors. Add it to --to.")  # fmt: skip
    return list(dict.fromkeys(found))


def _listed(to: str | Sequence[str]) -> list[str]:
    """Return targets without duplicates; ConfigError for an unknown one."""
    listed = [to] if isinstance(to, str) else list(to)
    names = [part.strip() for each in listed for part in str(each).split(",") if part.strip()]
    for name in names:
        if name not in _known():
            raise ConfigError(f"to: got {shown(name)}, need one of {', '.join(_known())}."
                              f"{did_you_mean(name, _known())}")  # fmt: skip
    if not names:
        raise ConfigError(f"to: got no language, need one or more of {', '.join(_known())}. "
                          "Write for example wgsl.")  # fmt: skip
    return list(dict.fromkeys(names))
