"""Tests of discovery: metadata alone."""

import sys

from opforge.plugin.discovery import discover


def test_reads_all_groups(installed):
    installed("fx-good", "fx-no-module")
    found = discover()
    good = found["fx-good"]
    assert (good.name, good.version) == ("fx-good", "1.0")
    assert good.modules == {"good": "fx_good"}
    assert good.names("operator") == ["fx_multiply", "fx_scale", "fx_shift"]
    assert good.names("layer") == ["FxLayer"]
    assert found["fx-no-module"].modules == {}


def test_imports_nothing(installed):
    installed("fx-good", "fx-kills", "fx-import-error")
    assert {"fx-good", "fx-kills", "fx-import-error"} <= discover().keys()
    assert not [name for name in sys.modules if name.startswith("fx_")]


def test_order_does_not_depend_on_the_path(installed):
    installed("fx-rival", "fx-good")
    assert list(discover()) == sorted(discover())


def test_damaged_metadata_is_not_fatal(installed, tmp_path, monkeypatch):
    info = tmp_path / "fx_odd-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\n")
    (info / "entry_points.txt").write_text("[opforge.ops]\nfx_odd = fx_odd:Odd\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert any("fx_odd" in provider.names("operator") for provider in discover().values())
