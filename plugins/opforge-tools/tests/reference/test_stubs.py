import ast

import pytest
from opforge_tools.reference import stubs
from opforge_tools.reference.stubs import stub_texts

from opforge.cli.reference.declarations import Layer, Operator
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.entry import Entry


@pytest.mark.plugins
def test_every_file_is_python_and_the_package_is_partial():
    texts = stub_texts()
    assert texts.pop("opforge-stubs/py.typed") == "partial\n"
    for name, text in texts.items():
        ast.parse(text, name)
    init = texts["opforge-stubs/ndarray/__init__.pyi"]
    assert "from .op import softmax as softmax\n" in init
    assert "from opforge.ndarray.serialization import load as load\n" in init
    assert "from .op import zeros as zeros" not in init  # its own is another function


def test_hostile_names_and_texts_stay_texts(monkeypatch):
    class Hostile(OperatorProp):
        '''Ends """ and \\""" here. \\'''

        name = "hostile"
        arguments = ("a: int = __import__('os')", "b")

    found = [Operator(Entry(name, Hostile, "acme"), 1) for name in ("hostile", "a()", "class")]
    layers = [Layer("L", "acme", "1", text='x"""\nimport os\n"'), Layer("L(object)", "acme", "1")]
    monkeypatch.setattr(stubs, "installed_operators", lambda: found)
    monkeypatch.setattr(stubs, "installed_layers", lambda: layers)
    texts = stub_texts()
    (function,) = [
        node
        for node in ast.parse(texts["opforge-stubs/ndarray/op.pyi"]).body
        if isinstance(node, ast.FunctionDef)
    ]
    assert function.name == "hostile"
    assert function.args.vararg.arg == "args"
    assert ast.get_docstring(function).startswith('Ends """ and \\""" here. \\')
    tree = ast.parse(texts["opforge-stubs/gluon/nn/__init__.pyi"])
    (layer,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert ast.get_docstring(layer) == 'x"""\nimport os\n"'


def test_a_name_of_two_providers_is_checked_once_it_is_pinned(monkeypatch):
    class First(OperatorProp):
        """First."""

        name = "fx_both"

    found = [Operator(Entry("fx_both", First, provider), 1) for provider in ("acme-a", "acme-b")]
    monkeypatch.setattr(stubs, "installed_operators", lambda: found)
    page = "opforge-stubs/ndarray/op.pyi"
    assert "Provided by acme-a, acme-b: pin one of them" in stub_texts()[page]
    monkeypatch.setenv("OPFORGE_PIN", "fx_both=acme-b")
    assert "Provided by: acme-b." in stub_texts()[page]


def test_a_package_asks_itself_for_modules_by_a_dot():
    """Pyright, and editors with it, do not find ``nd`` in ``from opforge import ndarray as nd``."""
    text = stub_texts()["opforge-stubs/__init__.pyi"]
    assert "\nfrom . import ndarray as nd\n" in text
    assert "from opforge import" not in text
