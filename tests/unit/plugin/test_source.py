"""Tests of declarations read from source text."""

import sys
import textwrap

import pytest

from opforge.plugin.source import find_class, read_contribution, read_declaration


def test_reads_a_class_and_its_base(installed):
    installed("fx-good")
    found = read_declaration("fx_good:Shift", "fx_shift")
    assert found.problem == ""
    assert found.doc_line == "Add an offset to data."
    assert found.fields["arguments"] == ("data", "offset")
    (factor,) = found.attributes.values()
    assert factor.text == "float, optional, default=2.0, factor > 0"
    assert factor.doc == "The factor."
    assert factor.attribute.default == 2.0
    assert found.file.endswith("fx_good.py")
    assert "fx_good" not in sys.modules


def test_finds_the_class_by_its_operator_name(installed):
    installed("fx-good")
    assert read_declaration("fx_good", "fx_shift").doc_line == "Add an offset to data."


def test_says_why_nothing_was_read(installed):
    installed("fx-syntax", "fx-good", "fx-no-source")
    assert "SyntaxError" in read_declaration("fx_syntax:Torn", "fx_torn").problem
    assert "was not found" in read_declaration("fx_no_source:Nowhere", "x").problem
    assert "no class Missing" in read_declaration("fx_good:Missing", "missing").problem


def test_follows_relative_imports(tmp_path, monkeypatch):
    package = tmp_path / "fx_package"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (package / "base.py").write_text("class Base:\n    arguments = ('a', 'b')\n")
    (package / "ops.py").write_text(
        "from .base import Base as Common\nclass Op(Common):\n    '''Do it.'''\n    name = 'op'\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = read_declaration("fx_package.ops:Op", "op")
    assert found.fields == {"arguments": ("a", "b")}
    assert found.doc_line == "Do it."


def test_a_value_takes_an_attribute_of_a_base_away(tmp_path, monkeypatch):
    text = """
    class Base:
        axis = Attribute(int, default=1, doc="An axis.")
        eps = Attribute(float, default=0.5, doc="Added.")


    class Derived(Base):
        axis = 1
    """
    (tmp_path / "fx_derived.py").write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(tmp_path)
    found = read_declaration("fx_derived:Derived", "fx_derived")
    assert list(found.attributes) == ["eps"]


def test_element_types_of_bases_in_opforge_and_computed_ones(tmp_path, monkeypatch):
    text = """
    class Native(native.NativeOperator):
        dtypes = ("floating",)


    class Mean(Floating, Native):
        argument_dtypes = dict(index=("any",))
    """
    (tmp_path / "fx_types.py").write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(str(tmp_path))
    found = read_declaration("fx_types:Mean", "mean")
    assert found.fields == {"dtypes": ("floating",), "numpy_types_only": True}
    assert found.computed == {"argument_dtypes"}


def test_folders_replace_the_search_path(tmp_path):
    (tmp_path / "fx_elsewhere.py").write_text("class Op:\n    arguments = ('a',)\n")
    value = "fx_elsewhere:Op"
    assert "was not found" in read_declaration(value, "op").problem
    places = (str(tmp_path),)
    assert read_declaration(value, "op", places).fields == {"arguments": ("a",)}
    assert find_class(value, "op", places).lineage[0].name == "Op"


HEADS = """
x = 1
"No docstring: it does not stand first."


def net(classes):
    'Return a network.'
    layers = [classes]
    return layers


class Layer:
    def __init__(self, units, *, act=None):
        self.units = units
        self.act = act

    "No docstring either."
"""


def test_heads_and_docstrings_of_functions_are_kept_and_no_more(tmp_path):
    (tmp_path / "fx_heads.py").write_text(HEADS)
    places = (str(tmp_path),)
    assert read_contribution("module", "fx_heads", "fx_heads", places).doc == ""
    assert read_declaration("fx_heads:net", "net", places).doc == "Return a network."
    assert read_declaration("fx_heads:Layer", "Layer", places).doc == ""
    (node,) = find_class("fx_heads:Layer", "Layer", places).lineage
    maker = node.body[0]
    assert [arg.arg for arg in (*maker.args.args, *maker.args.kwonlyargs)] == [
        "self",
        "units",
        "act",
    ]
    assert len(maker.body) == 1, "what functions do is not kept"


@pytest.mark.parametrize("text", ["x = " + "(" * 5000, "x = " + "-" * 200_000 + "1", "\0"])
def test_hostile_source_is_a_problem_and_no_crash(tmp_path, text):
    (tmp_path / "fx_hostile.py").write_text(text)
    assert read_declaration("fx_hostile:Op", "op", (str(tmp_path),)).problem


def test_results_of_calls_and_modules_without_files_are_found(tmp_path, monkeypatch):
    package = tmp_path / "fx_made"
    package.mkdir()
    (package / "__init__.py").write_text('"""Creates modules."""\n')
    (package / "models.py").write_text("def preset(*a): ...\n\nnet18 = preset(1, 'Net-18', 18)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = read_declaration("fx_made.models:net18", "net18")
    assert (found.problem, found.line, found.doc) == ("", 3, "Net-18")
    module = read_contribution("module", "fx_made.parts", "parts")
    assert (module.problem, module.doc) == ("", "Creates modules.")
    assert "was not found" in read_contribution("module", "fx_nowhere.parts", "parts").problem
