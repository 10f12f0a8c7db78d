"""Import of ONNX files: what was exported, forms of other exporters, and damaged files."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import opforge as mx
from opforge import autograd, gluon, nd, sym
from opforge.gluon import nn
from opforge.onnx import (
    ImportModelError,
    export_model,
    get_model_metadata,
    import_model,
    import_to_gluon,
)
from opforge.plugin_api import rules

from .cases import CASES, FIRST_OPSETS, LAST_OPSETS
from .test_operators import call, draw, ids


def evaluate(model, *arrays, shapes=None):
    """Return the outputs of an imported model as NumPy arrays."""
    symbol, params, states = import_model(model, shapes)
    names = [name for name, *_ in get_model_metadata(model)["input_tensor_data"]]
    given = {n: nd.array(a, dtype=a.dtype) for n, a in zip(names, arrays, strict=True)}
    used = {name: array for name, array in given.items() if name in symbol.list_inputs()}
    known = {**used, **params, **states}
    arguments, auxiliary = symbol.list_arguments(), symbol.list_auxiliary_states()
    bound = symbol.bind(
        mx.cpu(), {n: known[n] for n in arguments}, aux_states={n: known[n] for n in auxiliary}
    )
    return [array.asnumpy() for array in bound.forward()]


def node_model(node, inputs, outputs=("y",), weights=None, opset=21):
    """Return a model of one node."""
    infos = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for n, a in inputs.items()
    ]
    made = [numpy_helper.from_array(np.asarray(a), n) for n, a in (weights or {}).items()]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    graph = helper.make_graph([node], "g", infos, results, made)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


@pytest.mark.parametrize("opset", [13, 21])
@pytest.mark.parametrize("case", CASES, ids=ids)
def test_exported_operators_are_imported_again(case, opset, tmp_path):
    name, shapes, attributes, _ = case
    if not FIRST_OPSETS.get(name, 0) <= opset <= LAST_OPSETS.get(name, opset):
        pytest.skip("the rule needs another opset")
    arrays = draw(case, shapes)
    want = call(nd, name, *(nd.array(a, dtype=a.dtype) for a in arrays), **attributes)
    symbol = call(sym, name, *(sym.var(f"x{i}") for i in range(len(shapes))), **attributes)
    types = [array.dtype for array in arrays]
    path = export_model(symbol, {}, shapes, types, tmp_path / "m.onnx", opset=opset)
    found = evaluate(path, *arrays)
    for one, other in zip(found, want if isinstance(want, list) else [want], strict=True):
        other = other.asnumpy()
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)


FORMS = {
    "Gemm with transA and scales": (
        helper.make_node("Gemm", ["x", "w", "b"], ["y"], alpha=0.5, beta=2.0, transA=1),
        {"x": (3, 2)},
        {"w": (3, 4), "b": (4,)},
        21,
    ),
    "Gemm without bias": (
        helper.make_node("Gemm", ["x", "w"], ["y"]),
        {"x": (2, 3)},
        {"w": (3, 4)},
        21,
    ),
    "MatMul of batches": (
        helper.make_node("MatMul", ["x", "z"], ["y"]),
        {"x": (2, 3, 4), "z": (2, 4, 5)},
        {},
        21,
    ),
    "Conv with SAME_UPPER": (
        helper.make_node("Conv", ["x", "w"], ["y"], auto_pad="SAME_UPPER", strides=[2, 2]),
        {"x": (1, 2, 5, 6)},
        {"w": (3, 2, 2, 3)},
        21,
    ),
    "Conv with unequal pads": (
        helper.make_node("Conv", ["x", "w"], ["y"], pads=[0, 1, 2, 0]),
        {"x": (1, 2, 5, 6)},
        {"w": (3, 2, 2, 3)},
        21,
    ),
    "MaxPool with unequal pads": (
        helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], pads=[0, 0, 1, 1]),
        {"x": (1, 2, 5, 6)},
        {},
        21,
    ),
    "AveragePool with unequal pads": (
        helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[2, 2], pads=[0, 0, 1, 1]),
        {"x": (1, 2, 5, 6)},
        {},
        21,
    ),
    "Add with fewer dimensions": (
        helper.make_node("Add", ["x", "z"], ["y"]),
        {"x": (2, 3, 4), "z": (4,)},
        {},
        21,
    ),
    "Softmax before opset 13": (
        helper.make_node("Softmax", ["x"], ["y"], axis=1),
        {"x": (2, 3, 4)},
        {},
        11,
    ),
    "Squeeze before opset 13": (
        helper.make_node("Squeeze", ["x"], ["y"], axes=[1]),
        {"x": (2, 1, 4)},
        {},
        11,
    ),
    "Unsqueeze before opset 13": (
        helper.make_node("Unsqueeze", ["x"], ["y"], axes=[0, 2]),
        {"x": (2, 4)},
        {},
        11,
    ),
    "Slice before opset 10": (
        helper.make_node("Slice", ["x"], ["y"], axes=[1], starts=[-3], ends=[100]),
        {"x": (2, 4)},
        {},
        9,
    ),
    "Clip before opset 11": (helper.make_node("Clip", ["x"], ["y"], max=0.5), {"x": (2, 4)}, {}, 9),
    "PRelu of channels": (
        helper.make_node("PRelu", ["x", "s"], ["y"]),
        {"x": (2, 3, 4, 4)},
        {"s": (3, 1, 1)},
        21,
    ),
    "ReduceMean before opset 18": (
        helper.make_node("ReduceMean", ["x"], ["y"], axes=[-1], keepdims=0),
        {"x": (2, 3)},
        {},
        13,
    ),
    "Flatten of two axes": (
        helper.make_node("Flatten", ["x"], ["y"], axis=2),
        {"x": (2, 3, 4, 5)},
        {},
        21,
    ),
    "Split into unequal parts": (
        helper.make_node("Split", ["x"], ["y", "u", "v"], axis=1, num_outputs=3),
        {"x": (2, 7)},
        {},
        18,
    ),
    "LayerNormalization of two axes": (
        helper.make_node("LayerNormalization", ["x", "g"], ["y"], axis=1),
        {"x": (2, 3, 4)},
        {"g": (3, 4)},
        21,
    ),
    "HardSwish": (helper.make_node("HardSwish", ["x"], ["y"]), {"x": (2, 9)}, {}, 21),
    "Gelu by tanh": (
        helper.make_node("Gelu", ["x"], ["y"], approximate="tanh"),
        {"x": (2, 9)},
        {},
        21,
    ),
    "Round": (helper.make_node("Round", ["x"], ["y"]), {"x": "ties"}, {}, 21),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_other_exporters(form, run, tmp_path):
    node, shapes, weights, opset = FORMS[form]
    generator = np.random.default_rng(3)

    def draw(shape):
        if shape == "ties":
            return (np.arange(-6, 7) / 2).astype("float32")
        return generator.standard_normal(shape).astype("float32")

    inputs = {name: draw(shape) for name, shape in shapes.items()}
    given = {name: draw(shape) for name, shape in weights.items()}
    model = node_model(node, inputs, tuple(node.output), given, opset)
    onnx.save(model, tmp_path / "m.onnx")
    want = run(tmp_path / "m.onnx", *inputs.values(), check=False)
    found = evaluate(model, *inputs.values())
    assert len(found) == len(want)
    for one, other in zip(found, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_shapes_are_computed_while_the_file_is_read():
    """As PyTorch exports x.reshape(x.shape[0], -1)."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Constant", [], ["i"], value=numpy_helper.from_array(np.array(0))),
        helper.make_node("Gather", ["s", "i"], ["n"]),
        helper.make_node("Constant", [], ["a"], value=numpy_helper.from_array(np.array([0]))),
        helper.make_node("Unsqueeze", ["n", "a"], ["first"]),
        helper.make_node("Constant", [], ["m"], value=numpy_helper.from_array(np.array([-1]))),
        helper.make_node("Concat", ["first", "m"], ["target"], axis=0),
        helper.make_node("Reshape", ["x", "target"], ["y"]),
    ]
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, 4])
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    model = helper.make_model(helper.make_graph(nodes, "g", [given], [result]))
    x = np.arange(24, dtype="float32").reshape(2, 3, 4)
    with pytest.raises(ImportModelError, match=r"'y' \(Reshape\): input 'shape' .* `shapes`"):
        import_model(model)
    np.testing.assert_array_equal(evaluate(model, x, shapes={"x": (2, 3, 4)})[0], x.reshape(2, 12))


