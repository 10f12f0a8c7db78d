"""The catalogue agrees with the metadata of the first-party plugins."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from opforge import nd
from opforge.base.errors import OperatorNotFoundError
from opforge.op.registry import catalogue
from opforge.op.registry.naming import NAMESPACES

SCRIPT = Path(__file__).resolve().parents[4] / "scripts" / "first_party.py"
OUTDATED = "entry points of plugins have changed: run python scripts/first_party.py --write"


def test_the_stored_list_is_up_to_date():
    printed = subprocess.run(
        [sys.executable, SCRIPT], capture_output=True, text=True, encoding="utf-8", check=True
    )
    stored = Path(catalogue.__file__).with_name(catalogue.STORED)
    assert stored.read_text(encoding="utf-8") == printed.stdout, OUTDATED


def test_names_are_those_of_users():
    operators = catalogue.first_party("operator")
    assert operators["_contrib_box_nms"] == "opforge-detection"
    assert all(not n.startswith("_") or n.startswith(NAMESPACES) for n in operators)
    assert catalogue.first_party("command")["check"] == "opforge-tools"
    assert catalogue.first_party("nothing") == {}


@pytest.fixture
def index(tmp_path, monkeypatch):
    """Return a function that writes the file that `OPFORGE_CATALOGUE` names."""

    def write(content):
        path = tmp_path / "index.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        monkeypatch.setenv("OPFORGE_CATALOGUE", str(path))

    return write


def test_the_catalogue_index_names_distributions(index):
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
