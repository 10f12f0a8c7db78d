"""Sizes that may change: each operator gives the same numbers for other sizes of its inputs."""

import numpy as np
import onnx
import pytest

from opforge import gluon, nd, sym
from opforge.gluon import nn
from opforge.onnx import ExportError, export_model
from opforge.plugin_api import OpforgeError

from .cases import CASES
from .test_operators import call, draw, ids

#: Operators for which some size of an input must be fixed.
FIXED = [
    *("squeeze", "Crop", "BatchNorm", "BatchNormWithReLU", "SyncBatchNorm"),
    *("AdaptiveAvgPooling2D", "div_sqrt_dim", "scaled_dot_product_attention"),
    *("diag", "extractdiag", "makediag", "extracttrian", "maketrian", "sumlogdiag", "trmm"),
    *("trsm", "potri", "inverse", "im2col", "MultiBoxPrior", "fft", "ifft"),
    *(f"interleaved_matmul_selfatt_{part}" for part in ("qk", "valatt")),
    *(f"interleaved_matmul_encdec_{part}" for part in ("qk", "valatt")),
]


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_an_operator_with_all_sizes_open(case, run, tmp_path):
    name, shapes, attributes, _ = case
    symbol = call(sym, name, *(sym.var(f"x{i}") for i in range(len(shapes))), **attributes)
    types = [array.dtype for array in draw(case, shapes)]
    names = [tuple(f"size{n}" for n in shape) for shape in shapes]
    path = tmp_path / "m.onnx"
    try:
        export_model(symbol, {}, shapes, types, path, False, True, names)
    except ExportError as error:
        if "does not take other sizes" not in str(error):
            assert name.rpartition(".")[2] in FIXED
            assert "export it with fixed sizes" in str(error)
        return
    for factor in (1, 2):
        arrays = draw(case, [tuple(factor * n for n in shape) for shape in shapes])
        try:
            want = call(nd, name, *(nd.array(a, dtype=a.dtype) for a in arrays), **attributes)
        except OpforgeError:
            assert factor > 1  # sizes that the attributes do not fit
            return
        wanted = want if isinstance(want, list) else [want]
        for one, other in zip(run(path, *arrays), wanted, strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other.asnumpy(), rtol=2e-5, atol=2e-6)


def export_open(symbol, shapes, names, path, **settings):
    return export_model(symbol, {}, shapes, np.float32, path, False, True, names, **settings)


def close(found, wanted):
    np.testing.assert_allclose(found, wanted.asnumpy(), rtol=1e-5, atol=1e-6)


def images(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype("float32")


def test_height_and_width_of_equal_size_are_told_apart(run, tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, padding=1), gluon.contrib.nn.PixelShuffle2D(2), nn.GroupNorm(2))
    net.initialize()
    net(nd.array(images(1, 3, 6, 6)))
    path = tmp_path / "net.onnx"
    names = [("batch", 3, "height", "width")]
    export_model(net, None, [(1, 3, 6, 6)], np.float32, path, False, True, names)
    for shape in ((1, 3, 6, 6), (2, 3, 4, 9)):
        x = images(*shape)
        close(run(path, x)[0], net(nd.array(x)))


def test_a_resized_image_follows_another_one(run, tmp_path):
    x, y = sym.var("x"), sym.var("y")
    out = sym.contrib.BilinearResize2D(x, y, mode="like")
    names = [("n", 2, "h", "w"), ("n", 2, "H", "W")]
    path = export_open(out, [(1, 2, 4, 4), (1, 2, 8, 8)], names, tmp_path / "m.onnx")
    a, b = images(3, 2, 5, 4), images(3, 2, 7, 9)
    close(run(path, a, b)[0], nd.contrib.BilinearResize2D(nd.array(a), nd.array(b), mode="like"))


def test_a_shape_of_some_axes_of_another_array(run, tmp_path):
    settings = {"lhs_begin": 1, "lhs_end": 2, "rhs_begin": 1, "rhs_end": 3}
    out = sym.reshape_like(sym.var("x"), sym.var("y"), **settings)
    names = [("n", 12), ("n", 3, 4)]
    path = export_open(out, [(1, 12), (1, 3, 4)], names, tmp_path / "m.onnx")
    a, b = images(5, 12), images(5, 3, 4)
    close(run(path, a, b)[0], nd.reshape_like(nd.array(a), nd.array(b), **settings))


