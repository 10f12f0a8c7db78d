import sys
from types import ModuleType

import pytest
from opforge_tools.testing._battery.subjects.declared import author_options, declared_arguments

from opforge.op.registry.entry import Entry


class Empty:
    pass


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with declarations in a module of a sub-package, and a module `checks`."""
    folder = tmp_path / "declared_demo" / "inner"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("class Top: pass\n")
    (folder / "__init__.py").write_text("")
    (folder / "operators.py").write_text("class Gelu: pass\n")
    (folder.parent / "checks.py").write_text("OPERATOR_CHECKS = {'gelu': {'minimum': 3}}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in [name for name in sys.modules if name.startswith("declared_demo")]:
        del sys.modules[name]


def test_the_module_checks_of_the_package(package):
    from declared_demo import Top
    from declared_demo.inner.operators import Gelu

    assert declared_arguments(Gelu, "gelu", "OPERATOR_CHECKS") == {"minimum": 3}
    assert declared_arguments(Top, "gelu", "OPERATOR_CHECKS") == {"minimum": 3}
    assert declared_arguments(Gelu, "other", "OPERATOR_CHECKS") == {}
    assert declared_arguments(Gelu, "gelu", "LAYER_CHECKS") == {}


def own_module(monkeypatch, **names):
    module = ModuleType("declared_single")
    vars(module).update(names)
    monkeypatch.setitem(sys.modules, "declared_single", module)
    return type("Single", (), {"__module__": "declared_single"})


def test_the_declaration_s_own_module(monkeypatch):
    single = own_module(monkeypatch, LAYER_CHECKS={"Single": {"samples": [[(2,)]]}})
    assert declared_arguments(single, "Single", "LAYER_CHECKS") == {"samples": [[(2,)]]}


@pytest.mark.parametrize("table", [[], {"gelu": 3}])
def test_declarations_must_be_dictionaries(monkeypatch, table):
    single = own_module(monkeypatch, OPERATOR_CHECKS=table)
    with pytest.raises(TypeError, match=r"declared_single\.OPERATOR_CHECKS must be a dictionary"):
        declared_arguments(single, "gelu", "OPERATOR_CHECKS")


def test_arguments_override_declared_options(monkeypatch):
    rows = {"gelu": {"minimum": 3, "samples": [1]}}
    entry = Entry("gelu", own_module(monkeypatch, OPERATOR_CHECKS=rows))
    given = {"minimum": 5, "samples": None}
    assert author_options(entry, "OPERATOR_CHECKS", given) == {"minimum": 5, "samples": [1]}
    with pytest.raises(ValueError, match="has samples, expected some of minimum"):
        author_options(entry, "OPERATOR_CHECKS", {"minimum": None})


@pytest.mark.parametrize(("version", "minimum"), [(1, 1), (2, 3)])
def test_versions_of_an_operator_have_separate_options(monkeypatch, version, minimum):
    rows = {"gelu": {"minimum": 3}, "gelu@1": {"minimum": 1}}
    prop_class = own_module(monkeypatch, OPERATOR_CHECKS=rows)
    prop_class.version = version
    found = author_options(Entry("gelu", prop_class), "OPERATOR_CHECKS", {"minimum": None})
    assert found == {"minimum": minimum}
