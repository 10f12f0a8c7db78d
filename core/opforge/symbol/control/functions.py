"""`foreach`, `while_loop` and `cond` on symbols: the bodies become subgraphs of one node."""

from collections.abc import Callable, Iterator
from typing import Any

from ...base.nesting import unflatten
from ...op.calling.control import results_and_states, turns_at_most
from ..symbol import Symbol
from .branches import Cond
from .composing import body_scope, composed, joined, own_variables, traced
from .loops import Foreach, WhileLoop, row_of
from .nested import nested_symbols

__all__ = ["cond", "foreach", "while_loop"]


def foreach(
    body: Callable[[Any, Any], Any], data: Any, init_states: Any, name: str = "foreach"
) -> tuple[Any, Any]:
    """Run `body` on each row of `data` along the first axis, with states from turn to turn.

    Parameters
    ----------
    body : callable
        ``body(row, states) -> (results, states)``, called once, with symbols. What it reads from
        outside becomes an input of the loop.
    data : Symbol or nested lists of Symbol
        As many rows each; at least one.
    init_states : Symbol or nested lists of Symbol
        The states before the first turn; `body` returns as many, nested in the same way.
    name : str
        Begins the name of the subgraph, which its nodes carry as ``__subgraph_name__``.

    Returns
    -------
    results : Symbol or nested lists of Symbol
        What `body` returned first, stacked along a new first axis.
    states : Symbol or nested lists of Symbol
        The states after the last turn.

    Raises
    ------
    ValueError
        There is no data, or `body` returns other states than it takes.
    TypeError
        Something is neither a symbol nor a list.

    Examples
    --------
    >>> from opforge import sym
    >>> total = lambda row, state: (row + state, row + state)
    >>> sums, last = sym.contrib.foreach(total, sym.var("x"), sym.var("start"))
    >>> sums.infer_shape(x=(4, 2))
    ([(4, 2), (2,)], [(4, 2)], [])
    """
    rows, row_structure = nested_symbols(data, "foreach: data")
    if not rows:
        raise ValueError("foreach: there is no data, expected a symbol with a row for each turn")
    states, state_structure = nested_symbols(init_states, "foreach: init_states")
    edges = [symbol.edges[0] for symbol in (*rows, *states)]
    types = [node.types[index] for node, index in edges]
    inner_types = [*map(row_of, types[: len(rows)]), *types[len(rows) :]]

    def call(inside: Iterator[Symbol]) -> list[tuple[Any, str]]:
        answer = body(unflatten(row_structure, inside), unflatten(state_structure, inside))
        results, after = results_and_states(answer, "foreach: body")
        return [(results, "foreach: body's results"), (after, "foreach: body's states")]

    with body_scope(name):
        part = traced(own_variables(edges, inner_types), call)
    results, after = part.answers
    _expect_states("foreach", len(states), after.count, state_structure, after.structure)
    free, (graph,) = joined([part])
    prop = Foreach(graph, len(rows), len(states), len(edges) + len(free))
    outputs = composed(prop, [*edges, *free])
    return unflatten(results.structure, outputs), unflatten(after.structure, outputs)


