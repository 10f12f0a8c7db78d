"""`BaseRNNCell`: common behavior of cells, from step names to weight packing."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from opforge import ndarray as nd
from opforge import symbol as sym

from .parameters import RNNParams
from .sequences import arranged, as_steps

__all__ = ["Arrays", "BaseRNNCell", "StateInfo"]

Arrays: TypeAlias = dict[str, nd.NDArray]
StateInfo: TypeAlias = list[dict[str, Any]]


class BaseRNNCell:
    """Base of cells: a subclass defines `__call__`, one step, and `state_info`.

    Parameters
    ----------
    prefix : str
        Prefix of the names of the cell's nodes and, without `params`, of its variables.
    params : RNNParams, optional
        Variables to share with another cell.
    """

    _num_hidden: int = 0

    def __init__(self, prefix: str = "", params: RNNParams | None = None) -> None:
        self._own_params = params is None
        self._prefix = prefix
        self._params = RNNParams(prefix) if params is None else params
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Restart the step counter, before the cell is used in another graph."""
        self._init_counter = -1
        self._counter = -1
        for cell in self._parts:
            cell.reset()

    def __call__(self, inputs: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Compose one step.

        Parameters
        ----------
        inputs : Symbol, shape (batch, features)
        states : list of Symbol
            States from `begin_state` or from the previous step.

        Returns
        -------
        Symbol, list of Symbol
            The output and the next states.
        """
        raise NotImplementedError(f"{type(self).__name__} must define __call__(inputs, states)")

    @property
    def _parts(self) -> Sequence["BaseRNNCell"]:
        """Inner cells."""
        return ()

    @property
    def params(self) -> RNNParams:
        """Variables of the cell."""
        self._own_params = False
        return self._params

    @property
    def state_info(self) -> StateInfo:
        """Shape and layout of each state; the batch size is 0."""
        raise NotImplementedError(f"{type(self).__name__} must define the property state_info")

    @property
    def state_shape(self) -> list[tuple[int, ...]]:
        """Shape of each state."""
        return [info["shape"] for info in self.state_info]

    @property
    def _gate_names(self) -> Sequence[str]:
        """Suffix of the weight names for each gate."""
        return ()

    def begin_state(self, func: Callable[..., Any] = sym.zeros, **kwargs: Any) -> list[Any]:
        """Return the initial states.

        Parameters
        ----------
        func : callable, default sym.zeros
            Creates each state; `sym.var` makes them inputs.
        **kwargs
            Passed to `func`, in addition to `name`, `shape` and ``__layout__``.
        """
        self._expect_unmodified()
        states = []
        for info in self.state_info:
            self._init_counter += 1
            name = f"{self._prefix}begin_state_{self._init_counter}"
            states.append(func(**{**kwargs, "name": name, **info}))
        return states

    def _expect_unmodified(self) -> None:
        assert not self._modified, (
            "After applying modifier cells (e.g. DropoutCell) the base cell cannot be called "
            "directly. Call the modifier cell instead."
        )

    def unpack_weights(self, args: Arrays) -> Arrays:
        """Return a copy of `args` with this cell's weights split by gate.

        Parameters
        ----------
        args : dict of str to NDArray
            For instance ``module.get_params()[0]``.
        """
        args = dict(args)
        hidden = self._num_hidden
        for whole, gates in self._packed_names():
            array = args.pop(whole)
            for at, gate in enumerate(gates):
                args[gate] = array[at * hidden : (at + 1) * hidden].copy()
        return args

    def pack_weights(self, args: Arrays) -> Arrays:
        """Reverse `unpack_weights`."""
        args = dict(args)
        for whole, gates in self._packed_names():
            args[whole] = nd.concatenate([args.pop(gate) for gate in gates])
        return args

    def _packed_names(self) -> list[tuple[str, list[str]]]:
        """Return the name of each weight array and the names of its per-gate parts."""
        if not self._gate_names:
            return []
        return [
            (
                f"{self._prefix}{group}_{kind}",
                [f"{self._prefix}{group}{gate}_{kind}" for gate in self._gate_names],
            )
            for group in ("i2h", "h2h")
            for kind in ("weight", "bias")
        ]

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Any]:
        """Compose all steps of a sequence.

        Parameters
        ----------
        length : int
            Number of steps.
        inputs : Symbol or list of Symbol
            One with axes as in `layout`, or one of shape (batch, features) for each step.
        begin_state : list of Symbol, optional
            Default: zeros.
        layout : {"NTC", "TNC"}
            Order of batch and time if inputs or outputs are a single symbol.
        merge_outputs : bool, optional
            Whether outputs are one symbol or a list; None: whichever is faster.

        Returns
        -------
        Symbol or list of Symbol, list of Symbol
            Outputs, and the states after the last step.
        """
        self.reset()
        return self._unroll(length, inputs, begin_state, layout, merge_outputs)

    def _unroll(
        self, length: int, inputs: Any, begin_state: Any, layout: str, merge_outputs: bool | None
    ) -> tuple[Any, Any]:
        """Compose all steps, after `reset`; the parameters are those of `unroll`."""
        axis = layout.find("T")
        steps = as_steps(inputs, length, axis)
        states = self.begin_state() if begin_state is None else begin_state
        outputs = []
        for step in steps:
            output, states = self(step, states)
            outputs.append(output)
        return arranged(outputs, length, axis, merge_outputs), states

    def _get_activation(self, inputs: Any, activation: Any, **kwargs: Any) -> Any:
        """Apply the operator Activation by its name, or a function of a symbol."""
        if isinstance(activation, str):
            return sym.Activation(inputs, act_type=activation, **kwargs)
        return activation(inputs, **kwargs)

    def _next_name(self) -> str:
        """Increment the step counter; return the prefix of the step's node names."""
        self._counter += 1
        return f"{self._prefix}t{self._counter}_"
