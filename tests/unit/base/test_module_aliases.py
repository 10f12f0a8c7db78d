"""Names that plugins add to modules of opforge."""

import sys
from types import ModuleType

import pytest

from opforge.base import module_aliases
from opforge.base.errors import OperatorNotFoundError
from opforge.plugin import aliases, modules


@pytest.fixture
def module(monkeypatch):
    """Return a module of opforge without its own names, and its aliases."""
    found = {}
    monkeypatch.setattr(modules, "find_attribute", lambda path, name: found.get((path, name)))
    made = ModuleType("opforge.fx_module")
    made.__path__ = []
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made, found


def test_an_alias_is_an_attribute(module):
    made, found = module
    module_aliases.add_aliases(made.__name__)
    found["fx_module", "twice"] = lambda: 2
    assert made.twice == 2
    with pytest.raises(AttributeError, match=r"module 'opforge.fx_module' has no attribute 'once'"):
        made.once  # noqa: B018 - looking it up is the test


def test_a_missing_name_is_looked_up_again_after_a_refresh(module):
    made, found = module
    module_aliases.add_aliases(made.__name__)
    assert not hasattr(made, "late")
    found["fx_module", "late"] = lambda: 3
    assert not hasattr(made, "late")
    module_aliases.forget_missing()
    assert made.late == 3


def test_module_attributes_take_precedence(module):
    made, found = module
    made.own = 1

    def attribute(name):
        if name == "computed":
            return 3
        raise AttributeError("mine")

    made.__getattr__ = attribute
    module_aliases.add_aliases(made.__name__)
    for name in ("own", "computed", "other"):
        found["fx_module", name] = lambda: "alias"
    assert (made.own, made.computed, made.other) == (1, 3, "alias")
    with pytest.raises(AttributeError, match="mine"):
        made.missing  # noqa: B018 - looking it up is the test


def test_submodules_and_special_names_are_not_looked_up(module, tmp_path):
    made, found = module
    (tmp_path / "part.py").write_text("")
    made.__path__ = [str(tmp_path)]
    module_aliases.add_aliases(made.__name__)
    found["fx_module", "part"] = found["fx_module", "__wrapped__"] = lambda: "alias"
    assert not hasattr(made, "part")
    assert not hasattr(made, "__wrapped__")


def test_a_path_in_the_tables_may_differ(module, monkeypatch):
    made, found = module
    monkeypatch.setattr(module_aliases, "_paths", {})
    module_aliases.add_aliases(made.__name__, "gluon.fx_other")
    found["gluon.fx_other", "twice"] = lambda: 2
    assert made.twice == 2


def test_plugins_explain_missing_names(module, monkeypatch):
    made, _ = module
    module_aliases.add_aliases(made.__name__)
    reasons = {("fx_module", "absent"): "the library has it"}
    monkeypatch.setattr(aliases, "explain_missing", lambda *key: reasons.get(key))
    for _ in range(2):  # not only the first time
        with pytest.raises(
            OperatorNotFoundError, match="no attribute 'absent': the library has it"
        ):
            made.absent  # noqa: B018 - looking it up is the test
    with pytest.raises(ModuleNotFoundError, match="the library has it"):
        exec("from opforge.fx_module import absent")
    with pytest.raises(AttributeError, match=r"no attribute 'other'$"):
        made.other  # noqa: B018 - looking it up is the test
