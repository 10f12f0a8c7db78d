import os

from opforge import util


def test_variables(monkeypatch):
    monkeypatch.setenv("OPFORGE_SOMETHING", "1")
    assert util.getenv("OPFORGE_SOMETHING") == "1"
    util.setenv("OPFORGE_SOMETHING", "2")
    assert os.environ["OPFORGE_SOMETHING"] == "2"
    util.setenv("OPFORGE_SOMETHING", None)
    util.setenv("OPFORGE_SOMETHING", None)
    assert util.getenv("OPFORGE_SOMETHING") is None


def test_makedirs(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for _ in range(2):
        util.makedirs("~/a/b")
    assert (tmp_path / "a" / "b").is_dir()