def test_an_imported_block_trains_on(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, in_channels=2), nn.BatchNorm(in_channels=4), nn.Dense(2, in_units=64))
    net.initialize()
    shapes = [(1, 2, 6, 6)]
    path = export_model(net, in_shapes=shapes, onnx_file_path=tmp_path / "m.onnx", dynamic=True)
    block = import_to_gluon(path)
    x, y = nd.random.normal(shape=(8, 2, 6, 6)), nd.array([0, 1] * 4)
    trainer = gluon.Trainer(block.collect_params(), "adam", {"learning_rate": 0.01})
    loss, losses = gluon.loss.SoftmaxCrossEntropyLoss(), []
    for _ in range(30):
        with autograd.record():
            error = loss(block(x), y)
        error.backward()
        trainer.step(8)
        losses.append(error.mean().asscalar())
    assert losses[-1] < losses[0] / 4
    again = export_model(block, in_shapes=shapes, onnx_file_path=tmp_path / "n.onnx")
    np.testing.assert_allclose(
        evaluate(again, x[:1].asnumpy())[0], block(x[:1]).asnumpy(), rtol=1e-5, atol=1e-6
    )


def test_parameters_and_states_are_apart(tmp_path):
    net = nn.BatchNorm(in_channels=3, prefix="bn_")
    net.initialize()
    path = export_model(net, in_shapes=[(2, 3)], onnx_file_path=tmp_path / "m.onnx")
    symbol, params, states = mx.contrib.onnx.import_model(path)
    assert sorted(params) == ["bn_beta", "bn_gamma"]
    assert sorted(states) == ["bn_running_mean", "bn_running_var"]
    assert set(symbol.list_inputs()) == {"data", *params, *states}
    assert mx.contrib.onnx.get_model_metadata(path) == {
        "input_tensor_data": [("data", (2, 3), TensorProto.FLOAT)],
        "output_tensor_data": [("bn_fwd_output", (2, 3))],
    }


