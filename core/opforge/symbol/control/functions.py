"""`foreach`, `while_loop` and `cond` on symbols: bodies become subgraphs of a single node."""

from collections.abc import Callable, Iterator
from typing import Any

from ...base.nesting import unflatten
from ...op.calling.control import iteration_limit, results_and_states
from ..symbol import Symbol
from .branches import Cond
from .loops import Foreach, WhileLoop, row_of
from .nested_symbols import nested_symbols
from .tracing import add_control_node, body_scope, merge_inputs, own_variables, traced

__all__ = ["cond", "foreach", "while_loop"]


def foreach(
    body: Callable[[Any, Any], Any], data: Any, init_states: Any, name: str = "foreach"
) -> tuple[Any, Any]:
    """Run `body` on each row of `data` along the first axis, carrying states between iterations.

    Parameters
    ----------
    body : callable
        ``body(row, states) -> (results, states)``, called once, with symbols. Outer symbols that it
        reads become inputs of the loop.
    data : Symbol or nested lists of Symbol
        All with the same number of rows, at least one.
    init_states : Symbol or nested lists of Symbol
        States before the first iteration; `body` returns states of the same structure.
    name : str
        Prefix of the subgraph's name, which its nodes carry as ``__subgraph_name__``.

    Returns
    -------
    results : Symbol or nested lists of Symbol
        First results of `body`, stacked along a new first axis.
    states : Symbol or nested lists of Symbol
        States after the last iteration.

    Raises
    ------
    ValueError
        `data` is empty, or the states that `body` returns do not match those it takes.
    TypeError
        A value is neither a symbol nor a list.

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
        raise ValueError("foreach: data is empty, expected at least one symbol with rows")
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
    free, (graph,) = merge_inputs([part])
    prop = Foreach(graph, len(rows), len(states), len(edges) + len(free))
    outputs = add_control_node(prop, [*edges, *free])
    return unflatten(results.structure, outputs), unflatten(after.structure, outputs)


def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., Any],
    loop_vars: Any,
    max_iterations: Any = None,
    name: str = "while_loop",
) -> tuple[Any, Any]:
    """Run `func` as long as `cond` holds, carrying variables between iterations.

    Parameters
    ----------
    cond : callable
        ``cond(*loop_vars) -> Symbol`` of one number; the loop continues while it is not zero.
    func : callable
        ``func(*loop_vars) -> (results, loop_vars)``; None stands for an empty list. Both are called
        once, with symbols; outer symbols that they read become inputs of the loop.
    loop_vars : Symbol or nested lists of Symbol
        Variables before the first iteration.
    max_iterations : int
        Maximum number of iterations.
    name : str
        Prefix of the subgraph's name, which its nodes carry as ``__subgraph_name__``.

    Returns
    -------
    results : Symbol or nested lists of Symbol
        First results of `func`, stacked along a new first axis of length `max_iterations`; rows of
        iterations that did not run are zero.
    loop_vars : Symbol or nested lists of Symbol
        Variables after the last iteration.

    Raises
    ------
    ValueError
        `max_iterations` is missing or not a number, `loop_vars` is empty, or `func` returns
        another number of variables.
    TypeError
        A value is neither a symbol nor a list.

    Examples
    --------
    >>> from opforge import sym
    >>> powers, last = sym.contrib.while_loop(
    ...     lambda x: x < 100, lambda x: (x, x * 2), sym.var("x"), max_iterations=8
    ... )
    >>> powers.infer_shape(x=(1,))
    ([(1,)], [(8, 1)], [])
    """
    iterations = iteration_limit(max_iterations)
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
    free, (asked, body) = merge_inputs([condition, part])
    prop = WhileLoop(asked, body, len(variables), len(edges) + len(free), iterations)
    outputs = add_control_node(prop, [*edges, *free])
    return unflatten(results.structure, outputs), unflatten(structure, outputs)


def cond(
    pred: Symbol,
    then_func: Callable[[], Any],
    else_func: Callable[[], Any],
    name: str = "cond",
) -> Any:
    """Compute one of two branches.

    Parameters
    ----------
    pred : Symbol
        One number; zero is false.
    then_func, else_func : callable
        Take no arguments and return the same number of symbols, of equal shapes and types. Each is
        called once; outer symbols that they read become inputs.
    name : str
        Prefix of the subgraph's name, which its nodes carry as ``__subgraph_name__``.

    Returns
    -------
    Symbol or nested lists of Symbol
        Result of the selected function.

    Raises
    ------
    ValueError
        The functions return different numbers of symbols, or `pred` has several outputs.
    TypeError
        A value is neither a symbol nor a list.

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
            f"cond: then_func returns {counts[0]} symbols and else_func {counts[1]}, expected "
            "equal numbers"
        )
    free, (asked, first, second) = merge_inputs([chosen, then, otherwise])
    outputs = add_control_node(Cond(asked, first, second, len(free)), free)
    return unflatten(then.answers[0].structure, outputs)


def _expect_states(who: str, before: int, after: int, taken: Any, given: Any) -> None:
    if taken != given:
        raise ValueError(
            f"{who}: the body takes {before} states and returns {after}, or nests them "
            "differently; return states of the same number and structure"
        )


def _expect_one(who: str, count: int) -> None:
    if count != 1:
        raise ValueError(f"{who} should be a single output, got {count} symbols")
