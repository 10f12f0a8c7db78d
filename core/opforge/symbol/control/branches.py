"""Declaration of branches: MXNet's operator ``_cond``.

Inputs are all values that the condition and the branches read; outputs those of either branch.
"""

from collections.abc import Sequence
from typing import ClassVar

from .declaration import ControlFlow
from .subgraph import Subgraph, input_positions

__all__ = ["Cond"]


class Cond(ControlFlow):
    """Run one of two subgraphs.

    Parameters
    ----------
    condition, then, otherwise : Subgraph
    n_inputs : int
        Number of inputs.
    """

    name: ClassVar[str] = "_cond"
    n_conditions: ClassVar[int] = 1

    def __init__(
        self, condition: Subgraph, then: Subgraph, otherwise: Subgraph, n_inputs: int
    ) -> None:
        super().__init__([condition, then, otherwise], n_inputs, len(then.outputs))

    def output_subgraphs(self) -> Sequence[int]:
        """Return the indices of the subgraphs that compute the outputs: both branches."""
        return 1, 2

    def attribute_strings(self) -> dict[str, str]:
        """Return the attributes as MXNet writes them."""
        condition, then, otherwise = (str(input_positions(graph)) for graph in self.subgraphs)
        return {
            "cond_input_locs": condition,
            "else_input_locs": otherwise,
            "num_args": str(len(self.subgraphs[0].variables) + len(self.subgraphs)),
            "num_outputs": str(self.n_outputs),
            "then_input_locs": then,
        }
