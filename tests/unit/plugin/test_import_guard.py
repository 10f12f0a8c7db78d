"""Tests of restoring objects that a plugin replaces."""

import sys

from opforge.plugin.import_guard import preserved_imports


def test_removed_modules_are_restored_and_added_ones_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = list(sys.path)
    with preserved_imports() as said:
        sys.path[:] = [str(tmp_path)]
        json = sys.modules.pop("json")
    assert sys.path == [*before, str(tmp_path)]
    assert sys.modules["json"] is json
    assert [text.partition(",")[0] for text in said] == [
        "it removes folders from sys.path",
        "it removes json from sys.modules",
    ]


def test_nothing_is_said_of_additions(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", list(sys.path))
    with preserved_imports() as said:
        sys.path.insert(0, str(tmp_path))
    assert said == []
    assert sys.path[0] == str(tmp_path)
