"""Tests of reading wheels."""

import zipfile

import pytest

from opforge.base.errors import PluginError
from opforge.plugin.discovery import provider_of
from opforge.plugin.wheel import open_wheel


def test_metadata_and_entry_points(tmp_path):
    path = tmp_path / "fx-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("fx-1.0.dist-info/METADATA", "Name: fx\nVersion: 1.0\n")
        archive.writestr("fx-1.0.dist-info/entry_points.txt", "[opforge.ops]\nx = fx:X\n")
    with open_wheel(path) as distribution:
        provider = provider_of(distribution)
    assert (provider.name, provider.version) == ("fx", "1.0")
    assert provider.provides == {"operator": {"x": "fx:X"}, "layer": {}}


def test_archives_that_are_no_wheels(tmp_path):
    path = tmp_path / "x.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.py", "")
    with pytest.raises(PluginError, match=r"one \.dist-info, found none"), open_wheel(path):
        pass
    with pytest.raises(PluginError, match="is no wheel"), open_wheel(tmp_path / "none.whl"):
        pass
