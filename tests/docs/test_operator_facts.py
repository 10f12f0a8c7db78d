"""Pages of operators have plots and costs in addition to the text of their declarations."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest

from opforge.cli.reference.declarations import installed_operators
from opforge.op.registry.naming import public_name
from opforge.op.registry.registry import lookup

pytestmark = pytest.mark.plugins
DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = "# {}\n\nText.\n\n## Inputs\n\nOne.\n\n## Versions\n\nFirst.\n"


@pytest.fixture(scope="module")
def extension():
    path = DOCS / "_extensions" / "operator_facts.py"
    spec = importlib.util.spec_from_file_location("operator_facts", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def facts(extension, tmp_path):
    """Return a function that gives a page of an operator with its facts."""
    made = extension.Facts(SimpleNamespace(srcdir=tmp_path))
    (tmp_path / "reference/operators/some/operators").mkdir(parents=True)

    def page(name, text=PAGE):
        source = [text.format(name)]
        made.add(f"reference/operators/some/operators/{name}", source)
        return source[0]

    return page


def test_activations_are_drawn(facts, tmp_path):
    assert facts("sigmoid").startswith(
        "# sigmoid\n\nText.\n\n![sigmoid and its slope from -4 to 4](sigmoid.svg)\n\n## Inputs\n"
    )
    picture = tmp_path / "reference/operators/some/operators/sigmoid.svg"
    assert "sigmoid, slope" in picture.read_text(encoding="utf-8")
    facts("LeakyReLU")
    picture = tmp_path / "reference/operators/some/operators/LeakyReLU.svg"
    assert "selu, slope" in picture.read_text(encoding="utf-8")
    assert "![" not in facts("softmax") and "![" not in facts("dot")


def test_costs_come_before_the_versions(facts):
    before, _, after = facts("softmax").partition("## Cost\n")
    assert "## Inputs\n\nOne.\n" in before
    assert "For the gradient it keeps its outputs." in after
    assert "| softmax, 64x10, fresh output |" in after
    assert after.endswith("\n\n## Versions\n\nFirst.\n")


def test_other_pages_do_not_change(extension, tmp_path):
    source = ["# Tutorials\n"]
    extension.Facts(SimpleNamespace(srcdir=tmp_path)).add("tutorials/index", source)
    assert source == ["# Tutorials\n"]


def test_every_operator_that_programs_call_has_a_cost(extension):
    without = [
        operator.name
        for operator in installed_operators()
        if not public_name(operator.name).startswith("_")
        and not list(extension.told_costs(lookup(operator.name).prop_class))
    ]
    assert without == []
