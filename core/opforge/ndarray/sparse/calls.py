"""Calls of operators with sparse arrays, following MXNet's storage type rules.

An operator with a rule of the kind ``compute_sparse`` computes from the parts. Those of the core's
operators are listed here; declarations, programs and plugins have others. A rule returns
NotImplemented if it does not support the arrays or attributes; in that case, and for operators
without a rule, the operator is called with dense copies. The result is converted if ``out`` is
sparse. When a graph is recorded, the call of a differentiable operator with dense copies is
recorded, because gradients are dense, and the result of the rule is linked to it. Exceptions are
rules that record themselves: `dot`, and lookups of rows in tables.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ... import autograd
from ...native.array import Array, StoredArray
from ...native.dispatch import tape
from ...native.dispatch.invoking import invoke
from ...op.calling.binding import graph_handle
from ...op.declaring.both_protocols import declared_name
from . import arithmetic, casting, products, reductions, slicing
from .base import BaseSparseNDArray
from .row_lookup import gathered
from .variable import on_tape

__all__ = ["RULES", "stored_call"]

#: Function of a declaration and the inputs that returns the output or NotImplemented.
Rule = Callable[..., Any]

#: Rules of the core's operators by their own names, which may differ from the called name.
RULES: dict[str, Rule] = {
    "Concat": slicing.concat,
    "_contrib_getnnz": reductions.getnnz,
    "_hypot": arithmetic.function_of_pairs,
    "_identity_with_attr_like_rhs": casting.identity_like,
    "_maximum": arithmetic.function_of_pairs,
    "_minimum": arithmetic.function_of_pairs,
    "_scatter_elemwise_div": arithmetic.stored_quotient,
    "_sparse_retain": slicing.retain,
    "_square_sum": reductions.square_sum,
    "add_n": arithmetic.add_n,
    "broadcast_div": arithmetic.csr_by_dense,
    "broadcast_mul": arithmetic.csr_by_dense,
    "elemwise_add": arithmetic.elementwise_sum,
    "elemwise_mul": arithmetic.elementwise_product,
    "elemwise_sub": arithmetic.elementwise_sum,
    "mean": reductions.reduced,
    "norm": reductions.norm,
    "slice": slicing.slice_csr,
    "sum": reductions.reduced,
    "take": slicing.take,
}
# fmt: off
#: Elementwise operators that map zero to zero.
KEEPING_ZEROS = frozenset({
    "abs", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "degrees", "expm1", "fix",
    "floor", "log1p", "negative", "radians", "relu", "rint", "round", "sign", "sin", "sinh", "sqrt",
    "square", "tan", "tanh", "trunc", "_copy", "BlockGrad", "make_loss",
})
#: Operators that do so for some attribute values, which is tested by a call with a zero.
PERHAPS_KEEPING_ZEROS = frozenset({
    "_plus_scalar", "_minus_scalar", "_mul_scalar", "_div_scalar", "_equal_scalar",
    "_not_equal_scalar", "_greater_scalar", "_greater_equal_scalar", "_lesser_scalar",
    "_lesser_equal_scalar", "clip", "_contrib_quadratic",
})
# fmt: on
#: Operators that apply to stored elements only, whatever they map zero to.
OF_STORED_ALONE = frozenset({"_scatter_minus_scalar", "_scatter_plus_scalar"})


def stored_call(handle: Any, prop: Any, inputs: Sequence[Any], attributes: Any, out: Any) -> Any:
    """Call an operator with a sparse input or `out`; see `StoredArray.call`."""
    given = [one for one in inputs if one is not None]
    result = _recording_itself(prop, given)
    if result is NotImplemented and _is_recorded(prop, given):
        result = _record_call(handle, prop, inputs, attributes)
    elif result is NotImplemented:
        result = _by_parts(handle, prop, given, attributes)
    if result is NotImplemented:
        result = _with_dense_copies(handle, prop, inputs, attributes)
    return result if out is None else _write_to_out(handle.name, result, out)


def _is_recorded(prop: Any, given: Sequence[Any]) -> bool:
    """Return whether the tape records a call of the operator."""
    return (
        tape.recording() and getattr(prop, "differentiable", True) and any(map(tape.leads, given))
    )


def _recording_itself(prop: Any, given: Sequence[Any]) -> Any:
    """Return the result of a rule that records itself, or NotImplemented."""
    if not any(isinstance(one, BaseSparseNDArray) for one in given):
        return NotImplemented
    return products.dot(prop, *given) if declared_name(prop) == "dot" else gathered(prop, given)


def _record_call(handle: Any, prop: Any, inputs: Sequence[Any], attributes: Any) -> Any:
    """Return the result of a recorded call, sparse if a rule applies."""
    dense = _with_dense_copies(handle, prop, inputs, attributes)
    with autograd.pause():
        result = _by_parts(handle, prop, [one for one in inputs if one is not None], attributes)
    return on_tape(result, dense) if isinstance(result, BaseSparseNDArray) else dense


def _with_dense_copies(handle: Any, prop: Any, inputs: Sequence[Any], attributes: Any) -> Any:
    """Call the operator with dense copies, and assign those that it changes to the inputs."""
    copies = tuple(map(_dense, inputs))
    result = invoke(handle, copies, attributes)
    changed = _named_attribute(prop, "FMutateInputs")
    for position in changed(prop) if changed else ():
        if copies[position] is not inputs[position]:
            inputs[position][:] = copies[position]
    return result


def _by_parts(handle: Any, prop: Any, given: Sequence[Any], attributes: Any) -> Any:
    """Return the result of the operator's rule for the parts, or NotImplemented."""
    if not any(isinstance(one, BaseSparseNDArray) for one in given):
        return NotImplemented
    rule = _rule(handle, prop, attributes)
    if rule is not None:
        return rule(*given)
    name = declared_name(prop)
    if name == "zeros_like":
        return type(given[0])._zeros(given[0].shape, given[0].dtype, given[0].context)
    if (
        name in KEEPING_ZEROS
        or name in OF_STORED_ALONE
        or (name in PERHAPS_KEEPING_ZEROS and _keeps_zero(handle, given[0], attributes))
    ):
        return given[0]._with_data(invoke(handle, (given[0].data,), attributes))
    return NotImplemented


def _rule(handle: Any, prop: Any, attributes: Any) -> Rule | None:
    """Return the rule of a declaration, or the core's own."""
    if isinstance(prop, type):  # dispatch creates no declarations of elementwise kernels
        prop = graph_handle(handle.entry).bound(attributes).prop
    rule: Rule | None = getattr(prop, "compute_sparse", None)  # a CustomOpProp has no rules
    if rule is not None:
        return rule
    of_core = RULES.get(declared_name(prop))
    return None if of_core is None else partial(of_core, prop)


def _named_attribute(prop: Any, key: str) -> Callable[..., Any] | None:
    """Return the function that an operator declares under `key`."""
    find = getattr(prop, "named_attribute", None)  # a CustomOpProp has no named attributes
    return find(key) if find else None


def _keeps_zero(handle: Any, like: Any, attributes: Any) -> bool:
    """Return whether a call maps zero to zero."""
    from .. import creation

    zero = creation.zeros((1,), like.context, like.dtype)
    return bool(invoke(handle, (zero,), attributes).asscalar() == 0)


def _dense(value: Any) -> Any:
    return value.tostype("default") if isinstance(value, StoredArray) else value


def _write_to_out(name: str, result: Any, out: Any) -> Any:
    """Write results into the caller's `out`, of any storage type."""
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
