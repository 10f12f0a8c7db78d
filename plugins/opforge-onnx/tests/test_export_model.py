"""`opforge.onnx.export_model`: sources of networks, names, sizes, files and errors."""

import subprocess
import sys

import numpy as np
import onnx
import pytest
from opforge_onnx.exporting import files

import opforge as mx
from opforge import gluon, nd, sym
from opforge.gluon import nn
from opforge.onnx import ExportError, export_model, import_to_gluon
from opforge.plugin_api import OperatorProp, rules


def network():
    """Return a small convolutional network."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            nn.Conv2D(4, 3, padding=1, in_channels=3),
            nn.BatchNorm(in_channels=4),
            nn.Activation("relu"),
            nn.GlobalAvgPool2D(),
            nn.Dense(5, in_units=4),
        )
    net.initialize()
    return net


def images(*shape, dtype="float32"):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def close(found, wanted, rtol=1e-5):
    np.testing.assert_allclose(found, wanted.asnumpy(), rtol=rtol, atol=rtol / 10)


def test_a_block_keeps_its_names(run, tmp_path):
    net, x = network(), images(2, 3, 8, 8)
    path = export_model(net, in_shapes=[x.shape], onnx_file_path=tmp_path / "net.onnx")
    assert path == str(tmp_path / "net.onnx")
    close(run(path, x)[0], net(nd.array(x)))
    model = onnx.load(path)
    assert [given.name for given in model.graph.input] == ["data"]
    assert [given.name for given in model.graph.output] == ["net_dense0_fwd_output"]
    names = {tensor.name for tensor in model.graph.initializer}
    assert {"net_conv0_weight", "net_dense0_bias", "net_batchnorm0_running_mean"} <= names
    assert (model.ir_version, model.opset_import[0].version) == (10, 21)
    assert model.producer_name == "opforge"


def test_a_block_whose_shapes_are_deferred(run, tmp_path):
    net, x = nn.Dense(2), images(3, 7)
    net.initialize()
    path = export_model(net, in_shapes=[x.shape], onnx_file_path=tmp_path / "net.onnx")
    close(run(path, x)[0], net(nd.array(x)))


class Later(gluon.HybridBlock):
    """Block that uses its inputs in another order than it takes them."""

    def hybrid_forward(self, F, first, second):
        return F.broadcast_add(second * 2, first)


def test_inputs_are_in_the_order_of_the_arguments(run, tmp_path):
    first, second = images(3), images(2, 3)
    path = export_model(
        Later(), None, [first.shape, second.shape], "float32", tmp_path / "net.onnx"
    )
    assert [given.name for given in onnx.load(path).graph.input] == ["data0", "data1"]
    np.testing.assert_allclose(run(path, first, second)[0], second * 2 + first, rtol=1e-6)


def test_a_symbol_with_parameters_and_files(run, tmp_path):
    net, x = network(), images(1, 3, 6, 6)
    net.hybridize()
    want = net(nd.array(x))
    net.export(str(tmp_path / "net"))
    saved = str(tmp_path / "net-symbol.json"), str(tmp_path / "net-0000.params")
    symbol, params = sym.load(saved[0]), nd.load(saved[1])
    for number, (model, weights) in enumerate([saved, (symbol, params), (saved[0], params)]):
        path = export_model(model, weights, [x.shape], onnx_file_path=tmp_path / f"{number}.onnx")
        close(run(path, x)[0], want)


def test_sizes_that_may_change(run, tmp_path):
    net = network()
    path = export_model(
        net,
        in_shapes=[(1, 3, 8, 8)],
        onnx_file_path=tmp_path / "net.onnx",
        dynamic=True,
        dynamic_input_shapes=[("batch", 3, "height", None)],
    )
    graph = onnx.load(path).graph
    sizes = graph.input[0].type.tensor_type.shape.dim
    assert [size.dim_param or size.dim_value for size in sizes] == ["batch", 3, "height", 0]
    assert graph.output[0].type.tensor_type.shape.dim[0].dim_param == "batch"
    for shape in ((1, 3, 8, 8), (4, 3, 9, 5), (2, 3, 16, 7)):
        close(run(path, images(*shape))[0], net(nd.array(images(*shape))))


def test_a_batch_of_one_may_grow(run, tmp_path):
    x = sym.var("x")
    symbol = sym.Group([sym.argmax(x, axis=1), sym.sum(x, axis=1)])
    path = export_model(symbol, {}, [(1, 3)], onnx_file_path=tmp_path / "m.onnx", dynamic=True)
    index, total = run(path, images(4, 3))
    np.testing.assert_array_equal(index, images(4, 3).argmax(1))
    np.testing.assert_allclose(total, images(4, 3).sum(1), rtol=1e-5)


def test_only_the_batch_changes_by_default(run, tmp_path):
    net = network()
    path = export_model(
        net, in_shapes=[(1, 3, 8, 8)], onnx_file_path=tmp_path / "n.onnx", dynamic=True
    )
    close(run(path, images(3, 3, 8, 8))[0], net(nd.array(images(3, 3, 8, 8))))


def test_labels_are_left_out(run, tmp_path):
    data = sym.var("data")
    out = sym.SoftmaxOutput(sym.FullyConnected(data, num_hidden=3, name="fc"), name="softmax")
    params = {"arg:fc_weight": nd.array(images(3, 4)), "arg:fc_bias": nd.array(images(3))}
    x = images(2, 4)
    path = export_model(out, params, [(2, 4)], onnx_file_path=tmp_path / "m.onnx")
    plain = {name.removeprefix("arg:"): array for name, array in params.items()}
    plain |= {"data": nd.array(x), "softmax_label": nd.zeros((2,))}
    bound = out.bind(mx.cpu(), plain)
    close(run(path, x)[0], bound.forward()[0])


def test_several_inputs_and_outputs(run, tmp_path):
    a, b = sym.var("a"), sym.var("b")
    total = a + b
    group = sym.Group([total, total, a, total * b])
    x, y = images(2, 3), images(2, 3)
    path = export_model(group, {}, [(2, 3), (2, 3)], onnx_file_path=tmp_path / "m.onnx")
    found = run(path, x, y)
    for one, other in zip(found, (x + y, x + y, x, (x + y) * y), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_float16(run, tmp_path):
    net = network()
    net.cast("float16")
    x = images(2, 3, 8, 8, dtype="float16")
    path = export_model(net, None, [x.shape], "float16", tmp_path / "net.onnx")
    (found,) = run(path, x)
    assert found.dtype == np.float16
    close(found, net(nd.array(x, dtype="float16")), rtol=3e-3)


def test_large_weights_have_a_file_of_their_own(run, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "EMBEDDED_LIMIT", 1000)
    net, x = nn.Dense(32, in_units=64), images(2, 64)
    net.initialize()
    path = export_model(net, in_shapes=[x.shape], onnx_file_path=tmp_path / "net.onnx")
    assert (tmp_path / "net.onnx.data").stat().st_size >= 4 * 32 * 64
    assert (tmp_path / "net.onnx").stat().st_size < 1000
    close(run(path, x)[0], net(nd.array(x)))
    size = (tmp_path / "net.onnx.data").stat().st_size
    export_model(net, in_shapes=[x.shape], onnx_file_path=path)
    assert (tmp_path / "net.onnx.data").stat().st_size == size


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8"])
@pytest.mark.parametrize("limit", [1000, 1_000_000])
def test_weights_are_stored_unchanged(dtype, limit, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "EMBEDDED_LIMIT", limit)
    values = images(60, 50).T.astype(np.dtype(dtype)), images(1, 3).astype(np.dtype(dtype))
    symbol = sym.Group([sym.identity(sym.var(name)) for name in ("large", "small")])
    params = dict(zip(("large", "small"), values, strict=True))
    path = export_model(symbol, params, [], onnx_file_path=tmp_path / "m.onnx")
    stored = {tensor.name: tensor for tensor in onnx.load(path).graph.initializer}
    for name, array in params.items():
        found = onnx.numpy_helper.to_array(stored[name])
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(
            found.view(np.uint8), np.ascontiguousarray(array).view(np.uint8)
        )


_MEASURE = """
import resource, sys
from opforge.gluon import nn
from opforge.onnx import export_model
for units in (4, 4096):
    net = nn.Dense(units, in_units=units)
    net.initialize()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    export_model(net, in_shapes=[(1, units)], onnx_file_path=sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_weights_are_not_copied(tmp_path):
    command = [sys.executable, "-c", _MEASURE, str(tmp_path / "net.onnx")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 16 * 1024  # the weights have 64 MiB


def test_weights_that_nothing_reads_are_not_written(tmp_path):
    bn = nn.BatchNorm(in_channels=3, scale=False, prefix="bn_")
    bn.initialize()
    path = export_model(bn, in_shapes=[(2, 3)], onnx_file_path=tmp_path / "m.onnx")
    names = {tensor.name for tensor in onnx.load(path).graph.initializer}
    assert "bn_gamma" not in names and "bn_running_var" in names


def test_a_fixed_gamma_is_one_whatever_the_file_holds(run, tmp_path):
    x, names = images(2, 3), ("gamma", "beta", "moving_mean", "moving_var")
    out = sym.BatchNorm(sym.var("x"), name="bn", fix_gamma=True)
    params = {f"bn_{name}": nd.array([2.0, 3.0, 4.0]) for name in names}
    path = export_model(out, params, [x.shape], onnx_file_path=tmp_path / "m.onnx")
    want = (x - [2, 3, 4]) / np.sqrt(np.array([2, 3, 4]) + 1e-3) + [2, 3, 4]
    np.testing.assert_allclose(run(path, x)[0], want, rtol=1e-5)


def test_a_strangers_operator_has_a_rule(run, tmp_path, monkeypatch):
    @mx.operator.register("onnx_test_cube")
    class Cube(OperatorProp):
        """The cube."""

        def compute(self, in_data, out_data, req, is_train):
            out_data[0][:] = in_data[0] * in_data[0] * in_data[0]

    symbol, path = sym.onnx_test_cube(sym.var("x")), tmp_path / "m.onnx"
    with pytest.raises(ExportError, match=r"no rule for operator 'onnx_test_cube'.* the group"):
        export_model(symbol, {}, [(2, 3)], onnx_file_path=path)
    assert not path.exists()

    @rules.register("onnx", "onnx_test_cube")
    def cube(prop, call):
        return call.node("Pow", call.inputs[0], call.constant(3))

    x = images(2, 3)
    np.testing.assert_allclose(
        run(export_model(symbol, {}, [(2, 3)], onnx_file_path=path), x)[0], x**3, rtol=1e-5
    )

    @rules.register("onnx", "onnx_test_cube")
    def own_domain(prop, call):
        return call.node("Cube", call.inputs[0], domain="acme", factor=1.0)

    model = onnx.load(export_model(symbol, {}, [(2, 3)], onnx_file_path=path))
    assert {(s.domain, s.version) for s in model.opset_import} == {("", 21), ("acme", 1)}

    @rules.register("onnx", "onnx_test_cube")
    def wrong(prop, call):
        return []

    with pytest.raises(ExportError, match=r"returned \[\], expected the names of 1 outputs"):
        export_model(symbol, {}, [(2, 3)], onnx_file_path=path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"in_shapes": None}, "in_shapes is missing"),
        ({"sym": 3}, "the model is int"),
        ({"params": None}, "params is NoneType"),
        ({"in_shapes": [(2, 3), (2, 3)]}, r"2 input shapes .* inputs \['x'\]"),
        ({"in_types": ["float32", "float32"]}, "2 dtypes for 1 shapes"),
        ({"opset": 12}, "opset is 12, expected 13 to"),
        ({"opset": 999}, "opset is 999"),
        ({"dynamic": True, "dynamic_input_shapes": []}, "0 dynamic_input_shapes for 1 shapes"),
        ({"dynamic": True, "dynamic_input_shapes": [("n",)]}, "has 1 dimensions"),
        ({"in_types": "complex64"}, "complex64.* is not supported"),
    ],
)
def test_wrong_arguments(arguments, message, tmp_path):
    given = {"sym": sym.relu(sym.var("x")), "params": {}, "in_shapes": [(2, 3)], **arguments}
    with pytest.raises((ExportError, mx.base.MXNetError), match=message):
        export_model(**given, onnx_file_path=tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("symbol", "message"),
    [
        (lambda x: sym.LRN(x, nsize=2), "'LRN'.*an even nsize"),
        (
            lambda x: sym.Pooling(x.reshape((1, 1, 3, 2)), kernel=(2,), blocked=True),
            "'Pooling'.*internal to opforge; leave out blocked=True",
        ),
        (lambda x: sym.erfinv(x), "no rule for operator 'erfinv' of opforge"),
        (
            lambda x: sym.sum(sym.contrib.boolean_mask(x, sym.ones((2,)), name="rows"), axis=1),
            r"'sum\d+' \(operator 'sum'\): its shape .*; the sizes of \['rows'\] depend on values",
        ),
        (
            lambda x: sym.broadcast_add(sym.linalg.potrf(sym.ones((33, 33))), sym.sum(x)),
            "'_linalg_potrf'.*at most 32 rows, not for 33; compute it outside",
        ),
        (
            lambda x: sym.Pooling(x.reshape((1, 1, 6)), kernel=(2,), pooling_convention="same"),
            "'Pooling'.*'same'",
        ),
    ],
)
def test_a_call_that_onnx_lacks_is_named_with_a_remedy(symbol, message, tmp_path):
    with pytest.raises(ExportError, match=message):
        export_model(symbol(sym.var("x")), {}, [(2, 3)], onnx_file_path=tmp_path / "m.onnx")


