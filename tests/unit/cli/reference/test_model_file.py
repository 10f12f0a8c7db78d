import json
import pickle
import sys

import pytest

from opforge import nd, plugin, sym
from opforge.base.errors import OpforgeError, SymbolFileError
from opforge.cli.reference.model_file import explain
from opforge.plugin import PluginState, Provider


@pytest.fixture
def file(tmp_path):
    """The graph of exp, BatchNorm and softmax twice, as saved with acme-softmax 1.4.0."""
    net = sym.softmax(sym.BatchNorm(sym.exp(sym.var("x")), name="b"))
    path = tmp_path / "net-symbol.json"
    text = sym.softmax(net).tojson()
    path.write_text(text.replace("opforge-softmax", "acme-softmax").replace("0.1.0", "0.1.4"))
    return path


def edited(file, change):
    graph = json.loads(file.read_text())
    change(graph)
    file.write_text(json.dumps(graph))
    return file


@pytest.mark.plugins
def test_explain_lists_the_needs_of_a_graph(file):
    report = explain(file)
    assert (report["kind"], report["mxnet_version"], report["nodes"]) == ("symbol", "1.9.1", 9)
    assert report["primitive"] == {"exp": 1}
    assert report["inputs"] == ["x", "b_gamma", "b_beta", "b_moving_mean", "b_moving_var"]
    norm, softmax = report["operators"]
    assert (softmax["name"], softmax["count"], softmax["state"]) == ("softmax", 2, "missing")
    assert (norm["name"], norm["version"], norm["state"]) == ("BatchNorm", "0.1.4", "drifted")
    assert norm["installed"] == "0.1.0"
    assert not report["loadable"]
    assert report["install"] == "pip install 'acme-softmax>=0.1.4'"


@pytest.mark.plugins
def test_saved_symbols_are_loadable(tmp_path):
    path = tmp_path / "net.json"
    sym.softmax(sym.var("x")).save(path)
    report = explain(path)
    assert report["loadable"]
    assert [row["state"] for row in report["operators"]] == ["ok"]


@pytest.mark.plugins
def test_a_file_without_a_bill_is_explained_by_names(file, monkeypatch):
    def forget(graph):
        del graph["attrs"]["opforge_operators"]
        graph["nodes"][-1]["op"] = "sofmax"
        graph["nodes"].append({"op": "Custom", "name": "c", "attrs": {"op_type": "tile"}})

    report = explain(edited(file, forget))
    assert not report["has_bill"]
    rows = {row["name"]: row for row in report["operators"]}
    assert rows["softmax"]["provider"] == "opforge-softmax"
    assert rows["tile"]["state"] == "ok"
    assert rows["sofmax"]["fatal"]
    assert "similar names: softmax" in rows["sofmax"]["text"]


@pytest.mark.plugins
def test_an_operator_of_a_later_version_cannot_be_loaded(file):
    def later(graph):
        graph["nodes"][6]["attrs"] = {"__operator_version__": "7"}

    row = explain(edited(file, later))["operators"][0]
    assert row["name"] == "BatchNorm"
    assert (row["state"], row["operator_version"], row["fatal"]) == ("too old", 7, True)
    assert "upgrade opforge-normalization" in row["text"]


@pytest.mark.plugins
def test_versions_of_unloaded_operators_are_read_from_source(file, monkeypatch, tmp_path):
    (tmp_path / "fx_unloaded.py").write_text("class Softmax:\n    version = 2\n1 / 0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    provides = {"operator": {"softmax": "fx_unloaded:Softmax"}, "layer": {}}
    state = PluginState(Provider("acme-softmax", "0.1.4", {"x": "fx_unloaded"}, provides))
    states = {**{s.provider.key: s for s in plugin.states()}, "acme-softmax": state}
    monkeypatch.setattr(plugin.RESOLVER, "_states", states)
    report = explain(file)
    assert report["operators"][1]["installed_operator_version"] == 2
    assert report["loadable"]
    assert "fx_unloaded" not in sys.modules


def test_arrays(tmp_path):
    path = tmp_path / "net.params"
    nd.save(path, {"arg:w": nd.ones((2, 3)), "aux:n": nd.zeros((1,), dtype="int64")})
    report = explain(path)
    assert (report["kind"], report["count"], report["bytes"]) == ("arrays", 2, 32)
    assert report["arrays"][0] == {"name": "arg:w", "shape": [2, 3], "dtype": "float32"}


class Trap:
    def __reduce__(self):
        return sys.exit, ("executed",)


def test_other_files_are_rejected_and_not_run(tmp_path):
    path = tmp_path / "net.states"
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(OpforgeError, match="nothing was executed"):
        explain(path)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        '{"nodes": [3]}',
        '{"nodes": {}}',
        '{"nodes": [], "attrs": {"opforge_operators": 1}}',
    ],
)
def test_a_damaged_graph_names_the_file(tmp_path, text):
    path = tmp_path / "net.json"
    path.write_text(text)
    with pytest.raises(SymbolFileError, match=r"net\.json"):
        explain(path)


def test_odd_nodes_are_no_crash(tmp_path):
    path = tmp_path / "net.json"
    rows = [{}, {"op": [1], "attrs": 3}, {"op": "Custom"}, {"op": "exp", "attr": {"a": 1}}]
    path.write_text(json.dumps({"nodes": rows, "attrs": []}))
    report = explain(path)
    assert not report["loadable"]
    assert report["mxnet_version"] == "before 0.9"
