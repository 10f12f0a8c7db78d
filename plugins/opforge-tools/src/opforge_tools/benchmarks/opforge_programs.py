"""Programs of cases longer than one expression, in idiomatic opforge code.

Each function takes the names of a case (its sizes and arrays) and returns the additional names that
the case's expression uses. `torch_programs` contains the PyTorch equivalents.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from opforge import autograd, gluon, ndarray, operator

from . import opforge_networks, opforge_sequences
from .programs import Names, chain, twelve_operators, twenty_operators

__all__ = ["PROGRAMS"]


def _sum_and_backward(names: Mapping[str, Any]) -> Names:
    x = names["x"]

    def sum_and_backward() -> None:
        with autograd.record():
            y = (x * 2 + 1).sum()
        y.backward()

    return {"sum_and_backward": sum_and_backward}


class _Sigmoid(operator.CustomOp):
    """The sigmoid of the MXNet tutorial, with forward and backward in NumPy."""

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        x = in_data[0].asnumpy()
        self.assign(out_data[0], req[0], ndarray.array(1.0 / (1.0 + np.exp(-x))))

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        y, dy = out_data[0].asnumpy(), out_grad[0].asnumpy()
        self.assign(in_grad[0], req[0], ndarray.array(dy * (1.0 - y) * y))


class _SigmoidProp(operator.CustomOpProp):
    """Declaration of `_Sigmoid`."""

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> _Sigmoid:
        return _Sigmoid()


def _numpy_custom_op(names: Mapping[str, Any]) -> Names:
    if "benchmark_sigmoid" not in operator.get_all_registered_operators():
        operator.register("benchmark_sigmoid")(_SigmoidProp)
    x = names["x"]

    def forward() -> Any:
        return ndarray.Custom(x, op_type="benchmark_sigmoid")

    def forward_and_backward() -> None:
        with autograd.record():
            y = ndarray.Custom(x, op_type="benchmark_sigmoid")
        y.backward()

    return {"forward": forward, "forward_and_backward": forward_and_backward}


class _Chain(gluon.HybridBlock):
    """Block of twelve elementwise operators."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return twelve_operators(F, x)


class _CustomInTheMiddle(gluon.HybridBlock):
    """Block of twenty operators, one of them written with NumPy."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return twenty_operators(F, lambda y: F.Custom(y, op_type="benchmark_sigmoid"), x)


def _compiled_chain(names: Mapping[str, Any]) -> Names:
    block, a = _Chain(), names["a"]
    block.hybridize(static_alloc=True, static_shape=True)
    return {"run": lambda: block(a)}


def _custom_in_the_middle(names: Mapping[str, Any]) -> Names:
    _numpy_custom_op(names)
    block, x = _CustomInTheMiddle(), names["x"]
    block.hybridize(static_alloc=True, static_shape=True)

    def run() -> None:
        with autograd.record():
            y = block(x)
        y.backward()

    return {"run": run}


def _c_operators(names: Mapping[str, Any]) -> Names:
    from .c_operators import register_c_operators

    register_c_operators()
    first, second = names["x"], names["y"]

    def one_of_two_gradients() -> None:
        with autograd.record():
            z = ndarray.benchmark_c_product(first, second)
        z.backward()

    return {
        "two_shapes": lambda: (ndarray.benchmark_c_copy(first), ndarray.benchmark_c_copy(second)),
        "workspace": lambda: ndarray.benchmark_c_workspace(first),
        "one_of_two_gradients": one_of_two_gradients,
    }


PROGRAMS: dict[str, Callable[[Mapping[str, Any]], Names]] = {
    **opforge_networks.PROGRAMS,
    **opforge_sequences.PROGRAMS,
    "both_ways": lambda names: {"both": opforge_sequences.both},
    "c_operators": _c_operators,
    "chain": chain,
    "compiled_chain": _compiled_chain,
    "custom_in_the_middle": _custom_in_the_middle,
    "numpy_custom_op": _numpy_custom_op,
    "sum_and_backward": _sum_and_backward,
}
