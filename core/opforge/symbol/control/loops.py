"""Declarations of loops: MXNet's operators ``_foreach`` and ``_while_loop``.

Inputs are data, then states, then other values that the body reads. Outputs are the stacked
results of all iterations, then the states after the last one.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from ...base.errors import ShapeError
from ..node import Type
from .declaration import ControlFlow
from .subgraph import Subgraph, input_positions

__all__ = ["Foreach", "Loop", "WhileLoop", "row_of"]

Shape = tuple[int, ...]


class Loop(ControlFlow):
    """Base class of both loops.

    Parameters
    ----------
    subgraphs : sequence of Subgraph
        The last one is the body.
    n_data, n_states : int
        Number of inputs that are data, and of states.
    n_inputs : int
        Total number of inputs.
    """

    def __init__(
        self, subgraphs: Sequence[Subgraph], n_data: int, n_states: int, n_inputs: int
    ) -> None:
        super().__init__(subgraphs, n_inputs, len(subgraphs[-1].outputs))
        self.n_data = n_data
        self.n_loop_states = n_states
        #: Number of outputs that are stacked rows.
        self.n_rows = self.n_outputs - n_states

    @property
    def body(self) -> Subgraph:
        """Graph of one iteration."""
        return self.subgraphs[-1]

    def iterations(self, inputs: Sequence[Type]) -> int:
        """Return the maximum number of iterations; 0 if it is unknown."""
        raise NotImplementedError(f"{type(self).__name__} must define iterations()")

    def output_subgraphs(self) -> Sequence[int]:
        """Return the index of the subgraph that computes the outputs."""
        return (len(self.subgraphs) - 1,)

    def loop_carried(self) -> Iterable[tuple[int, int]]:
        """Yield pairs of a state input and the output that replaces it."""
        for at in range(self.n_loop_states):
            yield self.n_data + at, self.n_rows + at

    def inner_output(self, output: int, found: Type) -> Type:
        """Return the type of an output in the body: one row of it, or a state."""
        return row_of(found) if output < self.n_rows else found

    def outer_output(self, output: int, found: Type, inputs: Sequence[Type]) -> Type:
        """Return the stacked type of a result of the body, or the type of a state."""
        return _rows(self.iterations(inputs), found) if output < self.n_rows else found


class Foreach(Loop):
    """Run the body on each row of data.

    Parameters
    ----------
    body : Subgraph
    n_data, n_states, n_inputs : int
        Number of inputs that are data, of states, and of all inputs.
    """

    name: ClassVar[str] = "_foreach"

    def __init__(self, body: Subgraph, n_data: int, n_states: int, n_inputs: int) -> None:
        super().__init__([body], n_data, n_states, n_inputs)

    def iterations(self, inputs: Sequence[Type]) -> int:
        """Return the number of rows of the data, which must be equal."""
        known = {found.shape[0] for found in inputs[: self.n_data] if found.shape} - {0}
        if len(known) > 1:
            raise ShapeError(
                f"{self.name}: the data have {' and '.join(map(str, sorted(known)))} rows, "
                "expected equal numbers"
            )
        return max(known, default=0)

    def inner_input(self, position: int, found: Type) -> Type:
        """Return the type of an input in the body: one row of data, or the input itself."""
        return row_of(found) if position < self.n_data else found

    def outer_input(self, position: int, found: Type, known: Type) -> Type:
        """Return the type of data with such rows."""
        if position >= self.n_data:
            return found
        # A row of a vector is one number, whose inner shape is (1,) as well.
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
        Number of states, and of all inputs.
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

    def iterations(self, inputs: Sequence[Type]) -> int:
        """Return the maximum number of iterations."""
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
    """Return the type of one row along the first axis."""
    shape = found.shape
    return Type(shape[1:] if len(shape) != 1 else (1,), found.code)


def _rows(count: int, found: Type) -> Type:
    """Return the type of `count` stacked rows."""
    return Type((count, *found.shape) if found.shape else (), found.code)
