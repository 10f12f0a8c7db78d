"""Conversion of sequences between one array with a time axis and a list of one array per step.

All functions take arrays or symbols; `F` is the matching namespace.
"""

from typing import Any

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import element_type, sym

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
    """Return whether a sequence is one array or symbol, not a list of them."""
    return isinstance(inputs, nd.NDArray | sym.Symbol)


def namespace(inputs: Any) -> Any:
    """Return `nd` for arrays and `sym` for symbols."""
    assert inputs is not None, (
        "unroll(inputs=None) has been deprecated. Please create input variables outside unroll."
    )
    first = inputs if is_merged(inputs) else inputs[0]
    return sym if isinstance(first, sym.Symbol) else nd


def as_steps(F: Any, inputs: Any, length: int, axis: int) -> list[Any]:
    """Return a list of one array for each of the `length` steps along `axis`."""
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
    # A single array is returned without a list.
    return list(steps) if length > 1 else [steps[0] if isinstance(steps, list) else steps]


def as_sequence(F: Any, inputs: Any, axis: int) -> Any:
    """Return one array with time on `axis`."""
    return inputs if is_merged(inputs) else F.stack(*inputs, axis=axis)


def arranged(F: Any, inputs: Any, length: int, axis: int, merge: bool | None) -> Any:
    """Return one array if `merge` is true, a list if it is false; None: `inputs` unchanged."""
    if merge is None:
        return inputs
    return as_sequence(F, inputs, axis) if merge else as_steps(F, inputs, length, axis)


def masked(F: Any, data: Any, valid_length: Any, axis: int) -> Any:
    """Return one array with time on `axis` and zeros after the end of each sequence."""
    merged = as_sequence(F, data, axis)
    return F.SequenceMask(merged, sequence_length=valid_length, use_sequence_length=True, axis=axis)


def reversed_steps(F: Any, steps: list[Any], valid_length: Any) -> list[Any]:
    """Return the steps in reverse order; steps beyond a sequence's end stay in place."""
    if valid_length is None:
        return steps[::-1]
    merged = F.SequenceReverse(
        F.stack(*steps, axis=0), sequence_length=valid_length, use_sequence_length=True
    )
    return as_steps(F, merged, len(steps), 0)


def begin_states(cell: Any, F: Any, begin_state: Any, inputs: Any, layout: str) -> Any:
    """Return `begin_state`, or zeros of the inputs' dtype and context if it is None."""
    if begin_state is not None:
        return begin_state
    first = inputs if is_merged(inputs) else inputs[0]
    # Integer inputs are indices, so the states are float32; a symbol's dtype may be unknown.
    kind = getattr(first, "dtype", np.float32)
    dtype = kind if element_type(kind).is_floating else np.float32
    if F is sym:
        return cell.begin_state(func=F.zeros, batch_size=0, dtype=dtype)
    batch_size = first.shape[layout.find("N") if is_merged(inputs) else 0]
    return cell.begin_state(func=F.zeros, batch_size=batch_size, ctx=first.context, dtype=dtype)


def _expect_length(found: int, length: int) -> None:
    assert found == length, f"unroll got length={length} and a sequence of {found} steps"
