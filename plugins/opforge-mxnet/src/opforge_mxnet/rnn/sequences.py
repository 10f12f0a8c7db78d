"""Conversion between one symbol with a time axis and a list of symbols per step."""

import warnings
from collections.abc import Sequence
from typing import Any

from opforge import symbol as sym

__all__ = ["arranged", "as_sequence", "as_steps", "rnn_unroll"]


def as_steps(inputs: Any, length: int, axis: int) -> list[Any]:
    """Return a symbol for each step.

    Parameters
    ----------
    inputs : Symbol or sequence of Symbol
    length : int
        Number of steps.
    axis : int
        Time axis, if `inputs` is one symbol.
    """
    _expect_inputs(inputs)
    if not isinstance(inputs, sym.Symbol):
        _expect_length(inputs, length)
        return list(inputs)
    assert len(inputs.list_outputs()) == 1, (
        "unroll doesn't allow grouped symbol as input. Please convert to list with list(inputs) "
        "first or let unroll handle splitting."
    )
    return list(sym.split(inputs, axis=axis, num_outputs=length, squeeze_axis=1))


def as_sequence(inputs: Any, length: int, axis: int) -> Any:
    """Return one symbol with time on `axis`."""
    _expect_inputs(inputs)
    if isinstance(inputs, sym.Symbol):
        return inputs
    _expect_length(inputs, length)
    return sym.Concat(*(sym.expand_dims(step, axis=axis) for step in inputs), dim=axis)


def arranged(inputs: Any, length: int, axis: int, merge: bool | None) -> Any:
    """Return one symbol if `merge` is true, a list if it is false; None: unchanged."""
    if merge is None:
        _expect_inputs(inputs)
        return inputs
    return (as_sequence if merge else as_steps)(inputs, length, axis)


def rnn_unroll(
    cell: Any,
    length: int,
    inputs: Any = None,
    begin_state: Any = None,
    input_prefix: str = "",
    layout: str = "NTC",
) -> Any:
    """Unroll a cell. Deprecated: call ``cell.unroll`` with the same arguments."""
    warnings.warn(
        "rnn_unroll is deprecated. Please call cell.unroll directly.",
        DeprecationWarning,
        stacklevel=2,
    )
    return cell.unroll(length, inputs, begin_state=begin_state, layout=layout)


def _expect_inputs(inputs: Any) -> None:
    assert inputs is not None, (
        "unroll(inputs=None) has been deprecated. Please create input variables outside unroll."
    )


def _expect_length(inputs: Sequence[Any], length: int) -> None:
    assert len(inputs) == length, (
        f"unroll got length={length} and a list of {len(inputs)} inputs, expected one for each step"
    )
