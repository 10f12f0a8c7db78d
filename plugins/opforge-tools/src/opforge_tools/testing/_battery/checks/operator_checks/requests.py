"""Check that the author's forward and backward honor each write request.

`req` decides whether a result overwrites garbage, is added to the array, or is skipped. An operator
that always writes gives wrong sums when gradients of several uses accumulate.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opforge import autograd, random
from opforge import ndarray as nd
from opforge.base.dtypes import dtype_of
from opforge.op.abi import NativeOperator

from ...._closeness import assert_allclose
from ...subjects.generation import REFUSALS
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ...subjects.variants import enlarged
from ..check import NotApplicable

__all__ = ["Backward", "check_requests_of_backward", "check_requests_of_forward"]

#: Head gradients, inputs and outputs.
Groups = tuple[list[Any], list[Any], list[Any]]
#: Initial value of arrays that are added to or skipped; arrays to write hold NaN.
_BEFORE = 3.0
#: Relative and absolute tolerance of accumulated results in each dtype.
_TOLERANCES = {"float16": 5e-3, "float32": 1e-5, "float64": 1e-6}


def check_requests_of_forward(subject: OperatorSubject) -> int:
    """Run forward with each request: write, inplace, add and null."""
    if subject.how in ("elementwise_kernel", "compose"):
        raise NotApplicable("the core computes it: the author defines no forward")
    # Whether an operator is composed may depend on attributes.
    own = [s for s in subject.samples if getattr(subject.prop(s), "compose", None) is None]
    for sample in own:
        for dtype in _types(subject, sample):
            _try_all(_Forward(subject, sample, dtype))
            _try_in_place(_Forward(subject, sample, dtype))
    if own:
        _try_large(subject, own[0], _Forward)
    return len(own)


def check_requests_of_backward(subject: OperatorSubject) -> int:
    """Run backward with each request."""
    if not subject.has_backward:
        raise NotApplicable("its gradient is composed of operators: no backward is defined")
    if not subject.differentiable:
        raise NotApplicable("differentiable = False: no gradient")
    for sample in subject.samples:
        for dtype in _types(subject, sample):
            _try_all(Backward(subject, sample, dtype))
    _try_large(subject, subject.samples[0], Backward)
    return len(subject.samples)


def _types(subject: OperatorSubject, sample: Sample) -> list[str]:
    """Return the dtypes that the declaration accepts."""
    found = []
    for dtype in _TOLERANCES:
        try:
            subject.outputs(sample, dtype)
        except REFUSALS:
            continue
        found.append(dtype)
    return found


def _try_large(subject: OperatorSubject, sample: Sample, kind: "type[_Forward]") -> None:
    """Try one sample that is large enough for several threads."""
    large, dtype = enlarged(subject, sample), subject.dtype
    if large is not None:
        _try_all(kind(subject, large, dtype))


class _Forward:
    """One sample and the author's code that computes its outputs."""

    def __init__(self, subject: OperatorSubject, sample: Sample, dtype: str = "float64") -> None:
        self._subject = subject
        self.sample = sample
        self.dtype = dtype
        self.prop = subject.prop(sample)
        self._inferred = subject.inferred(sample, dtype)
        self.noun = "output"
        # Hidden outputs serve backward and are always written.
        self.varied = min(
            getattr(self.prop, "num_visible_outputs", len(self._inferred.out_shapes)),
            len(self._inferred.out_shapes),
        )

    def inputs(self) -> list[Any]:
        """Return new input arrays, arguments then states."""
        return self._subject.arrays(self.sample, self.dtype)

    def results(self, req: Sequence[str]) -> list[Any]:
        """Return result arrays that hold the value to add to, or NaN."""
        shapes, codes = self._inferred.out_shapes, self._inferred.out_codes
        return [
            _initial_array(shape, dtype_of(code), request)
            for shape, code, request in zip(shapes, codes, req, strict=True)
        ]

    @property
    def n_results(self) -> int:
        """Return the number of arrays that are filled."""
        return len(self._inferred.out_shapes)

    def run(self, req: list[str], results: list[Any], inputs: list[Any]) -> Any:
        """Fill `results` in training mode; return the operator object, if there is one."""
        with autograd.train_mode():
            return self._compute(req, results, inputs)

    def _compute(self, req: list[str], results: list[Any], inputs: list[Any]) -> Any:
        random.seed(self._subject.seed)
        compute = getattr(self.prop, "compute", None)
        count = len(self._inferred.in_shapes)
        if compute is not None:
            compute(inputs, results, req, 1)
            return None
        shapes = [list(s) for s in (*self._inferred.in_shapes, *self._inferred.aux_shapes)]
        codes = [*self._inferred.in_codes, *self._inferred.aux_codes]
        operator = self.prop.create_operator(nd.zeros(1).context, shapes, codes)
        operator.forward(1, req, inputs[:count], results, inputs[count:])
        return operator


