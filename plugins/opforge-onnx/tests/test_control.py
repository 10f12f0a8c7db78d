"""Control flow, exported as Scan, Loop and If, run in ONNX Runtime and imported again."""

import numpy as np
import onnx
import pytest

from opforge import gluon, nd, sym
from opforge.gluon import nn
from opforge.onnx import export_model, import_model, import_to_gluon


def numbers(*shape, dtype="float32"):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def close(found, wanted):
    wanted = wanted.asnumpy() if isinstance(wanted, nd.NDArray) else wanted
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def kinds(path):
    return [node.op_type for node in onnx.load(path).graph.node]


class Recurrence(gluon.HybridBlock):
    """Sums of rows through a layer: results, and two states."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.layer = nn.Dense(3, in_units=3)
            self.scale = self.params.get("scale", shape=(1, 3), init="ones")

    def hybrid_forward(self, F, data, state, scale):
        def body(row, states):
            total, count = states
            total = F.broadcast_mul(self.layer(row), scale) + total
            return [total, F.sum(total)], [total, count + 1]

        (rows, sums), states = F.contrib.foreach(body, data, [state, F.zeros((1,))])
        return rows, sums, states[0], states[1]


@pytest.mark.parametrize("opset", [13, 21])
def test_foreach_of_any_length(opset, run, tmp_path):
    net = Recurrence()
    net.initialize("normal")
    path = export_model(
        net,
        in_shapes=[(4, 2, 3), (2, 3)],
        onnx_file_path=tmp_path / "m.onnx",
        dynamic=True,
        dynamic_input_shapes=[("length", "batch", 3), ("batch", 3)],
        opset=opset,
    )
    assert "Scan" in kinds(path)
    rows = onnx.load(path).graph.output[0]
    sizes = rows.type.tensor_type.shape.dim
    assert [size.dim_param or size.dim_value for size in sizes] == ["length", "batch", 3]
    loop = import_to_gluon(path)
    for length, batch in ((4, 2), (1, 1), (7, 3)):
        x, state = numbers(length, batch, 3), numbers(batch, 3)
        want = net(nd.array(x), nd.array(state))
        for one, other in zip(run(path, x, state), want, strict=True):
            close(one, other)
        repeated = import_to_gluon(path, shapes={"data0": x.shape, "data1": state.shape})
        for again in (loop, repeated):
            for one, other in zip(again(nd.array(x), nd.array(state)), want, strict=True):
                close(one.asnumpy(), other)


def test_foreach_over_numbers_and_several_arrays(run, tmp_path):
    x, y = sym.var("x"), sym.var("y")
    rows, last = sym.contrib.foreach(
        lambda row, state: ([sym.broadcast_mul(*row), state], state + row[0]),
        [x, y],
        sym.var("start"),
    )
    symbol = sym.Group([*rows, last])
    given = numbers(5), numbers(5, 2), numbers(1)
    path = export_model(symbol, {}, [a.shape for a in given], onnx_file_path=tmp_path / "m.onnx")
    a, b, start = given
    states = np.concatenate([start, start + np.cumsum(a)])[:, None]
    wanted = a[:, None] * b, states[:-1], states[-1]
    for found, want in zip(run(path, *given), wanted, strict=True):
        close(found, want)


def loop(most):
    """Return a loop that doubles `x` while the sum is below `limit`."""
    x, limit = sym.var("x"), sym.var("limit")
    rows, last = sym.contrib.while_loop(
        lambda value, count: sym.sum(value) < limit,
        lambda value, count: ([value, count], [value * 2, count + 1]),
        [x, sym.zeros((1,))],
        max_iterations=most,
    )
    return sym.Group([*rows, *last])


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("limit", [0, 1, 50, 1e9])
def test_while_loop_pads_its_rows(dynamic, limit, run, tmp_path):
    symbol, x = loop(6), np.array([[1, 2], [3, 4]], "float32")
    sizes = {"dynamic": True, "dynamic_input_shapes": [("n", 2), (1,)]} if dynamic else {}
    path = export_model(
        symbol,
        {},
        [(1, 2) if dynamic else (2, 2), (1,)],
        onnx_file_path=tmp_path / "m.onnx",
        **sizes,
    )
    bound = np.array([limit], "float32")
    found = run(path, x, bound)
    want = symbol.eval(x=nd.array(x), limit=nd.array(bound))
    assert found[0].shape == (6, 2, 2)
    for one, other in zip(found, want, strict=True):
        close(one, other)
    again, weights, _ = import_model(path, shapes={"x": x.shape})
    found = again.eval(**weights, x=nd.array(x), limit=nd.array(bound))
    for one, other in zip(found, want, strict=True):
        close(one.asnumpy(), other)


def test_while_loop_without_rows(run, tmp_path):
    _, last = sym.contrib.while_loop(
        lambda x: sym.sum(x) < 100, lambda x: ([], x * 2), [sym.var("x")], max_iterations=50
    )
    path = export_model(last[0], {}, [(2,)], onnx_file_path=tmp_path / "m.onnx")
    assert kinds(path)[-1] == "Loop"
    x = np.array([3, 4], "float32")
    close(run(path, x)[0], 16 * x)
    again, weights, _ = import_model(path)
    close(again.eval(**weights, x=nd.array(x))[0].asnumpy(), 16 * x)


class Choice(gluon.HybridBlock):
    """One of two layers."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.small, self.large = nn.Dense(2, in_units=3), nn.Dense(2, in_units=3)

    def hybrid_forward(self, F, x):
        return F.contrib.cond(F.sum(x) > 0, lambda: self.large(x), lambda: self.small(x))


