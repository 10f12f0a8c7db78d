"""Cases dominated by call overhead: small arrays, user-defined operators, small networks."""

from .case import Array, Case

__all__ = ["CALLS", "CUSTOM_OPERATORS", "C_OPERATORS", "NETWORKS", "perceptron"]

CALLS = (
    Case(
        "add, 4 elements",
        "calls",
        opforge="a + b",
        torch="a + b",
        numpy="a + b",
        sizes={"n": 4},
        arrays={name: Array(("n",)) for name in "ab"},
        target=0.5,
    ),
    Case(
        "x*2+1, sum, backward, 4 elements",
        "calls",
        opforge="sum_and_backward()",
        torch="sum_and_backward()",
        sizes={"n": 4},
        arrays={"x": Array(("n",), needs_grad=True)},
        program="sum_and_backward",
        records=True,
        target=0.3,
    ),
)


def _custom(count: int, shown: str, forward: float | None, both: float | None) -> tuple[Case, ...]:
    """Return the cases of a user-defined operator written with NumPy."""
    arrays = {"x": Array(("n",), needs_grad=True), "head": Array(("n",), "ones")}
    return (
        Case(
            f"NumPy CustomOp, forward, {shown} elements",
            "calls",
            opforge="forward()",
            torch="forward()",
            numpy="1.0 / (1.0 + np.exp(-x))",
            sizes={"n": count},
            arrays=arrays,
            program="numpy_custom_op",
            records=True,
            target=forward,
        ),
        Case(
            f"NumPy CustomOp, forward and backward, {shown} elements",
            "calls",
            opforge="forward_and_backward()",
            torch="forward_and_backward()",
            numpy="[y := 1.0 / (1.0 + np.exp(-x)), head * (1.0 - y) * y]",
            sizes={"n": count},
            arrays=arrays,
            program="numpy_custom_op",
            records=True,
            target=both,
        ),
    )


CUSTOM_OPERATORS = (*_custom(4, "4", 0.6, 0.5), *_custom(10**6, "1e6", None, 0.8))


def _c_operator(name: str, call: str, second: str, count: int) -> Case:
    """Return a case that measures the overhead of calling a plugin's C function."""
    return Case(
        f"C operator, {name}",
        "calls",
        opforge=f"{call}()",
        sizes={"n": count},
        arrays={"x": Array(("n",), needs_grad=True), "y": Array((second,))},
        program="c_operators",
        records=True,
    )


C_OPERATORS = (
    _c_operator("two shapes in turn, 4 and 5 elements", "two_shapes", "n + 1", 4),
    _c_operator("31 MB of workspace", "workspace", "n", 4),
    _c_operator("one gradient of two, 1e6 elements", "one_of_two_gradients", "n", 10**6),
)


def perceptron(what: str, batch: int, target: float, hybridized: bool = False) -> Case:
    """Return a case of the network 784-128-64-10."""
    call = "train()" if what == "training step" else "infer()"
    weights = "(784 * 128 + 128 * 64 + 64 * 10)"
    return Case(
        f"MLP 784-128-64-10, {what}, batch {batch}{', hybridized' if hybridized else ''}",
        "graphs" if hybridized else "networks",
        opforge=call,
        torch=call,
        sizes={"batch": batch},
        arrays={"x": Array(("batch", "784"))},
        program="compiled_perceptron" if hybridized else "perceptron",
        records=True,
        target=target,
        # Forward, the gradients of weights, and those of all inputs except the first layer's.
        flops=f"2 * batch * {weights}"
        if what == "inference"
        else f"2 * batch * (3 * {weights} - 784 * 128)",
    )


NETWORKS = (
    perceptron("training step", 64, 0.6),
    perceptron("training step", 1024, 0.9),
    perceptron("inference", 1, 0.8),
)
