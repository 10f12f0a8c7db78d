"""`dynamic_unroll`: run a cell over a sequence of any length in a loop."""

from typing import Any

from opforge import ndarray as nd
from opforge import symbol as sym
from opforge.op.registry.modules import plugin_attributes as _plugin_attributes

from ....names import add_names as _add_names

__all__ = ["dynamic_unroll"]

__getattr__, __dir__ = _plugin_attributes(__name__, "layer", __all__)


def dynamic_unroll(
    cell: Any,
    inputs: Any,
    begin_state: Any,
    drop_inputs: float = 0,
    drop_outputs: float = 0,
    layout: str = "TNC",
    valid_length: Any = None,
) -> tuple[Any, Any]:
    """Run all steps of a sequence in a loop, ``contrib.foreach`` with the cell as its body.

    The graph contains a single step and works for any length; `RecurrentCell.unroll` copies the
    step, which is faster for short sequences.

    Parameters
    ----------
    cell : RecurrentCell
    inputs : NDArray or Symbol
        With axes as in `layout`.
    begin_state : list of NDArray or of Symbol
        The states before the first step.
    drop_inputs, drop_outputs : float, default 0
        Fraction of elements to set to 0 in training, the same elements in all steps.
    layout : {"TNC", "NTC"}
        Order of time and batch; time first needs no copies.
    valid_length : NDArray or Symbol, shape (batch,), optional
        Length of each sequence; later outputs are 0, and states are those after the last valid
        step.

    Returns
    -------
    NDArray or Symbol
        Outputs, in `layout`.
    list of NDArray or of Symbol
        The states after the last step.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> cell = gluon.rnn.LSTMCell(4)
    >>> cell.initialize()
    >>> outputs, states = dynamic_unroll(cell, nd.ones((5, 2, 3)), cell.begin_state(batch_size=2))
    >>> outputs.shape, [state.shape for state in states]
    ((5, 2, 4), [(2, 4), (2, 4)])
    """
    F: Any = sym if isinstance(inputs, sym.Symbol) else nd
    axis = layout.find("T")
    steps = _with_time_first(F, inputs, axis)
    if drop_inputs:
        steps = F.Dropout(steps, p=drop_inputs, axes=(0,))
    if valid_length is None:
        outputs, states = F.contrib.foreach(cell, steps, begin_state)
    else:
        counted = [*begin_state, F.zeros((1,))]
        body = _until(F, cell, valid_length)
        outputs, (*states, _) = F.contrib.foreach(body, steps, counted)
        outputs = F.SequenceMask(outputs, sequence_length=valid_length, use_sequence_length=True)
    if drop_outputs:
        outputs = F.Dropout(outputs, p=drop_outputs, axes=(0,))
    return _with_time_first(F, outputs, axis), states


def _with_time_first(F: Any, data: Any, axis: int) -> Any:
    """Return `data` with the time axis and the first axis swapped."""
    return F.swapaxes(data, dim1=0, dim2=axis) if axis else data


def _until(F: Any, cell: Any, valid_length: Any) -> Any:
    """Return a step of a cell that keeps the states of finished sequences."""

    def step(inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        *before, at = states
        output, after = cell(inputs, before)
        goes_on = F.broadcast_greater(valid_length, at)
        kept = [F.where(goes_on, new, old) for new, old in zip(after, before, strict=True)]
        return output, [*kept, at + 1]

    return step


_add_names(__name__)