def test_cond(run, tmp_path):
    net = Choice()
    net.initialize("normal")
    path = export_model(net, in_shapes=[(2, 3)], onnx_file_path=tmp_path / "m.onnx", dynamic=True)
    assert kinds(path)[-1] == "If"
    for x in (np.ones((2, 3), "float32"), -np.ones((4, 3), "float32")):
        want = net(nd.array(x))
        close(run(path, x)[0], want)
        again = import_to_gluon(path, shapes={"data": x.shape})
        close(again(nd.array(x)), want)


def test_control_flow_inside_of_control_flow(run, tmp_path):
    def body(row, state):
        inner, last = sym.contrib.foreach(lambda a, b: (a * scale, a + b), row, state)
        larger = sym.contrib.cond(sym.sum(last) > 0, lambda: last, lambda: last * 0.5)
        return sym.sum(inner), larger

    x, scale = sym.var("x"), sym.var("scale")
    rows, last = sym.contrib.foreach(body, x, sym.var("start"))
    symbol = sym.Group([rows, last])
    arrays = {"x": numbers(3, 4, 2), "start": numbers(2), "scale": numbers(2)}
    order = [arrays[name] for name in symbol.list_inputs()]
    path = export_model(symbol, {}, [a.shape for a in order], onnx_file_path=tmp_path / "m.onnx")
    want = symbol.eval(**{name: nd.array(array) for name, array in arrays.items()})
    for one, other in zip(run(path, *order), want, strict=True):
        close(one, other)


def test_a_body_returns_what_it_is_given(run, tmp_path):
    x, other = sym.var("x"), sym.var("other")
    rows, last = sym.contrib.foreach(
        lambda row, state: ([row, other, other], state), x, sym.var("s")
    )
    given = numbers(3, 2), numbers(2), numbers(1)
    symbol = sym.Group([*rows, last])
    assert symbol.list_inputs() == ["x", "s", "other"]
    path = export_model(symbol, {}, [(3, 2), (2,), (1,)], onnx_file_path=tmp_path / "m.onnx")
    a, s, o = given
    for one, want in zip(run(path, *given), (a, [o] * 3, [o] * 3, s), strict=True):
        close(one, want)
