"""Check that a native operator accesses only the memory of its arrays.

Each array in turn is placed next to protected memory in a child process; if that crashes, the array
is reported.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import prod
from typing import Any

import numpy as np

from opforge.base.dtypes import dtype_of
from opforge.base.errors import OpforgeError
from opforge.native.calls.epilogue import Epilogue
from opforge.native.loops.epilogue import EPILOGUES, N_BINARY
from opforge.op.abi import NativeOperator

from ...subjects.guarded import GuardedMemory
from ...subjects.misfits import misfits
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable
from ..child import Say, run_in_child

__all__ = ["check_memory_bounds"]

#: Seconds for one call of a small input.
_PATIENCE = 60.0


def check_memory_bounds(subject: OperatorSubject) -> int:
    """Run forward and backward with guarded arrays, also on mismatched inputs."""
    if not issubclass(subject.prop_class, NativeOperator):
        raise NotApplicable("it has no C functions")
    ended = run_in_child(lambda say: _run_all(subject, say), _PATIENCE)
    if ended.fate:
        where = ended.said[-1] if ended.said else "it"
        raise AssertionError(f"{where} {ended.fate}")
    return int(ended.value)


def _run_all(subject: OperatorSubject, say: Say) -> int:
    """Try each sample and its mismatched variants; return the number of accepted calls."""
    count = 0
    for sample in subject.samples:
        arguments = len(sample.inputs)
        for candidate in chain([sample], misfits(sample, arguments)):
            for dtype in subject.dtypes:
                count += _run_one(subject, candidate, dtype, say)
    return count


def _run_one(subject: OperatorSubject, sample: Sample, dtype: str, say: Say) -> bool:
    """Call forward and backward; return False if the operator rejects the sample."""
    say(f"{sample}, {dtype}: the inference")
    try:
        prop = subject.prop(sample)
        inferred = subject.inferred(sample, dtype)
    except OpforgeError:
        return False
    inputs = sample.arrays(dtype)
    outputs = [
        np.zeros(shape, dtype_of(code))
        for shape, code in zip(inferred.out_shapes, inferred.out_codes, strict=True)
    ]
    names = [f"input {name!r}" for name in prop.list_arguments()]
    names += [f"output {name!r}" for name in prop.list_outputs()]

    def forward(arrays: list[Any]) -> None:
        results = arrays[len(inputs) :]
        prop.compute(arrays[: len(inputs)], results, ["write"] * len(results), 1)

    stage = f"{sample}, {dtype}: forward"
    sealed = len(prop.list_arguments())
    accepted = _run_guarded(forward, [*inputs, *outputs], names, stage, say, sealed)
    if accepted and outputs[0].size and outputs[0].dtype.name in ("float32", "float64"):
        _run_epilogues(prop, inputs, outputs, names, f"{sample}, {dtype}: forward", say)
    if accepted and subject.has_backward:
        _run_backward(prop, inputs, outputs, names, f"{sample}, {dtype}: backward", say)
    return accepted


def _run_epilogues(
    prop: Any, inputs: list[Any], outputs: list[Any], names: list[str], stage: str, say: Say
) -> None:
    """Call forward with an epilogue step on an array like the result, and one on a vector."""
    shape = outputs[0].shape
    axis = min(1, len(shape) - 1)
    operands = {
        ("full",): outputs[0].size,
        ("spread", prod(shape[axis + 1 :]), shape[axis], 1): shape[axis],
    }
    for step in [name for name in prop.epilogues if name in EPILOGUES[:N_BINARY]][:1]:
        for operand, size in operands.items():
            computation = prop.compute.with_epilogue(Epilogue([(step, operand, False)]))

            def forward(arrays: list[Any], run: Any = computation) -> None:
                run(arrays[:-1], arrays[-1:], ["write"])

            titles = [*names[: len(inputs)], f"the operand of the step {step!r}", *names[-1:]]
            values = [*inputs, np.ones(size, outputs[0].dtype), *outputs]
            _run_guarded(forward, values, titles, stage, say)


def _run_backward(
    prop: Any, inputs: list[Any], outputs: list[Any], names: list[str], stage: str, say: Say
) -> None:
    first, second = len(outputs), len(outputs) + len(inputs)
    third = second + len(outputs)
    heads = [np.ones_like(item) for item in outputs]
    gradients = [np.zeros_like(item) for item in inputs]
    titles = [f"the gradient of {name}" for name in names]

    def backward(arrays: list[Any]) -> None:
        groups = arrays[:first], arrays[first:second], arrays[second:third], arrays[third:]
        prop.fill_gradients(["write"] * len(inputs), *groups)

    titles = [*titles[len(inputs) :], *names, *titles[: len(inputs)]]
    values = [*heads, *inputs, *outputs, *gradients]
    n_states = len(inputs) - len(prop.list_arguments())
    _run_guarded(backward, values, titles, stage, say, 0 if n_states else third)


def _run_guarded(
    call: Any, values: list[Any], names: Sequence[str], stage: str, say: Say, sealed: int = 0
) -> bool:
    """Call without a guard, then with a guard on either side of each array in turn.

    Finally, each of the first `sealed` arrays is made read-only.
    """
    for at_end in (True, False):
        memories = [GuardedMemory(value, at_end) for value in values]
        arrays = [memory.array for memory in memories]
        for memory, text in _each(memories, names, values, at_end):
            say(f"{stage}{text}")
            if memory is not None:
                memory.forbid(True)
            try:
                call(arrays)
            except OpforgeError:
                return False
            if memory is not None:
                memory.forbid(False)
    for memory, name in zip(memories[:sealed], names, strict=False):
        say(f"{stage} writes to {name}, which is read-only, and")
        memory.seal(True)
        call(arrays)
        memory.seal(False)
    return True


def _each(
    memories: list[GuardedMemory], names: Iterable[str], values: list[Any], at_end: bool
) -> Iterator[tuple[GuardedMemory | None, str]]:
    """Yield a description of each guard and of a call that it crashes."""
    yield None, ""
    side = "after the end" if at_end else "before the beginning"
    for memory, name, value in zip(memories, names, values, strict=True):
        yield memory, f" reads or writes {side} of {name}, which has shape {value.shape}, and"
