"""One call of each kind of operator, forward and backward, and calls that fail midway."""

import contextlib

import numpy as np

from opforge import autograd, cpu, gluon, nd, subgraph, sym
from opforge.base.errors import OpforgeError
from opforge.operator import CustomOp, CustomOpProp, register


class Scale(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * 3)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * 3)


class FailsForward(Scale):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.temporary = in_data[0] + 1
        raise KeyError("forward of the author")


class FailsBackward(Scale):
    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.temporary = out_grad[0] + 1
        raise KeyError("backward of the author")


@register("leak_scale")
class ScaleProp(CustomOpProp):
    operator = Scale

    def __init__(self):
        super().__init__(need_top_grad=True)

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]], []

    def create_operator(self, ctx, shapes, dtypes):
        return self.operator()


@register("leak_fails_forward")
class FailsForwardProp(ScaleProp):
    operator = FailsForward


@register("leak_fails_backward")
class FailsBackwardProp(ScaleProp):
    operator = FailsBackward


@register("leak_fails_shape")
class FailsShapeProp(ScaleProp):
    def infer_shape(self, in_shape):
        raise KeyError("infer_shape of the author")


class Squared(autograd.Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x * x

    def backward(self, dy):
        (x,) = self.saved_tensors
        return 2 * x * dy


class FailsInFunction(Squared):
    def backward(self, dy):
        raise KeyError("backward of the function")


X, Y = nd.array(np.arange(12.0).reshape(3, 4)), nd.ones((3, 4))
W, B, ROW = nd.ones((5, 4)), nd.zeros((5,)), nd.ones((4,))
WRONG = nd.ones((2, 7))
for array in (X, Y, W, B, ROW):
    array.attach_grad()


def failing(call):
    """Return a function that calls `call`, which has to raise."""

    def run():
        try:
            call()
        except (OpforgeError, KeyError, IndexError, TypeError, ValueError):
            return
        raise AssertionError(f"{call} did not raise")

    return run


def forward_and_back(call):
    """Return a function that records `call` and sends a gradient back."""

    def run():
        with autograd.record():
            result = call()
        result.backward()

    return run


def abandoned(call):
    """Return a function that records `call` and drops the graph."""

    def run():
        with autograd.record():
            call()

    return run


class Network(gluon.HybridBlock):
    def hybrid_forward(self, F, x, w, b):
        y = F.tanh(F.FullyConnected(x, w, b, num_hidden=5) * 2)
        return F.Custom(F.softmax(y), op_type="leak_scale")


class FailsInGraph(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.Custom(x * 2, op_type="leak_fails_backward")


NETWORK, FAILS_IN_GRAPH = Network(), FailsInGraph()
for block in (NETWORK, FAILS_IN_GRAPH):
    block.hybridize()


def bound_run():
    """Bind a graph, run it forward and backward, and drop it."""
    y = sym.tanh(sym.FullyConnected(sym.var("x"), sym.var("w"), sym.var("b"), num_hidden=5))
    args = {"x": X, "w": W, "b": B}
    executor = y.bind(cpu(), args, {name: nd.zeros(array.shape) for name, array in args.items()})
    executor.forward(is_train=True)
    executor.backward(nd.ones((3, 5)))


class Packing(subgraph.SubgraphBackend):
    """Doubles a parameter in advance, or fails after that."""

    def __init__(self, fails=False):
        self.fails = fails

    def supports(self, node):
        return node.operator == "elemwise_mul"

    def replace(self, subgraph):
        packed = subgraph.add_parameter(f"{subgraph.name}_packed", subgraph.args["y"] * 2)
        if self.fails:
            raise KeyError("replace of the author")
        return sym.elemwise_mul(subgraph.inputs["x"], packed) / 2


GRAPH = sym.tanh(sym.elemwise_mul(sym.var("x"), sym.var("y")))


FORWARD = {
    "unary": lambda: nd.tanh(X),
    "binary": lambda: X + Y,
    "scalar": lambda: X * 2,
    "broadcasting": lambda: nd.broadcast_add(X, ROW),
    "reduction": lambda: nd.sum(X, axis=1),
    "product": lambda: nd.FullyConnected(X, W, B, num_hidden=5),
    "movement": lambda: nd.transpose(X),
    "slice": lambda: X[1:],
    "composed": lambda: nd.min_max_norm(X, axis=1),
    "plugin": lambda: nd.softmax(X),
    "plugin with states": lambda: nd.LayerNorm(X, ROW, ROW),
    "custom": lambda: nd.Custom(X, op_type="leak_scale"),
    "function": lambda: Squared()(X),
    "hybridized": lambda: NETWORK(X, W, B),
}

FAILING = {
    "wrong shapes": lambda: nd.FullyConnected(X, WRONG, num_hidden=2, no_bias=True),
    "wrong shapes of numbers": lambda: nd.broadcast_add(X, WRONG),
    "unknown attribute": lambda: nd.softmax(X, axis=9),
    "forward of the author": lambda: nd.Custom(X, op_type="leak_fails_forward"),
    "shapes of the author": lambda: nd.Custom(X, op_type="leak_fails_shape"),
    "index": lambda: X[7],
    "assignment": lambda: X.__setitem__(slice(0, 2), WRONG),
    "no number": lambda: X + "text",
    "replacement of the author": lambda: GRAPH.optimize_for(Packing, {"y": Y}, fails=True),
}

KINDS = {
    **FORWARD,
    **{f"{name}, backward": forward_and_back(call) for name, call in FORWARD.items()},
    **{f"{name}, recorded only": abandoned(call) for name, call in FORWARD.items()},
    **{f"{name} fails": failing(call) for name, call in FAILING.items()},
    **{f"{name} fails, recorded": failing(abandoned(call)) for name, call in FAILING.items()},
    "backward of the author fails": failing(
        forward_and_back(lambda: nd.Custom(X, op_type="leak_fails_backward"))
    ),
    "backward in a graph fails": failing(forward_and_back(lambda: FAILS_IN_GRAPH(X))),
    "executor": bound_run,
    "subgraph backend": lambda: GRAPH.optimize_for(Packing, {"x": X, "y": Y}),
    "backward of a function fails": failing(forward_and_back(lambda: FailsInFunction()(X))),
    "assignment of a part": lambda: Y.__setitem__((slice(None), 1), 2.0),
    "round trip through NumPy": lambda: nd.array(X.asnumpy()),
    "round trip through DLPack": lambda: nd.from_dlpack(X.to_dlpack_for_read()),
    "printing": lambda: repr(X),
}


# Blocks keep their programs, and these keep objects of authors: disabled while a test counts.
for name in ("hybridized", "hybridized, backward", "backward in a graph fails"):
    KINDS[name]()


def in_turn():
    """Run every kind once, with failures in between."""
    for call in KINDS.values():
        with contextlib.suppress(AssertionError):
            call()
