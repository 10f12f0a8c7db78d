"""The declarations of loops: MXNet's operators ``_foreach`` and ``_while_loop``.

Inputs are data, then states, then what the body reads besides; outputs are a row of each result for
each turn, then the states after the last one.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from ...base.errors import ShapeError
from ..node import Type
from .declaring import ControlFlow
from .subgraph import Subgraph, input_positions

__all__ = ["Foreach", "Loop", "WhileLoop", "row_of"]

Shape = tuple[int, ...]


class Loop(ControlFlow):
    """Base class of both loops.

    Parameters
    ----------
    subgraphs : sequence of Subgraph
        The body is the last one.
    n_data, n_states : int
        How many inputs are data, and how many states.
    n_inputs : int
        How many inputs there are in all.
    """

    def __init__(
        self, subgraphs: Sequence[Subgraph], n_data: int, n_states: int, n_inputs: int
    ) -> None:
        super().__init__(subgraphs, n_inputs, len(subgraphs[-1].outputs))
        self.n_data = n_data
        self.n_loop_states = n_states
        #: How many outputs are rows.
        self.n_rows = self.n_outputs - n_states

    @property
    def body(self) -> Subgraph:
        """Graph of one iteration."""
        return self.subgraphs[-1]

    def turns(self, inputs: Sequence[Type]) -> int:
        """Return how many turns there are at most; 0 where that is unknown."""
        raise NotImplementedError(f"{type(self).__name__} does not say how long it is")

    def computing(self) -> Sequence[int]:
        """Return which of the subgraphs compute the outputs."""
        return (len(self.subgraphs) - 1,)

    def carried(self) -> Iterable[tuple[int, int]]:
        """Yield the inputs that are states, with the outputs that they become."""
        for at in range(self.n_loop_states):
            yield self.n_data + at, self.n_rows + at

    def within(self, output: int, found: Type) -> Type:
        """Return what an output is for the body: one row of it, or a state."""
        return row_of(found) if output < self.n_rows else found

    def stacked(self, output: int, found: Type, inputs: Sequence[Type]) -> Type:
        """Return rows for what the body computes, or a state."""
        return _rows(self.turns(inputs), found) if output < self.n_rows else found


class Foreach(Loop):
    """Run the body on each row of data.

    Parameters
    ----------
    body : Subgraph
    n_data, n_states, n_inputs : int
        How many inputs are data, how many states, and how many there are in all.
    """

    name: ClassVar[str] = "_foreach"

    def __init__(self, body: Subgraph, n_data: int, n_states: int, n_inputs: int) -> None:
        super().__init__([body], n_data, n_states, n_inputs)

    def turns(self, inputs: Sequence[Type]) -> int:
        """Return how many rows the data have, which is the same number."""
        known = {found.shape[0] for found in inputs[: self.n_data] if found.shape} - {0}
        if len(known) > 1:
            raise ShapeError(
                f"{self.name}: the data have {' and '.join(map(str, sorted(known)))} rows: the "
                "numbers must be equal"
            )
        return max(known, default=0)

    def inside(self, position: int, found: Type) -> Type:
        """Return what an input is for the body: one row of data, or the input itself."""
        return row_of(found) if position < self.n_data else found

    def outside(self, position: int, found: Type, known: Type) -> Type:
        """Return data that have such rows."""
        if position >= self.n_data:
            return found
        # A row of numbers is one number, which is an array of shape (1,) as well.
        return known if len(known.shape) == 1 else _rows(0, found)

    def attribute_strings(self) -> dict[str, str]:
        """Return the attributes as MXNet writes them."""
        order = self.body.symbol.list_inputs()
        at = [-1 if node is None else order.index(node.name) for node in self.body.variables]
        n_given = self.n_data + self.n_loop_states
        return {
            "in_data_locs": str(at[: self.n_data]),
            "in_state_locs": str(at[self.n_data : n_given]),
            "num_args": str(len(at) + 1),
            "num_out_data": str(self.n_rows),
            "num_outputs": str(self.n_outputs),
            "remain_locs": str(at[n_given:]),
        }


class WhileLoop(Loop):
    """Run the body as long as a condition on the states holds.

    Parameters
    ----------
    condition, body : Subgraph
    n_states, n_inputs : int
        How many inputs are states, and how many there are in all.
    max_iterations : int
    """

    name: ClassVar[str] = "_while_loop"
    n_conditions: ClassVar[int] = 1

    def __init__(
        self,
        condition: Subgraph,
        body: Subgraph,
        n_states: int,
        n_inputs: int,
        max_iterations: int,
    ) -> None:
        super().__init__([condition, body], 0, n_states, n_inputs)
        self.max_iterations = max_iterations

    def turns(self, inputs: Sequence[Type]) -> int:
        """Return how many turns there are at most."""
        return self.max_iterations

    def attribute_strings(self) -> dict[str, str]:
        """Return the attributes as MXNet writes them."""
        condition, body = (input_positions(graph) for graph in self.subgraphs)
        states = range(self.n_loop_states)
        return {
            "cond_input_locs": str(condition),
            "func_input_locs": str(body),
            "func_var_locs": str([body.index(at) if at in body else -1 for at in states]),
            "max_iterations": str(self.max_iterations),
            "num_args": str(len(self.body.variables) + len(self.subgraphs)),
            "num_out_data": str(self.n_rows),
            "num_outputs": str(self.n_outputs),
        }


def row_of(found: Type) -> Type:
    """Return one row of an array along its first axis."""
    shape = found.shape
    return Type(shape[1:] if len(shape) != 1 else (1,), found.code)


def _rows(count: int, found: Type) -> Type:
    """Return so many rows as one array."""
    return Type((count, *found.shape) if found.shape else (), found.code)
