"""Calls of operators with sparse arrays: MXNet's rules of storage types.

An operator with a rule here computes from the parts. A rule that cannot, for the arrays or the
attributes that it sees, answers NotImplemented; then, and for every operator without a rule, the
call is made with dense copies of the sparse arrays. What it gives is converted where ``out`` is
sparse. Of a graph that is recorded the call with dense copies is a part, since gradients are dense;
what a rule gives leads there. But some rules record themselves: `dot`, and of rows of tables.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ... import autograd
from ...native.array import Array, StoredArray
from ...native.dispatch import tape
from ...native.dispatch.invoking import invoke
from ...op.declaring.declaration import declared_name
from . import arithmetic, products, reductions, selecting
from .base import BaseSparseNDArray
from .gathering import gathered
from .variable import on_tape

__all__ = ["RULES", "stored_call"]

#: From the declaration's instance and the inputs to the output, or NotImplemented.
Rule = Callable[..., Any]

#: By the operators' own names; what they are called by may be another one.
RULES: dict[str, Rule] = {
    "Concat": selecting.concat,
    "_contrib_getnnz": reductions.getnnz,
    "_scatter_elemwise_div": arithmetic.stored_quotient,
    "_sparse_retain": selecting.retain,
    "_square_sum": reductions.square_sum,
    "add_n": arithmetic.add_n,
    "broadcast_div": arithmetic.csr_by_dense,
    "broadcast_mul": arithmetic.csr_by_dense,
    "elemwise_add": arithmetic.elementwise_sum,
    "elemwise_mul": arithmetic.elementwise_product,
    "elemwise_sub": arithmetic.elementwise_sum,
    "mean": reductions.reduced,
    "norm": reductions.norm,
    "slice": selecting.part,
    "sum": reductions.reduced,
    "take": selecting.take,
}
# fmt: off
#: Operators that give zero for zero, and look at each element alone.
KEEPING_ZEROS = frozenset({
    "abs", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "degrees", "expm1", "fix",
    "floor", "log1p", "negative", "radians", "relu", "rint", "round", "sign", "sin", "sinh", "sqrt",
    "square", "tan", "tanh", "trunc", "_copy", "BlockGrad", "make_loss",
})
#: Those that do for some values of their attributes, which a call with a zero tells.
PERHAPS_KEEPING_ZEROS = frozenset({
    "_plus_scalar", "_minus_scalar", "_mul_scalar", "_div_scalar", "_equal_scalar",
    "_not_equal_scalar", "_greater_scalar", "_greater_equal_scalar", "_lesser_scalar",
    "_lesser_equal_scalar", "clip", "_contrib_quadratic",
})
# fmt: on
#: Those that leave alone what is not stored, whatever they make of a zero.
OF_STORED_ALONE = frozenset({"_scatter_minus_scalar", "_scatter_plus_scalar"})


def stored_call(handle: Any, prop: Any, inputs: Sequence[Any], attributes: Any, out: Any) -> Any:
    """Call an operator where an input or `out` is sparse; see `StoredArray.call`."""
    given = [one for one in inputs if one is not None]
    result = _recording_itself(prop, given)
    if result is NotImplemented and tape.recording() and any(map(tape.leads, given)):
        result = _recorded(handle, prop, inputs, attributes)
    elif result is NotImplemented:
        result = _by_parts(handle, prop, given, attributes)
    if result is NotImplemented:
        result = _with_dense_copies(handle, inputs, attributes)
    return result if out is None else _delivered(handle.name, result, out)


def _recording_itself(prop: Any, given: Sequence[Any]) -> Any:
    """Return what a rule gives that knows of the tape, or NotImplemented."""
    if not any(isinstance(one, BaseSparseNDArray) for one in given):
        return NotImplemented
    return products.dot(prop, *given) if declared_name(prop) == "dot" else gathered(prop, given)


def _recorded(handle: Any, prop: Any, inputs: Sequence[Any], attributes: Any) -> Any:
    """Return the result of a call that is a part of a graph, sparse where a rule makes it so."""
    dense = _with_dense_copies(handle, inputs, attributes)
    with autograd.pause():
        result = _by_parts(handle, prop, [one for one in inputs if one is not None], attributes)
    return on_tape(result, dense) if isinstance(result, BaseSparseNDArray) else dense


def _with_dense_copies(handle: Any, inputs: Sequence[Any], attributes: Any) -> Any:
    return invoke(handle, tuple(map(_dense, inputs)), attributes)


def _by_parts(handle: Any, prop: Any, given: Sequence[Any], attributes: Any) -> Any:
    """Return what the operator's rule makes of the parts, or NotImplemented."""
    if not any(isinstance(one, BaseSparseNDArray) for one in given):
        return NotImplemented
    name = declared_name(prop)
    if name in RULES:
        return RULES[name](prop, *given)
    if name == "zeros_like":
        return type(given[0])._zeros(given[0].shape, given[0].dtype, given[0].context)
    if (
        name in KEEPING_ZEROS
        or name in OF_STORED_ALONE
        or (name in PERHAPS_KEEPING_ZEROS and _keeps_zero(handle, given[0], attributes))
    ):
        return given[0]._with_data(invoke(handle, (given[0].data,), attributes))
    return NotImplemented


def _keeps_zero(handle: Any, like: Any, attributes: Any) -> bool:
    """Tell whether a call gives zero for zero."""
    from .. import creation

    zero = creation.zeros((1,), like.context, like.dtype)
    return bool(invoke(handle, (zero,), attributes).asscalar() == 0)


def _dense(value: Any) -> Any:
    return value.tostype("default") if isinstance(value, StoredArray) else value


def _delivered(name: str, result: Any, out: Any) -> Any:
    """Write results into what the caller gave for them, of any storage type."""
    targets = list(out) if isinstance(out, (list, tuple)) else [out]
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(targets) != len(results):
        raise ValueError(f"operator '{name}' has {len(results)} outputs, out has {len(targets)}")
    for one, target in zip(results, targets, strict=True):
        if isinstance(target, Array) and isinstance(one, Array):
            one.copyto(target)
        else:
            target[:] = one
    return out


StoredArray.call = staticmethod(stored_call)