def test_a_network_that_does_not_take_other_sizes(tmp_path):
    out = sym.Reshape(sym.var("x"), shape=(3, 4))
    with pytest.raises(ExportError, match=r"does not take other sizes of its inputs .*fixed ones"):
        export_open(out, [(1, 12)], [("n", 12)], tmp_path / "m.onnx")


def test_a_beginning_state_of_zeros_follows_the_batch(run, tmp_path):
    cell = gluon.rnn.LSTMCell(4, input_size=3)
    cell.initialize()
    x = sym.var("data")
    outputs, _ = cell.unroll(2, x, layout="NTC", merge_outputs=True)
    params = {name: p.data() for name, p in cell.collect_params().items()}
    path = tmp_path / "m.onnx"
    export_model(outputs, params, [(2, 2, 3)], np.float32, path, False, True, [("n", 2, 3)])
    data = images(5, 2, 3)
    want, _ = cell.unroll(2, nd.array(data), layout="NTC", merge_outputs=True)
    close(run(path, data)[0], want)


def test_a_size_that_follows_no_input_is_an_error(tmp_path):
    rows = sym.slice_axis(sym.var("x"), axis=0, begin=1, end=None)
    out = sym.elemwise_add(rows, sym.zeros(shape=(0, 2)))
    with pytest.raises(ExportError, match="in a way that the export cannot compute; export it"):
        export_open(out, [(4, 2)], [("n", 2)], tmp_path / "m.onnx")


def test_names_of_sizes_in_outputs(tmp_path):
    across = sym.transpose(sym.var("x"))
    out = sym.concat(across, across, dim=0)
    path = export_open(out, [(4, 4)], [("rows", "columns")], tmp_path / "m.onnx")
    (info,) = onnx.load(path).graph.output
    first, second = info.type.tensor_type.shape.dim
    assert (first.dim_param, first.HasField("dim_value"), second.dim_param) == ("", False, "rows")


def test_sizes_without_names_and_names_for_equal_sizes(run, tmp_path):
    out = sym.elemwise_add(sym.var("x"), sym.var("y"))
    for names in ([(None, 3), (None, 3)], [("n", 3), ("m", 3)]):
        path = export_open(out, [(2, 3), (2, 3)], names, tmp_path / "m.onnx")
        a, b = images(5, 3), images(5, 3) * 2
        np.testing.assert_array_equal(run(path, a, b)[0], a + b)


def test_attention_over_other_lengths(run, tmp_path):
    inputs = [sym.var(name) for name in ("query", "key", "value")]
    symbol = sym.scaled_dot_product_attention(*inputs, num_heads=2, causal=True)
    names = [("batch", "queries", 8), ("batch", "keys", 8), ("batch", "keys", 12)]
    export_open(symbol, [(2, 3, 8), (2, 4, 8), (2, 4, 12)], names, tmp_path / "m.onnx")
    for shapes in ([(1, 5, 8), (1, 2, 8), (1, 2, 12)], [(3, 1, 8), (3, 7, 8), (3, 7, 12)]):
        arrays = draw(("attention", None, None, "any"), shapes)
        want = nd.scaled_dot_product_attention(*map(nd.array, arrays), num_heads=2, causal=True)
        (found,) = run(tmp_path / "m.onnx", *arrays)
        np.testing.assert_allclose(found, want.asnumpy(), rtol=2e-5, atol=2e-6)


def test_attention_without_visible_keys_gives_zeros(run, tmp_path):
    inputs = [sym.var(name) for name in ("query", "key", "value", "length")]
    symbol = sym.scaled_dot_product_attention(*inputs, use_length=True)
    shapes, types = [(2, 3, 4), (2, 5, 4), (2, 5, 4), (2,)], ["float32"] * 3 + ["int32"]
    path = export_model(symbol, {}, shapes, types, tmp_path / "m.onnx")
    arrays = [np.ones(shape, kind) for shape, kind in zip(shapes, types, strict=True)]
    arrays[3][0] = 0
    (found,) = run(path, *arrays)
    np.testing.assert_array_equal(found, np.repeat([0, 1], 12).reshape(2, 3, 4))
