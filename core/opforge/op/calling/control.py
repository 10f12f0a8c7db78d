"""Code shared by control flow on arrays and on symbols: results of bodies, lengths of loops."""

from typing import Any

__all__ = ["results_and_states", "turns_at_most"]


def turns_at_most(max_iterations: Any) -> int:
    """Return how many turns a loop may take.

    Raises
    ------
    ValueError
        It was not said, or is no number from 1.

    Examples
    --------
    >>> turns_at_most("3")
    3
    """
    if max_iterations is None:
        raise ValueError("while_loop: max_iterations should be specified")
    try:
        turns = int(max_iterations)
    except (TypeError, ValueError):
        raise ValueError(
            f"Cannot convert max_iteration to python int: got {max_iterations!r:.60}"
        ) from None
    if turns < 1:
        raise ValueError(f"while_loop: max_iterations is {turns}, expected a number from 1")
    return turns


def results_and_states(answer: Any, who: str) -> tuple[Any, Any]:
    """Return the two parts of what a body returned.

    Raises
    ------
    ValueError
        It has not two parts.
    """
    if not isinstance(answer, list | tuple) or len(answer) != 2:
        raise ValueError(f"{who} must return (results, states), got {answer!r:.80}")
    return answer[0], answer[1]
