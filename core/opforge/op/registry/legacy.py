"""Operators of MXNet's first protocol, ``forward(in_data, out_data)``, as custom operators.

An instance is adapted to `CustomOpProp` and registered under a name of its own, so that everything
else knows one kind of node. The instance serves all nodes that are made of it, as in MXNet.
"""

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from ...native.array import numpy_alias
from ..declaring.custom import CustomOp, CustomOpProp
from .registry import register_custom

__all__ = ["LegacyOperator", "register_legacy"]

_numbers = itertools.count()


class LegacyOperator(Protocol):
    """Protocol of an operator of the first interface."""

    #: Whether its methods get NumPy arrays instead of NDArrays.
    takes_numpy: ClassVar[bool]

    def need_top_grad(self) -> bool:
        """Tell whether `backward` reads the gradient from above."""

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""

    def infer_shape(self, in_shape: list[list[int]]) -> Sequence[Sequence[Any]]:
        """Return the shapes of inputs and outputs."""

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Return the ids of the arrays that `backward` reads."""

    def forward(self, in_data: Sequence[Any], out_data: Sequence[Any]) -> None:
        """Fill the outputs in place."""

    def backward(
        self,
        out_grad: Sequence[Any],
        in_data: Sequence[Any],
        out_data: Sequence[Any],
        in_grad: Sequence[Any],
    ) -> None:
        """Fill the gradients of the inputs in place."""


def register_legacy(operator: LegacyOperator) -> str:
    """Register an instance as a custom operator and return the name that it got.

    The registry keeps it: graphs refer to operators by name.
    """
    kind = type(operator)
    name = f"{kind.__module__}.{kind.__qualname__}#{next(_numbers)}"
    register_custom(name, type(f"{kind.__name__}Prop", (_Prop,), {"operator": operator}))
    return name


class _Prop(CustomOpProp):
    """Declares what the operator says of itself."""

    operator: ClassVar[LegacyOperator]

    def __init__(self) -> None:
        super().__init__(bool(self.operator.need_top_grad()))

    def list_arguments(self) -> list[str]:
        return self.operator.list_arguments()

    def list_outputs(self) -> list[str]:
        return self.operator.list_outputs()

    def infer_shape(self, in_shape: list[list[int]]) -> tuple[Sequence[Any], ...]:
        return tuple(self.operator.infer_shape(in_shape))

    def infer_type(self, in_type: list[Any]) -> tuple[Sequence[Any], ...]:
        """Return one type for all: the first that is known, as the first protocol has it."""
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
    """Calls the operator, which knows nothing of requests: it always writes."""

    def __init__(self, operator: LegacyOperator) -> None:
        self._operator = operator

    def forward(
        self, is_train: int, req: Sequence[str], in_data: Any, out_data: Any, aux: Any
    ) -> None:
        written = _to_write(out_data, req)
        self._operator.forward(in_data=self._shown(in_data), out_data=self._shown(written))
        self._add(out_data, req, written)

    def backward(
        self, req: Sequence[str], out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        written = _to_write(in_grad, req)
        self._operator.backward(
            out_grad=self._shown(out_grad),
            in_data=self._shown(in_data),
            out_data=self._shown(out_data),
            in_grad=self._shown(written),
        )
        self._add(in_grad, req, written)

    def _shown(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the arrays as the operator takes them; NumPy's share the memory."""
        return [numpy_alias(a) for a in arrays] if self._operator.takes_numpy else list(arrays)

    def _add(self, targets: Sequence[Any], req: Sequence[str], written: Sequence[Any]) -> None:
        for target, wanted, value in zip(targets, req, written, strict=True):
            if wanted == "add":
                self.assign(target, wanted, value)


def _to_write(arrays: Sequence[Any], req: Sequence[str]) -> list[Any]:
    """Return the arrays themselves, or zeros where nothing may be overwritten."""
    return [
        array if wanted in ("write", "inplace") else array.zeros_like()
        for array, wanted in zip(arrays, req, strict=True)
    ]
