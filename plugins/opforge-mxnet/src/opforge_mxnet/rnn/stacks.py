"""`SequentialRNNCell` and `BidirectionalCell`: stacked and bidirectional cells."""

from collections.abc import Iterable, Sequence
from typing import Any

from opforge import symbol as sym

from .base import Arrays, BaseRNNCell, StateInfo
from .parameters import RNNParams
from .sequences import as_steps

__all__ = ["BidirectionalCell", "SequentialRNNCell"]


class _CellGroup(BaseRNNCell):
    """Cell that consists of others, whose states are concatenated."""

    def __init__(self, params: RNNParams | None, cells: Sequence[BaseRNNCell] = ()) -> None:
        self._cells: list[BaseRNNCell] = []
        super().__init__("", params)
        self._override_cell_params = params is not None
        for cell in cells:
            self._take(cell)

    @property
    def _parts(self) -> Sequence[BaseRNNCell]:
        return self._cells

    def _take(self, cell: BaseRNNCell) -> None:
        """Add `cell` as a part and share variables with it."""
        if self._override_cell_params:
            assert cell._own_params, (
                f"Either specify params for {type(self).__name__} or child cells, not both."
            )
            cell.params._params.update(self.params._params)
        self.params._params.update(cell.params._params)
        self._cells.append(cell)

    @property
    def state_info(self) -> StateInfo:
        """Shapes and layouts of all cells' states."""
        return [info for cell in self._cells for info in cell.state_info]

    def begin_state(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Return the initial states of all cells; see `BaseRNNCell`."""
        self._expect_unmodified()
        return [state for cell in self._cells for state in cell.begin_state(*args, **kwargs)]

    def unpack_weights(self, args: Arrays) -> Arrays:
        """Return a copy of `args` with the weights of all cells split by gate."""
        for cell in self._cells:
            args = cell.unpack_weights(args)
        return args

    def pack_weights(self, args: Arrays) -> Arrays:
        """Reverse `unpack_weights`."""
        for cell in self._cells:
            args = cell.pack_weights(args)
        return args

    def _with_states(self, states: Sequence[Any]) -> Iterable[tuple[BaseRNNCell, Sequence[Any]]]:
        """Yield each cell with its part of `states`."""
        at = 0
        for cell in self._cells:
            n_states = len(cell.state_info)
            yield cell, states[at : at + n_states]
            at += n_states


class SequentialRNNCell(_CellGroup):
    """Stack of cells: each gets the outputs of the previous one.

    Parameters
    ----------
    params : RNNParams, optional
        Variables that all cells share.

    Examples
    --------
    >>> from opforge import rnn
    >>> stack = SequentialRNNCell()
    >>> stack.add(rnn.LSTMCell(4, prefix="l0_"))
    >>> stack.add(rnn.GRUCell(3, prefix="l1_"))
    >>> stack.state_shape
    [(0, 4), (0, 4), (0, 3)]
    """

    def __init__(self, params: RNNParams | None = None) -> None:
        super().__init__(params)

    def add(self, cell: BaseRNNCell) -> None:
        """Add `cell` on top of the stack."""
        self._take(cell)

    def __call__(self, inputs: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Compose one step; see `BaseRNNCell`."""
        self._counter += 1
        next_states = []
        for cell, own in self._with_states(states):
            assert not isinstance(cell, BidirectionalCell), (
                "a BidirectionalCell cannot be stepped; unroll the stack"
            )
            inputs, own = cell(inputs, own)
            next_states += own
        return inputs, next_states

    def _unroll(
        self, length: int, inputs: Any, begin_state: Any, layout: str, merge_outputs: bool | None
    ) -> tuple[Any, Any]:
        begin_state = self.begin_state() if begin_state is None else begin_state
        next_states: list[Any] = []
        for cell, states in self._with_states(begin_state):
            merge = merge_outputs if cell is self._cells[-1] else None
            inputs, own = cell.unroll(length, inputs, states, layout, merge)
            next_states.extend(own)
        return inputs, next_states


class BidirectionalCell(_CellGroup):
    """Two cells on one sequence, one forward and one backward in time.

    Parameters
    ----------
    l_cell, r_cell : BaseRNNCell
    params : RNNParams, optional
        Variables that both share.
    output_prefix : str
        Prefix of the names of outputs, which concatenate those of both cells.
    """

    def __init__(
        self,
        l_cell: BaseRNNCell,
        r_cell: BaseRNNCell,
        params: RNNParams | None = None,
        output_prefix: str = "bi_",
    ) -> None:
        super().__init__(params, (l_cell, r_cell))
        self._output_prefix = output_prefix

    def __call__(self, inputs: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Raise NotImplementedError: the backward cell starts at the end of the sequence."""
        raise NotImplementedError("Bidirectional cannot be stepped. Please use unroll")

    def _unroll(
        self, length: int, inputs: Any, begin_state: Any, layout: str, merge_outputs: bool | None
    ) -> tuple[Any, Any]:
        axis = layout.find("T")
        steps = as_steps(inputs, length, axis)
        begin_state = self.begin_state() if begin_state is None else begin_state
        (l_cell, l_begin), (r_cell, r_begin) = self._with_states(begin_state)
        l_outputs, l_states = l_cell.unroll(length, steps, l_begin, layout, merge_outputs)
        r_outputs, r_states = r_cell.unroll(length, steps[::-1], r_begin, layout, merge_outputs)
        if merge_outputs is None:
            merge_outputs = all(isinstance(o, sym.Symbol) for o in (l_outputs, r_outputs))
        prefix = self._output_prefix
        if merge_outputs:
            r_outputs = sym.reverse(r_outputs, axis=axis)
            outputs = sym.Concat(l_outputs, r_outputs, dim=2, name=f"{prefix}out")
            return outputs, [l_states, r_states]
        l_steps = as_steps(l_outputs, length, axis)
        r_steps = reversed(as_steps(r_outputs, length, axis))
        outputs = [
            sym.Concat(left, right, dim=1, name=f"{prefix}t{at}")
            for at, (left, right) in enumerate(zip(l_steps, r_steps, strict=True))
        ]
        return outputs, [l_states, r_states]
