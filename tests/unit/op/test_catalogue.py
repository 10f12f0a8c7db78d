"""The catalogue agrees with the metadata of the first-party plugins."""

import tomllib
from pathlib import Path

import pytest

from opforge.op import catalogue

PLUGINS = Path(__file__).parents[3] / "plugins"


@pytest.mark.parametrize(
    ("group", "table"),
    [("opforge.ops", catalogue.OPERATORS), ("opforge.layers", catalogue.LAYERS)],
)
def test_agrees_with_the_plugins(group, table):
    declared = {}
    for file in PLUGINS.glob("*/pyproject.toml"):
        project = tomllib.loads(file.read_text())["project"]
        for name in project["entry-points"].get(group, {}):
            if not name.startswith("_"):
                declared[name] = project["name"]
    assert table == declared
