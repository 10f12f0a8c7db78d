"""Random networks give the same outputs, gradients and states hybridized and imperatively."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.gluon import nn


class HalvedCube(mx.operator.CustomOp):
    """Return x**3 / 2; backward reads an array that forward kept."""

    def forward(self, is_train, req, in_data, out_data, aux):
        self.seen = in_data[0].asnumpy()
        self.assign(out_data[0], req[0], nd.array(self.seen**3 / 2, dtype=in_data[0].dtype))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(
            in_grad[0], req[0], out_grad[0] * nd.array(1.5 * self.seen**2, dtype=out_grad[0].dtype)
        )


@mx.operator.register("halved_cube_of_random_blocks")
class HalvedCubeProp(mx.operator.CustomOpProp):
    def infer_type(self, in_type):
        return in_type, [in_type[0]], []

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return HalvedCube()


def mean_of_rows(F, a):
    return F.mean(a, axis=1, keepdims=True)


#: Layers that keep the width of their operand.
UNARY = {
    "tanh": lambda F, a: F.tanh(a),
    "sigmoid": lambda F, a: F.sigmoid(a),
    "relu": lambda F, a: F.relu(a),
    "softrelu": lambda F, a: F.Activation(a, act_type="softrelu"),
    "square": lambda F, a: F.square(a) * 0.1,
    "scalars": lambda F, a: 2 - (a * 0.5 + 0.25) / 3,
    "power": lambda F, a: (a * a + 1) ** -0.5,
    "maximum": lambda F, a: F.maximum(a, 0.1),
    "exp": lambda F, a: F.exp(F.clip(a, -2, 2)),
    "softmax": lambda F, a: F.softmax(a),
    "log_softmax": lambda F, a: F.log_softmax(a, axis=0),
    "centre": lambda F, a: F.broadcast_sub(a, mean_of_rows(F, a)),
    "norm": lambda F, a: F.broadcast_div(a, 1 + F.norm(a, axis=1, keepdims=True)),
    "whole": lambda F, a: F.broadcast_add(a, F.reshape(F.sum(a), shape=(1, 1)) * 0.01),
    "there_and_back": lambda F, a: F.transpose(F.transpose(a) * 2),
    "third_axis": lambda F, a: F.Flatten(F.expand_dims(a, axis=1) - 1),
    "reversed": lambda F, a: F.reverse(a, axis=1),
    "gram": lambda F, a: F.dot(a, F.dot(a, a, transpose_a=True)) * 0.05,
    "stopped": lambda F, a: a + F.BlockGrad(a),
    "custom": lambda F, a: F.Custom(a * 0.3, op_type="halved_cube_of_random_blocks"),
    "where": lambda F, a: F.where(a > 0, a, a * 0.1),
    "split": lambda F, a: F.concat(
        *F.split(F.concat(a, -a, dim=1), num_outputs=2, axis=1)[:1], dim=1
    ),
}
#: Operators on two operands of the same width.
BINARY = {
    "add": lambda F, a, b: a + b,
    "subtract": lambda F, a, b: a - b,
    "multiply": lambda F, a, b: a * b * 0.5,
    "divide": lambda F, a, b: a / (1 + b * b),
    "larger": lambda F, a, b: F.broadcast_maximum(a, b),
    "column": lambda F, a, b: F.broadcast_mul(a, mean_of_rows(F, b)),
    "sum": lambda F, a, b: F.add_n(a, b, a),
}


class Network(gluon.HybridBlock):
    """Block that runs a list of steps; each appends a value computed from earlier ones."""

    def __init__(self, steps, outputs):
        super().__init__()
        self.steps, self.outputs = steps, outputs
        with self.name_scope():
            for at, (kind, *_, width) in enumerate(steps):
                if kind == "dense":
                    setattr(self, f"layer{at}", nn.Dense(width))
                elif kind == "batch_norm":
                    setattr(self, f"layer{at}", nn.BatchNorm())
                elif kind == "layer_norm":
                    setattr(self, f"layer{at}", nn.LayerNorm())
            self.scale = self.params.get("scale", shape=(1, 1), init="ones")

    def hybrid_forward(self, F, x, rest, scale):
        values = [F.broadcast_mul(x, scale), rest[0]]
        assert rest[1] is None
        for at, (kind, *operands, width) in enumerate(self.steps):
            a = values[operands[0]]
            if kind in UNARY:
                value = UNARY[kind](F, a)
            elif kind in BINARY:
                value = BINARY[kind](F, a, values[operands[1]])
            elif kind == "concat":
                value = F.concat(a, values[operands[1]], dim=1)
            elif kind == "slice":
                value = F.slice_axis(a, axis=1, begin=-width, end=None)
            elif kind == "again":
                value = getattr(self, f"layer{operands[1]}")(a)
            else:
                value = getattr(self, f"layer{at}")(a)
            values.append(value)
        first, second = (values[at] for at in self.outputs)
        # All values are outputs: a graph omits those that no output depends on, and their states.
        return first, [second, F.add_n(*[F.sum(value) for value in values])]


@st.composite
def networks(draw):
    """Draw steps, and the widths of the two inputs."""
    widths = [draw(st.integers(1, 4)), draw(st.integers(1, 4))]
    inputs = tuple(widths)
    steps = []
    for _ in range(draw(st.integers(1, 8))):
        kind = draw(
            st.sampled_from(
                [
                    *UNARY,
                    *BINARY,
                    "dense",
                    "dense",
                    "batch_norm",
                    "layer_norm",
                    "concat",
                    "slice",
                    "again",
                ]
            )
        )
        one = draw(st.integers(0, len(widths) - 1))
        same = [k for k, width in enumerate(widths) if width == widths[one]]
        denses = [k for k, step in enumerate(steps) if step[0] == "dense"]
        operands, width = [one], widths[one]
        if kind in BINARY:
            operands.append(draw(st.sampled_from(same)))
        elif kind == "concat":
            operands.append(draw(st.integers(0, len(widths) - 1)))
            width += widths[operands[1]]
        elif kind == "slice":
            width = draw(st.integers(1, width))
        elif kind == "dense":
            width = draw(st.integers(1, 4))
        elif kind == "again":
            # A layer that is used again if an operand has the width that it takes.
            if not denses:
                continue
            layer = draw(st.sampled_from(denses))
            takes = widths[steps[layer][1]]
            operands = [
                draw(st.sampled_from([k for k, w in enumerate(widths) if w == takes])),
                layer,
            ]
            width = steps[layer][-1]
        steps.append((kind, *operands, width))
        widths.append(width)
    last = len(widths) - 1
    outputs = draw(st.integers(0, last)), draw(st.integers(0, last))
    return steps, outputs, inputs


def step(net, rows, inputs, dtype, train, seed):
    """Return outputs, gradients of the inputs and parameters, and states, as NumPy arrays."""
    rng = np.random.default_rng(seed)
    x, y = (nd.array(rng.standard_normal((rows, width)), dtype=dtype) for width in inputs)
    x.attach_grad()
    y.attach_grad(grad_req="add")
    y.grad[:] = 1
    with autograd.record(train_mode=train):
        first, (second, total) = net(x, (y, None))
    outputs = [first, second, total]
    heads = [nd.array(rng.standard_normal(out.shape), dtype=dtype) for out in outputs]
    reached = [at for at, out in enumerate(outputs) if out is not x]
    autograd.backward([outputs[at] for at in reached], [heads[at] for at in reached])
    params = list(net.collect_params().values())
    return (
        [out.asnumpy() for out in outputs]
        + [x.grad.asnumpy(), y.grad.asnumpy()]
        + [p.grad().asnumpy() for p in params if p.grad_req != "null"]
        + [p.data().asnumpy() for p in params]
    )


def forget_statistics(net, saved):
    for param, value in zip(net.collect_params().values(), saved, strict=True):
        param.set_data(nd.array(value, dtype=value.dtype))
        param.zero_grad()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(networks(), st.sampled_from(["float32", "float64"]), st.booleans(), st.integers(0, 100))
def test_random_networks(network, dtype, hybridized_first, seed):
    steps, outputs, inputs = network
    net = Network(steps, outputs)
    net.initialize("normal")
    net.cast(dtype)
    net.hybridize(hybridized_first)
    step(net, 3, inputs, dtype, True, seed)  # parameters get their shapes here
    start = [p.data().asnumpy() for p in net.collect_params().values()]
    results = []
    for active in (False, True):
        net.hybridize(active)
        forget_statistics(net, start)
        results.append(
            [
                step(net, rows, inputs, dtype, train, seed + rows)
                for rows, train in ((3, True), (5, True), (3, False), (1, False), (3, True))
            ]
        )
    for have, want in zip(*results, strict=True):
        # Graphs add in another order: after cancellation, the error has the size of the terms.
        scale = max(1.0, *(float(np.abs(array).max()) for array in want))
        for a, b in zip(have, want, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=0, atol=64 * np.finfo(dtype).eps * scale)


class Elementwise(gluon.HybridBlock):
    """Block that runs a list of elementwise steps on two inputs of any shape."""

    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def hybrid_forward(self, F, x, y):
        values = [x, y]
        for kind, one, other, number in self.steps:
            a, b = values[one % len(values)], values[other % len(values)]
            if kind == "add":
                value = (a + b) * 0.5
            elif kind == "multiply":
                value = F.tanh(a * b)
            elif kind == "number":
                value = a * number + 0.1
            elif kind == "reverse":
                value = number - a / 2
            else:
                value = F.tanh(getattr(F, kind)(a * 0.3))
            values.append(value)
        return values[-1] + values[len(values) // 2], values[-1]


ELEMENTWISE = ("add", "multiply", "number", "reverse", "tanh", "sigmoid", "relu", "square", "sin")


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(
            st.sampled_from(ELEMENTWISE),
            st.integers(0, 60),
            st.integers(0, 60),
            st.sampled_from([-1.5, 0.0, 0.25, 2.0]),
        ),
        min_size=1,
        max_size=60,
    ),
    st.sampled_from(["float32", "float64", "float16", "int32"]),
    st.sampled_from([(1,), (3, 5), (2, 3, 400)]),
    st.integers(0, 100),
)
def test_random_elementwise_graphs(steps, dtype, shape, seed):
    """Deep and wide fusible graphs, with more live values than a fused step can hold."""
    rng = np.random.default_rng(seed)
    values = [rng.uniform(-2, 2, shape).astype(dtype) for _ in range(2)]
    heads = [rng.uniform(-2, 2, shape).astype(dtype) for _ in range(2)]
    results = []
    for active in (False, True):
        block = Elementwise(steps)
        block.hybridize(active)
        arrays = [nd.array(value, dtype=dtype) for value in values]
        for array in arrays:
            array.attach_grad()
        with autograd.record():
            outputs = block(*arrays)
        autograd.backward(list(outputs), [nd.array(head, dtype=dtype) for head in heads])
        results.append([array.asnumpy() for array in (*outputs, *(a.grad for a in arrays))])
    # Integers are equal; gradients of floating types are summed in another order.
    eps = 0.0 if dtype == "int32" else float(np.finfo(dtype).eps)
    for have, want in zip(*results, strict=True):
        assert have.dtype == want.dtype
        scale = max(1.0, float(np.abs(want).max()))
        np.testing.assert_allclose(
            have.astype("float64"), want.astype("float64"), rtol=0, atol=64 * eps * scale
        )
