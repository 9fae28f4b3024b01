"""gpu/cuda_cache: machine code is taken from the cache only where this user's key signed it.

Needs neither a GPU nor NVRTC: what would compile is stood in for.
"""

import json
import pathlib

import pytest

from neuralshade.gpu import cuda_cache, foreign_slang
from neuralshade.gpu.cuda_cache import BuiltKernel, build_kernel
from neuralshade.gpu.cuda_text import CudaLayout

LAYOUT = CudaLayout("main", [{"name": "into"}], (8, 1, 1), frozenset(("into",)), copies=False)


@pytest.fixture
def built(monkeypatch, tmp_path):
    """Give the texts that were compiled, with an empty cache folder and no key yet."""
    texts = []

    def build(text, *given):
        texts.append(text)
        return BuiltKernel(LAYOUT, f"code of {text}".encode())

    pytest.importorskip("slangpy")
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(cuda_cache, "compile_kernel", build)
    monkeypatch.setattr(cuda_cache, "nvrtc_version", lambda: (13, 0))
    monkeypatch.setattr(cuda_cache, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr("platformdirs.user_state_dir", lambda name: str(tmp_path / name))
    return texts


@pytest.fixture
def kept(built, tmp_path):
    """Give the file of a kernel that was kept."""
    build_kernel("a", "main", "sm_90a")
    (path,) = (tmp_path / "cache").glob("*.cuda")
    return path


def test_what_was_kept_is_not_compiled_again(kept, built):
    assert build_kernel("a", "main", "sm_90a") == BuiltKernel(LAYOUT, b"code of a")
    assert built == ["a"]


def planted(raw: bytes) -> bytes:
    """Return what was kept with other code, as somebody who has read this source would write it."""
    mark, about, _ = raw.split(b"\n", 2)
    return b"\n".join((mark, about, b"code of a stranger"))


def moved(raw: bytes) -> bytes:
    mark, about, code = raw.split(b"\n", 2)
    facts = json.loads(about) | {"threads": [1024, 1, 1]}
    return b"\n".join((mark, json.dumps(facts).encode(), code))


@pytest.mark.parametrize("change", [
    planted, moved, lambda raw: raw[:-1], lambda raw: raw[:20], lambda raw: b"",
    lambda raw: b"\n" + raw.split(b"\n", 1)[1], lambda raw: b"\xff" + raw,
])  # fmt: skip
def test_what_the_key_did_not_sign_is_compiled_anew(kept, built, change, caplog):
    before = kept.read_bytes()
    kept.write_bytes(change(before))
    caplog.set_level("INFO", "neuralshade")
    assert build_kernel("a", "main", "sm_90a").cubin == b"code of a"
    assert built == ["a", "a"] and kept.read_bytes() == before
    assert caplog.messages == [
        f"kernels: {kept} is compiled anew, since it is not as this user's key signed it"
    ]


def test_one_kernel_is_not_taken_for_another(kept, built):
    build_kernel("b", "main", "sm_90a")
    (other,) = set(kept.parent.glob("*.cuda")) - {kept}
    other.write_bytes(kept.read_bytes())
    assert build_kernel("b", "main", "sm_90a").cubin == b"code of b"
    assert built == ["a", "b", "b"]


def test_what_another_user_kept_is_not_met(kept, built, monkeypatch, tmp_path):
    monkeypatch.setattr("platformdirs.user_state_dir", lambda name: str(tmp_path / "other" / name))
    before = kept.read_bytes()
    build_kernel("a", "main", "sm_90a")
    assert built == ["a", "a"]
    assert kept.read_bytes() == before and len(list(kept.parent.glob("*.cuda"))) == 2


def test_without_a_key_nothing_is_kept_and_it_says_so_once(built, tmp_path, caplog):
    (tmp_path / "neuralshade").write_text("in the way")
    cuda_cache.log_uncached.cache_clear()
    for _ in range(2):
        assert build_kernel("a", "main", "sm_90a").cubin == b"code of a"
    assert built == ["a", "a"] and list((tmp_path / "cache").glob("*.cuda")) == []
    key = pathlib.Path(tmp_path / "neuralshade/keys/kernels")
    assert caplog.messages == [
        f"kernels: they are compiled anew, since {key} holds no key of this user's alone. "
        "Remove it, and what others can write to above it."
    ]


def test_another_package_s_slang_files_are_part_of_what_is_kept(built, tmp_path, monkeypatch):
    (tmp_path / "lamps").mkdir()
    file = tmp_path / "lamps" / "glow.slang"
    monkeypatch.setattr(foreign_slang, "_known", {"lamps": tmp_path})
    named, other = "import lamps.glow;\nvoid main() {}", "import lampshade.glow;"
    for words in ("float one;", "float two;", "float one;"):
        file.write_text(words)
        build_kernel(named, "main", "sm_90a")
        build_kernel(other, "main", "sm_90a")
    assert built == [named, other, named]
