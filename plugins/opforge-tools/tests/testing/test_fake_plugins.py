import importlib
import sys

import pytest

from opforge import gluon, nd, plugin
from opforge.base.errors import OperatorNotFoundError
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry


class Ninefold(OperatorProp):
    """Multiply by nine."""

    name = "ninefold"

    def compose(self, F, data):
        return data * 9


class Nine(gluon.HybridBlock):
    """Multiply by nine."""

    def hybrid_forward(self, F, x):
        return F.ninefold(x)


SOURCE = '''
from opforge.plugin_api import OperatorProp, hookimpl

class Treble(OperatorProp):
    """Multiply by three."""
    name = "treble_of_fake"
    def compose(self, F, data):
        return data * 3

@hookimpl
def opforge_operators():
    return [Treble]
'''


def test_classes_become_a_distribution(opforge_plugins):
    opforge_plugins.install("acme-nine", operators=[Ninefold], layers=[Nine], version="2.1")
    assert nd.ninefold(nd.ones(2)).asnumpy().tolist() == [9, 9]
    assert gluon.nn.Nine()(nd.ones(2)).asnumpy().tolist() == [9, 9]
    assert registry.lookup("ninefold").provider_text == "acme-nine 2.1"
    (state,) = [state for state in plugin.states() if state.state == "loaded"]
    assert not state.problems
    opforge_plugins.close()
    with pytest.raises(OperatorNotFoundError):
        registry.lookup("ninefold")
    assert "ninefold" not in vars(nd)


def test_files_are_imported_when_they_are_used(opforge_plugins):
    place = opforge_plugins.install(
        "acme-treble",
        operators={"treble_of_fake": "acme_treble:Treble"},
        files={"acme_treble.py": SOURCE, "data/table.txt": "1"},
    )
    assert (place / "data" / "table.txt").read_text() == "1"
    assert "acme_treble" not in sys.modules
    assert nd.treble_of_fake(nd.ones(1)).asscalar() == 3
    opforge_plugins.close()
    assert "acme_treble" not in sys.modules


def test_only_those_asked_for_are_seen(opforge_plugins):
    opforge_plugins.only()
    assert {state.state for state in plugin.states()} <= {"disabled"}
    opforge_plugins.install("acme-nine", operators=[Ninefold])
    enabled = [s.provider.name for s in plugin.states() if s.state != "disabled"]
    assert enabled == ["acme-nine"]
    opforge_plugins.only("opforge-sigmoid")
    enabled = [s.provider.name for s in plugin.states() if s.state != "disabled"]
    assert set(enabled) - {"opforge-sigmoid"} == {"acme-nine"}
    assert importlib.import_module("acme_nine").Ninefold is Ninefold
