"""Check that a native operator accesses only the memory of its arrays.

Each array in turn is placed next to protected memory in a child process; if that crashes, the array
is reported.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from math import prod
from typing import Any

import numpy as np

from opforge import autograd
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
    """Run forward and backward with guarded arrays, in both modes, also on mismatched inputs."""
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
    """Call forward and backward in each mode; return False if the operator rejects the sample."""
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
    where = f"{sample}, {dtype}: "
    with autograd.predict_mode():
        if not _run_mode(subject, prop, inputs, outputs, where, say):
            return False
        if outputs[0].size and outputs[0].dtype.name in ("float32", "float64"):
            _run_epilogues(prop, inputs, outputs, f"{where}forward", say)
    with autograd.train_mode():
        return _run_mode(subject, prop, inputs, outputs, f"{where}in training, ", say)


def _run_mode(
    subject: OperatorSubject,
    prop: Any,
    inputs: list[Any],
    outputs: list[Any],
    where: str,
    say: Say,
) -> bool:
    """Call forward and backward in the current mode, on which `call->is_train` depends."""

    def forward(arrays: list[Any]) -> None:
        results = arrays[len(inputs) :]
        prop.compute(arrays[: len(inputs)], results, ["write"] * len(results), 1)

    names = [*_input_names(prop), *_output_names(prop)]
    # Only training may change the states.
    sealed = len(prop.list_arguments()) if autograd.is_training() else len(inputs)
    accepted = _run_guarded(forward, [*inputs, *outputs], names, f"{where}forward", say, sealed)
    if accepted and subject.has_backward:
        _run_backward(prop, inputs, outputs, f"{where}backward", say)
    return accepted


def _input_names(prop: Any) -> list[str]:
    names = [f"input {name!r}" for name in prop.list_arguments()]
    return names + [f"auxiliary state {name!r}" for name in prop.list_auxiliary_states()]


def _output_names(prop: Any) -> list[str]:
    return [f"output {name!r}" for name in prop.list_outputs()]


def _run_epilogues(prop: Any, inputs: list[Any], outputs: list[Any], stage: str, say: Say) -> None:
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

            operand_name = f"the operand of the step {step!r}"
            titles = [*_input_names(prop), operand_name, *_output_names(prop)]
            values = [*inputs, np.ones(size, outputs[0].dtype), *outputs]
            _run_guarded(forward, values, titles, stage, say)


def _run_backward(prop: Any, inputs: list[Any], outputs: list[Any], stage: str, say: Say) -> None:
    count = len(prop.list_arguments())
    arguments, states = inputs[:count], inputs[count:]
    heads = [np.ones_like(item) for item in outputs]
    gradients = [np.zeros_like(item) for item in arguments]
    groups = heads, arguments, outputs, gradients, states
    ends = list(accumulate(len(group) for group in groups))

    def backward(arrays: list[Any]) -> None:
        parts = [arrays[begin:end] for begin, end in pairwise([0, *ends])]
        prop.fill_gradients(["write"] * count, *parts)

    names = _input_names(prop)
    titles = [f"the gradient of {name}" for name in _output_names(prop)]
    titles += [*names[:count], *_output_names(prop)]
    titles += [f"the gradient of {name}" for name in names[:count]] + names[count:]
    _run_guarded(
        backward, [item for group in groups for item in group], titles, stage, say, ends[2]
    )


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
