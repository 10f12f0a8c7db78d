"""Tests of finding the source of modules."""

import importlib
import sys

from opforge.plugin.module_location import locate


def test_nothing_is_imported(tmp_path, monkeypatch):
    package = tmp_path / "fx_placed"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (package / "inside.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert locate("fx_placed.inside") == package / "inside.py"
    assert locate("fx_placed") == package / "__init__.py"
    assert locate("fx_placed.missing") is None


def test_modules_without_source_have_no_location():
    assert locate("json.decoder").name == "decoder.py"
    assert locate("no_such_module_anywhere") is None
    assert locate("sys") is None
    assert locate("json.decoder.deeper") is None
    assert locate("") is None


def test_folders_replace_the_search_path(tmp_path):
    assert locate("json", (str(tmp_path),)) is None


def test_modules_installed_later_are_found(tmp_path):
    places = (str(tmp_path),)
    assert locate("fx_late", places) is None
    (tmp_path / "fx_late.py").write_text("")
    importlib.invalidate_caches()  # folders are read again after at most a second
    assert locate("fx_late", places) == tmp_path / "fx_late.py"
