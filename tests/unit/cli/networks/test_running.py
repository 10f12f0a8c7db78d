import numpy as np
import pytest

from opforge import nd, sym
from opforge.base.errors import OpforgeError
from opforge.cli.networks.files import Network
from opforge.cli.networks.running import read_arrays, read_inputs, run


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.array([[1, 2]], "float32"))
    return path


def test_inputs_by_name_and_by_order(file):
    for given in ([f"a={file}", f"b={file}"], [str(file), str(file)], [f"b={file}", str(file)]):
        assert sorted(read_inputs(given, ["a", "b", "label"])) == ["a", "b"]


def test_wrong_inputs(file, tmp_path):
    with pytest.raises(OpforgeError, match=r"expected one of the inputs a"):
        read_inputs([f"z={file}"], ["a"])
    with pytest.raises(OpforgeError, match=r"expected one of the inputs a"):
        read_inputs([str(file)] * 2, ["a"])
    with pytest.raises(OpforgeError, match=r"pass --input NAME=FILE.npy for a"):
        read_inputs([], ["a", "softmax_label"])
    for path in (tmp_path / "missing.npy", tmp_path / "text.npy"):
        (tmp_path / "text.npy").write_text("text")
        with pytest.raises(OpforgeError, match="is not an array of NumPy"):
            read_inputs([str(path)], ["a"])


def test_arrays_may_be_missing(file):
    assert list(read_arrays([f"b={file}"], ["a", "b"])) == ["b"]


def test_outputs_and_layers():
    x, w, label = sym.var("x"), sym.var("w"), sym.var("label")
    net = sym.broadcast_add(sym.exp(x, name="e"), w, name="sum") + 0 * label
    network = Network(net, {"w": nd.array([[1, 2]])})
    inputs = {"x": np.zeros((1, 2), "float32")}
    (found,) = run(network, inputs).values()
    assert found.tolist() == [[2, 3]]
    layers = run(network, inputs, layers=True)
    assert layers["e_output"].tolist() == [[1, 1]] and layers["sum_output"].tolist() == [[2, 3]]
