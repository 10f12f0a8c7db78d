"""Tests of discovery, which reads metadata only."""

import sys
from types import SimpleNamespace

import pytest

from opforge.base.errors import OperatorNotFoundError
from opforge.op.registry.registry import lookup
from opforge.plugin.discovery import discover, scan


def test_reads_all_groups(installed):
    installed("fx-good", "fx-other-name")
    found = discover()
    good = found["fx-good"]
    assert (good.name, good.version) == ("fx-good", "1.0")
    assert good.modules == {"good": "fx_good"}
    assert good.names("operator") == ["fx_multiply", "fx_scale", "fx_shift"]
    assert good.names("layer") == ["FxLayer"]
    assert found["fx-other-name"].modules == {}


def test_imports_nothing(installed):
    installed("fx-good", "fx-kills", "fx-import-error")
    assert {"fx-good", "fx-kills", "fx-import-error"} <= discover().keys()
    assert not [name for name in sys.modules if name.startswith("fx_")]


def test_order_does_not_depend_on_the_path(installed):
    installed("fx-rival", "fx-good")
    assert list(discover()) == sorted(discover())


def entry_points(text):
    return {
        "entry_points.txt": text,
        "METADATA": "Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n",
    }


OPERATOR = "[opforge]\nodd = fx_odd\n[opforge.ops]\n{} = fx_odd:Odd\n"
DAMAGED = {
    "no name": (
        {"entry_points.txt": OPERATOR.format("odd"), "METADATA": "x\n"},
        "METADATA has no name",
    ),
    "no text": (entry_points("[opforge]\n\udcff"), "UnicodeDecodeError"),
    "no table": (entry_points("[opforge]\nfoo\n"), "Error"),
    "code of a terminal": (
        entry_points(OPERATOR.format("a\x1b[2Jb")),
        r"'a\x1b[2Jb' contains characters",
    ),
    "name of the core": (
        {
            "entry_points.txt": OPERATOR.format("odd"),
            "METADATA": "Metadata-Version: 2.1\nName: OpForge\nVersion: 9\n",
        },
        "a plugin cannot be named OpForge",
    ),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_metadata_are_passed_over_and_named(installed, tmp_path, monkeypatch, kind):
    files, why = DAMAGED[kind]
    info = tmp_path / "fx_odd-1.0.dist-info"
    info.mkdir()
    for name, text in files.items():
        (info / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    installed("fx-good")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "fx-good" in discover()
    assert "odd" not in discover()
    assert why in scan()[1][str(info)]
    with pytest.raises(OperatorNotFoundError, match=r"fx_odd-1\.0\.dist-info is skipped"):
        lookup("fx_nothing")


@pytest.mark.plugins
def test_the_first_of_two_versions_is_imported(installed, tmp_path, monkeypatch, write_metadata):
    write_metadata(tmp_path, "fx-good", "2.0", {"opforge": {"good": "fx_good"}})
    installed("fx-good")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert discover()["fx-good"].version == "2.0"
    assert "fx-good 1.0 is hidden by 2.0" in "".join(scan()[1].values())


@pytest.mark.plugins
def test_other_distributions_are_not_looked_at(installed, tmp_path, monkeypatch, write_metadata):
    info = write_metadata(tmp_path, "fx-other", "1.0", {"console_scripts": {"other": "other:main"}})
    (info / "METADATA").write_bytes(b"\xff")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "fx-other" not in discover()
    assert str(info) not in scan()[1]


@pytest.mark.plugins
@pytest.mark.parametrize("how", ["prompt", "module"])
def test_the_working_directory_is_not_looked_at(tmp_path, monkeypatch, how, write_metadata):
    write_metadata(tmp_path, "fx-here", "1.0", {"opforge": {"here": "fx_here"}})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["" if how == "prompt" else str(tmp_path), *sys.path])
    main = SimpleNamespace(__spec__=None if how == "prompt" else object())
    monkeypatch.setitem(sys.modules, "__main__", main)
    assert "fx-here" not in discover()
    # A folder that is also named explicitly counts.
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert "fx-here" in discover()
