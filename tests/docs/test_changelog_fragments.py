"""Fragments of the changelog have names that towncrier reads, and text."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
TYPES = [kind["directory"] for kind in SETTINGS["type"]]
NAME = re.compile(rf"(\d+|\+[\w.-]+?)\.({'|'.join(map(re.escape, TYPES))})(\.\d+)?\.md")


def test_fragments_have_valid_names_and_text():
    folder = ROOT / SETTINGS["directory"]
    paths = [path for path in folder.iterdir() if path.name not in SETTINGS["ignore"]]
    assert [path.name for path in paths if not NAME.fullmatch(path.name)] == []
    assert [path.name for path in paths if not path.read_text(encoding="utf-8").strip()] == []


def test_valid_names():
    assert NAME.fullmatch("123.fix.md") and NAME.fullmatch("+roll.plugin-api.md")
    assert not NAME.fullmatch("roll.feature.md") and not NAME.fullmatch("123.bugfix.md")


def test_the_documented_types_are_the_configured_ones():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("### Changelog")[2]
    assert sorted(re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE)) == sorted(TYPES)


def test_a_release_goes_below_the_mark():
    text = (ROOT / SETTINGS["filename"]).read_text(encoding="utf-8")
    assert text.count(SETTINGS["start_string"]) == 1
