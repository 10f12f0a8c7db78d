"""Tests of the settings file."""

import pytest

from opforge.base.errors import PluginError
from opforge.plugin.settings import Settings, read_settings, settings_path

DIGEST = f"sha256:{'0a' * 32}"


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Return a function that writes and reads the settings."""
    path = tmp_path / "opforge.toml"
    monkeypatch.setenv("OPFORGE_CONFIG", str(path))

    def write(text):
        path.write_text(text)
        return read_settings()

    return write


def test_everything(written):
    settings = written(
        '[plugins]\ndisabled = ["Acme_Slow"]\npins = {softmax = "acme"}\nmode = "allowlist"\n'
        f'allowed = ["opforge.softmax", "acme {DIGEST}"]\n[other]\nkey = 1\n'
    )
    assert settings.disabled == {"acme-slow"}
    assert settings.pins == {"softmax": "acme"}
    assert settings.mode == "allowlist"
    assert settings.allowed == {"opforge-softmax": "", "acme": DIGEST}
    assert settings.path.endswith("opforge.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[plugins", "are invalid"),
        ("plugins = 3", r"expected a table: \[plugins\]"),
        ("[plugins]\ndisable = []", "unknown key 'disable'; did you mean disabled"),
        ("[plugins]\nzzz = 1", "unknown key 'zzz'; expected disabled, pins, mode, allowed"),
        ('[plugins]\ndisabled = "a"', "expected a list of names"),
        ("[plugins]\nallowed = [1]", "expected a list of names"),
        ('[plugins]\nmode = "strict"', "expected one of all, allowlist"),
        ("[plugins]\npins = {a = 1}", "expected a table of names"),
        ('[plugins]\nallowed = ["a md5:00"]', "`opforge plugins verify` prints"),
    ],
)
def test_mistakes_are_errors_that_name_the_file(written, text, message):
    with pytest.raises(PluginError, match=message) as caught:
        written(text)
    assert "opforge.toml" in str(caught.value)


def test_a_file_that_is_named_must_be_there(tmp_path, monkeypatch):
    monkeypatch.setenv("OPFORGE_CONFIG", str(tmp_path / "none.toml"))
    with pytest.raises(PluginError, match="which does not exist; create it, or unset"):
        read_settings()


def test_the_users_folder_and_no_other(tmp_path, monkeypatch):
    monkeypatch.delenv("OPFORGE_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "opforge.toml").write_text('[plugins]\ndisabled = ["here"]')
    assert read_settings() == Settings()
    path = settings_path()
    assert path == tmp_path / "config" / "opforge" / "opforge.toml"
    path.parent.mkdir(parents=True)
    path.write_text('[plugins]\ndisabled = ["there"]')
    assert read_settings().disabled == {"there"}


@pytest.mark.parametrize("folder", ["", "relative"])
def test_a_folder_that_is_not_absolute_is_passed_over(monkeypatch, folder):
    monkeypatch.delenv("OPFORGE_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", folder)
    monkeypatch.setenv("HOME", "/home/somebody")
    assert str(settings_path()) == "/home/somebody/.config/opforge/opforge.toml"
