"""`foreach`, `while_loop` and `cond` on arrays, by Python's own loops and branches.

Computations are recorded operator by operator, so gradients of any order are available.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

from ..base.nesting import nested, unflatten
from ..op.calling.control import iteration_limit, results_and_states
from .creation import zeros
from .ndarray import NDArray

__all__ = ["cond", "foreach", "while_loop"]


def foreach(body: Callable[[Any, Any], Any], data: Any, init_states: Any) -> tuple[Any, Any]:
    """Run `body` on each row of `data` along the first axis, carrying states between iterations.

    Parameters
    ----------
    body : callable
        ``body(row, states) -> (results, states)``.
    data : NDArray or nested lists of NDArray
        All with the same number of rows, at least one.
    init_states : NDArray or nested lists of NDArray
        States before the first iteration.

    Returns
    -------
    results : NDArray or nested lists of NDArray
        First results of `body`, stacked along a new first axis.
    states : NDArray or nested lists of NDArray
        States after the last iteration.

    Raises
    ------
    TypeError
        A value is neither an array nor a list.
    ValueError
        The data have different numbers of rows, or `body` does not return results and states.

    Examples
    --------
    >>> from opforge import nd
    >>> total = lambda row, state: (row + state, row + state)
    >>> sums, last = nd.contrib.foreach(total, nd.array([1, 2, 3]), nd.array([10]))
    >>> sums.asnumpy().ravel().tolist(), last.asscalar()
    ([11.0, 13.0, 16.0], 16.0)
    """
    rows, structure = nested(data, NDArray, "foreach: data")
    nested(init_states, NDArray, "foreach: init_states")
    n_iterations = sorted({len(item) for item in rows})
    if len(n_iterations) != 1:
        raise ValueError(
            f"foreach: the data have {n_iterations or 'no'} rows: the numbers must be equal"
        )
    states, collected, structure_out = init_states, [], None
    for at in range(n_iterations[0]):
        answer = body(unflatten(structure, iter([item[at] for item in rows])), states)
        results, states = results_and_states(answer, "foreach: body")
        found, structure_out = nested(results, NDArray, "foreach: body's results")
        nested(states, NDArray, "foreach: body's states")
        collected.append(found)
    if structure_out is None:
        return [], states
    return unflatten(structure_out, iter(_stack_results(collected, n_iterations[0]))), states


def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., Any],
    loop_vars: Any,
    max_iterations: Any = None,
) -> tuple[Any, Any]:
    """Run `func` as long as `cond` holds, carrying variables between iterations.

    Parameters
    ----------
    cond : callable
        ``cond(*loop_vars)`` returns one number; the loop continues while it is not zero.
    func : callable
        ``func(*loop_vars) -> (results, loop_vars)``; None stands for an empty list.
    loop_vars : NDArray or nested lists of NDArray
        Variables before the first iteration.
    max_iterations : int
        Maximum number of iterations.

    Returns
    -------
    results : NDArray or nested lists of NDArray
        First results of `func`, stacked along a new first axis of length `max_iterations`; rows of
        iterations that did not run are zero. An empty list if there was no iteration.
    loop_vars : NDArray or nested lists of NDArray
        Variables after the last iteration.

    Raises
    ------
    ValueError
        `max_iterations` is missing or not a number, `loop_vars` is empty, or `func` returns
        another number of variables or results, or results of other shapes than before.
    TypeError
        A value is neither an array nor a list.

    Examples
    --------
    >>> from opforge import nd
    >>> powers, last = nd.contrib.while_loop(
    ...     lambda x: x < 100, lambda x: (x, x * 2), nd.array([16]), max_iterations=4
    ... )
    >>> powers.asnumpy().ravel().tolist(), last.asscalar()
    ([16.0, 32.0, 64.0, 0.0], 128.0)
    """
    n_iterations = iteration_limit(max_iterations)
    nested(loop_vars, NDArray, "while_loop: loop_vars")
    is_single = isinstance(loop_vars, NDArray)
    variables: Sequence[Any] = [loop_vars] if is_single else loop_vars
    if not variables:
        raise ValueError("while_loop: loop_vars should contain at least one element")
    collected: list[list[Any]] = []
    structure_out = None
    while len(collected) < n_iterations and _truth(cond(*variables), "Return value of cond"):
        answer = results_and_states(func(*variables), "while_loop: func")
        results, after = ([] if part is None else part for part in answer)
        variables = _checked_variables(after, len(variables))
        found, structure_out = nested(results, NDArray, "while_loop: func's results")
        if collected and len(found) != len(collected[0]):
            raise ValueError("Number of elements in step_output should be the same in each step")
        collected.append(found)
    last = variables[0] if is_single else variables
    if structure_out is None:
        return [], last
    return unflatten(structure_out, iter(_stack_results(collected, n_iterations))), last


def cond(pred: Any, then_func: Callable[[], Any], else_func: Callable[[], Any]) -> Any:
    """Call one of two functions.

    Parameters
    ----------
    pred : NDArray or number
        One number; zero is false.
    then_func, else_func : callable
        Take no arguments.

    Returns
    -------
    object
        Result of the selected function.

    Raises
    ------
    ValueError
        `pred` is not a single number.

    Examples
    --------
    >>> from opforge import nd
    >>> a, b = nd.array([1]), nd.array([2])
    >>> nd.contrib.cond(a > b, lambda: a, lambda: b).asscalar()
    2.0
    """
    return then_func() if _truth(pred, "pred") else else_func()


def _truth(value: Any, what: str) -> bool:
    """Return whether the only number of an array is not zero."""
    try:
        return bool(value.asscalar() if isinstance(value, NDArray) else value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Cannot convert {what} to python bool: {error}") from error


def _checked_variables(after: Any, count: int) -> Sequence[Any]:
    """Return the variables after an iteration; raise if their number has changed."""
    nested(after, NDArray, "while_loop: func's loop_vars")
    variables = [after] if isinstance(after, NDArray) else list(after)
    if len(variables) != count:
        raise ValueError(
            f"while_loop: func takes {count} loop_vars and returns {len(variables)}; the length of "
            "loop_vars should be consistent during the loop"
        )
    return variables


def _stack_results(collected: Sequence[Sequence[Any]], count: int) -> list[Any]:
    """Return the results of all iterations, each stacked to one array of `count` rows."""
    operators: Any = sys.modules[__package__]
    made = []
    for at, column in enumerate(zip(*collected, strict=True), 1):
        shapes = [item.shape for item in column]
        if len(set(shapes)) > 1:
            lines = [f"  Step {step}, shape is {shape}" for step, shape in enumerate(shapes)]
            raise ValueError(
                f"Shapes of {at}-th elements in step_outputs are inconsistent, which are:\n"
                + "\n".join(lines)
            )
        rows = operators.stack(*column, axis=0)
        if len(column) < count:
            kind = {"ctx": rows.context, "dtype": rows.dtype}
            missing = zeros((count - len(column), *rows.shape[1:]), **kind)
            rows = operators.concat(rows, missing, dim=0)
        made.append(rows)
    return made
