"""base/plugins: what is installed is told by its metadata, and loaded when it is named."""

import sys

import pytest

from neuralshade.base.plugins import checked_plugins, names, plugin_named, plugins
from neuralshade.errors import ConfigError

OURS = ("frequency", "identity")


def faults(what="encoding", ours=OURS):
    return {(plugin.name, plugin.package): fault for plugin, fault in checked_plugins(what, ours)}


def test_nothing_runs_before_a_name_is_used(installed):
    installed("shade-waves", "2.0", {"neuralshade.encodings": {"waves": "waves_late:Waves"}},
              waves_late="Waves = 7")  # fmt: skip
    plugin = plugin_named("encoding", "waves", OURS)
    assert (plugin.source, plugin.place) == ("shade-waves 2.0", "waves_late:Waves")
    assert names("encoding", OURS) == [*OURS, "waves"] and "waves_late" not in sys.modules
    assert plugin.load() == 7 and "waves_late" in sys.modules
    assert plugin_named("encoding", "wave", OURS) is None
    assert plugin_named("loss", "waves", OURS) is None


def test_our_own_names_stay_ours(installed):
    installed("thief", "1.0", {"neuralshade.encodings": {"frequency": "thief:F", "fine": "a:B"}})
    assert plugin_named("encoding", "frequency", OURS) is None
    assert faults() == {
        ("fine", "thief"): None,
        ("frequency", "thief"): "refused: neuralshade itself has one of that name",
    }


def test_a_name_of_two_packages_is_refused_with_both(installed, refusal, same_message):
    for package, version in (("shade-a", "1.0"), ("shade-b", "0.3")):
        installed(package, version, {"neuralshade.encodings": {"waves": "waves:Waves"}})
    message = refusal(ConfigError, plugin_named, "encoding", "waves", OURS)
    same_message(message, "encoding", "Uninstall")
    assert faults() == {
        ("waves", "shade-a"): "refused: shade-b 0.3 has one of that name, too",
        ("waves", "shade-b"): "refused: shade-a 1.0 has one of that name, too",
    }
    assert names("encoding", OURS) == list(OURS)


@pytest.mark.parametrize("text, reason", [
    ("import absent_of_all", "ModuleNotFoundError: No module named 'absent_of_all'"),
    ("import sys; sys.exit(3)", "SystemExit: 3"),
    ("raise ValueError('one\\ntwo')", "ValueError: one"),
    ("", "AttributeError: module 'fails_{n}' has no attribute 'Waves'"),
])  # fmt: skip
def test_what_does_not_load_is_one_line(installed, refusal, text, reason):
    number = abs(hash(text))  # a module of each name is imported once
    module = f"fails_{number}"
    installed("shade-waves", "2.0", {"neuralshade.encodings": {"waves": f"{module}:Waves"}},
              **{module: text})  # fmt: skip
    plugin = plugin_named("encoding", "waves", OURS)
    assert refusal(ConfigError, plugin.load) == (
        f"encoding waves: got shade-waves 2.0, which does not load ({reason.format(n=number)}), "
        "need a package that does. Upgrade or uninstall it."
    )


@pytest.mark.parametrize("name, place, fault", [
    ("Waves", "waves:Waves", "a name has lower case letters, digits and _, a letter first"),
    ("a+b", "waves:Waves", "a name has lower case letters, digits and _, a letter first"),
    ("waves", "waves", "it lies at 'waves', which is no module:name"),
])  # fmt: skip
def test_names_and_places_that_no_recipe_could_use(installed, name, place, fault):
    installed("odd", "1", {"neuralshade.encodings": {name: place}})
    assert plugin_named("encoding", name, OURS) is None
    assert faults() == {(name, "odd"): f"refused: {fault}"}


def test_what_lies_in_the_working_folder_was_not_installed(installed, tmp_path, monkeypatch):
    installed("sent", "1", {"neuralshade.encodings": {"waves": "waves:Waves"}})
    assert [plugin.package for plugin in plugins("encoding")] == ["sent"]
    monkeypatch.chdir(tmp_path / "site")
    assert plugins("encoding") == ()
    monkeypatch.syspath_prepend("")
    assert plugins("encoding") == ()


def test_of_two_installations_of_a_package_the_first_counts(installed, tmp_path, monkeypatch):
    installed("shade-waves", "2.0", {"neuralshade.encodings": {"waves": "new:Waves"}})
    (tmp_path / "site").rename(tmp_path / "first")
    monkeypatch.syspath_prepend(tmp_path / "first")
    installed("shade-waves", "1.0", {"neuralshade.encodings": {"waves": "old:W", "more": "old:M"}})
    assert [(p.name, p.place) for p in plugins("encoding")] == [("waves", "new:Waves")]


def test_metadata_that_cannot_be_read_is_passed_over(installed, tmp_path):
    installed("good", "1", {"neuralshade.losses": {"soft": "good:soft"}})
    broken = tmp_path / "site" / "broken-1.dist-info"
    broken.mkdir()
    (broken / "entry_points.txt").write_bytes(b"[neuralshade.losses]\nsoft\xff = \xfe:y\n")
    assert [plugin.package for plugin in plugins("loss")] == ["good"]