def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., Any],
    loop_vars: Any,
    max_iterations: Any = None,
    name: str = "while_loop",
) -> tuple[Any, Any]:
    """Run `func` as long as `cond` holds, with variables from turn to turn.

    Parameters
    ----------
    cond : callable
        ``cond(*loop_vars) -> Symbol`` of one number; another turn follows where it is not zero.
    func : callable
        ``func(*loop_vars) -> (results, loop_vars)``; None stands for an empty list. Both are called
        once, with symbols; what they read from outside becomes an input of the loop.
    loop_vars : Symbol or nested lists of Symbol
        The variables before the first turn.
    max_iterations : int
        How many turns there are at most.
    name : str
        Begins the name of the subgraph, which its nodes carry as ``__subgraph_name__``.

    Returns
    -------
    results : Symbol or nested lists of Symbol
        What `func` returned first, stacked along a new first axis of length `max_iterations`; rows
        of turns that did not happen are zero.
    loop_vars : Symbol or nested lists of Symbol
        The variables after the last turn.

    Raises
    ------
    ValueError
        `max_iterations` is missing or no number, `loop_vars` is empty, or `func` returns another
        number of variables.
    TypeError
        Something is neither a symbol nor a list.

    Examples
    --------
    >>> from opforge import sym
    >>> powers, last = sym.contrib.while_loop(
    ...     lambda x: x < 100, lambda x: (x, x * 2), sym.var("x"), max_iterations=8
    ... )
    >>> powers.infer_shape(x=(1,))
    ([(1,)], [(8, 1)], [])
    """
    turns = turns_at_most(max_iterations)
    variables, structure = nested_symbols(loop_vars, "while_loop: loop_vars")
    if not variables:
        raise ValueError("while_loop: loop_vars should contain at least one element")
    edges = [symbol.edges[0] for symbol in variables]
    types = [node.types[index] for node, index in edges]

    def arguments(inside: Iterator[Symbol]) -> Any:
        given = unflatten(structure, inside)
        return given if isinstance(given, list) else [given]

    def ask(inside: Iterator[Symbol]) -> list[tuple[Any, str]]:
        return [(cond(*arguments(inside)), "while_loop: cond's answer")]

    def step(inside: Iterator[Symbol]) -> list[tuple[Any, str]]:
        answer = results_and_states(func(*arguments(inside)), "while_loop: func")
        results, after = ([] if part is None else part for part in answer)
        return [(results, "while_loop: func's results"), (after, "while_loop: func's loop_vars")]

    with body_scope(f"{name}_cond"):
        condition = traced(own_variables(edges, types), ask)
    _expect_one("while_loop: cond", condition.answers[0].count)
    with body_scope(f"{name}_func"):
        part = traced(own_variables(edges, types), step)
    results, after = part.answers
    if after.count != len(variables):
        raise ValueError(
            f"while_loop: func takes {len(variables)} loop_vars and returns {after.count}; the "
            "number should be consistent during the loop"
        )
    free, (asked, body) = joined([condition, part])
    prop = WhileLoop(asked, body, len(variables), len(edges) + len(free), turns)
    outputs = composed(prop, [*edges, *free])
    return unflatten(results.structure, outputs), unflatten(structure, outputs)


def cond(
    pred: Symbol,
    then_func: Callable[[], Any],
    else_func: Callable[[], Any],
    name: str = "cond",
) -> Any:
    """Compute one of two things.

    Parameters
    ----------
    pred : Symbol
        One number; zero is false.
    then_func, else_func : callable
        Take nothing and return as many symbols, of the same shapes and types, each called once;
        what they read from outside becomes an input.
    name : str
        Begins the name of the subgraph, which its nodes carry as ``__subgraph_name__``.

    Returns
    -------
    Symbol or nested lists of Symbol
        What the function that was chosen returned.

    Raises
    ------
    ValueError
        The functions return different numbers of symbols, or `pred` has several outputs.
    TypeError
        Something is neither a symbol nor a list.

    Examples
    --------
    >>> from opforge import sym
    >>> a, b = sym.var("a"), sym.var("b")
    >>> larger = sym.contrib.cond(a > b, lambda: a, lambda: b)
    >>> larger.infer_shape(a=(1,), b=(1,))
    ([(1,), (1,)], [(1,)], [])
    """
    with body_scope(f"{name}_pred"):
        chosen = traced([], lambda inside: [(pred, "cond: pred")])
    _expect_one("cond: pred", chosen.answers[0].count)
    with body_scope(f"{name}_then"):
        then = traced([], lambda inside: [(then_func(), "cond: then_func's answer")])
    with body_scope(f"{name}_else"):
        otherwise = traced([], lambda inside: [(else_func(), "cond: else_func's answer")])
    counts = [part.answers[0].count for part in (then, otherwise)]
    if counts[0] != counts[1]:
        raise ValueError(
            f"cond: then_func returns {counts[0]} symbols and else_func {counts[1]}: the numbers "
            "must be equal"
        )
    free, (asked, first, second) = joined([chosen, then, otherwise])
    outputs = composed(Cond(asked, first, second, len(free)), free)
    return unflatten(then.answers[0].structure, outputs)


def _expect_states(who: str, before: int, after: int, taken: Any, given: Any) -> None:
    if taken != given:
        raise ValueError(
            f"{who}: the body takes {before} states and returns {after}, or nests them in another "
            "way: return as many as it takes, in lists as they came"
        )


def _expect_one(who: str, count: int) -> None:
    if count != 1:
        raise ValueError(f"{who} should be a single output, got {count} symbols")
