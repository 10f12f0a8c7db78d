"""Checks shared by control flow on arrays and symbols: results of bodies, loop limits."""

from typing import Any

__all__ = ["iteration_limit", "results_and_states"]


def iteration_limit(max_iterations: Any) -> int:
    """Return the maximum number of iterations of a loop.

    Raises
    ------
    ValueError
        It is missing, or not a positive integer.

    Examples
    --------
    >>> iteration_limit("3")
    3
    """
    if max_iterations is None:
        raise ValueError("while_loop: max_iterations should be specified")
    try:
        iterations = int(max_iterations)
    except (TypeError, ValueError):
        raise ValueError(
            f"Cannot convert max_iteration to python int: got {max_iterations!r:.60}"
        ) from None
    if iterations < 1:
        raise ValueError(f"while_loop: max_iterations is {iterations}, expected a number from 1")
    return iterations


def results_and_states(answer: Any, who: str) -> tuple[Any, Any]:
    """Return the results and the states that a body returned.

    Raises
    ------
    ValueError
        The body did not return two parts.
    """
    if not isinstance(answer, list | tuple) or len(answer) != 2:
        raise ValueError(f"{who} must return (results, states), got {answer!r:.80}")
    return answer[0], answer[1]