def test_a_rule_translates_a_node_of_another_domain(monkeypatch):
    node = helper.make_node("Triple", ["x"], ["y"], domain="acme", factor=2.0)
    x = np.ones((2, 3), "float32")
    model = node_model(node, {"x": x})
    model.opset_import.append(helper.make_opsetid("acme", 1))
    with pytest.raises(ImportModelError, match=r"rules.register\('onnx_import', 'acme.Triple'\)"):
        import_model(model)

    @rules.register("onnx_import", "acme.Triple")
    def triple(node):
        return node.symbol(0) * 3 * node.attribute("factor")

    np.testing.assert_array_equal(evaluate(model, x)[0], x * 6)


@pytest.mark.parametrize("length", [0, 1, 10, 100, 1000])
def test_damaged_files_are_rejected(length, tmp_path):
    net = nn.Dense(32, in_units=32)
    net.initialize()
    path = tmp_path / "m.onnx"
    export_model(net, in_shapes=[(1, 32)], onnx_file_path=path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ImportModelError, match="import of ONNX"):
        import_model(path)


def test_bits_that_flip_never_crash(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(2, 3, in_channels=1), nn.Dense(2, in_units=8))
    net.initialize()
    path = tmp_path / "m.onnx"
    export_model(net, in_shapes=[(1, 1, 4, 4)], onnx_file_path=path)
    content, generator = path.read_bytes(), np.random.default_rng(4)
    rejected = 0
    for _ in range(300):
        damaged = bytearray(content)
        for at in generator.integers(0, len(content), 3):
            damaged[at] ^= 1 << generator.integers(0, 8)
        try:
            evaluate(bytes(damaged), np.ones((1, 1, 4, 4), "float32"))
        except (mx.base.MXNetError, ValueError, TypeError, KeyError, IndexError):
            rejected += 1
    assert rejected


def test_results_have_the_names_of_the_file(tmp_path):
    a, b = sym.var("a"), sym.var("b")
    total = sym.broadcast_add(sym.relu(a, name="first"), b, name="total")
    parts = sym.split(sym.sqrt(total, name="root"), num_outputs=2, name="parts")
    path = export_model(
        sym.Group([sym.hard_sigmoid(total, name="gate"), parts[0] * 2, parts[1]]),
        {},
        [(2, 4), (2, 4)],
        onnx_file_path=tmp_path / "net.onnx",
    )
    symbol, _, _ = import_model(path)
    names = symbol.get_internals().list_outputs()
    assert {"first_output", "total_output", "root_output", "gate_output"} <= set(names)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("units", [4, 1100])
def test_dense_layers_keep_their_weights(units, tmp_path):
    """A weight that the file transposes is the layer's, whatever its size."""
    net = nn.Dense(units, flatten=False, in_units=1000, prefix="dense_")
    net.initialize(mx.init.Xavier())
    x = nd.random.normal(shape=(2, 3, 1000))
    path = export_model(net, in_shapes=[x.shape], onnx_file_path=tmp_path / "net.onnx")
    symbol, params, _ = import_model(path)
    assert np.array_equal(params["dense_weight"].asnumpy(), net.weight.data().asnumpy())
    assert '"transpose"' not in symbol.tojson()
    (found,) = evaluate(path, x.asnumpy())
    assert np.array_equal(found, net(x).asnumpy())


def test_a_transposed_weight_that_other_nodes_read():
    weight, x = np.arange(4, dtype="float32").reshape(2, 2), np.ones((2, 2), "float32")
    model = node_model(helper.make_node("Transpose", ["w"], ["t"]), {"x": x}, weights={"w": weight})
    product = helper.make_node("MatMul", ["x", "t"], ["product"])
    model.graph.node.extend([product, helper.make_node("Add", ["product", "t"], ["y"])])
    (found,) = evaluate(model, x)
    assert np.array_equal(found, x @ weight.T + weight.T)


def test_a_missing_value_is_named():
    model = node_model(helper.make_node("Relu", ["gone"], ["y"]), {"x": np.ones(2, "float32")})
    with pytest.raises(ImportModelError, match=r"\(Relu\) reads 'gone', which nothing computes"):
        import_model(model)


def test_an_output_without_a_name():
    model = node_model(helper.make_node("Relu", ["x"], ["y"]), {"x": np.ones(2, "float32")})
    model.graph.output[0].name = ""
    with pytest.raises(ImportModelError, match="an output of a graph has no name"):
        import_model(model)


def test_wrong_names_in_shapes():
    model = node_model(helper.make_node("Relu", ["x"], ["y"]), {"x": np.ones(2, "float32")})
    with pytest.raises(ImportModelError, match=r"shapes has 'z', expected some of .*\['x'\]"):
        import_model(model, {"z": (1,)})
