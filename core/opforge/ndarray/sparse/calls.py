"""Calls of operators with sparse arrays: MXNet's rules of storage types.

An operator with a rule here computes from the parts. A rule that cannot, for the arrays or the
attributes that it sees, answers NotImplemented; then, and for every operator without a rule, the
call is made with dense copies of the sparse arrays. What it gives is converted where ``out`` is
sparse. While a graph is recorded that an input belongs to, calls are dense, since gradients are,
but those whose rules record themselves: of operators in `RECORDED`, and of rows of tables.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ...native.array import Array, StoredArray
from ...native.dispatch import tape
from ...native.dispatch.invoking import invoke
from . import arithmetic, products, reductions, selecting
from .base import BaseSparseNDArray
from .gathering import gathered
from .variable import in_graph

__all__ = ["RULES", "stored_call"]

#: From the declaration's instance and the inputs to the output, or NotImplemented.
Rule = Callable[..., Any]

RULES: dict[str, Rule] = {
    "_contrib_getnnz": reductions.getnnz,
    "_sparse_retain": selecting.retain,
    "_square_sum": reductions.square_sum,
    "add_n": arithmetic.add_n,
    "broadcast_div": arithmetic.csr_by_dense,
    "broadcast_mul": arithmetic.csr_by_dense,
    "concat": selecting.concat,
    "dot": products.dot,
    "elemwise_add": arithmetic.elementwise_sum,
    "elemwise_mul": arithmetic.elementwise_product,
    "elemwise_sub": arithmetic.elementwise_sum,
    "mean": reductions.reduced,
    "norm": reductions.norm,
    "slice": selecting.part,
    "sum": reductions.reduced,
    "take": selecting.take,
}
RECORDED = frozenset({"dot"})

# fmt: off
#: Operators that give zero for zero, and look at each element alone.
KEEPING_ZEROS = frozenset({
    "abs", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "degrees", "expm1", "fix",
    "floor", "log1p", "negative", "radians", "relu", "rint", "round", "sign", "sin", "sinh", "sqrt",
    "square", "tan", "tanh", "trunc", "identity", "BlockGrad", "make_loss",
})
#: Those that do for some values of their attributes, which a call with a zero tells.
PERHAPS_KEEPING_ZEROS = frozenset({
    "_plus_scalar", "_minus_scalar", "_mul_scalar", "_div_scalar", "_equal_scalar",
    "_not_equal_scalar", "_greater_scalar", "_greater_equal_scalar", "_lesser_scalar",
    "_lesser_equal_scalar", "clip",
})
# fmt: on


def stored_call(handle: Any, prop: Any, inputs: Sequence[Any], attributes: Any, out: Any) -> Any:
    """Call an operator where an input or `out` is sparse; see `StoredArray.call`."""
    result = _by_parts(handle, prop, inputs, attributes)
    if result is NotImplemented:
        result = invoke(handle, tuple(map(_dense, inputs)), attributes)
    return result if out is None else _delivered(handle.name, result, out)


def _by_parts(handle: Any, prop: Any, inputs: Sequence[Any], attributes: Any) -> Any:
    """Return what the operator's rule makes of the parts, or NotImplemented."""
    given = [one for one in inputs if one is not None]
    if not any(isinstance(one, BaseSparseNDArray) for one in given):
        return NotImplemented
    result = gathered(prop, given)
    if result is not NotImplemented:
        return result
    name = handle.name
    if name not in RECORDED and tape.recording() and any(map(in_graph, given)):
        return NotImplemented
    if name in RULES:
        return RULES[name](prop, *given)
    if name == "zeros_like":
        return type(given[0])._zeros(given[0].shape, given[0].dtype, given[0].context)
    if name in KEEPING_ZEROS or (
        name in PERHAPS_KEEPING_ZEROS and _keeps_zero(handle, given[0], attributes)
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
