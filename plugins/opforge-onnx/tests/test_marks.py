"""Operators that the import calls in place of the nodes that the export wrote for them."""

import numpy as np
import onnx
import pytest

from opforge import nd, sym
from opforge.onnx import export_model, import_model, import_to_gluon

X = np.random.default_rng(0).normal(size=(5, 2, 24)).astype("float32")


def attention(data):
    """Return self-attention of 4 heads."""
    scores = sym.contrib.interleaved_matmul_selfatt_qk(data, heads=4)
    return sym.contrib.interleaved_matmul_selfatt_valatt(data, sym.softmax(scores), heads=4)


def test_attention_is_imported_as_itself(tmp_path):
    data = sym.var("x")
    path = export_model(attention(data), {}, [X.shape], onnx_file_path=tmp_path / "m.onnx")
    imported = import_model(path)[0].tojson()
    assert imported.count('"op": "_contrib_interleaved_matmul_selfatt_') == 2
    expected = attention(data).eval(x=nd.array(X))[0].asnumpy()
    assert np.array_equal(import_to_gluon(path)(nd.array(X)).asnumpy(), expected)


def test_functions_beside_marks(tmp_path):
    """A function of the standard, Range, is inlined in a file with operators of opforge."""
    data = sym.var("x")
    rows = sym.contrib.arange_like(data, axis=0).reshape((-1, 1, 1))
    out = sym.broadcast_add(attention(data), rows)
    sizes = [("length", 2, 24)]
    path = export_model(out, {}, [X.shape], np.float32, tmp_path / "m.onnx", False, True, sizes)
    assert "Range" in {node.op_type for node in onnx.load(path).graph.node}
    found = import_to_gluon(path, shapes={"x": X.shape})(nd.array(X)).asnumpy()
    assert np.array_equal(found, out.eval(x=nd.array(X))[0].asnumpy())


@pytest.mark.parametrize("lost", ["x", "scores"])
def test_inputs_that_another_program_has_renamed(lost, tmp_path):
    """The nodes are translated if an input of the mark is gone."""
    data = sym.var("x")
    path = export_model(attention(data), {}, [X.shape], onnx_file_path=tmp_path / "m.onnx")
    model = onnx.load(path)
    softmax = next(node for node in model.graph.node if node.op_type == "Softmax")
    name = {"x": "x", "scores": softmax.output[0]}[lost]
    for node in model.graph.node:
        for names in (node.input, node.output):
            for at, item in enumerate(names):
                if item == name:
                    names[at] = "renamed"
    if lost == "x":
        model.graph.input[0].name = "renamed"
    imported = import_to_gluon(model)
    found = imported(nd.array(X)).asnumpy()
    expected = attention(data).eval(x=nd.array(X))[0].asnumpy()
    assert np.abs(found - expected).max() < 1e-5
