"""opforge-contrib. Gradients of hawkesll are in its own tests: MXNet's lack that of the state."""

from itertools import product

import numpy as np

from .call import Call

RNG = np.random.default_rng(21)
SINGLE = ("float32",)


def between(low, high, *shape):
    return lambda rng: rng.uniform(low, high, shape)


def hawkes(sequences, marks, lags, lengths):
    shapes = ((sequences, marks), (marks,), (marks,), (sequences, marks), (sequences, lags))
    return Call(
        "contrib.hawkesll",
        (
            *(between(0.2, 1.5, *shape) for shape in shapes),
            RNG.integers(0, marks, (sequences, lags)).astype("int32"),
            lambda rng: np.array(lengths),
            between(1.5 * lags, 2.5 * lags, sequences),
        ),
        smooth=(),
        tolerance=1e-4,
    )


def histogram(kind, bins):
    values = getattr(RNG, kind)(size=3000)
    limit = np.abs(values).max()
    found = np.histogram(values, bins=bins, range=(-limit, limit))
    return tuple(array.astype("float32") for array in found)


CALLS = [
    *(Call("cumsum", ((2, 3, 4),), {"axis": axis}) for axis in (0, 1, 2)),
    Call("cumsum", ((2, 3, 4),)),
    *(
        Call("moments", ((2, 3, 4),), {"axes": axes, "keepdims": keepdims}, tolerance=1e-4)
        for axes, keepdims in product(((0,), (1, 2), (0, 1, 2)), (False, True))
    ),
    *(Call("khatri_rao", shapes, smooth=()) for shapes in (((2, 3),), ((2, 3), (4, 3), (1, 3)))),
    Call(
        "ravel_multi_index", (np.array([[3, 6], [4, 1]], "float32"),), {"shape": (7, 6)}, smooth=()
    ),
    Call("unravel_index", (np.array([22, 41, 0], "float32"),), {"shape": (7, 6)}, smooth=()),
    *(
        Call("SVMOutput", ((5, 4), np.arange(5, dtype="float32")), attributes, dtypes=SINGLE)
        for attributes in ({}, {"use_linear": True}, {"margin": 0.3})
    ),
    *(
        Call(
            f"random_pdf_{name}",
            tuple(between(0.2, 2, 2, *rest) for rest in ((3,), *[()] * count)),
            {"is_log": is_log},
            smooth=tuple(range(count + 1)),
            tolerance=1e-3,
        )
        for name, count in (("normal", 2), ("gamma", 2), ("exponential", 1))
        for is_log in (False, True)
    ),
    hawkes(3, 2, 6, (6, 3, 0)),
    hawkes(2, 1, 4, (1.5, 4)),
    hawkes(4, 5, 50, (50, 49, 1, 20)),
    *(
        Call(
            "contrib.calibrate_entropy",
            histogram(kind, bins),
            {"num_quantized_bins": quantized},
            smooth=(),
            dtypes=SINGLE,
        )
        for kind, bins, quantized in product(
            ("standard_normal", "laplace"), (257, 801), (255, 127, 64)
        )
    ),
]
