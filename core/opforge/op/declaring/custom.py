"""MXNet's operator protocol: `CustomOp`, `CustomOpProp` and what `nd.Custom` passes to them.

`CustomOp.assign` writes what is no plain copy through ``dst[:]``, so it serves NDArray and NumPy
alike. Invariant: a subclass that overrides any method sees exactly MXNet's arguments.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base.errors import AttributeValueError
from ...native.dispatch.ownership import store

__all__ = ["REQUESTS", "CustomOp", "CustomOpProp", "stringify"]

#: How a result is to be stored, in the order of MXNet's OpReqType.
REQUESTS = ("null", "write", "inplace", "add")


class CustomOp:
    """One operator at work; state kept on ``self`` in `forward` is there in `backward`.

    Examples
    --------
    >>> class Double(CustomOp):
    ...     def forward(self, is_train, req, in_data, out_data, aux):
    ...         self.assign(out_data[0], req[0], in_data[0] * 2)
    ...
    ...     def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
    ...         self.assign(in_grad[0], req[0], out_grad[0] * 2)
    """

    def forward(
        self,
        is_train: int,
        req: Sequence[str],
        in_data: Sequence[Any],
        out_data: Sequence[Any],
        aux: Sequence[Any],
    ) -> None:
        """Compute the outputs.

        Parameters
        ----------
        is_train : int
            1 while training (inside ``autograd.record()``), else 0.
        req : list of str
            For each output ``"null"``, ``"write"``, ``"inplace"`` or ``"add"``.
        in_data, out_data, aux : list of NDArray
            Inputs to read, outputs to fill, auxiliary states to read and change.
        """

    def backward(
        self,
        req: Sequence[str],
        out_grad: Sequence[Any],
        in_data: Sequence[Any],
        out_data: Sequence[Any],
        in_grad: Sequence[Any],
        aux: Sequence[Any],
    ) -> None:
        """Compute the gradients of the inputs.

        Parameters
        ----------
        req : list of str
            How to store each gradient, as in `forward`.
        out_grad : list of NDArray
            Gradient of the loss with respect to each output.
        in_data, out_data : list of NDArray
            What `forward` read and wrote.
        in_grad : list of NDArray
            To be filled, one for each input.
        aux : list of NDArray
            Auxiliary states.
        """

    def assign(self, dst: Any, req: str, src: Any) -> None:
        """Store `src` in `dst` as `req` asks: write it, add it, or do nothing.

        Parameters
        ----------
        dst : NDArray
        req : {"null", "write", "inplace", "add"}
        src : NDArray, numpy.ndarray, list or number
            Broadcast to the shape of `dst` and cast to its dtype.

        Raises
        ------
        AttributeValueError
            `req` is none of the four.
        """
        if store(dst, req, src):
            return
        if req == "write" or req == "inplace":
            dst[:] = src
        elif req == "add":
            if isinstance(src, (np.ndarray, list)):
                dst[:] = np.asarray(dst) + src  # NDArray's own + refuses these, as MXNet's does
            else:
                dst[:] += src
        elif req != "null":
            raise AttributeValueError(
                f"assign: req {req!r} is unknown; expected one of {', '.join(REQUESTS)}. "
                "Pass the element of `req` that belongs to this array, for instance req[0]"
            )


class CustomOpProp:
    """Declares an operator: its inputs, outputs, shapes and types, and makes its `CustomOp`.

    Parameters
    ----------
    need_top_grad : bool, default True
        Whether `backward` reads the gradient that comes from above; False for losses.
    """

    # Of the class too: a constructor need not call this one.
    need_top_grad_ = True

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return ["data"]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return ["output"]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the states that the operator keeps and changes."""
        return []

    def infer_shape(self, in_shape: list[list[int]]) -> tuple[Sequence[Any], ...]:
        """Return the shapes of inputs, outputs and, if there are any, auxiliary states.

        Unknown inputs are ``[]``. This default gives each output the shape of the first input.
        """
        return in_shape, (in_shape[0],) * len(self.list_outputs()), ()

    def infer_type(self, in_type: list[Any]) -> tuple[Sequence[Any], ...]:
        """Return the types of inputs, outputs and auxiliary states.

        This default gives outputs and auxiliary states the type of the first input.
        """
        n_out, n_aux = len(self.list_outputs()), len(self.list_auxiliary_states())
        first = in_type[0] if in_type else np.float32
        return in_type, [first] * n_out, [first] * n_aux

    def infer_storage_type(self, in_stype: list[str]) -> tuple[Sequence[str], ...]:
        """Return the storage types of inputs, outputs and auxiliary states: all ``"default"``."""
        for index, stype in enumerate(in_stype):
            assert stype == "default", (
                f"input {index} has storage type {stype!r}; the default infer_storage_type "
                "supports 'default' only"
            )
        n_out, n_aux = len(self.list_outputs()), len(self.list_auxiliary_states())
        return in_stype, ["default"] * n_out, ["default"] * n_aux

    def infer_storage_type_backward(
        self,
        ograd_stype: list[str],
        in_stype: list[str],
        out_stype: list[str],
        igrad_stype: list[str],
        aux_stype: list[str],
    ) -> tuple[Sequence[str], ...]:
        """Return the storage types that backward uses: all ``"default"``."""
        groups = (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype)
        return tuple(["default"] * len(group) for group in groups)

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Return the ids of those arrays that `backward` reads.

        What is not named need not be kept until then. The default names all, the gradients from
        above only with ``need_top_grad``.
        """
        deps = list(out_grad) if self.need_top_grad_ else []
        return [*deps, *in_data, *out_data]

    def create_operator(self, ctx: Any, in_shapes: list[list[int]], in_dtypes: list[int]) -> Any:
        """Return the `CustomOp` that computes.

        Parameters
        ----------
        ctx : Context
        in_shapes : list of list of int
            Shapes of inputs and auxiliary states.
        in_dtypes : list of int
            Their type codes: 0 float32, 1 float64, 2 float16, 3 uint8, 4 int32, 5 int8, 6 int64.
        """
        return CustomOp()


def stringify(value: Any) -> str:
    """Return `value` as the string in which `nd.Custom` passes it to a Prop's constructor.

    It is ``str(value)``, except that NumPy scalars inside tuples, lists and dictionaries become
    Python numbers first: NumPy 2 would write them as ``np.int64(2)``, which nothing can read.

    Examples
    --------
    >>> stringify((np.int64(2), 3)), stringify(True), stringify(None)
    ('(2, 3)', 'True', 'None')
    """
    return str(_plain(value) if isinstance(value, (tuple, list, dict)) else value)


def _plain(value: Any) -> Any:
    """Replace NumPy scalars by Python numbers, at any depth."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        parts = [_plain(element) for element in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [_plain(element) for element in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(element) for key, element in value.items()}
    return value