class Backward(_Forward):
    """One sample and the author's code that computes its gradients."""

    def __init__(self, subject: OperatorSubject, sample: Sample, dtype: str = "float64") -> None:
        super().__init__(subject, sample, dtype)
        self.noun = "gradient of input"
        self.varied = len(self._inferred.in_shapes)

    def results(self, req: Sequence[str]) -> list[Any]:
        """Return arrays for the gradients."""
        inputs = self.inputs()[: self.varied]
        return [_initial_array(i.shape, i.dtype, r) for i, r in zip(inputs, req, strict=True)]

    @property
    def n_results(self) -> int:
        """Return the number of arrays that are filled."""
        return self.varied

    def run(
        self,
        req: list[str],
        results: list[Any],
        inputs: list[Any],
        between: Callable[[Groups], Groups] = lambda groups: groups,
    ) -> Any:
        """Run forward, then fill `results` with backward.

        `between` maps the head gradients, inputs and outputs to those passed to backward.
        """
        write = ["write"] * super().n_results
        outputs = super().results(write)
        operator = super().run(write, outputs, inputs)
        rng = np.random.default_rng(0)
        heads = [nd.array(rng.standard_normal(o.shape), dtype=o.dtype) for o in outputs]
        groups = between((heads, inputs[: self.varied], outputs))
        with autograd.train_mode():
            if isinstance(self.prop, NativeOperator):
                self.prop.fill_gradients(req, *groups, results, inputs[self.varied :])
            else:
                operator.backward(req, *groups, results, inputs[self.varied :])
        return operator


def _initial_array(shape: Any, dtype: Any, request: str) -> Any:
    """Return an array with the initial value for a request; no NaN may remain."""
    floating = np.dtype(dtype).kind == "f"
    return nd.full(shape, _BEFORE if request in _EXPECTED or not floating else np.nan, dtype=dtype)


def _try_all(work: _Forward) -> None:
    """Try each request on each result in turn while the others are written."""
    write = ["write"] * work.n_results
    written = _run(work, write)
    for position in range(work.varied):
        for request, expected in _EXPECTED.items():
            req = list(write)
            req[position] = request
            _compare(
                _run(work, req)[position],
                expected(written[position]),
                work,
                f"{work.noun} {position} with the request {request!r}",
            )


def _run(work: _Forward, req: list[str]) -> list[Any]:
    results = work.results(req)
    work.run(req, results, work.inputs())
    return [result.asnumpy() for result in results]


def _compare(have: Any, want: Any, work: _Forward, what: str) -> None:
    tolerance = _TOLERANCES[work.dtype]
    where = f"{work.sample}, dtype {work.dtype}: {what}"
    assert_allclose(have, want, tolerance, tolerance, where=where)


#: Request -> expected result, computed from the result of "write".
_EXPECTED: dict[str, Callable[[Any], Any]] = {
    "inplace": lambda written: written,
    "add": lambda written: (written + _BEFORE).astype(written.dtype),  # True where it is bool
    "null": lambda written: np.full_like(written, _BEFORE),
}


def _try_in_place(work: _Forward) -> None:
    """Let input and output share memory if the declaration allows it."""
    write = ["write"] * work.n_results
    written = _run(work, write)
    for source, target in getattr(work.prop, "inplace_pairs", []):
        inputs, results = work.inputs(), work.results(write)
        if inputs[source].shape != results[target].shape:
            continue
        req = list(write)
        req[target] = "inplace"
        results[target] = inputs[source]
        work.run(req, results, inputs)
        _compare(
            results[target].asnumpy(),
            written[target],
            work,
            f"FInplaceOption allows output {target} in the memory of input {source}, but the "
            "result there",
        )
