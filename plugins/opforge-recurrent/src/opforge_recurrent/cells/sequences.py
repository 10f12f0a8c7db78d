"""Sequences as one array with an axis of time, and as a list with an array for each step.

All functions take arrays and symbols; `F` is the namespace that serves them.
"""

from typing import Any

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import sym

__all__ = [
    "arranged",
    "as_sequence",
    "as_steps",
    "begin_states",
    "is_merged",
    "masked",
    "namespace",
    "reversed_steps",
]


def is_merged(inputs: Any) -> bool:
    """Tell whether a sequence is one array or symbol, not a list of them."""
    return isinstance(inputs, nd.NDArray | sym.Symbol)


def namespace(inputs: Any) -> Any:
    """Return `nd` for arrays and `sym` for symbols."""
    assert inputs is not None, (
        "unroll(inputs=None) has been deprecated. Please create input variables outside unroll."
    )
    first = inputs if is_merged(inputs) else inputs[0]
    return sym if isinstance(first, sym.Symbol) else nd


def as_steps(F: Any, inputs: Any, length: int, axis: int) -> list[Any]:
    """Return an array for each of `length` steps of a sequence with time on `axis`."""
    if not is_merged(inputs):
        _expect_length(len(inputs), length)
        return list(inputs)
    if F is nd:
        _expect_length(inputs.shape[axis], length)
    else:
        assert len(inputs.list_outputs()) == 1, (
            "unroll doesn't allow grouped symbol as input. Please convert to list with "
            "list(inputs) first or let unroll handle splitting."
        )
    steps = F.split(inputs, axis=axis, num_outputs=length, squeeze_axis=True)
    # One step of arrays comes without a list.
    return list(steps) if length > 1 else [steps[0] if isinstance(steps, list) else steps]


def as_sequence(F: Any, inputs: Any, axis: int) -> Any:
    """Return one array with time on `axis`."""
    return inputs if is_merged(inputs) else F.stack(*inputs, axis=axis)


def arranged(F: Any, inputs: Any, length: int, axis: int, merge: bool | None) -> Any:
    """Return one array where `merge` is true, a list where it is false; None: as they are."""
    if merge is None:
        return inputs
    return as_sequence(F, inputs, axis) if merge else as_steps(F, inputs, length, axis)


def masked(F: Any, data: Any, valid_length: Any, axis: int) -> Any:
    """Return one array with time on `axis`, 0 where a sequence has ended."""
    merged = as_sequence(F, data, axis)
    return F.SequenceMask(merged, sequence_length=valid_length, use_sequence_length=True, axis=axis)


def reversed_steps(F: Any, steps: list[Any], valid_length: Any) -> list[Any]:
    """Return the steps from the last to the first; what is beyond a sequence's end stays."""
    if valid_length is None:
        return steps[::-1]
    merged = F.SequenceReverse(
        F.stack(*steps, axis=0), sequence_length=valid_length, use_sequence_length=True
    )
    return as_steps(F, merged, len(steps), 0)


def begin_states(cell: Any, F: Any, begin_state: Any, inputs: Any, layout: str) -> Any:
    """Return `begin_state`, or zeros like the inputs where it is None."""
    if begin_state is not None:
        return begin_state
    first = inputs if is_merged(inputs) else inputs[0]
    # Integers are looked up by the cell, not computed with; a symbol may not know its type.
    kind = getattr(first, "dtype", np.float32)
    dtype = kind if issubclass(kind, np.floating) else np.float32
    if F is sym:
        return cell.begin_state(func=F.zeros, batch_size=0, dtype=dtype)
    batch_size = first.shape[layout.find("N") if is_merged(inputs) else 0]
    return cell.begin_state(func=F.zeros, batch_size=batch_size, ctx=first.context, dtype=dtype)


def _expect_length(found: int, length: int) -> None:
    assert found == length, f"unroll got length={length} and a sequence of {found} steps"
