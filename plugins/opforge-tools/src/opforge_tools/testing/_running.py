"""Four execution paths of operators, each of which returns a comparable `Run`.

They are: on arrays, as a bound symbol, as a hybridized block, as a symbol saved and loaded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opforge import autograd, gluon, random
from opforge import ndarray as nd
from opforge import symbol as sym
from opforge.native.dispatch import tape

__all__ = [
    "Problem",
    "Run",
    "hybridized",
    "imperative",
    "is_graphable",
    "loaded",
    "repeated",
    "symbolic",
]


@dataclass(frozen=True)
class Problem:
    """Operators with their inputs.

    Parameters
    ----------
    function : callable
        ``function(F, *inputs)``.
    inputs : sequence of numpy.ndarray
        Inputs; the last `n_states` are auxiliary states.
    n_states : int
    wanted : sequence of int
        Inputs whose gradient is computed.
    train : bool
        Whether operators run in training mode.
    seed : int
        Seed of the head gradients and of random operators.
    """

    function: Callable[..., Any]
    inputs: Sequence[Any]
    n_states: int
    wanted: Sequence[int]
    train: bool
    seed: int

    def arrays(self) -> list[Any]:
        """Start a run: return the inputs as new NDArrays, with gradients attached if wanted.

        The random generator is reseeded.
        """
        random.seed(self.seed)
        arrays = [nd.array(item, dtype=item.dtype) for item in self.inputs]
        for position in self.wanted:
            arrays[position].attach_grad()
        return arrays

    def heads(self, outputs: Sequence[Any]) -> list[Any]:
        """Return a random gradient for each output."""
        rng = np.random.default_rng(self.seed)
        return [nd.array(rng.standard_normal(out.shape), dtype=out.dtype) for out in outputs]


@dataclass(frozen=True)
class Run:
    """Results of one path as NumPy arrays; `grads` is None if it has no gradients."""

    outputs: list[Any]
    grads: list[Any] | None
    states: list[Any]


def imperative(problem: Problem) -> Run:
    """Call the operators of `nd` while recording."""
    return _record_run(problem, lambda arrays: problem.function(nd, *arrays))


def hybridized(problem: Problem) -> Run:
    """Call a hybridized block of the operators while recording."""
    block = _Calling(problem.function)
    block.hybridize()
    # A block needs an input; operators that only create arrays have none.
    return _record_run(problem, lambda arrays: block(nd.zeros(1), *arrays))


def symbolic(problem: Problem) -> Run:
    """Bind the graph, run it forward and backward."""
    return repeated([problem])[0]


def repeated(problems: Sequence[Problem]) -> list[Run]:
    """Bind the graph once, run it forward and backward with the values of each problem in turn.

    Parameters
    ----------
    problems : sequence of Problem
        Problems with the same operators and shapes.
    """
    return _bind_graph(problems, _graph(problems[0]))


def loaded(problem: Problem) -> Run:
    """Save and load the graph, bind it, run it forward and backward."""
    graph = sym.load_json(_graph(problem).tojson(remove_amp_cast=False))
    return _bind_graph([problem], graph)[0]


def is_graphable(problem: Problem, run: Run) -> bool:
    """Return whether graphs support the arrays: 0 and () mark unknown shapes there."""
    return all(value.size and value.ndim for value in (*problem.inputs, *run.outputs))


class _Calling(gluon.HybridBlock):
    """Block that calls a function with the operator namespace and the inputs."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **params: Any) -> Any:
        """Call the function."""
        return self._function(F, *args)


def _record_run(problem: Problem, call: Callable[[list[Any]], Any]) -> Run:
    arrays = problem.arrays()
    with autograd.record(train_mode=problem.train):
        outputs = _as_list(call(arrays))
    reached = [tape.in_graph(out) for out in outputs]
    grads = None
    if any(reached):
        heads = problem.heads(outputs)
        autograd.backward(
            [out for out, flag in zip(outputs, reached, strict=True) if flag],
            [head for head, flag in zip(heads, reached, strict=True) if flag],
            train_mode=problem.train,
        )
        grads = [arrays[position].grad.asnumpy() for position in problem.wanted]
    states = arrays[len(arrays) - problem.n_states :]
    return Run([out.asnumpy() for out in outputs], grads, [state.asnumpy() for state in states])


def _graph(problem: Problem) -> Any:
    names = _names(problem)
    outputs = problem.function(sym, *[sym.var(name) for name in names])
    return sym.Group(list(outputs)) if isinstance(outputs, (list, tuple)) else outputs


def _names(problem: Problem) -> list[str]:
    return [f"input{position}" for position in range(len(problem.inputs))]


def _bind_graph(problems: Sequence[Problem], graph: Any) -> list[Run]:
    names = _names(problems[0])
    arrays = dict(zip(names, problems[0].arrays(), strict=True))
    arguments, states = graph.list_arguments(), graph.list_auxiliary_states()
    executor = graph.bind(
        nd.zeros(1).context,
        {name: arrays[name] for name in arguments},
        {name: arrays[name].grad for name in arguments if arrays[name].grad is not None},
        aux_states={name: arrays[name] for name in states},
    )
    return [_run_bound(executor, problem, arrays) for problem in problems]


def _run_bound(executor: Any, problem: Problem, arrays: dict[str, Any]) -> Run:
    """Run an executor, which is bound to `arrays`, with the values of a problem."""
    for array, value in zip(arrays.values(), problem.arrays(), strict=True):
        array[:] = value
    outputs = [out.asnumpy() for out in executor.forward(is_train=problem.train)]
    executor.backward(problem.heads(executor.outputs), is_train=problem.train)
    names = _names(problem)
    grads = [arrays[names[position]].grad.asnumpy() for position in problem.wanted]
    last = names[len(names) - problem.n_states :]
    return Run(outputs, grads, [arrays[name].asnumpy() for name in last])


def _as_list(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
