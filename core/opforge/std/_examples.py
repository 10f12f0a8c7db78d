"""Examples of the operators that tables of this package declare, by the name of the row.

A row has one line in its table; its example is kept here so that the tables stay readable.
"""

__all__ = ["with_example"]

#: Statements, the last of which is printed, and the output.
_EXAMPLES = {
    "_copy": (
        "nd.identity(nd.array([1, 2])).asnumpy().tolist()",
        "[1.0, 2.0]",
    ),
    "negative": (
        "nd.negative(nd.array([1, -2])).asnumpy().tolist()",
        "[-1.0, 2.0]",
    ),
    "abs": (
        "nd.abs(nd.array([-1.5, 0, 2])).asnumpy().tolist()",
        "[1.5, 0.0, 2.0]",
    ),
    "sign": (
        "nd.sign(nd.array([-3, 0, 2])).asnumpy().tolist()",
        "[-1.0, 0.0, 1.0]",
    ),
    "square": (
        "nd.square(nd.array([-2, 3])).asnumpy().tolist()",
        "[4.0, 9.0]",
    ),
    "sqrt": (
        "nd.sqrt(nd.array([4, 9])).asnumpy().tolist()",
        "[2.0, 3.0]",
    ),
    "rsqrt": (
        "nd.rsqrt(nd.array([4, 16])).asnumpy().tolist()",
        "[0.5, 0.25]",
    ),
    "cbrt": (
        "print(nd.cbrt(nd.array([8, 27])).asnumpy().round(4))",
        "[2. 3.]",
    ),
    "rcbrt": (
        "print(nd.rcbrt(nd.array([8, 64])).asnumpy().round(4))",
        "[0.5  0.25]",
    ),
    "reciprocal": (
        "nd.reciprocal(nd.array([2, 4])).asnumpy().tolist()",
        "[0.5, 0.25]",
    ),
    "exp": (
        "print(nd.exp(nd.array([0, 1])).asnumpy().round(4))",
        "[1.     2.7183]",
    ),
    "expm1": (
        "print(nd.expm1(nd.array([0, 1])).asnumpy().round(4))",
        "[0.     1.7183]",
    ),
    "log": (
        "print(nd.log(nd.array([1, 10])).asnumpy().round(4))",
        "[0.     2.3026]",
    ),
    "log2": (
        "print(nd.log2(nd.array([1, 8])).asnumpy().round(4))",
        "[0. 3.]",
    ),
    "log10": (
        "print(nd.log10(nd.array([1, 1000])).asnumpy().round(4))",
        "[0. 3.]",
    ),
    "log1p": (
        "print(nd.log1p(nd.array([0, 1])).asnumpy().round(4))",
        "[0.     0.6931]",
    ),
    "sin": (
        "print(nd.sin(nd.array([0, 1])).asnumpy().round(4))",
        "[0.     0.8415]",
    ),
    "cos": (
        "print(nd.cos(nd.array([0, 1])).asnumpy().round(4))",
        "[1.     0.5403]",
    ),
    "tan": (
        "print(nd.tan(nd.array([0, 1])).asnumpy().round(4))",
        "[0.     1.5574]",
    ),
    "arcsin": (
        "print(nd.arcsin(nd.array([0, 1])).asnumpy().round(4))",
        "[0.     1.5708]",
    ),
    "arccos": (
        "print(nd.arccos(nd.array([0, 1])).asnumpy().round(4))",
        "[1.5708 0.    ]",
    ),
    "arctan": (
        "print(nd.arctan(nd.array([0, 1])).asnumpy().round(4))",
        "[0.     0.7854]",
    ),
    "sinh": (
        "print(nd.sinh(nd.array([0, 1])).asnumpy().round(4))",
        "[0.     1.1752]",
    ),
    "cosh": (
        "print(nd.cosh(nd.array([0, 1])).asnumpy().round(4))",
        "[1.     1.5431]",
    ),
    "tanh": (
        "print(nd.tanh(nd.array([0, 1])).asnumpy().round(4))",
        "[0.     0.7616]",
    ),
    "arcsinh": (
        "print(nd.arcsinh(nd.array([0, 1])).asnumpy().round(4))",
        "[0.     0.8814]",
    ),
    "arccosh": (
        "print(nd.arccosh(nd.array([1, 2])).asnumpy().round(4))",
        "[0.    1.317]",
    ),
    "arctanh": (
        "print(nd.arctanh(nd.array([0, 0.5])).asnumpy().round(4))",
        "[0.     0.5493]",
    ),
    "erf": (
        "print(nd.erf(nd.array([0, 1])).asnumpy().round(4))",
        "[0.     0.8427]",
    ),
    "erfinv": (
        "print(nd.erfinv(nd.array([0, 0.5])).asnumpy().round(4))",
        "[0.     0.4769]",
    ),
    "gamma": (
        "print(nd.gamma(nd.array([1, 5])).asnumpy().round(4))",
        "[ 1. 24.]",
    ),
    "gammaln": (
        "print(nd.gammaln(nd.array([1, 5])).asnumpy().round(4))",
        "[0.     3.1781]",
    ),
    "degrees": (
        "print(nd.degrees(nd.array([0, 3.14159265])).asnumpy().round(4))",
        "[  0. 180.]",
    ),
    "radians": (
        "print(nd.radians(nd.array([0, 180])).asnumpy().round(4))",
        "[0.     3.1416]",
    ),
    "floor": (
        "nd.floor(nd.array([-1.5, 1.5])).asnumpy().tolist()",
        "[-2.0, 1.0]",
    ),
    "ceil": (
        "nd.ceil(nd.array([-1.5, 1.5])).asnumpy().tolist()",
        "[-1.0, 2.0]",
    ),
    "rint": (
        "nd.rint(nd.array([0.5, 1.5, 1.7])).asnumpy().tolist()",
        "[0.0, 1.0, 2.0]",
    ),
    "round": (
        "nd.round(nd.array([-1.5, 1.5, 1.7])).asnumpy().tolist()",
        "[-2.0, 2.0, 2.0]",
    ),
    "trunc": (
        "nd.trunc(nd.array([-1.7, 1.7])).asnumpy().tolist()",
        "[-1.0, 1.0]",
    ),
    "fix": (
        "nd.fix(nd.array([-1.7, 1.7])).asnumpy().tolist()",
        "[-1.0, 1.0]",
    ),
    "logical_not": (
        "nd.logical_not(nd.array([0, 2])).asnumpy().tolist()",
        "[1.0, 0.0]",
    ),
    "isnan": (
        "nd.contrib.isnan(nd.array([1, float('inf'), float('nan')])).asnumpy().tolist()",
        "[0.0, 0.0, 1.0]",
    ),
    "isinf": (
        "nd.contrib.isinf(nd.array([1, float('inf'), float('nan')])).asnumpy().tolist()",
        "[0.0, 1.0, 0.0]",
    ),
    "isfinite": (
        "nd.contrib.isfinite(nd.array([1, float('inf'), float('nan')])).asnumpy().tolist()",
        "[1.0, 0.0, 0.0]",
    ),
    "elemwise_add": (
        "nd.elemwise_add(nd.array([6, 8]), nd.array([2, 4])).asnumpy().tolist()",
        "[8.0, 12.0]",
    ),
    "elemwise_sub": (
        "nd.elemwise_sub(nd.array([6, 8]), nd.array([2, 4])).asnumpy().tolist()",
        "[4.0, 4.0]",
    ),
    "elemwise_mul": (
        "nd.elemwise_mul(nd.array([6, 8]), nd.array([2, 4])).asnumpy().tolist()",
        "[12.0, 32.0]",
    ),
    "elemwise_div": (
        "nd.elemwise_div(nd.array([6, 8]), nd.array([2, 4])).asnumpy().tolist()",
        "[3.0, 2.0]",
    ),
    "broadcast_add": (
        "nd.broadcast_add(nd.array([[6], [8]]), nd.array([1, 2])).asnumpy().tolist()",
        "[[7.0, 8.0], [9.0, 10.0]]",
    ),
    "broadcast_sub": (
        "nd.broadcast_sub(nd.array([[6], [8]]), nd.array([1, 2])).asnumpy().tolist()",
        "[[5.0, 4.0], [7.0, 6.0]]",
    ),
    "broadcast_mul": (
        "nd.broadcast_mul(nd.array([[6], [8]]), nd.array([1, 2])).asnumpy().tolist()",
        "[[6.0, 12.0], [8.0, 16.0]]",
    ),
    "broadcast_div": (
        "nd.broadcast_div(nd.array([[6], [8]]), nd.array([1, 2])).asnumpy().tolist()",
        "[[6.0, 3.0], [8.0, 4.0]]",
    ),
    "broadcast_mod": (
        "nd.broadcast_mod(nd.array([[5], [-5]]), nd.array([3, 4])).asnumpy().tolist()",
        "[[2.0, 1.0], [1.0, 3.0]]",
    ),
    "broadcast_power": (
        "nd.broadcast_power(nd.array([[2], [3]]), nd.array([2, 3])).asnumpy().tolist()",
        "[[4.0, 8.0], [9.0, 27.0]]",
    ),
    "broadcast_maximum": (
        "nd.broadcast_maximum(nd.array([[1], [4]]), nd.array([2, 3])).asnumpy().tolist()",
        "[[2.0, 3.0], [4.0, 4.0]]",
    ),
    "broadcast_minimum": (
        "nd.broadcast_minimum(nd.array([[1], [4]]), nd.array([2, 3])).asnumpy().tolist()",
        "[[1.0, 1.0], [2.0, 3.0]]",
    ),
    "broadcast_hypot": (
        "print(nd.broadcast_hypot(nd.array([3, 6]), nd.array([4, 8])).asnumpy().round(4))",
        "[ 5. 10.]",
    ),
    "broadcast_arctan2": (
        "print(nd.broadcast_arctan2(nd.array([0, 1]), nd.array([1])).asnumpy().round(4))",
        "[0.     0.7854]",
    ),
    "broadcast_equal": (
        "nd.broadcast_equal(nd.array([1, 2, 3]), nd.array([2])).asnumpy().tolist()",
        "[0.0, 1.0, 0.0]",
    ),
    "broadcast_not_equal": (
        "nd.broadcast_not_equal(nd.array([1, 2, 3]), nd.array([2])).asnumpy().tolist()",
        "[1.0, 0.0, 1.0]",
    ),
    "broadcast_greater": (
        "nd.broadcast_greater(nd.array([1, 2, 3]), nd.array([2])).asnumpy().tolist()",
        "[0.0, 0.0, 1.0]",
    ),
    "broadcast_greater_equal": (
        "nd.broadcast_greater_equal(nd.array([1, 2, 3]), nd.array([2])).asnumpy().tolist()",
        "[0.0, 1.0, 1.0]",
    ),
    "broadcast_lesser": (
        "nd.broadcast_lesser(nd.array([1, 2, 3]), nd.array([2])).asnumpy().tolist()",
        "[1.0, 0.0, 0.0]",
    ),
    "broadcast_lesser_equal": (
        "nd.broadcast_lesser_equal(nd.array([1, 2, 3]), nd.array([2])).asnumpy().tolist()",
        "[1.0, 1.0, 0.0]",
    ),
    "broadcast_logical_and": (
        "nd.broadcast_logical_and(nd.array([[0], [1]]), nd.array([0, 1])).asnumpy().tolist()",
        "[[0.0, 0.0], [0.0, 1.0]]",
    ),
    "broadcast_logical_or": (
        "nd.broadcast_logical_or(nd.array([[0], [1]]), nd.array([0, 1])).asnumpy().tolist()",
        "[[0.0, 1.0], [1.0, 1.0]]",
    ),
    "broadcast_logical_xor": (
        "nd.broadcast_logical_xor(nd.array([[0], [1]]), nd.array([0, 1])).asnumpy().tolist()",
        "[[0.0, 1.0], [1.0, 0.0]]",
    ),
    "_random_uniform": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "x = nd.random_uniform(low=2, high=3, shape=(1000, 100))",
        "x.shape, round(float(x.mean().asscalar()), 1)",
        "((1000, 100), 2.5)",
    ),
    "_sample_uniform": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "x = nd.sample_uniform(nd.array([0, 10]), nd.array([1, 11]), shape=10000)",
        "print(x.shape, x.mean(axis=1).asnumpy().round(1))",
        "(2, 10000) [ 0.5 10.5]",
    ),
    "_random_normal": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "x = nd.random_normal(loc=5, scale=0.1, shape=(1000, 100))",
        "x.shape, round(float(x.mean().asscalar()), 1)",
        "((1000, 100), 5.0)",
    ),
    "_sample_normal": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "x = nd.sample_normal(nd.array([1, 10]), nd.array([0.1, 0.1]), shape=10000)",
        "print(x.shape, x.mean(axis=1).asnumpy().round(1))",
        "(2, 10000) [ 1. 10.]",
    ),
    "_random_gamma": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "x = nd.random_gamma(alpha=4, beta=0.5, shape=(1000, 100))",
        "x.shape, round(float(x.mean().asscalar()), 1)",
        "((1000, 100), 2.0)",
    ),
    "_sample_gamma": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "x = nd.sample_gamma(nd.array([4, 9]), nd.array([0.5, 0.5]), shape=10000)",
        "print(x.shape, x.mean(axis=1).asnumpy().round(1))",
        "(2, 10000) [2.  4.5]",
    ),
    "_random_exponential": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "x = nd.random_exponential(lam=2, shape=(1000, 100))",
        "x.shape, round(float(x.mean().asscalar()), 1)",
        "((1000, 100), 0.5)",
    ),
    "_sample_exponential": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "x = nd.sample_exponential(nd.array([1, 10]), shape=10000)",
        "print(x.shape, x.mean(axis=1).asnumpy().round(1))",
        "(2, 10000) [1.  0.1]",
    ),
    "_random_poisson": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "x = nd.random_poisson(lam=4, shape=(1000, 100))",
        "x.shape, round(float(x.mean().asscalar()), 1)",
        "((1000, 100), 4.0)",
    ),
    "_sample_poisson": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "x = nd.sample_poisson(nd.array([4, 100]), shape=10000)",
        "print(x.shape, x.mean(axis=1).asnumpy().round(1))",
        "(2, 10000) [ 4.  99.9]",
    ),
    "_random_negative_binomial": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "x = nd.random_negative_binomial(k=3, p=0.5, shape=(1000, 100))",
        "x.shape, round(float(x.mean().asscalar()), 1)",
        "((1000, 100), 3.0)",
    ),
    "_sample_negative_binomial": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "x = nd.sample_negative_binomial(nd.array([3, 30]), nd.array([0.5, 0.5]), shape=10000)",
        "print(x.shape, x.mean(axis=1).asnumpy().round(1))",
        "(2, 10000) [ 3. 30.]",
    ),
    "_random_generalized_negative_binomial": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "x = nd.random_generalized_negative_binomial(mu=3, alpha=0.5, shape=(1000, 100))",
        "x.shape, round(float(x.mean().asscalar()), 1)",
        "((1000, 100), 3.0)",
    ),
    "_sample_generalized_negative_binomial": (
        "import opforge as mx",
        "mx.random.seed(0)",
        "mean, dispersion = nd.array([3, 30]), nd.array([0.5, 0.5])",
        "x = nd.sample_generalized_negative_binomial(mean, dispersion, shape=10000)",
        "print(x.shape, x.mean(axis=1).asnumpy().round(1))",
        "(2, 10000) [ 3.  30.2]",
    ),
}


def with_example(text: str, name: str) -> str:
    """Return the docstring `text` with the example of the operator `name`, if it has one."""
    if name not in _EXAMPLES:
        return text
    *statements, output = ("from opforge import nd", *_EXAMPLES[name])
    lines = [text, "", "Examples", "--------", *(f">>> {line}" for line in statements), output]
    return "\n".join([*lines, ""])
