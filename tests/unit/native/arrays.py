"""Arrays that tests of native kernels make and compare."""

import numpy as np

from opforge.base.context import cpu
from opforge.base.dtypes import CODES
from opforge.native import array


def array_of(values):
    """Return a native array with a copy of `values`."""
    values = np.asarray(values, order="C")
    return array.from_numpy(values, CODES[values.dtype.name], cpu())


def integers(shape, dtype="float32", seed=0):
    """Return random integers of [0, 100) as `dtype`."""
    return np.asarray(np.random.default_rng(seed).integers(0, 100, shape)).astype(dtype)


def normal(shape, dtype, seed=0, scale=1):
    """Return normally distributed numbers of mean 0 and standard deviation `scale`."""
    return np.asarray(np.random.default_rng(seed).standard_normal(shape) * scale).astype(dtype)


def result(function, want, *args, **kwargs):
    """Call `function` with an output filled with other values; return what it wrote."""
    out = array_of(np.full(want.shape, 3).astype(want.dtype))
    function(args[0], out, *args[1:], **kwargs)
    return out.asnumpy()
