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
    assert provider.provides["operator"] == {"x": "fx:X"}
    assert not provider.names("layer")


def test_archives_that_are_no_wheels(tmp_path):
    path = tmp_path / "x.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.py", "")
    with pytest.raises(PluginError, match=r"one \.dist-info, found none"), open_wheel(path):
        pass
    with pytest.raises(PluginError, match="is not a wheel"), open_wheel(tmp_path / "none.whl"):
        pass


def write_wheel(path, metadata="Name: fx\nVersion: 1.0\n"):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../escaped.py", "x")
        archive.writestr("fx-1.0.dist-info/METADATA", metadata)
    return path


def test_metadata_of_any_size_are_not_read(tmp_path):
    path = write_wheel(tmp_path / "fx.whl", b"x" * ((16 << 20) + 1))
    assert path.stat().st_size < 100_000
    with pytest.raises(PluginError, match=r"METADATA has 16777217 bytes"), open_wheel(path):
        pass


def test_metadata_that_say_they_are_small(tmp_path):
    path = write_wheel(tmp_path / "fx.whl", b"x" * 100_000)
    raw = path.read_bytes().replace((100_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(raw)
    with pytest.raises(PluginError, match="METADATA cannot be read: Bad CRC"), open_wheel(path):
        pass


def test_encrypted_metadata(tmp_path):
    path = write_wheel(tmp_path / "fx.whl")
    raw = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.rindex(mark) + offset] |= 1
    path.write_bytes(raw)
    with pytest.raises(PluginError, match=r"cannot be read: .*encrypted"), open_wheel(path):
        pass


@pytest.mark.parametrize(
    ("metadata", "why"),
    [
        (b"Name: --index-url=x\nVersion: 1\n", "is not a valid distribution name"),
        (b"Name: fx\nVersion: 1\x1b[2J\n", "contains characters that are not printable"),
        (b"Version: 1\n", "METADATA has no name"),
        (b"Name: \xff\n", "cannot be read"),
    ],
)
def test_names_that_no_plugin_has(tmp_path, metadata, why):
    path = write_wheel(tmp_path / "fx.whl", metadata)
    with open_wheel(path) as distribution, pytest.raises(PluginError, match=why):
        provider_of(distribution)
    assert not list(tmp_path.parent.rglob("escaped.py"))
