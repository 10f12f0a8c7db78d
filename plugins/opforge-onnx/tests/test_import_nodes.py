"""Nodes of other exporters, beside ONNX Runtime."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import opforge as mx
from opforge import autograd, nd
from opforge.onnx import ImportModelError, import_model, import_to_gluon

from .test_import import evaluate, node_model

F = TensorProto.FLOAT
I4 = np.array([2, 0, 3, 1])


def numbers(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def resize(sizes, mode="linear", transform="half_pixel", **attributes):
    node = helper.make_node(
        "Resize",
        ["x", "", "", "sizes"],
        ["y"],
        mode=mode,
        coordinate_transformation_mode=transform,
        **attributes,
    )
    return node, {"x": numbers((1, 2, 5, 6))}, {"sizes": np.array([1, 2, *sizes])}


def layer(kind, gates, **attributes):
    """Return a recurrent layer of 3 inputs and 2 units; sequences of 4 steps, a batch of 2."""
    count = 2 if attributes.get("direction") == "bidirectional" else 1
    names = ["y", "h", "c"] if kind == "LSTM" else ["y", "h"]
    node = helper.make_node(kind, ["x", "w", "r", "b"], names, hidden_size=2, **attributes)
    weights = {
        "w": numbers((count, gates * 2, 3), 1),
        "r": numbers((count, gates * 2, 2), 2),
        "b": numbers((count, gates * 4), 3),
    }
    return node, {"x": numbers((4, 2, 3))}, weights


def scatter(kind, indices, updates, **attributes):
    node = helper.make_node(kind, ["x", "i", "u"], ["y"], **attributes)
    return node, {"x": numbers((4, 3)), "i": np.array(indices), "u": numbers(updates, 5)}, {}


def pool(kind, **attributes):
    node = helper.make_node(kind, ["x"], ["y"], kernel_shape=[2, 3], **attributes)
    return node, {"x": numbers((1, 2, 7, 8))}, {}


def grid_sample(mode, padding, corners):
    node = helper.make_node(
        "GridSample", ["x", "g"], ["y"], mode=mode, padding_mode=padding, align_corners=corners
    )
    return node, {"x": numbers((2, 3, 4, 5)), "g": numbers((2, 3, 2, 2), 4) * 0.8}, {}


def quantized(kind, *inputs, **attributes):
    names = [f"i{at}" for at in range(len(inputs))]
    given = dict(zip(names, map(np.asarray, inputs), strict=True))
    node = helper.make_node(kind, names, ["y"], **attributes)
    return node, {"i0": given.pop("i0")}, given


BYTES = np.arange(24, dtype="uint8").reshape(2, 3, 4) * 9
NODES = {
    **{
        f"Resize {mode} {transform} to {sizes}": resize(sizes, mode, transform)
        for mode in ("nearest", "linear", "cubic")
        for transform in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
        for sizes in ((10, 12), (3, 4), (5, 9))
    },
    **{
        f"Resize nearest by {rule}": resize((7, 9), "nearest", nearest_mode=rule)
        for rule in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")
    },
    "Resize with antialias": resize((3, 4), antialias=1),
    "Resize cubic with antialias": resize((3, 4), "cubic", antialias=1),
    "Resize without what is outside": resize((10, 12), "cubic", exclude_outside=1),
    "Resize a region": (
        helper.make_node(
            "Resize",
            ["x", "roi", "", "sizes"],
            ["y"],
            mode="linear",
            coordinate_transformation_mode="tf_crop_and_resize",
            extrapolation_value=7.0,
        ),
        {"x": numbers((1, 1, 4, 4))},
        {
            "roi": np.array([0, 0, 0.4, 0.6, 1, 1, 1.2, 1.7], "float32"),
            "sizes": np.array([1, 1, 3, 3]),
        },
    ),
    **{
        f"GridSample {mode} {padding} {corners}": grid_sample(mode, padding, corners)
        for mode in ("linear", "nearest", "cubic")
        for padding in ("zeros", "border", "reflection")
        for corners in (0, 1)
    },
    "LSTM backward": layer("LSTM", 4, direction="reverse"),
    "LSTM with clipped gates": layer("LSTM", 4, clip=0.3),
    "LSTM with other activations": layer(
        "LSTM", 4, activations=["HardSigmoid", "Relu", "Softsign"]
    ),
    "GRU that resets first": layer("GRU", 3, direction="bidirectional"),
    "GRU backward": layer("GRU", 3, direction="reverse", linear_before_reset=1),
    "RNN with Elu": layer("RNN", 1, activations=["Elu"], activation_alpha=[0.7]),
    "LSTM with peepholes": (
        helper.make_node(
            "LSTM", ["x", "w", "r", "", "n", "", "", "p"], ["y", "h", "c"], hidden_size=2
        ),
        {"x": numbers((4, 2, 3))},
        {
            "w": numbers((1, 8, 3), 1),
            "r": numbers((1, 8, 2), 2),
            "n": np.array([4, 2], "int32"),
            "p": numbers((1, 6), 3),
        },
    ),
    "ScatterElements": scatter("ScatterElements", [[1, -1, 0]], (1, 3)),
    "ScatterElements along 1": scatter("ScatterElements", [[1], [0], [2]], (3, 1), axis=1),
    **{
        f"ScatterElements {kind}": scatter(
            "ScatterElements", [[1, 1, 0], [1, 2, 0]], (2, 3), reduction=kind
        )
        for kind in ("add", "mul", "max", "min")
    },
    "ScatterND of rows": scatter("ScatterND", [[3], [-4]], (2, 3)),
    "ScatterND of elements": scatter("ScatterND", [[3, 1], [0, 2]], (2,)),
    "ScatterND add": scatter("ScatterND", [[3], [3]], (2, 3), reduction="add"),
    "MaxPool with dilations": pool("MaxPool", dilations=[2, 1]),
    "MaxPool in ceil_mode": pool("MaxPool", strides=[2, 2], ceil_mode=1, pads=[0, 1, 0, 1]),
    "AveragePool with dilations": pool("AveragePool", dilations=[2, 2], pads=[1, 0, 0, 2]),
    "AveragePool in ceil_mode": pool("AveragePool", strides=[2, 3], ceil_mode=1),
    "AveragePool with counted pads": pool("AveragePool", pads=[1, 0, 0, 1], count_include_pad=1),
    "LpPool of order 3": pool("LpPool", p=3),
    "MaxPool with indices": (
        helper.make_node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2, 2], strides=[2, 2]),
        {"x": numbers((2, 2, 4, 6))},
        {},
    ),
    "MaxPool of bytes": (
        helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2], pads=[1, 0]),
        {"x": BYTES},
        {},
    ),
    "ConvTranspose with output_shape": (
        helper.make_node("ConvTranspose", ["x", "w", "b"], ["y"], strides=[2], output_shape=[10]),
        {"x": numbers((1, 2, 4))},
        {"w": numbers((2, 3, 3)), "b": numbers(3)},
    ),
    "ConvTranspose with auto_pad": (
        helper.make_node("ConvTranspose", ["x", "w"], ["y"], strides=[2], auto_pad="SAME_UPPER"),
        {"x": numbers((1, 2, 4))},
        {"w": numbers((2, 3, 3))},
    ),
    "LayerNormalization with statistics": (
        helper.make_node("LayerNormalization", ["x", "w"], ["y", "m", "d"], axis=1),
        {"x": numbers((2, 3, 4))},
        {"w": numbers((3, 4))},
    ),
    "DepthToSpace CRD": (
        helper.make_node("DepthToSpace", ["x"], ["y"], blocksize=2, mode="CRD"),
        {"x": numbers((1, 8, 2, 3))},
        {},
    ),
    "ArgMax of the last": (
        helper.make_node("ArgMax", ["x"], ["y"], axis=1, select_last_index=1),
        {"x": np.array([[1, 3, 3], [2, 2, 1]], "float32")},
        {},
    ),
    **{
        f"CumSum {exclusive} {back}": (
            helper.make_node("CumSum", ["x", "a"], ["y"], exclusive=exclusive, reverse=back),
            {"x": numbers((3, 4))},
            {"a": np.array(1)},
        )
        for exclusive in (0, 1)
        for back in (0, 1)
    },
    **{
        f"Pad {mode}": (
            helper.make_node("Pad", ["x", "p"], ["y"], mode=mode),
            {"x": numbers((3, 4))},
            {"p": np.array([2, 1, 1, 3])},
        )
        for mode in ("edge", "reflect", "wrap")
    },
    "Pow with an integer": (
        helper.make_node("Pow", ["x", "z"], ["y"]),
        {"x": numbers((2, 3)), "z": np.array([0, 1, 2])},
        {},
    ),
    "BitShift left": (
        helper.make_node("BitShift", ["x", "z"], ["y"], direction="LEFT"),
        {"x": BYTES[0], "z": np.array([0, 1, 2, 7], "uint8")},
        {},
    ),
    "ReverseSequence": (
        helper.make_node("ReverseSequence", ["x", "n"], ["y"], batch_axis=0, time_axis=1),
        {"x": numbers((4, 4)), "n": np.array([1, 2, 3, 4])},
        {},
    ),
    "QuantizeLinear of channels": quantized(
        "QuantizeLinear",
        numbers((2, 3, 4)) * 50,
        np.array([0.5, 1, 2], "float32"),
        np.array([0, 10, -128], "int8"),
    ),
    "DequantizeLinear": quantized("DequantizeLinear", BYTES, np.float32(0.1), np.uint8(7)),
    "DynamicQuantizeLinear": (
        helper.make_node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"]),
        {"x": numbers((2, 3))},
        {},
    ),
    "MatMulInteger": quantized(
        "MatMulInteger", BYTES[0], BYTES[1].T.copy(), np.uint8(3), np.uint8(200)
    ),
    "ConvInteger": quantized("ConvInteger", BYTES[None], BYTES[None, :, :2, :2], np.uint8(9)),
    "ConvInteger with unequal pads": quantized(
        "ConvInteger", BYTES[None], BYTES[None, :, :2, :2], np.uint8(9), pads=[1, 0, 0, 2]
    ),
    "DFT": quantized("DFT", numbers((2, 6, 2))),
    "STFT": quantized("STFT", numbers((1, 16, 1)), np.array(4), numbers(8)),
    "Det": quantized("Det", numbers((2, 3, 3))),
    "Einsum": (
        helper.make_node("Einsum", ["x", "z"], ["y"], equation="bij,bjk->bik"),
        {"x": numbers((2, 3, 4)), "z": numbers((2, 4, 5))},
        {},
    ),
    "CenterCropPad, a function": (
        helper.make_node("CenterCropPad", ["x", "s"], ["y"]),
        {"x": numbers((4, 7))},
        {"s": np.array([6, 3])},
    ),
    "SoftmaxCrossEntropyLoss, a function": (
        helper.make_node("SoftmaxCrossEntropyLoss", ["x", "t"], ["y"], ignore_index=1),
        {"x": numbers((4, 3)), "t": np.array([0, 1, 2, 2])},
        {},
    ),
}


@pytest.mark.parametrize("name", NODES)
def test_nodes_equal_those_of_onnx_runtime(name, run, tmp_path):
    node, inputs, weights = NODES[name]
    model = node_model(node, inputs, tuple(node.output), weights, 20)
    for info in model.graph.output:
        info.type.Clear()
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    want = run(path, *inputs.values(), check=False)
    found = evaluate(model, *inputs.values())
    assert len(found) == len(want)
    for one, other in zip(found, want, strict=True):
        assert one.size == other.size and one.dtype == other.dtype
        np.testing.assert_allclose(one.reshape(other.shape), other, rtol=1e-4, atol=2e-5)


def graph(nodes, inputs, outputs, name="g"):
    """Return a graph of float values without known shapes."""
    infos = [
        [helper.make_tensor_value_info(n, kind, None) for n, kind in row.items()]
        for row in (inputs, outputs)
    ]
    return helper.make_graph(nodes, name, *infos)


def loop(count):
    """Return the sums x, x + x*x, ..., each multiplied by a weight, and the last of them."""
    body = graph(
        [
            helper.make_node("Identity", ["running"], ["again"]),
            helper.make_node("Mul", ["sum", "w"], ["scaled"]),
            helper.make_node("Add", ["scaled", "x"], ["next"]),
            helper.make_node("Identity", ["next"], ["seen"]),
        ],
        {"step": TensorProto.INT64, "running": TensorProto.BOOL, "sum": F},
        {"again": TensorProto.BOOL, "next": F, "seen": F},
    )
    for info in body.input[:2]:
        info.type.tensor_type.shape.SetInParent()  # scalars
    node = helper.make_node("Loop", ["count", "", "x"], ["last", "all"], body=body)
    return node, {"x": numbers((2, 3))}, {"count": np.array(count), "w": numbers(3, 1)}


def test_loops_are_repeated(run, tmp_path):
    node, inputs, weights = loop(4)
    model = node_model(node, inputs, ("last", "all"), weights)
    onnx.save(model, tmp_path / "m.onnx")
    want = run(tmp_path / "m.onnx", inputs["x"], check=False)
    for one, other in zip(evaluate(model, inputs["x"]), want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    _, params, _ = import_model(model)
    assert len(params) == 1  # one weight for all steps


def test_a_loop_has_a_largest_number_of_steps():
    node, inputs, weights = loop(2**40)
    with pytest.raises(ImportModelError, match=r"\(Loop\): loops repeat more than 20000 nodes"):
        import_model(node_model(node, inputs, ("last", "all"), weights))


@pytest.mark.parametrize("known", [True, False])
def test_a_scan_runs_over_an_axis(known, run, tmp_path):
    body = graph(
        [
            helper.make_node("Add", ["sum", "part"], ["next"]),
            helper.make_node("Neg", ["next"], ["seen"]),
            helper.make_node("ReduceSum", ["next"], ["total"], keepdims=0),
        ],
        {"sum": F, "part": F},
        {"next": F, "seen": F, "total": F},
    )
    node = helper.make_node(
        "Scan",
        ["start", "x"],
        ["last", "all", "totals"],
        num_scan_inputs=1,
        body=body,
        scan_input_axes=[1],
        scan_input_directions=[1],
        scan_output_axes=[1, 0],
        scan_output_directions=[0, 1],
    )
    inputs = {"start": numbers(2), "x": numbers((2, 5), 1)}
    model = node_model(node, inputs, ("last", "all", "totals"))
    if not known:
        model.graph.input[1].type.tensor_type.shape.dim[1].ClearField("dim_value")
    onnx.save(model, tmp_path / "m.onnx")
    want = run(tmp_path / "m.onnx", *inputs.values(), check=False)
    for one, other in zip(evaluate(model, *inputs.values()), want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def endless(**kinds):
    """Return a loop that doubles `x` until its sum is large; M is missing, rows are not."""
    body = graph(
        [
            helper.make_node("Add", ["state", "state"], ["next"]),
            helper.make_node("ReduceSum", ["next"], ["total"], keepdims=0),
            helper.make_node("Less", ["total", "limit"], ["again"]),
            helper.make_node("Identity", ["next"], ["seen"]),
        ],
        {"step": TensorProto.INT64, "running": TensorProto.BOOL, "state": F},
        {"again": TensorProto.BOOL, "next": F, **kinds},
    )
    for info in body.input[:2]:
        info.type.tensor_type.shape.SetInParent()  # scalars
    return body


def test_a_loop_whose_end_is_computed(run, tmp_path):
    node = helper.make_node("Loop", ["count", "", "x"], ["last"], body=endless())
    weights = {"count": np.array(9), "limit": np.array(100, "float32")}
    model = node_model(node, {"x": numbers(3) ** 2}, ("last",), weights)
    onnx.save(model, tmp_path / "m.onnx")
    for x in (numbers(3) ** 2, np.full(3, 90, "float32"), np.full(3, 1e-3, "float32")):
        want = run(tmp_path / "m.onnx", x, check=False)[0]
        np.testing.assert_allclose(evaluate(model, x)[0], want, rtol=1e-6)


@pytest.mark.parametrize(
    ("count", "kinds", "message"),
    [
        ("", {}, "it has no maximum number of steps; give M"),
        ("count", {"seen": F}, "computes how many rows its results have; use a constant number"),
    ],
)
def test_loops_whose_results_have_no_known_size(count, kinds, message):
    outputs = ["last", *kinds]
    node = helper.make_node("Loop", [count, "", "x"], outputs, body=endless(**kinds))
    weights = {"count": np.array(9), "limit": np.array(100, "float32")}
    with pytest.raises(ImportModelError, match=message):
        import_model(node_model(node, {"x": numbers(3)}, outputs, weights))


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("value", [True, False])
def test_branches(value, known, run, tmp_path):
    branches = {
        name: graph([helper.make_node(kind, ["x"], ["found"])], {}, {"found": F})
        for name, kind in (("then_branch", "Neg"), ("else_branch", "Abs"))
    }
    node = helper.make_node("If", ["c"], ["y"], **branches)
    x, c = numbers((2, 3)), np.array([value])
    given = ({"x": x}, {"c": c}) if known else ({"x": x, "c": c}, {})
    model = node_model(node, given[0], ("y",), given[1])
    onnx.save(model, tmp_path / "m.onnx")
    want = run(tmp_path / "m.onnx", *given[0].values(), check=False)[0]
    np.testing.assert_array_equal(evaluate(model, *given[0].values())[0], want)
    np.testing.assert_array_equal(want, -x if value else abs(x))


def test_functions_of_the_model_are_inlined():
    function = helper.make_function(
        "acme",
        "Twice",
        ["a"],
        ["b"],
        [helper.make_node("Add", ["a", "a"], ["b"])],
        [helper.make_opsetid("", 21)],
    )
    x = numbers((2, 3))
    model = node_model(helper.make_node("Twice", ["x"], ["y"], domain="acme"), {"x": x})
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("acme", 1))
    np.testing.assert_array_equal(evaluate(model, x)[0], 2 * x)


@pytest.mark.parametrize("kind", ["MaxPool", "AveragePool", "LpPool"])
def test_windows_with_unequal_pads_fit_images_of_any_size(kind, run, tmp_path):
    """The file of GoogLeNet in ONNX's model zoo has a size, but the network takes others."""
    node, given, _ = pool(kind, strides=[2, 2], pads=[0, 0, 1, 1])
    model = node_model(node, given)
    larger = numbers((1, 2, 12, 9))
    dimensions = model.graph.input[0].type.tensor_type.shape.dim
    dimensions[2].dim_param, dimensions[3].dim_param = "h", "w"
    onnx.save(model, tmp_path / "m.onnx")
    want = run(tmp_path / "m.onnx", larger, check=False)[0]
    for declared in (node_model(node, given), model):
        np.testing.assert_allclose(evaluate(declared, larger)[0], want, rtol=1e-5)


