"""Tests of the comparison of installed files with RECORD."""

import base64
import hashlib
from importlib.metadata import PathDistribution

import pytest

from opforge.plugin.record import (
    changed_files,
    editable_folder,
    has_record,
    listed_files,
    record_hash,
)


def line(folder, name):
    digest = hashlib.sha256((folder / name).read_bytes()).digest()
    return f"{name},sha256={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()},1\n"


@pytest.fixture
def folder(tmp_path):
    """A distribution of two modules, as installed."""
    (tmp_path / "fx.py").write_text("a")
    (tmp_path / "fx_other.py").write_text("b")
    info = tmp_path / "fx-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fx\nVersion: 1.0\n")
    (info / "INSTALLER").write_text("pip")
    (info / "RECORD").write_text(
        line(tmp_path, "fx.py") + line(tmp_path, "fx_other.py") + "fx-1.0.dist-info/RECORD,,\n"
    )
    return tmp_path


def distribution(folder):
    return PathDistribution(folder / "fx-1.0.dist-info")


def test_untouched(folder):
    assert has_record(distribution(folder))
    assert changed_files(distribution(folder)) == {}
    assert editable_folder(distribution(folder)) == ""


def test_changed_and_missing(folder):
    (folder / "fx.py").write_text("evil")
    (folder / "fx_other.py").unlink()
    assert changed_files(distribution(folder)) == {"fx.py": "changed", "fx_other.py": "missing"}


def test_a_missing_file_is_listed_and_keeps_the_digest(folder):
    before = record_hash(distribution(folder))
    (folder / "fx_other.py").unlink()
    names = {file.name for file in listed_files(distribution(folder))}
    assert {"fx.py", "fx_other.py"} <= names
    assert record_hash(distribution(folder)) == before


def test_the_digest_is_of_the_contents(folder):
    before = record_hash(distribution(folder))
    assert before.startswith("sha256:")
    record = folder / "fx-1.0.dist-info" / "RECORD"
    installer = line(folder, "fx-1.0.dist-info/INSTALLER")
    record.write_text(f"../../bin/fx,sha256=abc,3\n{installer}{record.read_text()}")
    assert record_hash(distribution(folder)) == before, "installers add lines"
    (folder / "fx.py").write_text("other")
    record.write_text(line(folder, "fx.py") + line(folder, "fx_other.py"))
    assert record_hash(distribution(folder)) != before


def test_without_record(folder):
    (folder / "fx-1.0.dist-info" / "RECORD").unlink()
    assert not has_record(distribution(folder))
    assert record_hash(distribution(folder)) == ""
    assert not has_record(distribution(folder))


def test_a_digest_of_another_kind(folder):
    (folder / "fx-1.0.dist-info" / "RECORD").write_text("fx.py,rot13=x,1\n")
    assert changed_files(distribution(folder)) == {"fx.py": "not checked"}


def test_editable(folder):
    info = folder / "fx-1.0.dist-info"
    (info / "direct_url.json").write_text(
        '{"dir_info": {"editable": true}, "url": "file:///x%20y"}'
    )
    assert editable_folder(distribution(folder)) == "/x y"


@pytest.mark.parametrize("name", ["/dev/zero", "../../etc/passwd", "fx/../../fx.py"])
def test_files_outside_are_not_read(folder, name):
    record = folder / "fx-1.0.dist-info" / "RECORD"
    record.write_text(f"{name},sha256=abc,3\n{line(folder, 'fx.py')}")
    assert changed_files(distribution(folder)) == {}


def test_links_to_devices_count_as_missing(folder):
    (folder / "fx.py").unlink()
    (folder / "fx.py").symlink_to("/dev/zero")
    assert changed_files(distribution(folder)) == {"fx.py": "missing"}


@pytest.mark.parametrize("text", [b"a,b,c,d\n", b"\xff\n", b"fx.py,nothing,x\n"])
def test_a_damaged_record_has_nothing(folder, text):
    (folder / "fx-1.0.dist-info" / "RECORD").write_bytes(text)
    assert record_hash(distribution(folder)) == ""
    assert not has_record(distribution(folder))
