"""Metadata are read as `importlib.metadata` reads them, which is used for everything unusual."""

import importlib.metadata
import subprocess
import sys
import zipfile
from types import SimpleNamespace

import pytest

from opforge.plugin.discovery import discover
from opforge.plugin.metadata_folder import MetadataFolder, distributions

METADATA = "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\nLicense: one\n two\n\nName: text\n"
POINTS = (
    "\n# a comment\n[opforge]\n acme = acme_ops:plugin \n[opforge.ops]\na=acme:A[x]\nb = c = d\n"
)


@pytest.fixture
def folder(tmp_path):
    """Return a function that writes a metadata folder and returns it."""

    def write(name="acme-1.0.dist-info", **files):
        path = tmp_path / name
        path.mkdir(exist_ok=True)
        for key, text in files.items():
            (path / {"points": "entry_points.txt", "info": "PKG-INFO"}.get(key, key)).write_bytes(
                text.encode("utf-8", "surrogateescape")
            )
        return path

    return write


def content(distribution):
    """Return the owner and entry points of a distribution, or the error of reading them."""
    try:
        metadata = distribution.metadata
        owner = [metadata.get(key) for key in ("Name", "Version")]
        points = [(point.group, point.name, point.value) for point in distribution.entry_points]
    except (ValueError, TypeError) as error:
        return type(error)
    return owner, points


def test_usual_files_are_read_here(folder, monkeypatch):
    path = folder(METADATA=METADATA, points=POINTS)
    expected = content(importlib.metadata.Distribution.at(path))
    monkeypatch.delattr(MetadataFolder, "_standard")
    assert content(MetadataFolder(str(path))) == expected
    assert expected[0] == ["acme", "1.0"] and len(expected[1]) == 3


@pytest.mark.parametrize(
    "files",
    [
        {"METADATA": "x\nName: acme\nVersion: 1.0\n"},
        {"METADATA": "name: acme\nVERSION: 1.0\n"},
        {"METADATA": "Name: acme\n\nVersion: 1.0\n"},
        {"METADATA": "Name: acme\nName: other\nVersion: 1.0\n"},
        {"METADATA": "Name: acme\n more\nVersion: 1.0 \n"},
        {"METADATA": "Name:\tacme \r\nVersion:1.0"},
        {"METADATA": "Name: acme\nVersion: \udcff\n"},
        {"METADATA": ""},
        {"info": METADATA},
        {"METADATA": METADATA, "points": "a = b\n[opforge]\nc = d"},
        {"METADATA": METADATA, "points": "[opforge]\nc\n"},
        {"METADATA": METADATA, "points": "[opforge]\n\udcff = c\n"},
        {"METADATA": METADATA, "points": "[[opforge]]\n= c\n[a\n]=b\n"},
    ],
)
def test_unusual_files_are_read_as_python_does(folder, files):
    path = folder(**files)
    expected = content(importlib.metadata.Distribution.at(path))
    assert content(MetadataFolder(str(path))) == expected


def locations(found):
    return [str(item._path) for item in found]


def test_the_distributions_of_the_environment():
    expected = importlib.metadata.distributions(path=sys.path)
    assert sorted(locations(distributions(sys.path))) == sorted(locations(expected))


def test_archives_and_eggs(folder, tmp_path):
    archive = tmp_path / "acme.whl"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("acme-1.0.dist-info/METADATA", METADATA)
    egg = folder("acme.egg")
    (egg / "EGG-INFO").mkdir()
    (egg / "EGG-INFO" / "PKG-INFO").write_text(METADATA)
    path = [str(archive), str(egg), str(tmp_path / "missing"), "a\0b", egg]
    found = [*distributions(path)]
    assert [item.metadata["Name"] for item in found] == ["acme"] * 3


def test_other_finders_are_asked(monkeypatch, folder):
    point = importlib.metadata.EntryPoint("found", "fx_found", "opforge")
    found = SimpleNamespace(
        metadata={"Name": "fx-found", "Version": "1.0"},
        entry_points=[point],
        read_text=lambda name: "opforge",
    )
    finder = SimpleNamespace(
        find_spec=lambda *args: None, find_distributions=lambda context: [found]
    )
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, finder])
    assert discover()["fx-found"].modules == {"found": "fx_found"}


@pytest.mark.plugins
def test_pythons_own_module_is_not_imported():
    code = (
        "import sys, opforge.plugin\n"
        "names = [state.provider.name for state in opforge.plugin.states()]\n"
        "assert 'opforge-sigmoid' in names, names\n"
        "assert not {'importlib.metadata', 'zipfile', 'email', 'pathlib'} & {*sys.modules}\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
