"""The catalogue agrees with the metadata of the first-party plugins."""

import json
import tomllib
from pathlib import Path

import pytest

from opforge import nd
from opforge.base.errors import OperatorNotFoundError
from opforge.op.registry import catalogue
from opforge.op.registry.kinds import KINDS
from opforge.plugin.discovery import COMMANDS

PLUGINS = Path(__file__).parents[4] / "plugins"


GROUPS = {**{kind.noun: kind.group for kind in KINDS.values()}, "command": COMMANDS}


@pytest.mark.parametrize("noun", GROUPS)
def test_agrees_with_the_plugins(noun):
    declared = {}
    for file in PLUGINS.glob("*/pyproject.toml"):
        project = tomllib.loads(file.read_text())["project"]
        for name in project["entry-points"].get(GROUPS[noun], {}):
            # nd.contrib.x and nd.image.x are operators of users too.
            if not name.startswith("_") or name.startswith(("_contrib_", "_image_")):
                declared[name] = project["name"]
    assert catalogue.FIRST_PARTY.get(noun, {}) == declared


@pytest.fixture
def index(tmp_path, monkeypatch):
    """Return a function that writes what `OPFORGE_CATALOGUE` names."""

    def write(content):
        path = tmp_path / "index.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        monkeypatch.setenv("OPFORGE_CATALOGUE", str(path))

    return write


def test_the_index_of_a_catalogue_names_what_to_install(index):
    rows = [{"distribution": "acme-gelu", "version": "1"}]
    index({"operators": {"fx_gelu": rows, "tile": rows}, "layers": {"FxGelu": rows}})
    with pytest.raises(OperatorNotFoundError, match="acme-gelu provides it: pip install acme-gelu"):
        _ = nd.fx_gelu
    with pytest.raises(OperatorNotFoundError, match=r"fx_gelu \(pip install acme-gelu\)"):
        _ = nd.fx_gelo
    assert catalogue.providers("operator")[0]["tile"] == "opforge-tile"
    assert catalogue.providers("layer")[0]["FxGelu"] == "acme-gelu"


def test_a_name_that_pip_would_take_for_something_else_is_passed_over(index):
    index({"operators": {"fx_gelu": [{"distribution": "--index-url=evil"}]}})
    assert "fx_gelu" not in catalogue.providers("operator")[0]


@pytest.mark.parametrize("content", ["{", "[]", {"operators": []}, {"operators": {"a": [1]}}])
def test_an_index_that_cannot_be_read_is_said(index, content):
    index(content)
    with pytest.raises(OperatorNotFoundError, match=r"OPFORGE_CATALOGUE=.* cannot be read"):
        _ = nd.fx_gelu
