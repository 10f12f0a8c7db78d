"""Forward check: compare an operator with a float64 reference over shapes and dtypes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from opforge import ndarray as nd

from ._closeness import assert_allclose

__all__ = ["check_forward"]

#: Accepted relative error of each dtype, as for NumPy's assert_allclose.
TOLERANCES: Mapping[str, float] = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-12}


def check_forward(
    function: Callable[..., Any],
    reference: Callable[..., Any],
    shapes: Iterable[Sequence[tuple[int, ...]]],
    *,
    dtypes: Iterable[str] = ("float32", "float64"),
    tolerances: Mapping[str, float] = TOLERANCES,
    sample: "Callable[[Any, tuple[int, ...]], Any] | None" = None,
    seed: int = 0,
) -> int:
    """Compare `function` with a NumPy reference computed in float64.

    Parameters
    ----------
    function : callable
        Maps NDArrays to an NDArray.
    reference : callable
        Computes the same from float64 NumPy arrays.
    shapes : iterable of sequence of tuple of int
        Shapes of all inputs for each case.
    dtypes : iterable of str
    tolerances : mapping of str to float
        Relative error for each dtype.
    sample : callable, optional
        ``sample(rng, shape)`` draws an input; default: standard normal.
    seed : int, default 0

    Returns
    -------
    int
        Number of comparisons.

    Examples
    --------
    >>> import numpy as np
    >>> from opforge import nd
    >>> check_forward(nd.exp, np.exp, [[(2, 3)], [(0,)]])
    4
    """
    draw = sample or (lambda rng, shape: rng.standard_normal(shape))
    rng = np.random.default_rng(seed)
    count = 0
    for case in shapes:
        for dtype in dtypes:
            sources = [np.asarray(draw(rng, shape)).astype(dtype) for shape in case]
            result = function(*[nd.array(s, dtype=dtype) for s in sources])
            expected = np.asarray(reference(*[s.astype("float64") for s in sources]))
            if np.dtype(result.dtype).name != dtype:
                raise AssertionError(f"dtype {result.dtype}, expected {dtype}")
            tolerance = tolerances[dtype]
            where = f"inputs {case}, dtype {dtype}"
            assert_allclose(result, expected, tolerance, tolerance, where=where)
            count += 1
    return count
