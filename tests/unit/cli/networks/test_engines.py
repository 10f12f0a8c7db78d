import numpy as np
import pytest

from opforge import exporter, nd, sym
from opforge.cli.networks.engines import OPFORGE, Setup, import_engine
from opforge.cli.networks.files import Network, write
from opforge.native.threads import parallel

X = np.array([[1.0, 2.0]], "float32")


@pytest.fixture(autouse=True)
def _threads():
    before = parallel.get_num_threads()
    yield
    parallel.set_num_threads(before)


def make_network():
    net = sym.broadcast_add(sym.var("x"), sym.var("w"), name="sum")
    return Network(sym.Group([net, sym.exp(net)]), {"w": nd.array([[1, 2]])})


def test_a_graph_is_read_with_its_parameters(tmp_path):
    path, params = tmp_path / "net-symbol.json", tmp_path / "net-0000.params"
    write(make_network(), path, {})
    for given in (None, params):
        predict = import_engine(Setup(OPFORGE, path, given, {"x": X}, 1))()
        first, second = predict({"x": X})
        assert first.tolist() == [[2, 4]]
        np.testing.assert_allclose(second, np.exp(first), rtol=1e-6)
    assert parallel.get_num_threads() == 1


def test_files_of_other_formats(tmp_path, monkeypatch):
    class Reading(exporter.Exporter):
        program = "json"

        def load(self, path, shapes=None):
            assert shapes == {"x": (1, 2)}
            return make_network()

        def open_session(self, path, threads):
            return lambda inputs: [inputs["x"] * threads]

    monkeypatch.setitem(exporter._registry._own, "reading", Reading)
    path = tmp_path / "net.reading"
    predict = import_engine(Setup(OPFORGE, path, None, {"x": X}, 1))()
    assert predict({"x": X})[0].tolist() == [[2, 4]]
    predict = import_engine(Setup("reading", path, None, {"x": X}, 3))()
    assert predict({"x": X})[0].tolist() == [[3, 6]]
