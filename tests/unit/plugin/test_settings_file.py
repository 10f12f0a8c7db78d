"""Tests of changes of the settings."""

import os
import stat

import pytest

from opforge.base.errors import PluginError
from opforge.plugin import settings_file
from opforge.plugin.settings import read_settings

TEXT = """\
# Mine.
[other]
key = 1  # stays

[plugins]
disabled = [
    "acme-slow",  # too slow
    "Acme_Old",
]
"""


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Return the path of the settings."""
    path = tmp_path / "folder" / "opforge.toml"
    monkeypatch.setenv("OPFORGE_CONFIG", str(path))
    return path


def test_everything_else_stays(path):
    path.parent.mkdir()
    path.write_text(TEXT)
    settings_file.enable("acme.old")
    settings_file.pin("softmax", "acme")
    text = path.read_text()
    for line in ("# Mine.", "key = 1  # stays", '"acme-slow",  # too slow'):
        assert line in text
    settings = read_settings()
    assert (settings.disabled, settings.pins) == ({"acme-slow"}, {"softmax": "acme"})


def test_nothing_is_listed_twice(path):
    for _ in range(2):
        settings_file.disable("acme")
        settings_file.allow("acme")
    digest = f"sha256:{'0' * 64}"
    settings_file.allow("Acme", digest)
    assert path.read_text().count("cme") == 2
    assert read_settings().allowed == {"acme": digest}


def test_a_file_that_cannot_be_understood_is_not_replaced(path):
    path.parent.mkdir()
    path.write_text("[plugins")
    with pytest.raises(PluginError, match="are invalid"):
        settings_file.disable("acme")
    assert path.read_text() == "[plugins"
    assert os.listdir(path.parent) == ["opforge.toml"]


def test_devices_are_left_alone(monkeypatch):
    monkeypatch.setenv("OPFORGE_CONFIG", os.devnull)
    with pytest.raises(PluginError, match="cannot be changed"):
        settings_file.disable("acme")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_permissions_and_links_stay(path, tmp_path):
    real = tmp_path / "real.toml"
    real.write_text("")
    real.chmod(0o600)
    path.parent.mkdir()
    path.symlink_to(real)
    settings_file.disable("acme")
    assert path.is_symlink()
    assert "acme" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