class Doubled(mx.operator.CustomOpProp):
    """An operator of MXNet's protocol, whose class has no name."""

    def create_operator(self, ctx, in_shapes, in_dtypes):
        raise AssertionError("an export runs nothing")


def test_custom_operators_have_no_rule(tmp_path):
    mx.operator.register("onnx_test_doubled")(Doubled)
    symbol = sym.Custom(sym.var("x"), op_type="onnx_test_doubled", name="twice")
    with pytest.raises(ExportError, match="node 'twice': no rule for operator 'onnx_test_doubled'"):
        export_model(symbol, {}, [(2, 3)], onnx_file_path=tmp_path / "m.onnx")


def test_a_rule_that_does_not_fit_the_operator_is_named(tmp_path):
    @rules.register("onnx", "erfinv")
    def for_another(prop, call):
        return call.node("Elu", call.inputs[0], alpha=prop.slope)

    message = r"rule onnx:erfinv does not fit the operator of opforge.*: AttributeError: .*'slope'"
    with pytest.raises(ExportError, match=message):
        export_model(sym.erfinv(sym.var("x")), {}, [(2, 3)], onnx_file_path=tmp_path / "m.onnx")


def test_faces(run, tmp_path, capsys):
    net, x = nn.Dense(2, in_units=3), images(2, 3)
    net.initialize()
    want = net(nd.array(x))
    symbol, params = net(sym.var("data")), {n: p.data() for n, p in net.collect_params().items()}
    path = tmp_path / "a.onnx"
    mx.contrib.onnx.export_model(symbol, params, [(2, 3)], np.float32, str(path), True)
    assert capsys.readouterr().out == f"1 nodes, opset 21: {path}\n"
    close(run(path, x)[0], want)
    mx.exporter.create("onnx", shapes=[(2, 3)]).export(symbol, params, path)
    close(run(path, x)[0], want)
    declared = net(sym.var("data", shape=(2, 3)))
    mx.exporter.create("onnx").export(declared, params, path)
    close(run(path, x)[0], want)
    with pytest.raises(ExportError, match=r"shape of the input 'data' is unknown.* shapes=\["):
        mx.exporter.create("onnx").export(symbol, params, path)


