"""Native kernels that operators written in Python may call.

Functions have the signature ``fn(inputs..., out, attributes..., req="write")``: they check shapes
and types, write into `out` and return None. Capitalized names are computations: constructed from
the attributes, they serve as an operator's `compute`, so that no Python code runs during a call.
Plugins import this module as `opforge.plugin_api.kernels`.
"""

from .blocking import Block, Unblock
from .byte_images import look_up_bytes
from .channels import batch_norm, batch_norm_grad, moments
from .compressed import csr_dot, csr_transpose
from .computations import (
    Clip,
    CrossEntropy,
    CrossEntropyGrad,
    Reduce,
    Softmax,
    SoftmaxGrad,
    Spread,
    Unary,
)
from .cross_entropy import softmax_cross_entropy, softmax_cross_entropy_grad
from .cumulative import cumsum
from .elementwise import binary, binary_scalar, cast, unary
from .extremes import argreduce
from .indexing import gather_nd, scatter_nd, take, take_grad
from .indexing_computations import Take, TakeGrad
from .indices import expect_labels
from .movement import broadcast_to, concat, repeat, tile, transpose
from .normalize import layer_norm, layer_norm_grad
from .ordering import order
from .picking import one_hot, pick, pick_grad
from .product import batch_dot, gemm
from .product_computations import Dense, Dot
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
from .reductions import reduce, repeat_grad, tile_grad
from .rowwise import softmax, softmax_grad
from .selection import clip, fill, where
from .slicing import flip, slice_array, slice_assign, slice_grad
from .slicing import slice_array as slice
from .twobits import pack_two_bits, unpack_two_bits
from .update import update_weights

__all__ = [
    "Block",
    "Clip",
    "CrossEntropy",
    "CrossEntropyGrad",
    "Dense",
    "Dot",
    "Reduce",
    "Softmax",
    "SoftmaxGrad",
    "Spread",
    "Take",
    "TakeGrad",
    "Unary",
    "Unblock",
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
    "csr_dot",
    "csr_transpose",
    "cumsum",
    "expect_labels",
    "exponential",
    "fill",
    "flip",
    "gamma",
    "gather_nd",
    "gemm",
    "layer_norm",
    "layer_norm_grad",
    "look_up_bytes",
    "moments",
    "normal",
    "one_hot",
    "order",
    "pack_two_bits",
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
    "unpack_two_bits",
    "update_weights",
    "where",
]
