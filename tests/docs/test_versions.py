"""Version switcher of the documentation: the list of versions, and the setting that adds it."""

import importlib.util
import json
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = "https://example.org/opforge/"


@pytest.fixture(scope="module")
def script():
    path = ROOT / "scripts" / "docs_versions.py"
    spec = importlib.util.spec_from_file_location("docs_versions", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_newest_release_is_offered_first(script, tmp_path):
    for version in ("0.9.0", "0.10.0", "0.11.0rc1", "0.10.0"):
        script.add_version(tmp_path / "site", version, ADDRESS)
    listed = json.loads((tmp_path / "site" / "versions.json").read_text())
    assert [entry["version"] for entry in listed] == ["0.11.0rc1", "0.10.0", "0.9.0"]
    assert [entry["version"] for entry in listed if entry["preferred"]] == ["0.10.0"]
    assert listed[1]["url"] == "https://example.org/opforge/0.10.0/"
    lead = (tmp_path / "site" / "index.html").read_text()
    assert "url=https://example.org/opforge/0.10.0/" in lead


def test_a_candidate_is_offered_before_the_first_release(script, tmp_path):
    script.add_version(tmp_path, "0.1.0rc1", ADDRESS)
    (entry,) = json.loads((tmp_path / "versions.json").read_text())
    assert entry["preferred"]


@pytest.mark.parametrize("address", ["", f"{ADDRESS}versions.json"])
def test_pages_have_the_switcher_if_the_list_has_an_address(monkeypatch, address):
    monkeypatch.setenv("DOCS_VERSIONS", address)
    monkeypatch.setattr("sys.path", list(sys.path))  # which the configuration adds to
    found = runpy.run_path(str(ROOT / "docs" / "conf.py"))
    options = found["html_theme_options"]
    assert ("version-switcher" in options.get("navbar_start", ())) == bool(address)
    assert ("switcher" in options) == bool(address)
    if address:
        assert options["switcher"] == {"json_url": address, "version_match": found["version"]}