def test_inferred_shapes_are_stored_on_request(tmp_path):
    path = export_model(
        network(),
        in_shapes=[(1, 3, 8, 8)],
        onnx_file_path=tmp_path / "m.onnx",
        run_shape_inference=True,
    )
    assert len(onnx.load(path).graph.value_info) == 5


def test_a_thousand_exports_have_unique_names(tmp_path):
    x = sym.var("x")
    for _ in range(1000):
        x = sym.relu(x, name="same")
    path = export_model(x, {}, [(2,)], onnx_file_path=tmp_path / "m.onnx")
    names = [node.name for node in onnx.load(path).graph.node]
    assert len(set(names)) == len(names) == 1000


def test_gluon_losses_and_blocks_with_two_inputs(run, tmp_path):
    class Sum(gluon.HybridBlock):
        """Adds two arrays and returns them nested."""

        def hybrid_forward(self, F, a, b):
            return a + b, [a - b, a * b]

    x, y = images(2, 3), images(2, 3)
    path = export_model(Sum(), in_shapes=[(2, 3), (2, 3)], onnx_file_path=tmp_path / "m.onnx")
    for one, other in zip(run(path, x, y), (x + y, x - y, x * y), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_regions_are_pooled(run, tmp_path):
    x = images(2, 3, 8, 8)
    regions = np.array([[0, 1, 1, 6, 5], [1, 0, 2, 7, 7], [-1, 1, 1, 5, 5]], "float32")
    settings = {"pooled_size": (2, 3), "spatial_scale": 0.5, "sample_ratio": 2}
    out = sym.contrib.ROIAlign(sym.var("x"), sym.var("r"), **settings)
    path = export_model(out, {}, [x.shape, regions.shape], onnx_file_path=tmp_path / "m.onnx")
    want = nd.contrib.ROIAlign(nd.array(x), nd.array(regions), **settings)
    close(run(path, x, regions)[0], want)
    close(import_to_gluon(path)(nd.array(x), nd.array(regions)).asnumpy(), want)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", ["DeformableConvolution", "ModulatedDeformableConvolution"])
def test_deformable_convolutions(kind, bias, run, tmp_path):
    layer = getattr(gluon.contrib.cnn, kind)(
        4,
        3,
        strides=2,
        padding=1,
        num_deformable_group=2,
        use_bias=bias,
        in_channels=6,
        offset_weight_initializer="normal",
    )
    layer.initialize("normal")
    x = images(2, 6, 7, 8)
    path = export_model(layer, in_shapes=[x.shape], onnx_file_path=tmp_path / "m.onnx")
    want = layer(nd.array(x))
    close(run(path, x)[0], want)
    close(import_to_gluon(path)(nd.array(x)).asnumpy(), want)
    with pytest.raises(ExportError, match="DeformConv is missing before; use opset 19"):
        export_model(layer, None, [x.shape], onnx_file_path=tmp_path / "m.onnx", opset=18)


def test_parts_without_elements_are_rejected(tmp_path):
    parts = sym.split_v2(sym.var("x"), (0, 2), axis=1)
    with pytest.raises(ExportError, match=r"shape \(2, 0\) is unknown or empty; the shapes of"):
        export_model(parts, {}, [(2, 4)], onnx_file_path=tmp_path / "m.onnx")


def test_rows_whose_number_depends_on_values(run, tmp_path):
    rows = sym.contrib.boolean_mask(sym.var("x"), sym.var("index"))
    shapes, path = [(4, 2), (4,)], tmp_path / "m.onnx"
    export_model(rows, {}, shapes, np.float32, path)
    x, index = np.arange(8, dtype="float32").reshape(4, 2), np.array([1, 0, 0, 2], "float32")
    np.testing.assert_array_equal(run(path, x, index)[0], x[[0, 3]])
    again = import_to_gluon(path)
    np.testing.assert_array_equal(again(nd.array(x), nd.array(index)).asnumpy(), x[[0, 3]])
