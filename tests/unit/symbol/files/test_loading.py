import json

import pytest

import opforge
from opforge import nd, np_shape, sym
from opforge.base.errors import (
    AttributeValueError,
    OperatorNotFoundError,
    OpforgeError,
    SymbolFileError,
)


def graph(*nodes, heads=None, version=10901, **rest):
    """The JSON of a graph; a node is (op, name, inputs, attributes)."""
    rows = [
        {"op": op, "name": name, "inputs": inputs, **({"attrs": attrs} if attrs else {})}
        for op, name, inputs, attrs in nodes
    ]
    if version:
        rest["attrs"] = {"mxnet_version": ["int", version]}
    heads = [[len(rows) - 1, 0, 0]] if heads is None else heads
    return json.dumps({"nodes": rows, "arg_nodes": [], "heads": heads, **rest})


X = ("null", "x", [], {})


@pytest.mark.plugins
def test_saving_and_loading_round_trips():
    data = sym.var("data", shape=(2, 4), init="ones")
    net = sym.BatchNorm(sym.FullyConnected(data, num_hidden=3, name="fc"), name="bn")
    both = sym.Group([sym.SliceChannel(net, num_outputs=3, name="s")[2], sym.exp(net) + 1])
    loaded = sym.load_json(both.tojson())
    assert loaded.tojson() == both.tojson()
    assert loaded.list_outputs() == both.list_outputs()
    assert loaded.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert loaded.infer_shape() == both.infer_shape()


def test_loaded_symbols_compute_the_same():
    a, b = sym.var("a"), sym.var("b")
    net = sym.broadcast_add(sym.exp(a) * 2, b)
    given = {"a": nd.array([[1, 2]]), "b": nd.array([[3], [4]])}
    want = net.eval(**given)[0].asnumpy()
    have = sym.load_json(net.tojson()).eval(**given)[0].asnumpy()
    assert have.tolist() == want.tolist()


@pytest.mark.plugins
def test_custom_operators_load():
    net = sym.Custom(sym.var("x"), op_type="softmax", axis=1, name="c")
    loaded = sym.load_json(net.tojson())
    assert loaded.list_attr() == {"op_type": "softmax", "axis": "1"}
    assert loaded.infer_shape(x=(2, 3))[1] == [(2, 3)]
    with pytest.raises(SymbolFileError, match="'Custom' has no op_type"):
        sym.load_json(graph(X, ("Custom", "c", [[0, 0]], {})))


def test_constants_are_known_at_once():
    loaded = sym.load_json((sym.zeros((2, 3)) + 1).tojson())
    assert loaded.infer_shape()[1] == [(2, 3)]
    assert loaded.eval()[0].shape == (2, 3)


def test_aliases_are_saved_under_the_name_of_mxnet():
    loaded = sym.load_json(graph(X, ("reshape", "r", [[0, 0, 0]], {"shape": "(2, -1)"})))
    assert json.loads(loaded.tojson())["nodes"][1]["op"] == "Reshape"


@pytest.mark.plugins
def test_files_saved_under_python_2():
    weight = ("null", "w", [], {"__shape__": "(4L, 2L, 3L, 3L)"})
    convolution = {"kernel": "(3L, 3L)", "stride": "[2L, 2L]", "num_filter": "4", "no_bias": "True"}
    nodes = (
        X,
        weight,
        ("Convolution", "c", [[0, 0, 0], [1, 0, 0]], convolution),
        ("slice", "s", [[2, 0, 0]], {"begin": "(0L, None)", "end": "(None, 3L)"}),
        ("mean", "m", [[3, 0, 0]], {"axis": "(2L, 3L)"}),
        ("Reshape", "r", [[4, 0, 0]], {"shape": "(0L, -1L, 1L)"}),
    )
    loaded = sym.load_json(graph(*nodes, version=800))
    assert loaded.infer_shape(x=(2, 2, 9, 9))[1] == [(2, 3, 1)]
    with opforge.np_shape():
        assert loaded.infer_shape(x=(2, 2, 9, 9))[1] == [(2, 3, 1)]
    assert sym.load_json(loaded.tojson()).infer_shape(x=(2, 2, 9, 9))[1] == [(2, 3, 1)]


