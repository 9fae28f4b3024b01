"""kinds: a file whose checksum a stranger put right is refused in a line, or is well.

benchmarks/soak_forger.py does the same with many more files, and through more doors.
"""

import pytest
from fixtures import doors
from fixtures.forger import forge, sealed

CASES = 240  # of each kind of file
FEWER = {"splats": 80}  # whose streams take long to read; 2,000 in all
DRAWN, RESUMED = 4, 60  # one in so many of those that were opened
HARMLESS = ("opened", "refused")
SLOW = [name for name, kept in doors.WHOLE.items() if not kept]  # to be fitted first
SLOW += ["material"]  # takes longest to read
NAMES = [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in doors.WHOLE]


@pytest.mark.parametrize("name", NAMES)
def test_forgeries_do_no_harm(tmp_path, name):
    whole, path, seen = doors.whole(name), tmp_path / "x.nsh", []
    kind, _, is_checkpoint = name.partition("-")
    for seed in range(FEWER.get(name, CASES)):
        path.write_bytes(forge(whole, seed))
        tried = [doors.tried(doors.checkpoint, path, kind) if is_checkpoint
                 else doors.tried(doors.told, path)]  # fmt: skip
        is_open = tried[0][0] == "opened"
        if is_open and kind in doors.ON_THE_CPU and not is_checkpoint and seed % DRAWN == 0:
            tried.append(doors.tried(doors.drawn, path))
        if is_open and name == "image-checkpoint" and seed % RESUMED == 0:
            tried.append(doors.tried(doors.resumed, path, kind))
        for outcome, detail in tried:
            assert outcome in HARMLESS, f"seed {seed}: {detail}"
        seen.append(tried[0][0])
    assert {*seen} == {*HARMLESS}  # neither refuses all that it is given


@pytest.mark.parametrize("name", NAMES)
def test_forgeries_are_refused_for_what_was_forged(tmp_path, name):
    """The forger's own seal opens, and equal seeds give equal files."""
    whole, path = doors.whole(name), tmp_path / "x.nsh"
    length = int.from_bytes(whole[:8], "little")
    path.write_bytes(sealed(whole[8 : 8 + length], whole[8 + length :]))
    kind, _, is_checkpoint = name.partition("-")
    door = (doors.checkpoint, path, kind) if is_checkpoint else (doors.told, path)
    assert doors.tried(*door) == ("opened", "")
    assert forge(whole, 7) == forge(whole, 7) != forge(whole, 8)
