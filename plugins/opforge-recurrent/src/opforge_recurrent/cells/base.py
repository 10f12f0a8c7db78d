"""`RecurrentCell` and `HybridRecurrentCell`: what all cells share."""

from collections.abc import Callable
from typing import Any

from opforge.plugin_api import Block, HybridBlock, nn
from opforge.plugin_api import F as nd

from .sequences import arranged, as_sequence, as_steps, begin_states, masked, namespace

__all__ = ["HybridRecurrentCell", "RecurrentCell", "StateInfo"]

StateInfo = list[dict[str, Any]]
#: Activations that are operators of their own.
_OPERATORS = ("tanh", "relu", "sigmoid", "softsign")


def expect_activation(*activations: Any) -> None:
    """Raise the error of `nn.Activation` for the name of an activation that does not exist."""
    for activation in activations:
        if isinstance(activation, str) and activation not in _OPERATORS:
            nn.Activation(activation, prefix="")


class RecurrentCell(Block):
    """Base of cells: a subclass defines `state_info`, and one step.

    A step is ``forward(inputs, states)``, or ``hybrid_forward`` in a `HybridRecurrentCell`; it
    returns the output and a list of the next states.

    Parameters
    ----------
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.
    """

    def __init__(self, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Count steps anew, before the cell is used on another sequence."""
        self._init_counter = -1
        self._counter = -1
        for child in self._children.values():
            if isinstance(child, RecurrentCell):
                child.reset()

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Run one step.

        Parameters
        ----------
        inputs : NDArray or Symbol, shape (batch, features)
        states : list of NDArray or of Symbol
            What `begin_state` or the step before gave.

        Returns
        -------
        NDArray or Symbol, list
            The output and the next states.
        """
        self._counter += 1
        return super().__call__(inputs, states)

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shape and layout of each state."""
        raise NotImplementedError(f"{type(self).__name__} must define state_info(batch_size)")

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return states to begin with.

        Parameters
        ----------
        batch_size : int
            Of arrays; 0 for symbols, which infer it.
        func : callable, default nd.zeros
            Makes each state: `sym.zeros`, `sym.var`, `nd.ones`, ...
        **kwargs
            Passed to `func`, besides `name`, `shape` and ``__layout__``.
        """
        self._expect_unmodified()
        states = []
        for info in self.state_info(batch_size):
            self._init_counter += 1
            name = f"{self._prefix}begin_state_{self._init_counter}"
            states.append(func(**{"name": name, **(info or {}), **kwargs}))
        return states

    def _expect_unmodified(self) -> None:
        assert not self._modified, (
            "After applying modifier cells (e.g. ZoneoutCell) the base cell cannot be called "
            "directly. Call the modifier cell instead."
        )

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Run all steps of a sequence.

        Parameters
        ----------
        length : int
            Number of steps.
        inputs : NDArray, Symbol, or list of them
            One with axes as in `layout`, or one of shape (batch, features) for each step.
        begin_state : list of NDArray or of Symbol, optional
            Default: zeros.
        layout : {"NTC", "TNC"}
            Order of batch and time where inputs or outputs are one array.
        merge_outputs : bool, optional
            Whether outputs are one array, or a list; None: whatever is faster.
        valid_length : NDArray or Symbol, shape (batch,), optional
            Steps of each sequence, at most `length`: outputs beyond are 0, and the states are those
            after a sequence's own last step.

        Returns
        -------
        NDArray, Symbol, or list of them
            The outputs.
        list of NDArray or of Symbol
            The states after the last step.
        """
        self.reset()
        F, axis = namespace(inputs), layout.find("T")
        steps = as_steps(F, inputs, length, axis)
        states = begin_states(self, F, begin_state, steps, layout)
        outputs: Any = []
        history = []
        for step in steps:
            output, states = self(step, states)
            outputs.append(output)
            history.append(states)
        if valid_length is not None:
            states = [
                F.SequenceLast(
                    as_sequence(F, list(state), 0),
                    sequence_length=valid_length,
                    use_sequence_length=True,
                )
                for state in zip(*history, strict=True)
            ]
            outputs = masked(F, outputs, valid_length, axis)
        return arranged(F, outputs, length, axis, merge_outputs), states

    def _get_activation(self, F: Any, inputs: Any, activation: Any, **kwargs: Any) -> Any:
        """Apply an activation: an operator's name, what Activation takes, a block or a function."""
        if isinstance(activation, Block):
            return activation(inputs)
        if not isinstance(activation, str):
            return activation(inputs, **kwargs)
        if activation in _OPERATORS:
            return getattr(F, activation)(inputs, **kwargs)
        return F.Activation(inputs, act_type=activation, **kwargs)


class HybridRecurrentCell(RecurrentCell, HybridBlock):
    """Base of cells that may be hybridized; a step is ``hybrid_forward(F, inputs, states)``.

    Parameters
    ----------
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.
    """

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Run each step as a graph from now on; see `HybridBlock.hybridize`.

        A graph of one step keeps nothing but the states: where something else is remembered, by a
        `ZoneoutCell` for instance, the step runs as it is, and the cells inside run as graphs.
        """
        if not self._remembers():
            super().hybridize(active, **kwargs)
            return
        for child in self._children.values():
            child.hybridize(active, **kwargs)

    def _remembers(self) -> bool:
        """Tell whether something besides the states is kept from step to step."""
        cells = (c for c in self._children.values() if isinstance(c, HybridRecurrentCell))
        return any(cell._remembers() for cell in cells)
