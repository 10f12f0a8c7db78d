"""Check that an operator with a fused epilogue equals the operator followed by the steps."""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.base.dtypes import dtype_of
from opforge.native.calls.computations import Unary
from opforge.native.calls.epilogue import Epilogue
from opforge.native.loops.epilogue import EPILOGUES, N_BINARY
from opforge.op.declaring.epilogue import dtypes_of_epilogues

from ...._closeness import assert_allclose
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable

__all__ = ["check_epilogues"]

#: A step in the form that `Epilogue` takes.
Step = tuple[str, Any, bool]
_ORDERED = ("subtract", "divide")
_NUMBER = 0.75


def check_epilogues(subject: OperatorSubject) -> int:
    """Try each declared step with every kind of operand, then several steps together."""
    count = 0
    for sample in subject.samples:
        prop = subject.prop(sample)
        names = getattr(prop, "epilogues", ())
        for dtype in dtypes_of_epilogues(prop) if names else ():
            if dtype in subject.dtypes:
                count += _try_steps(subject, sample, prop, dtype)
    if not count:
        raise NotApplicable("its declaration names no epilogues")
    return count


def _try_steps(subject: OperatorSubject, sample: Sample, prop: Any, dtype: str) -> int:
    """Compare the results of one sample; return the number of epilogues tried."""
    inferred = subject.inferred(sample, dtype)
    if not (len(inferred.out_shapes) == 1 and hasattr(prop.compute, "with_epilogue")):
        raise AssertionError(
            "epilogues require an operator with one output that a C function or a computation of "
            "plugin_api.kernels computes; remove them from the declaration"
        )
    (shape,), (code,) = inferred.out_shapes, inferred.out_codes
    if dtype_of(code) != np.dtype(dtype).type or not prod(shape):
        return 0
    inputs = subject.arrays(sample, dtype)
    plain = _run(prop.compute, inputs, shape, dtype)
    rng = np.random.default_rng(subject.seed)
    tried = list(_programs(prop.epilogues, shape))
    for steps in tried:
        sizes = [_size(operand, shape) for _, operand, _ in steps if isinstance(operand, tuple)]
        arrays = [rng.uniform(0.5, 2, size).astype(dtype) for size in sizes if size]
        operands = [nd.array(array, dtype=dtype) for array in arrays]
        computation = prop.compute.with_epilogue(Epilogue(steps))
        have = _run(computation, [*inputs, *operands], shape, dtype)
        with np.errstate(all="ignore"):
            want = _expected_result(plain, steps, arrays)
        scale = max(1.0, float(np.abs(want[np.isfinite(want)]).max(initial=0.0)))
        tolerance = subject.tolerances[dtype]
        where = f"{sample}, dtype {dtype}, the epilogue {_steps_text(steps)}"
        assert_allclose(have, want, tolerance, tolerance * scale, where=where)
    return len(tried)


def _run(computation: Any, inputs: Sequence[Any], shape: Any, dtype: str) -> Any:
    out = nd.zeros(shape, dtype=dtype)
    computation(list(inputs), [out], ["write"])
    return out.asnumpy()


def _programs(names: Sequence[str], shape: tuple[int, ...]) -> Iterator[list[Step]]:
    """Yield each step with each possible operand, and finally a program of several steps."""
    binary = [name for name in names if name in EPILOGUES[:N_BINARY]]
    unary = [name for name in names if name not in binary]
    for name in binary:
        for operand in _operands(shape):
            yield [(name, operand, False)]
            if name in _ORDERED:
                yield [(name, operand, True)]
    for name in unary:
        yield [(name, None, False)]
    together: list[Step] = [(name, ("full",), False) for name in binary[:4]]
    together += [(name, None, False) for name in unary[:6]]
    if binary:
        # The last step reads the result again.
        yield [*together, (binary[0], ("value", 0), False)]


def _operands(shape: tuple[int, ...]) -> Iterator[Any]:
    """Yield a scalar, an array like the result, a vector along each axis, and blocks of lanes."""
    yield _NUMBER
    yield ("full",)
    yield ("value", 0)
    for axis, length in enumerate(shape):
        yield ("spread", prod(shape[axis + 1 :]), length, 1)
    if len(shape) > 2:
        yield ("spread", prod(shape[2:]), shape[1], shape[-1])


def _size(operand: Any, shape: tuple[int, ...]) -> int:
    """Return the number of elements of an operand's array; 0 if it has no array."""
    if operand[0] == "full":
        return prod(shape)
    return operand[2] * operand[3] if operand[0] == "spread" else 0


def _expected_result(plain: Any, steps: Sequence[Step], arrays: Sequence[Any]) -> Any:
    values, rest = [plain], iter(arrays)
    for name, operand, reverse in steps:
        value = values[-1]
        if operand is None:
            out = nd.zeros(value.shape, dtype=value.dtype)
            Unary(name)([nd.array(value, dtype=value.dtype)], [out], ["write"])
            values.append(out.asnumpy())
            continue
        other = values[operand[1]] if operand == ("value", 0) else operand
        if isinstance(operand, tuple) and operand[0] != "value":
            other = _repeat_operand(next(rest), operand, value)
        pair = (other, value) if reverse else (value, other)
        values.append(getattr(np, name)(*pair).astype(value.dtype))
    return values[-1]


def _repeat_operand(array: Any, operand: Any, value: Any) -> Any:
    """Return an operand's array in the shape of the result."""
    if operand[0] == "full":
        return array.reshape(value.shape)
    _, repeat, period, lanes = operand
    at = np.arange(value.size)
    return array[at // repeat % period * lanes + at % lanes].reshape(value.shape)


def _steps_text(steps: Sequence[Step]) -> str:
    texts = [
        name if operand is None else f"{name} {operand}{' (first)' if reverse else ''}"
        for name, operand, reverse in steps
    ]
    return ", then ".join(texts)
