"""Symbol files of programs with mx.np, as MXNet 1.9.1 writes them, give MXNet's results.

mxnet_nodes.json has a symbol for each operator, its inputs, and the outputs that MXNet computed;
those of random operators have only types and shapes. tests/oracle compares it with MXNet itself.
"""

import json
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pytest
from opforge_numpy.arrays import adopt
from opforge_numpy.symbols.saved_nodes import read

import opforge as mx
from opforge import autograd, gluon, nd, sym
from opforge.base.errors import AttributeValueError, OperatorNotFoundError

ROWS = json.loads(Path(__file__).with_name("mxnet_nodes.json").read_text(encoding="utf-8"))
#: Operators whose calls fail in MXNet.
UNSEEN = {"_npi_pinv"}


def array(dtype, shape, values):
    return np.array(values, dtype).reshape(shape)


def block_of(row):
    symbol = sym.load_json(json.dumps(row["graph"]))
    names = symbol.list_arguments()
    given = {f"x{at}": array(*values) for at, values in enumerate(row["inputs"])}
    inputs = [adopt(nd.array(given[name], dtype=given[name].dtype)) for name in names]
    return gluon.SymbolBlock(symbol, [sym.var(name) for name in names]), inputs


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_results_are_mxnets(row):
    block, inputs = block_of(row)
    found = block(*inputs)
    found = found if isinstance(found, list | tuple) else [found]
    assert len(found) == len(row["outputs"])
    for result, (dtype, shape, values) in zip(found, row["outputs"], strict=True):
        assert result.shape == tuple(shape)
        assert np.dtype(result.dtype) == dtype
        if values:
            expected = array(dtype, shape, values)
            np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_every_rule_is_tested():
    names = {
        entry.name.removeprefix("read:")
        for entry in distribution("opforge-numpy").entry_points
        if entry.name.startswith("read:")
    }
    seen = {node["op"] for row in ROWS for node in row["graph"]["nodes"]}
    assert names - seen == UNSEEN


@pytest.mark.parametrize(
    ("operator", "attributes", "count", "inputs", "expected"),
    [
        ("_npi_insert_scalar", {"int_ind": "1", "val": "5", "axis": "0"}, 1, [[1, 2]], [1, 5, 2]),
        ("_npi_insert_scalar", {"int_ind": "0", "axis": "0"}, 2, [[1, 2], [7]], [7, 1, 2]),
        ("_npi_pinv", {"hermitian": "False"}, 2, [[[2, 0], [0, 4]], 0.01], [[0.5, 0], [0, 0.25]]),
    ],
)
def test_nodes_that_mxnet_does_not_compute(operator, attributes, count, inputs, expected):
    name, found = read(operator, attributes, count)
    arrays = [adopt(nd.array(np.array(values, "float32"))) for values in inputs]
    result = getattr(nd._internal, name)(*arrays, **found)
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-6)


def test_gradients_flow_through_loaded_graphs():
    row = next(row for row in ROWS if row["name"] == "ops")
    block, inputs = block_of(row)
    for x in inputs:
        x.attach_grad()
    with autograd.record():
        y = block(*inputs)
    y.backward()
    x, z = (mx.np.array(one.asnumpy()) for one in inputs)
    x.attach_grad()
    with autograd.record():
        same = ((x + z) * (2 - x) / (z + 1)) ** 2 - x % z + (-x)
    same.backward()
    np.testing.assert_allclose(inputs[0].grad.asnumpy(), x.grad.asnumpy(), rtol=1e-5)


def test_loaded_graphs_are_saved_and_loaded_again():
    row = next(row for row in ROWS if row["name"] == "split")
    block, inputs = block_of(row)
    symbol = sym.load_json(sym.load_json(json.dumps(row["graph"])).tojson())
    again = gluon.SymbolBlock(symbol, [sym.var("x0")])
    for found, expected in zip(again(*inputs), block(*inputs), strict=True):
        assert (found.asnumpy() == expected.asnumpy()).all()


def node(operator, attributes):
    nodes = [
        {"op": "null", "name": "x", "inputs": []},
        {"op": operator, "name": "y", "attrs": attributes, "inputs": [[0, 0, 0]]},
    ]
    return json.dumps({"nodes": nodes, "arg_nodes": [0], "heads": [[1, 0, 0]]})


def test_wrong_attributes_name_the_node():
    with pytest.raises(AttributeValueError, match=r"node 1 \('y'\).*'_np_sum'.*shape.*np\.sum"):
        sym.load_json(node("_np_sum", {"shape": "3"}))
    with pytest.raises(OperatorNotFoundError, match="_npi_unheard"):
        sym.load_json(node("_npi_unheard", {}))


@pytest.mark.parametrize(
    ("operator", "attributes"),
    [
        ("_npi_hsplit", {}),
        ("_npi_where_rscalar", {}),
        ("_npi_identity", {"shape": "3"}),
        ("_npi_eye", {"N": "1000000", "M": "1000000"}),
        ("_npi_hanning", {"M": "10000000000000"}),
        ("_npi_indices", {"dimensions": "(100000, 100000)"}),
        ("_npi_logspace", {"num": "many"}),
        ("_npi_pad", {"mode": "constant"}),
        ("_npi_add_scalar", {"scalar": "(" * 1000}),
    ],
)
def test_damaged_nodes_are_rejected(operator, attributes):
    with pytest.raises(AttributeValueError, match=f"node 1 .*{operator}"):
        sym.load_json(node(operator, attributes))
