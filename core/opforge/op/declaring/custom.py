"""MXNet's protocol of custom operators: `CustomOp`, `CustomOpProp` and their arguments.

`CustomOp.assign` writes through ``dst[:]`` if a plain copy is not enough, so that it works for
NDArray and NumPy. Invariant: overridden methods receive exactly MXNet's arguments.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base.errors import AttributeValueError
from ...native.dispatch.ownership import store

__all__ = ["REQUESTS", "CustomOp", "CustomOpProp", "stringify"]

#: Ways to store a result, in the order of MXNet's OpReqType.
REQUESTS = ("null", "write", "inplace", "add")


class CustomOp:
    """Computation of a custom operator; `forward` may store state on ``self`` for `backward`.

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
            Arrays that `forward` read and wrote.
        in_grad : list of NDArray
            Gradients to fill, one for each input.
        aux : list of NDArray
            Auxiliary states.
        """

    def assign(self, dst: Any, req: str, src: Any) -> None:
        """Store `src` in `dst` as specified by `req`: write it, add it, or do nothing.

        Parameters
        ----------
        dst : NDArray
        req : {"null", "write", "inplace", "add"}
        src : NDArray, numpy.ndarray, list or number
            Broadcast to the shape of `dst` and cast to its dtype.

        Raises
        ------
        AttributeValueError
            `req` is none of these.
        """
        if store(dst, req, src):
            return
        if req == "write" or req == "inplace":
            dst[:] = src
        elif req == "add":
            if isinstance(src, (np.ndarray, list)):
                dst[:] = np.asarray(dst) + src  # NDArray's + rejects these, as in MXNet
            else:
                dst[:] += src
        elif req != "null":
            raise AttributeValueError(
                f"assign: req {req!r} is unknown; expected one of {', '.join(REQUESTS)}. "
                "Pass the element of `req` for this array, for instance req[0]"
            )


class CustomOpProp:
    """Declaration of a custom operator: inputs, outputs, shapes, types, and its `CustomOp`.

    Parameters
    ----------
    need_top_grad : bool, default True
        Whether `backward` reads the gradients of the outputs; False for losses.
    """

    # Also a class attribute, because constructors of subclasses need not call this one.
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
        """Return the names of the auxiliary states, which the operator updates."""
        return []

    def infer_shape(self, in_shape: list[list[int]]) -> tuple[Sequence[Any], ...]:
        """Return the shapes of inputs, outputs and auxiliary states.

        The shape of an unknown input is ``[]``. By default, outputs have the shape of the first
        input.
        """
        return in_shape, (in_shape[0],) * len(self.list_outputs()), ()

    def infer_type(self, in_type: list[Any]) -> tuple[Sequence[Any], ...]:
        """Return the types of inputs, outputs and auxiliary states.

        By default, outputs and auxiliary states have the type of the first input.
        """
        n_out, n_aux = len(self.list_outputs()), len(self.list_auxiliary_states())
        first = in_type[0] if in_type else np.float32
        return in_type, [first] * n_out, [first] * n_aux

    def infer_storage_type(self, in_stype: list[str]) -> tuple[Sequence[str], ...]:
        """Return the storage types of inputs, outputs and auxiliary states, all ``"default"``."""
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
        """Return the storage types of backward, all ``"default"``."""
        groups = (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype)
        return tuple(["default"] * len(group) for group in groups)

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Return the ids of the arrays that `backward` reads.

        Other arrays may be freed before. The default is all arrays, with the gradients of the
        outputs only if ``need_top_grad``.
        """
        deps = list(out_grad) if self.need_top_grad_ else []
        return [*deps, *in_data, *out_data]

    def create_operator(self, ctx: Any, in_shapes: list[list[int]], in_dtypes: list[int]) -> Any:
        """Return the `CustomOp` that computes the operator.

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
    """Return the string that `nd.Custom` passes to a Prop's constructor for `value`.

    This is ``str(value)``, except that NumPy scalars in tuples, lists and dictionaries are
    converted to Python numbers: NumPy 2 writes them as ``np.int64(2)``, which cannot be parsed.

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
