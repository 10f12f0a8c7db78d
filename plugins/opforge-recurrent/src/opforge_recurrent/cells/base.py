"""`RecurrentCell` and `HybridRecurrentCell`, the base classes of all cells."""

from collections.abc import Callable
from typing import Any

from opforge.plugin_api import Block, HybridBlock, array_classes, nn
from opforge.plugin_api import F as nd

from .sequences import arranged, as_sequence, as_steps, begin_states, masked, namespace

__all__ = ["HybridRecurrentCell", "RecurrentCell", "StateInfo"]

StateInfo = list[dict[str, Any]]
#: Activations that are separate operators.
_OPERATORS = ("tanh", "relu", "sigmoid", "softsign")


def expect_activation(*activations: Any) -> None:
    """Raise the error of `nn.Activation` for unknown names of activations."""
    for activation in activations:
        if isinstance(activation, str) and activation not in _OPERATORS:
            nn.Activation(activation, prefix="")


class RecurrentCell(Block):
    """Base class of cells; a subclass defines `state_info` and one step.

    A step is ``forward(inputs, states)``, or ``hybrid_forward`` in a `HybridRecurrentCell`, and
    returns the output and a list of the next states.

    Parameters
    ----------
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import rnn
    >>> class Last(rnn.RecurrentCell):
    ...     def state_info(self, batch_size=0):
    ...         return [{"shape": (batch_size, 1), "__layout__": "NC"}]
    ...
    ...     def forward(self, inputs, states):
    ...         return states[0], [inputs]
    >>> outputs, _ = Last().unroll(3, nd.array([[[1], [2], [3]]]), merge_outputs=True)
    >>> outputs.asnumpy().ravel().tolist()
    [0.0, 1.0, 2.0]
    """

    def __init__(self, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Reset the step counter before the cell processes another sequence."""
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
            States from `begin_state` or from the previous step.

        Returns
        -------
        NDArray or Symbol, list
            The output and the next states.
        """
        self._counter += 1
        return super().__call__(inputs, states)

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return the shape and layout of each state."""
        raise NotImplementedError(f"{type(self).__name__} must define state_info(batch_size)")

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return initial states.

        Parameters
        ----------
        batch_size : int
            Batch size for arrays; 0 for symbols, which infer it.
        func : callable, default nd.zeros
            Function that creates each state: `sym.zeros`, `sym.var`, `nd.ones`, ...
        **kwargs
            Passed to `func`, in addition to `name`, `shape` and ``__layout__``.
        """
        self._expect_unmodified()
        states = []
        for info in self.state_info(batch_size):
            self._init_counter += 1
            name = f"{self._prefix}begin_state_{self._init_counter}"
            states.append(func(**{"name": name, **(info or {}), **kwargs}))
        return array_classes.as_requested(states)

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
            One array with the axes of `layout`, or one of shape (batch, features) per step.
        begin_state : list of NDArray or of Symbol, optional
            Initial states; default zeros.
        layout : {"NTC", "TNC"}
            Order of batch and time if inputs or outputs are one array.
        merge_outputs : bool, optional
            Whether to return outputs as one array or as a list; None: whichever is faster.
        valid_length : NDArray or Symbol, shape (batch,), optional
            Steps of each sequence, at most `length`. Outputs beyond are 0, and the states are those
            after the last step of each sequence.

        Returns
        -------
        NDArray, Symbol, or list of them
            The outputs.
        list of NDArray or of Symbol
            The states after the last step.
        """
        self.reset()
        return self._unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)

    def _unroll(
        self, length: int, inputs: Any, begin: Any, layout: str, merge: bool | None, lengths: Any
    ) -> tuple[Any, Any]:
        """Run all steps of a sequence after `reset`; the part of `unroll` that cells override."""
        F, axis = namespace(inputs), layout.find("T")
        steps = as_steps(F, inputs, length, axis)
        states = begin_states(self, F, begin, steps, layout)
        outputs: Any = []
        history = []
        for step in steps:
            output, states = self(step, states)
            outputs.append(output)
            history.append(states)
        if lengths is not None:
            states = [
                F.SequenceLast(
                    as_sequence(F, list(state), 0),
                    sequence_length=lengths,
                    use_sequence_length=True,
                )
                for state in zip(*history, strict=True)
            ]
            outputs = masked(F, outputs, lengths, axis)
        return arranged(F, outputs, length, axis, merge), states

    def _get_activation(self, F: Any, inputs: Any, activation: Any, **kwargs: Any) -> Any:
        """Apply an activation given as a name, a block or a function."""
        if isinstance(activation, Block):
            return activation(inputs)
        if not isinstance(activation, str):
            return activation(inputs, **kwargs)
        if activation in _OPERATORS:
            return getattr(F, activation)(inputs, **kwargs)
        return F.Activation(inputs, act_type=activation, **kwargs)


class HybridRecurrentCell(RecurrentCell, HybridBlock):
    """Base class of cells that can be hybridized; a step is ``hybrid_forward(F, inputs, states)``.

    Parameters
    ----------
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import rnn
    >>> class Sum(rnn.HybridRecurrentCell):
    ...     def state_info(self, batch_size=0):
    ...         return [{"shape": (batch_size, 1), "__layout__": "NC"}]
    ...
    ...     def hybrid_forward(self, F, inputs, states):
    ...         total = states[0] + inputs
    ...         return total, [total]
    >>> outputs, _ = Sum().unroll(3, nd.array([[[1], [2], [3]]]), merge_outputs=True)
    >>> outputs.asnumpy().ravel().tolist()
    [1.0, 3.0, 6.0]
    """

    def hybridize(
        self, active: bool = True, backend: Any = None, clear: bool = True, **kwargs: Any
    ) -> None:
        """Run each step as a compiled graph from now on; see `HybridBlock.hybridize`.

        A graph of one step carries only the states. A cell that stores anything else between steps,
        for instance a `ZoneoutCell`, is therefore not compiled, but the cells inside it are.
        """
        if not self._is_stateful():
            super().hybridize(active, backend, clear, **kwargs)
            return
        for child in self._children.values():
            child.hybridize(active, backend=backend, clear=clear, **kwargs)

    def _is_stateful(self) -> bool:
        """Return whether the cell stores anything besides the states between steps."""
        cells = (c for c in self._children.values() if isinstance(c, HybridRecurrentCell))
        return any(cell._is_stateful() for cell in cells)
