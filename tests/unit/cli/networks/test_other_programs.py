import numpy as np

from opforge import exporter, nd, sym
from opforge.cli.networks.files import Network, write
from opforge.cli.networks.other_programs import run_there

NET = Network(sym.exp(sym.var("x"), name="e"), {})
X = {"x": np.zeros(2, "float32")}


def test_graphs_are_run_by_opforge(tmp_path):
    path = tmp_path / "net-symbol.json"
    write(NET, path, {})
    nd.save(str(tmp_path / "net-0000.params"), {"arg:none": nd.ones(1)})
    assert run_there(path, X)["e_output"].tolist() == [1, 1]


def test_formats_are_run_by_their_program_if_there_is_one(tmp_path, monkeypatch):
    class Reading(exporter.Exporter):
        def load(self, path, shapes=None):
            return NET

    class Running(Reading):
        def run(self, path, inputs):
            return {"e_output": inputs["x"] + 5}

    for name, klass, expected in (("reading", Reading, [1, 1]), ("running", Running, [5, 5])):
        monkeypatch.setitem(exporter._registry._own, name, klass)
        assert run_there(tmp_path / f"net.{name}", X)["e_output"].tolist() == expected
