from opforge_tools.testing._isolation import isolated

from opforge import nd, plugin, sym
from opforge.base.version import VERSION
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry
from opforge.op.registry.entry import CORE, Entry
from opforge.op.registry.table import TABLES


class Own(OperatorProp):
    """Give ones, in the place of whatever has the name."""

    name = "sigmoid"

    def compose(self, F, data):
        return F.ones_like(data)


def test_registrations_and_functions_are_undone():
    add = nd.add
    with isolated():
        registry.register_operator(type("Own", (Own,), {"name": "isolated_own"}), "acme")
        assert nd.isolated_own(nd.zeros(2)).asnumpy().tolist() == [1, 1]
        sym.isolated_own(sym.var("x"))
    assert "isolated_own" not in registry.names()
    assert "isolated_own" not in vars(nd) and "isolated_own" not in vars(sym)
    assert nd.add is add


def test_primitive_operators_stay_if_they_are_first_used_inside(monkeypatch):
    monkeypatch.setattr(registry.OPERATORS, "_table", {})
    with isolated():
        assert "exp" in registry.names()
    assert "exp" in registry.names()


def test_metrics_stay_if_their_module_is_first_imported_inside(monkeypatch):
    metrics = TABLES["metric"]
    monkeypatch.setattr(metrics, "_table", {})
    with isolated():
        metrics.add(Entry("acc", Own, CORE, VERSION, "std"))
        metrics.add(Entry("f2", Own, "acme", "1.0", "plugin"))
    assert "acc" in metrics.names()
    assert "f2" not in metrics.names()


def test_isolation_keeps_only_selected_providers(monkeypatch):
    before = [state.state for state in plugin.states()]
    monkeypatch.setenv("OPFORGE_PLUGINS", "none")
    with isolated(lambda entry: entry.kind != "plugin"):
        registry.register_operator(Own, "acme", "1.0", "plugin")
        assert {state.state for state in plugin.states()} <= {"disabled"}
        assert nd.sigmoid(nd.zeros(2)).asnumpy().tolist() == [1, 1]
    assert "sigmoid" not in vars(nd), "whoever asks next is told who provides it now"
    assert "acme" not in registry.OPERATORS.providers("sigmoid")
    assert [state.state for state in plugin.states()] == before


def test_loading_is_undone_too():
    states = {state.provider.key: state for state in plugin.states()}
    unloaded = next((s for s in states.values() if s.state == "not loaded"), None)
    with isolated():
        for state in plugin.states():
            state.state = "failed"
    assert unloaded is None or unloaded.state == "not loaded"
