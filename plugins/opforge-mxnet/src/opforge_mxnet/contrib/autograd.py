"""MXNet's first autograd API, for old programs; new ones use `opforge.autograd`.

Recording and training mode are switched together: `train_section` enables both, `test_section`
disables both.
"""

import functools
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from opforge import autograd as _autograd
from opforge.autograd import mark_variables as mark_variables
from opforge.ndarray import NDArray, zeros_like

from ..names import add_names as _add_names

__all__ = [
    "NDArray",
    "TrainingStateScope",
    "backward",
    "compute_gradient",
    "grad",
    "grad_and_loss",
    "mark_variables",
    "set_is_training",
    "test_section",
    "train_section",
    "zeros_like",
]


def set_is_training(is_train: bool) -> bool:
    """Set recording and training mode of this thread; return the previous recording state."""
    _autograd.set_training(is_train)
    return _autograd.set_recording(is_train)


class TrainingStateScope:
    """Context manager that calls `set_is_training` and restores the state.

    Parameters
    ----------
    enter_state : bool
    """

    def __init__(self, enter_state: bool) -> None:
        self._scope = _autograd.record() if enter_state else _autograd.pause()

    def __enter__(self) -> None:
        self._scope.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._scope.__exit__(kind, error, trace)


def train_section() -> TrainingStateScope:
    """Return a context manager that enables recording and training mode."""
    return TrainingStateScope(True)


def test_section() -> TrainingStateScope:
    """Return a context manager that disables recording and training mode."""
    return TrainingStateScope(False)


def backward(
    outputs: Sequence[NDArray],
    out_grads: Sequence[NDArray | None] | None = None,
    retain_graph: bool = False,
) -> None:
    """Compute the gradients of `outputs` into the variables' arrays.

    Parameters
    ----------
    outputs : list of NDArray
    out_grads : list of (NDArray or None), optional
        Head gradients; None stands for ones.
    retain_graph : bool, default False
        Keep the graph for another pass.
    """
    assert isinstance(outputs, list | tuple), "outputs must be a list or tuple of NDArrays"
    _autograd.backward(outputs, out_grads, retain_graph)


def compute_gradient(outputs: Sequence[NDArray]) -> None:
    """Compute gradients; the older name of `backward`."""
    backward(outputs)


def grad_and_loss(
    func: Callable[..., Any], argnum: int | list[int] | None = None
) -> Callable[..., tuple[list[NDArray], Any]]:
    """Return a function that returns the gradients of `func` and its value.

    Parameters
    ----------
    func : callable
        Maps NDArrays to one or a list of them.
    argnum : int or list of int, optional
        Arguments to differentiate; default: all.

    Examples
    --------
    >>> from opforge import nd
    >>> gradients, loss = grad_and_loss(lambda x: x * x)(nd.array([3]))
    >>> gradients[0].asscalar().item(), loss.asscalar().item()
    (6.0, 9.0)
    """

    @functools.wraps(func)
    def wrapped(*args: Any) -> tuple[list[NDArray], Any]:
        places = range(len(args)) if argnum is None else argnum
        variables = [args[at] for at in ([places] if isinstance(places, int) else places)]
        for variable in variables:
            assert isinstance(variable, NDArray), "type of autograd input should NDArray."
        gradients = [zeros_like(variable) for variable in variables]
        mark_variables(variables, gradients)
        with train_section():
            outputs = func(*args)
        compute_gradient([outputs] if isinstance(outputs, NDArray) else outputs)
        return gradients, outputs

    return wrapped


def grad(
    func: Callable[..., Any], argnum: int | list[int] | None = None
) -> Callable[..., list[NDArray]]:
    """Return a function that returns the gradients of `func`; see `grad_and_loss`."""
    both = grad_and_loss(func, argnum)

    @functools.wraps(func)
    def wrapped(*args: Any) -> list[NDArray]:
        return both(*args)[0]

    return wrapped


_add_names(__name__)
