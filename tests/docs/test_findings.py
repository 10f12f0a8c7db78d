"""Scripts in ``findings/`` have the form that its README describes; no test runs them."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "findings"
SCRIPTS = sorted(path for path in FOLDER.iterdir() if path.suffix != ".md")


def test_the_index_lists_each_script():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(.+)` \|", text, re.MULTILINE) == [path.name for path in SCRIPTS]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_pins_versions_uses_a_temporary_folder_and_can_fail(script):
    text = script.read_text(encoding="utf-8")
    assert text.startswith("#!/bin/sh\n# ") and script.suffix == ".sh"
    assert script.stat().st_mode & 0o111
    assert "set -eu\nfolder=$(mktemp -d)\ntrap 'rm -rf \"$folder\"' EXIT\n" in text
    (packages,) = re.findall(r'^"\$folder/bin/pip" install --quiet (.+)$', text, re.MULTILINE)
    assert all("==" in package for package in packages.split())
    assert "the behavior changed" in text
    assert "opforge" not in text
