"""Tests of lock files: their contents, what is rejected, and how installations differ from them."""

import base64
import hashlib
import tomllib
from dataclasses import replace

import pytest

from opforge.base.errors import PluginError
from opforge.plugin.lock_file import LockedPlugin, difference, lock_text, read_lock
from opforge.plugin.policy import Policy
from opforge.plugin.record import record_hash

PLUGINS = [
    LockedPlugin("Acme_Ops", "1.0+local", f"sha256:{'a' * 64}", "3.1", ("baseline", "x86_64_v4")),
    LockedPlugin("acme-pure", "2.0rc1", f"sha256:{'b' * 64}"),
    LockedPlugin("acme-edited", "0.1"),
]


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a lock file and returns its path."""

    def write(text):
        path = tmp_path / "opforge.lock"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_a_lock_is_read_as_it_was_written(written):
    text = lock_text(PLUGINS)
    assert tomllib.loads(text)["format"] == 1
    assert [row["name"] for row in tomllib.loads(text)["plugin"]] == [
        "acme-edited",
        "Acme_Ops",
        "acme-pure",
    ]
    assert read_lock(written(text)) == {
        "acme-ops": PLUGINS[0],
        "acme-pure": PLUGINS[1],
        "acme-edited": PLUGINS[2],
    }
    assert read_lock(written(lock_text([]))) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"\xff", "cannot be read"),
        ("format = [", "cannot be read"),
        ("", "format is None, expected 1"),
        ("format = 2", "format is 2, expected 1"),
        ("format = 1\nplugin = 3", "expected tables"),
        ("format = 1\nplugin = [3]", "expected tables"),
        ("format = 1\n[[plugin]]\n", "the name ''"),
        ('format = 1\n[[plugin]]\nname = "a; rm"\nversion = "1"', "the name 'a; rm'"),
        ('format = 1\n[[plugin]]\nname = "a"\nversion = 1', "expected strings"),
        ('format = 1\n[[plugin]]\nname = "a"\nversion = "$(x)"', "the version '$(x)'"),
        ('format = 1\n[[plugin]]\nname = "a"\nversion = "1"\nrecord = "md5:0"', "the record"),
        (
            'format = 1\n[[plugin]]\nname = "a"\nversion = "1"\ninstruction_sets = "x"',
            "expected strings",
        ),
        (
            'format = 1\nplugin = [{name = "a-b", version = "1"}, {name = "a_b", version = "1"}]',
            "a_b has two entries",
        ),
        ("#" * (5 << 20), "has more than 4194304 bytes"),
        ("a = " + "[" * 10_000, "cannot be read"),
    ],
)
def test_damaged_locks_are_rejected(written, text, words):
    path = written(text)
    with pytest.raises(PluginError) as caught:
        read_lock(path)
    assert words in str(caught.value) and str(path) in str(caught.value)


def test_a_missing_lock_is_named(tmp_path):
    with pytest.raises(PluginError, match=r"gone\.lock cannot be read"):
        Policy.parse(f"-lock {tmp_path}/gone.lock")


@pytest.fixture
def acme(tmp_path, monkeypatch):
    """Return the entry of an installed distribution and the path of its module."""
    from importlib.metadata import distribution

    module = tmp_path / "acme_locked.py"
    module.write_text("a = 1\n")
    info = tmp_path / "acme_locked-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-locked\nVersion: 1.0\n")
    digest = base64.urlsafe_b64encode(hashlib.sha256(module.read_bytes()).digest())
    (info / "RECORD").write_text(f"acme_locked.py,sha256={digest.rstrip(b'=').decode()},6\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    record = record_hash(distribution("acme-locked"))
    return LockedPlugin("acme-locked", "1.0", record), module


def test_differences(acme):
    locked, module = acme
    assert difference(locked) == ""
    assert difference(replace(locked, record="")) == ""
    assert difference(None) == "not in the lock file"
    assert difference(replace(locked, name="acme-gone")) == "not installed"
    assert difference(replace(locked, version="0.9")) == "version 1.0 is installed, 0.9 is locked"
    other = replace(locked, record=f"sha256:{'0' * 64}")
    assert difference(other) == "its contents differ from those locked"
    module.write_text("a = 2\n")
    assert difference(locked) == "its files differ from its RECORD: acme_locked.py"
    module.unlink()
    assert difference(locked) == "its files differ from its RECORD: acme_locked.py"


def test_a_policy_of_a_lock(acme, written):
    locked, module = acme
    path = written(lock_text([locked]))
    policy = Policy.parse(f"-lock {path}")
    assert policy.disabled_reason("Acme_Locked", []) == ""
    assert policy.command_disabled_reason("acme-locked", []) == ""
    reason = policy.disabled_reason("acme-other", ["acme-locked"])
    assert reason == f"rejected by OPFORGE_PLUGINS=-lock {path}: not in the lock file"
    assert "opforge lock" in policy.enabling_line("acme-other", reason)
    module.write_text("a = 3\n")
    assert "its files differ" in policy.disabled_reason("acme-locked", [])
    # A plugin named lock is still excluded as any other.
    assert Policy.parse("-lock").disabled_reason("acme-locked", []) == ""
    assert Policy.parse("-lock").disabled_reason("lock", []) != ""
