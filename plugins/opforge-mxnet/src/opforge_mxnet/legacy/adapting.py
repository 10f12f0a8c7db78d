"""Operators of MXNet's first protocol, ``forward(in_data, out_data)``, as custom operators.

An instance is adapted to `CustomOpProp` and registered under a unique name, so that other code has
to support only one kind of node. All nodes created from an instance share it, as in MXNet.
"""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from opforge.native.array import numpy_alias
from opforge.op.declaring.custom import CustomOp, CustomOpProp
from opforge.op.registry.registry import register_custom

if TYPE_CHECKING:
    from .operators import PythonOp

__all__ = ["register_legacy"]

_numbers = itertools.count()


def register_legacy(operator: "PythonOp") -> str:
    """Register an instance as a custom operator and return its generated name.

    The registry keeps the instance alive, because graphs refer to operators by name.
    """
    kind = type(operator)
    name = f"{kind.__module__}.{kind.__qualname__}#{next(_numbers)}"
    register_custom(name, type(f"{kind.__name__}Prop", (_Prop,), {"operator": operator}))
    return name


class _Prop(CustomOpProp):
    """Declaration that delegates to the operator."""

    operator: ClassVar["PythonOp"]

    def __init__(self) -> None:
        super().__init__(bool(self.operator.need_top_grad()))

    def list_arguments(self) -> list[str]:
        return self.operator.list_arguments()

    def list_outputs(self) -> list[str]:
        return self.operator.list_outputs()

    def infer_shape(self, in_shape: list[list[int]]) -> tuple[Sequence[Any], ...]:
        return tuple(self.operator.infer_shape(in_shape))

    def infer_type(self, in_type: list[Any]) -> tuple[Sequence[Any], ...]:
        """Return the first known type for all arrays, as in the first protocol."""
        known = next((t for t in in_type if t is not None), np.float32)
        inputs = [known if t is None else t for t in in_type]
        return inputs, [known] * len(self.list_outputs()), []

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        return self.operator.declare_backward_dependency(out_grad, in_data, out_data)

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        return _Adapter(self.operator)


class _Adapter(CustomOp):
    """Adapter to the operator, which does not support requests and always writes."""

    def __init__(self, operator: "PythonOp") -> None:
        self._operator = operator

    def forward(
        self, is_train: int, req: Sequence[str], in_data: Any, out_data: Any, aux: Any
    ) -> None:
        written = _to_write(out_data, req)
        self._operator.forward(
            in_data=self._convert_arrays(in_data), out_data=self._convert_arrays(written)
        )
        self._add(out_data, req, written)

    def backward(
        self, req: Sequence[str], out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        written = _to_write(in_grad, req)
        self._operator.backward(
            out_grad=self._convert_arrays(out_grad),
            in_data=self._convert_arrays(in_data),
            out_data=self._convert_arrays(out_data),
            in_grad=self._convert_arrays(written),
        )
        self._add(in_grad, req, written)

    def _convert_arrays(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the arrays in the form that the operator takes; NumPy arrays share the memory."""
        return [numpy_alias(a) for a in arrays] if self._operator.takes_numpy else list(arrays)

    def _add(self, targets: Sequence[Any], req: Sequence[str], written: Sequence[Any]) -> None:
        for target, wanted, value in zip(targets, req, written, strict=True):
            if wanted == "add":
                self.assign(target, wanted, value)


def _to_write(arrays: Sequence[Any], req: Sequence[str]) -> list[Any]:
    """Return the arrays themselves, or zeros for those that must not be overwritten."""
    return [
        array if wanted in ("write", "inplace") else array.zeros_like()
        for array, wanted in zip(arrays, req, strict=True)
    ]