@pytest.mark.plugins
def test_attributes_without_meaning_here_are_kept():
    attrs = {"cudnn_off": "True", "eps": "0.1", "__mood__": "calm"}
    names = ["g", "b", "m", "v"]
    nodes = [X, *(("null", n, [], {}) for n in names)]
    text = graph(*nodes, ("BatchNorm", "bn", [[i, 0, 0] for i in range(5)], attrs))
    loaded = sym.load_json(text)
    assert loaded.list_attr() == attrs
    assert loaded.list_auxiliary_states() == ["m", "v"]
    quiet = graph(X, ("sigmoid", "s", [[0, 0]], {"keep_highest": "False", "cudnn_tune": "off"}))
    assert sym.load_json(quiet).attr("keep_highest") == "False"
    with pytest.raises(AttributeValueError, match=r"node 1 \('s'\).*Cannot find argument 'keep_hi"):
        sym.load_json(quiet.replace("False", "True"))


@pytest.mark.plugins
def test_files_of_mxnet_0_8():
    """They have "param" and "attr", no states, and attributes of inputs at the operator."""
    rows = [
        {"op": "null", "param": {}, "name": n, "inputs": [], "backward_source_id": -1}
        for n in ("data", "w", "b", "g", "bt")
    ]
    rows[0]["attr"] = {"lr_mult": "3"}
    rows.insert(
        3,
        {
            "op": "FullyConnected",
            "param": {"no_bias": "False", "num_hidden": "4"},
            "name": "fc",
            "inputs": [[0, 0], [1, 0], [2, 0]],
            "attr": {"ctx_group": "s", "weight_lr_mult": "7", "wd_mult": "3"},
        },
    )
    rows.append(
        {
            "op": "BatchNorm",
            "param": {"eps": "0.001"},
            "name": "bn",
            "inputs": [[3, 0], [4, 0], [5, 0]],
        }
    )
    loaded = sym.load_json(json.dumps({"nodes": rows, "arg_nodes": [], "heads": [[6, 0]]}))
    assert loaded.list_arguments() == ["data", "w", "b", "g", "bt"]
    assert loaded.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    attributes = loaded.attr_dict()
    assert attributes["data"] == {"__lr_mult__": "3", "lr_mult": "3"}
    assert attributes["w"] == {"__lr_mult__": "7", "lr_mult": "7"}
    assert attributes["fc"] == {
        "__ctx_group__": "s",
        "ctx_group": "s",
        "__wd_mult__": "3",
        "wd_mult": "3",
        "no_bias": "False",
        "num_hidden": "4",
    }
    assert attributes["bn_moving_var"] == {"__init__": '["one", {}]', "eps": "0.001"}


def test_argmax_over_all_axes_of_mxnet_0_9():
    node = ("argmax", "am", [[0, 0]], {"axis": "-1"})
    assert sym.load_json(graph(X, node, version=904)).list_attr() == {}
    assert sym.load_json(graph(X, node, version=10000)).list_attr() == {"axis": "-1"}