def test_windows_that_need_a_size_reject_another():
    node, given, _ = pool("AveragePool", strides=[2, 3], ceil_mode=1)
    with pytest.raises(mx.base.MXNetError, match=r"reshape|Reshape"):
        evaluate(node_model(node, given), numbers((1, 2, 12, 9)))


@pytest.mark.parametrize(
    ("node", "weights", "reason"),
    [
        (
            helper.make_node("Resize", ["x", "", "s"], ["y"], mode="linear"),
            {"s": np.array([1, 1e9], "float32")},
            r"weights for an axis of 3000000000; it must be at most",
        ),
        (
            helper.make_node("LpPool", ["z"], ["y"], kernel_shape=[5000], p=3),
            {"z": np.ones((1, 1, 6000), "float32")},
            "5000 elements in a window",
        ),
        (
            helper.make_node("STFT", ["z", "step", "", "n"], ["y"]),
            {"z": np.ones((1, 9, 1), "float32"), "step": np.array(0), "n": np.array(4)},
            "frames of 4 each 0",
        ),
    ],
)
def test_sizes_without_a_meaning_are_rejected(node, weights, reason):
    big = {name: array for name, array in weights.items() if name == "z"}
    rest = {name: array for name, array in weights.items() if name != "z"}
    model = node_model(node, big or {"x": numbers((2, 3))}, weights=rest)
    with pytest.raises(ImportModelError, match=reason):
        import_model(model)


def test_integers_are_parameters_without_a_gradient():
    node = helper.make_node("Gather", ["x", "i"], ["y"], axis=1)
    x = nd.array(numbers((2, 4)))
    block = import_to_gluon(node_model(node, {"x": x.asnumpy()}, weights={"i": I4}))
    assert [param.grad_req for param in block.collect_params().values()] == ["null"]
    x.attach_grad()
    with autograd.record():
        y = block(x)
    y.backward()
    np.testing.assert_array_equal(y.asnumpy(), x.asnumpy()[:, I4])
    np.testing.assert_array_equal(x.grad.asnumpy(), np.ones((2, 4)))
