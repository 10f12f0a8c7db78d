"""Cases dominated by arithmetic or memory traffic, grouped by kind of kernel."""

from .case import Array, Case

__all__ = ["ELEMENTWISE", "MOVEMENT", "PRODUCTS", "ROWS", "TYPES"]

#: Elements of a large elementwise case: 40 MB of float32, larger than most caches.
LARGE = 10**7


def _vectors(names: str, dtype: str = "float32", fill: str = "uniform") -> dict[str, Array]:
    return {name: Array(("n",), fill, dtype) for name in names}


def _into(name: str, target: float, opforge: str = "", numpy: str = "") -> Case:
    """Return the case of a unary function that writes a large array to an existing output."""
    return Case(
        f"{name}, 1e7, existing output",
        "elementwise",
        opforge=f"nd.{name}(a, out=c)",
        torch=f"torch.{name}(a, out=c)",
        numpy=numpy,
        sizes={"n": LARGE},
        arrays=_vectors("ac"),
        target=target,
        nbytes="8 * n",
    )


ELEMENTWISE = (
    Case(
        "add, 1e7, existing output",
        "elementwise",
        opforge="nd.elemwise_add(a, b, out=c)",
        torch="torch.add(a, b, out=c)",
        numpy="np.add(a, b, out=c)",
        sizes={"n": LARGE},
        arrays=_vectors("abc"),
        target=0.95,
        nbytes="12 * n",
    ),
    _into("sigmoid", 0.95),
    _into("exp", 0.97, numpy="np.exp(a, out=c)"),
    _into("tanh", 0.97, numpy="np.tanh(a, out=c)"),
    Case(
        "add, 1e7, fresh output",
        "elementwise",
        opforge="a + b",
        torch="a + b",
        numpy="a + b",
        sizes={"n": LARGE},
        arrays=_vectors("ab"),
        target=0.3,
        nbytes="12 * n",
    ),
    Case(
        "exp, 1e7, fresh output",
        "elementwise",
        opforge="nd.exp(a)",
        torch="torch.exp(a)",
        numpy="np.exp(a)",
        sizes={"n": LARGE},
        arrays=_vectors("a"),
        target=0.3,
        nbytes="8 * n",
    ),
    Case(
        "broadcast add, 4096x1024 + 1024",
        "elementwise",
        opforge="nd.broadcast_add(m, v)",
        torch="m + v",
        numpy="m + v",
        sizes={"rows": 4096, "columns": 1024},
        arrays={"m": Array(("rows", "columns")), "v": Array(("1", "columns"))},
        target=1.0,
        nbytes="8 * rows * columns",
    ),
    Case(
        "chain of 12 elementwise operators, 1e7",
        "elementwise",
        opforge="chain(nd, a)",
        torch="chain(torch, a)",
        sizes={"n": LARGE},
        arrays=_vectors("a"),
        program="chain",
        target=0.3,
        nbytes="8 * n",
    ),
)


def _typed_case(name: str, dtype: str, size: int) -> Case:
    """Return a memory-bound elementwise case of a dtype other than float32."""
    binary = name == "add"
    arguments, arrays = ("a, b", "abc") if binary else ("a", "ac")
    return Case(
        f"{name}, {dtype}, 1e7, existing output",
        "element types",
        opforge=f"nd.{'elemwise_add' if binary else name}({arguments}, out=c)",
        torch=f"torch.{name}({arguments}, out=c)",
        numpy=f"np.{name}({arguments}, out=c)",
        sizes={"n": LARGE},
        arrays=_vectors(arrays, dtype),
        nbytes=f"{len(arrays) * size} * n",
        # float16 is compared with the time of float32.
        share=None if dtype == "float16" else 0.5,
    )


TYPES = (
    *(
        _typed_case("add", t, s)
        for t, s in (("float64", 8), ("int64", 8), ("int32", 4), ("int8", 1))
    ),
    _typed_case("add", "uint8", 1),
    _typed_case("add", "float16", 2),
    _typed_case("exp", "float64", 8),
    _typed_case("exp", "float16", 2),
)

_MATRIX = {"x": Array(("rows", "columns")), "y": Array(("rows", "columns"), "zeros")}
_TALL = {"rows": 8192, "columns": 1000}
_BOTH_WAYS = "8 * rows * columns"