def test_an_attribute_for_an_input_that_is_not_there():
    with pytest.raises(SymbolFileError, match="for its input 'weight', but takes only data"):
        sym.load_json(graph(X, ("exp", "e", [[0, 0]], {"weight_lr_mult": "2"})))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not valid JSON"),
        ("[1, 2]", "the graph is .* expected an object with 'nodes'"),
        ("{}", "'nodes' of the graph is None, expected a list"),
        ('{"nodes": []}', "'heads' of the graph is None"),
        ('{"nodes": [3], "heads": []}', "node 0 is 3, expected an object"),
        ('{"nodes": [{"name": "x"}], "heads": []}', r"'op' of node 0 \('x'\) is None"),
        (graph(X, ("exp", "e", [[7, 0]], {})), r"node 1 \('e'\) refers to node 7"),
        (graph(X, ("exp", "e", [[1, 0]], {})), "refers to node 1, expected one of the 1 before"),
        (graph(X, ("exp", "e", [[-1, 0]], {})), "refers to node -1"),
        (graph(X, ("exp", "e", [[0, 3]], {})), "output 3 of 'x', which has 1"),
        (graph(X, ("exp", "e", [[0]], {})), r"\[0\] is not an input"),
        (graph(X, ("exp", "e", ["a"], {})), "is not an input"),
        (graph(X, ("exp", "e", [[0, 0], [0, 0]], {})), "has 2 inputs, operator 'exp' takes 1"),
        (graph(X, ("exp", "e", [[0, 0]], {"a": 1})), "expected strings by name"),
        (graph(X, heads=[[5, 0, 0]]), "a head of the graph refers to node 5"),
        (
            '{"nodes": [{"op": "f", "name": "w", "inputs": [], "subgraphs": [1]}], "heads": []}',
            r"a subgraph of node 0 \('w'\) is 1, expected an object with 'nodes'",
        ),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_invalid_symbol_files_raise_with_a_reason(text, message):
    with pytest.raises(SymbolFileError, match=message):
        sym.load_json(text)


def test_errors_of_operators_name_the_node():
    with pytest.raises(OperatorNotFoundError, match=r"node 1 \('c'\) of the symbol: .*no_such_op"):
        sym.load_json(graph(X, ("no_such_op", "c", [[0, 0]], {})))
    with pytest.raises(AttributeValueError, match=r"node 1 \('f'\).*num_hidden"):
        sym.load_json(graph(X, ("FullyConnected", "f", [[0, 0]], {"num_hidden": "many"})))
    with pytest.raises(AttributeValueError, match=r"node 1 \('f'\).*num_hidden"):
        sym.load_json(graph(X, ("FullyConnected", "f", [[0, 0]], {})))


def test_a_plugin_that_is_not_there_is_named():
    from opforge.op.registry.catalogue import first_party

    assert first_party("operator")["softmax"] == "opforge-softmax"
    with pytest.raises(OpforgeError, match="no_such_op"):
        sym.load_json(graph(X, ("no_such_op", "c", [[0, 0]], {})))


def test_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        sym.load(str(tmp_path / "none.json"))
    broken = tmp_path / "broken.json"
    broken.write_bytes(b"\xff\xfe{")
    with pytest.raises(SymbolFileError, match=r"broken\.json: not valid JSON"):
        sym.load(broken)
    with pytest.raises(TypeError, match="fname need to be string, got int"):
        sym.load(3)
    with pytest.raises(TypeError, match="json_str required to be string, got bytes"):
        sym.load_json(b"{}")


def test_very_deep_graphs():
    net = sym.var("x")
    for _ in range(10_000):
        net = net + 1
    loaded = sym.load_json(net.tojson())
    assert loaded.tojson() == net.tojson()
    assert loaded.infer_shape(x=(2, 3))[1] == [(2, 3)]
    assert loaded(x=sym.var("y")).list_arguments() == ["y"]


def test_the_class_of_the_error_is_a_value_error():
    assert issubclass(SymbolFileError, ValueError)
    assert issubclass(SymbolFileError, opforge.MXNetError)


@pytest.mark.parametrize("numpy_shapes", [False, True])
def test_zeros_of_a_file_with_mxnets_shapes_are_unknown_sizes(numpy_shapes):
    weight = sym.var("weight", shape=(128, 0))
    text = sym.FullyConnected(sym.var("x", shape=()), weight, num_hidden=128).tojson()
    with np_shape(numpy_shapes):
        loaded = sym.load_json(text)
        assert loaded.infer_shape(x=(10, 784))[0] == [(10, 784), (128, 784), (128,)]
        size = -1 if numpy_shapes else 0
        assert loaded.attr_dict()["weight"]["__shape__"] == str((128, size))


def test_zeros_of_a_file_with_numpys_shapes_are_sizes():
    with np_shape(True):
        text = sym.identity(sym.var("x", shape=(0, -1))).tojson()
        assert sym.load_json(text).attr_dict()["x"]["__shape__"] == "(0, -1)"
