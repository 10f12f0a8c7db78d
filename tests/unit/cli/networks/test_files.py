import pytest

from opforge import exporter, nd, sym
from opforge.base.errors import OpforgeError
from opforge.cli.networks.files import Network, exporter_of, read, write


def make_network():
    net = sym.broadcast_add(sym.exp(sym.var("x")), sym.var("w"), name="sum")
    return Network(net, {"w": nd.array([[1, 2]])})


def test_a_graph_is_written_with_its_parameters_and_read(tmp_path):
    path = tmp_path / "net-symbol.json"
    assert [file.name for file in write(make_network(), path, {})] == [path.name, "net-0000.params"]
    found = read(path)
    assert found.inputs == ["x"]
    assert found.params["w"].asnumpy().tolist() == [[1, 2]]
    assert sorted(nd.load(str(tmp_path / "net-0000.params"))) == ["arg:w"]


def test_a_graph_without_parameters(tmp_path):
    path = tmp_path / "net-symbol.json"
    write(Network(sym.exp(sym.var("x")), {}), path, {})
    assert read(path).params == {}


@pytest.mark.parametrize("suffix", [".params", ".safetensors"])
def test_parameters_alone(suffix, tmp_path):
    path = tmp_path / f"weights{suffix}"
    assert write(make_network(), path, {}) == [path]
    assert list(nd.load(str(path))) == ["w"]


def test_parameters_must_be_clear(tmp_path):
    path = tmp_path / "net-symbol.json"
    write(make_network(), path, {})
    (tmp_path / "net-0001.params").write_bytes((tmp_path / "net-0000.params").read_bytes())
    with pytest.raises(
        OpforgeError, match=r"found net-0000.params, net-0001.params; pass --params"
    ):
        read(path)
    assert read(path, tmp_path / "net-0001.params").inputs == ["x"]
    for file in tmp_path.glob("*.params"):
        file.unlink()
    with pytest.raises(OpforgeError, match="found none"):
        read(path)


def test_parameters_need_names(tmp_path):
    path = tmp_path / "net-symbol.json"
    write(make_network(), path, {})
    nd.save(str(tmp_path / "net-0000.params"), [nd.ones(1)])
    with pytest.raises(OpforgeError, match="has arrays without names"):
        read(path)


def test_a_graph_has_the_usual_name(tmp_path):
    with pytest.raises(OpforgeError, match=r"net.json: a graph is written to prefix-symbol.json"):
        write(make_network(), tmp_path / "net.json", {})


def test_formats_belong_to_exporters(tmp_path, monkeypatch):
    class Listing(exporter.Exporter):
        def __init__(self, shapes=()):
            self.shapes = shapes

        def export(self, symbol, params, path):
            path.write_text(f"{symbol.list_outputs()} {list(params)} {self.shapes}")

    monkeypatch.setitem(exporter._registry._own, "listing", Listing)
    path = tmp_path / "net.listing"
    write(make_network(), path, {"x": (2, 2)})
    assert path.read_text() == "['sum_output'] ['w'] [(2, 2)]"
    with pytest.raises(OpforgeError, match=r"Listing cannot read .*: it only writes files"):
        read(path)
    with pytest.raises(OpforgeError, match="Listing has no program to run"):
        exporter_of(path).run(path, {})


@pytest.mark.parametrize("name", ["net.acme", "net"])
def test_unknown_formats(name, tmp_path):
    with pytest.raises(OpforgeError, match=r"no format .*; pass prefix-symbol.json"):
        write(make_network(), tmp_path / name, {})