def _softmax(shown: str, output: str, sizes: dict[str, int], target: float) -> Case:
    """Return a case of the softmax of each row."""
    out = ", out=y" if output == "existing" else ""
    return Case(
        f"softmax, {shown}, {output} output",
        "reductions and rows",
        opforge=f"nd.softmax(x{out})",
        torch=f"torch.softmax(x, -1{out})",
        sizes=sizes,
        arrays=_MATRIX,
        target=target,
        nbytes=_BOTH_WAYS if sizes is _TALL else "",
    )


ROWS = (
    Case(
        "sum, 1e7",
        "reductions and rows",
        opforge="nd.sum(a)",
        torch="torch.sum(a)",
        numpy="np.sum(a)",
        sizes={"n": LARGE},
        arrays=_vectors("a"),
        target=1.0,
        nbytes="4 * n",
    ),
    Case(
        "sum over axis 0, 8192x1000",
        "reductions and rows",
        opforge="nd.sum(x, axis=0)",
        torch="torch.sum(x, 0)",
        numpy="np.sum(x, 0)",
        sizes=_TALL,
        arrays={"x": _MATRIX["x"]},
        target=1.0,
        nbytes="4 * rows * columns",
    ),
    _softmax("8192x1000", "existing", _TALL, 0.8),
    _softmax("8192x1000", "fresh", _TALL, 0.8),
    _softmax("64x10", "fresh", {"rows": 64, "columns": 10}, 0.3),
    Case(
        "layer norm, 8192x1000",
        "reductions and rows",
        opforge="nd.LayerNorm(x, gain, bias)",
        torch="F.layer_norm(x, (columns,), gain, bias)",
        sizes=_TALL,
        arrays={
            "x": _MATRIX["x"],
            "gain": Array(("columns",), "ones"),
            "bias": Array(("columns",), "zeros"),
        },
        target=1.0,
        nbytes=_BOTH_WAYS,
    ),
)

MOVEMENT = (
    Case(
        "copy, 1e7, existing output",
        "data movement",
        opforge="a.copyto(c)",
        torch="c.copy_(a)",
        numpy="np.copyto(c, a)",
        sizes={"n": LARGE},
        arrays=_vectors("ac"),
        nbytes="8 * n",
    ),
    Case(
        "tile, 100x1000 by 80",
        "data movement",
        opforge="nd.tile(t, reps=(times, 1))",
        torch="torch.tile(t, (times, 1))",
        numpy="np.tile(t, (times, 1))",
        sizes={"rows": 100, "columns": 1000, "times": 80},
        arrays={"t": Array(("rows", "columns"))},
        target=0.7,
        nbytes="4 * rows * columns * (times + 1)",
    ),
    Case(
        "transpose, 2048x2048",
        "data movement",
        opforge="nd.transpose(m)",
        torch="m.t().contiguous()",
        numpy="np.ascontiguousarray(m.T)",
        sizes={"n": 2048},
        arrays={"m": Array(("n", "n"))},
        target=0.6,
        nbytes="8 * n * n",
    ),
)


def _dense(m: int, k: int, n: int, target: float) -> Case:
    """Return a case of a dense layer with bias: `m` rows, `k` inputs, `n` outputs."""
    return Case(
        f"dense with bias, {m}x{k}x{n}",
        "matrix products",
        opforge="nd.FullyConnected(x, w, b, num_hidden=n)",
        torch="F.linear(x, w, b)",
        numpy="x @ w.T + b",
        sizes={"m": m, "k": k, "n": n},
        arrays={"x": Array(("m", "k")), "w": Array(("n", "k")), "b": Array(("n",))},
        target=target,
        flops="2 * m * k * n",
    )


PRODUCTS = (
    Case(
        "dot, 2048x2048x2048",
        "matrix products",
        opforge="nd.dot(a, b)",
        torch="a @ b",
        numpy="a @ b",
        sizes={"n": 2048},
        arrays={"a": Array(("n", "n")), "b": Array(("n", "n"))},
        target=1.0,
        flops="2 * n * n * n",
    ),
    _dense(1, 784, 128, 0.5),
    _dense(64, 784, 128, 0.9),
    _dense(256, 1024, 1024, 1.0),
)
