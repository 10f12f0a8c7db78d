"""Every native kernel that operators written in Python may call, one name each.

All have the form ``fn(inputs..., out, attributes..., req="write")``, check shapes and types, write
into the `out` that they are given and return None. Plugins see this module as
`opforge.plugin_api.kernels`.
"""

from .argreduce import argreduce
from .channels import batch_norm, batch_norm_grad, moments
from .crossentropy import softmax_cross_entropy, softmax_cross_entropy_grad
from .elementwise_calls import binary, binary_scalar, cast, clip, fill, unary, where
from .gemm import batch_dot, gemm
from .indexing_kernels import (
    gather_nd,
    one_hot,
    pick,
    pick_grad,
    scatter_nd,
    take,
    take_grad,
)
from .movement import (
    broadcast_to,
    concat,
    flip,
    repeat,
    slice_array,
    slice_assign,
    slice_grad,
    tile,
    transpose,
)
from .movement import slice_array as slice
from .normalize import layer_norm, layer_norm_grad
from .random import (
    bernoulli,
    exponential,
    gamma,
    normal,
    permutation,
    poisson,
    randint,
    seed,
    shuffle,
    uniform,
)
from .reduce import reduce, repeat_grad, tile_grad
from .rowwise import softmax, softmax_grad

__all__ = [
    "argreduce",
    "batch_dot",
    "batch_norm",
    "batch_norm_grad",
    "bernoulli",
    "binary",
    "binary_scalar",
    "broadcast_to",
    "cast",
    "clip",
    "concat",
    "exponential",
    "fill",
    "flip",
    "gamma",
    "gather_nd",
    "gemm",
    "layer_norm",
    "layer_norm_grad",
    "moments",
    "normal",
    "one_hot",
    "permutation",
    "pick",
    "pick_grad",
    "poisson",
    "randint",
    "reduce",
    "repeat",
    "repeat_grad",
    "scatter_nd",
    "seed",
    "shuffle",
    "slice",
    "slice_array",
    "slice_assign",
    "slice_grad",
    "softmax",
    "softmax_cross_entropy",
    "softmax_cross_entropy_grad",
    "softmax_grad",
    "take",
    "take_grad",
    "tile",
    "tile_grad",
    "transpose",
    "unary",
    "uniform",
    "where",
]
