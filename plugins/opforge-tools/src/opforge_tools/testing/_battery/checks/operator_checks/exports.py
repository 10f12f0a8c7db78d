"""Check that other programs compute the same for exported calls, for instance ONNX Runtime."""

import tempfile
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from opforge import exporter
from opforge import symbol as sym
from opforge.base.errors import OpforgeError

from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable, Remark
from .agreement import AS_GIVEN, compare_arrays

__all__ = ["check_exports"]

#: Other programs sum in other orders, and approximate functions with less accuracy.
_TOLERANCE = 1e-4


def check_exports(subject: OperatorSubject) -> Remark:
    """Compare the results of exported samples in float32 with those of the operator."""
    reasons, count = [], 0
    for name in exporter.names():
        for sample in subject.samples:
            # Some operators are exported only with weights, such as the parameters of an RNN.
            every = range(len(sample.inputs))
            problem = _problem(subject, sample, name, every)
            problem = problem and _problem(subject, sample, name, every[:1])
            count += not problem
            reasons += [problem] if problem else []
    if not count:
        raise NotApplicable(reasons[0] if reasons else "no exporter: pip install opforge-onnx")
    if not reasons:
        return Remark(count)
    total = len(reasons) + count
    return Remark(count, f"not exported: {len(reasons)} of {total} samples: {reasons[0]}")


def _problem(subject: OperatorSubject, sample: Sample, name: str, fed: Collection[int]) -> str:
    """Return why a sample is not exported; nothing if it is, with equal results.

    Inputs that are not in `fed` are weights in the file.
    """
    arrays = subject.arrays(sample, "float32")
    inputs = {f"x{number}": array for number, array in enumerate(arrays)}
    variables = [sym.var(n, shape=array.shape, dtype=array.dtype) for n, array in inputs.items()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"operator.{name}"
        try:
            symbol: Any = subject.call(sym, sample, variables)
            given = {f"x{number}" for number in fed} - {*symbol.list_auxiliary_states()}
            weights = {key: array for key, array in inputs.items() if key not in given}
            exporter.create(name).export(symbol, weights, path)
        except (OpforgeError, NotImplementedError) as error:
            return f"{name}: {error}"
        try:
            found = exporter.create(name).run(
                path, {key: array.asnumpy() for key, array in inputs.items() if key in given}
            )
        except exporter.ProgramMissingError as error:
            raise NotApplicable(f"left out: {error}") from None
    _compare(subject, sample, [found[key] for key in symbol.list_outputs()], name)
    return ""


def _compare(subject: OperatorSubject, sample: Sample, results: list[Any], name: str) -> None:
    """Compare results with those of the operator; of random numbers, only the shapes."""
    wanted = subject.outputs(sample, "float32")
    others = replace(subject, seed=subject.seed + 1).outputs(sample, "float32")
    for number, (result, want, other) in enumerate(zip(results, wanted, others, strict=True)):
        where = f"{sample}: exported to {name}: output {number}"
        is_fixed = np.array_equal(want, other, equal_nan=want.dtype.kind == "f")
        if is_fixed or result.shape != want.shape:
            compare_arrays(result, want, 0, _TOLERANCE, AS_GIVEN, where)
