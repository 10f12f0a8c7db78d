"""The README lists the plugins of this repository with all that they have."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))


def test_the_table_has_a_row_for_each_plugin_and_no_other():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(opforge-\w+)` \|", text, re.MULTILINE)
    assert sorted(rows) == [path.name for path in PLUGINS]


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda path: path.name)
def test_a_row_has_the_operators_and_layers(plugin):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| `{plugin.name}` \|(.*)\|(.*)\|$", text, re.MULTILINE)
    project = tomllib.loads((plugin / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for cell, group in zip(row.groups(), ("opforge.ops", "opforge.layers"), strict=True):
        points = project["entry-points"].get(group, {})
        public = {name: value for name, value in points.items() if not name.startswith("_")}
        listed = re.findall(r"`(\w+)`", cell)
        assert set(listed) <= set(public)
        # Of an operator with several names one is enough.
        assert {public[name] for name in listed} == set(public.values())
