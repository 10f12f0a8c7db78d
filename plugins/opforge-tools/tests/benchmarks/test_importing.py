"""The measurement of imports, and the plugins that it pretends."""

import importlib.metadata

from opforge_tools.benchmarks import importing


def test_pretended_plugins_are_found_in_metadata(tmp_path):
    importing.install_pretended_plugins(tmp_path, 3)
    found = list(importlib.metadata.distributions(path=[str(tmp_path)]))
    assert {dist.name for dist in found} == {f"opforge-pretended-{n}" for n in range(3)}
    groups = {(e.group, e.name) for e in found[0].entry_points}
    assert len(groups) == 3
    assert {group for group, _ in groups} == {"opforge", "opforge.ops", "opforge.layers"}


def test_every_program_is_timed_with_and_without_plugins(monkeypatch):
    monkeypatch.setattr(importing, "PROGRAMS", {"numpy": "pass", "opforge": "import opforge"})
    rows = importing.measure(1)
    assert {(row["plugins"], row["name"]) for row in rows} == {
        (plugins, name) for plugins in (0, 100) for name in importing.PROGRAMS
    }
    for row in rows:
        assert row["seconds"] > 0
        assert (row["beyond_numpy"] == 0) == (row["name"] == "numpy")
