"""scaled_tanh: tanh(scale * x) in Numba, for float32 and float64.

The functions are compiled when this module is imported; cfuncs are not cached on disk.
"""

import math

import numpy as np
from numba import cfunc, njit

from opforge.plugin_api import native

views = native.numba_views()


@njit
def _forward(x, y, scale):
    for i in range(x.size):
        y[i] = math.tanh(scale * x[i])


@njit
def _backward(x, dy, dx, scale):
    for i in range(x.size):
        y = math.tanh(scale * x[i])
        dx[i] = dy[i] * scale * (1 - y * y)


@cfunc(views.SIGNATURE)
def forward(call):
    """Fill the output."""
    scale = views.attribute(call, 0)
    if views.type_of_input(call, 0) == views.FLOAT32:
        _forward(
            views.input_array(call, 0, np.float32), views.output_array(call, 0, np.float32), scale
        )
    else:
        _forward(
            views.input_array(call, 0, np.float64), views.output_array(call, 0, np.float64), scale
        )
    return 0


@cfunc(views.SIGNATURE)
def backward(call):
    """Fill the gradient of the input."""
    scale = views.attribute(call, 0)
    if views.type_of_input(call, 0) == views.FLOAT32:
        _backward(
            views.input_array(call, 0, np.float32),
            views.out_grad(call, 0, np.float32),
            views.in_grad(call, 0, np.float32),
            scale,
        )
    else:
        _backward(
            views.input_array(call, 0, np.float64),
            views.out_grad(call, 0, np.float64),
            views.in_grad(call, 0, np.float64),
            scale,
        )
    return 0


FUNCTIONS = native.functions(forward=forward, backward=backward)
