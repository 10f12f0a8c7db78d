"""Each request of the caller is honoured by the author's own forward and backward.

What is written over garbage, added to what is there, or left alone, is decided by `req`; an
operator that always writes gives wrong sums where gradients of several uses meet.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..... import ndarray as nd
from ..... import random
from .....base.dtypes import dtype_of
from .....op.abi import NativeOperator
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable

__all__ = ["Backward", "check_requests_of_backward", "check_requests_of_forward"]

#: Gradients from above, inputs and outputs.
Groups = tuple[list[Any], list[Any], list[Any]]
_GARBAGE = 3.0
_RTOL = 1e-6


def check_requests_of_forward(subject: OperatorSubject) -> int:
    """Run forward with each request: write, inplace, add and null."""
    if subject.how in ("elementwise_kernel", "compose"):
        raise NotApplicable("the core computes it: there is no forward of the author's")
    # Attributes may be what makes an operator composed.
    own = [s for s in subject.samples if getattr(subject.prop(s), "compose", None) is None]
    for sample in own:
        _try_all(_Forward(subject, sample), sample)
        _try_in_place(_Forward(subject, sample), sample)
    return len(own)


def check_requests_of_backward(subject: OperatorSubject) -> int:
    """Run backward with each request."""
    if not subject.has_backward:
        raise NotApplicable("its gradient is made of operators: there is no backward")
    if not subject.differentiable:
        raise NotApplicable("differentiable = False: nothing flows back")
    for sample in subject.samples:
        _try_all(Backward(subject, sample), sample)
    return len(subject.samples)


class _Forward:
    """One sample and the author's code that computes its outputs."""

    def __init__(self, subject: OperatorSubject, sample: Sample) -> None:
        self._subject = subject
        self._sample = sample
        self.prop = subject.prop(sample)
        self._inferred = subject.inferred(sample, "float64")
        self.noun = "output"
        # The others are for backward: no caller sees them, and they are always written.
        self.varied = min(
            getattr(self.prop, "num_visible_outputs", len(self._inferred.out_shapes)),
            len(self._inferred.out_shapes),
        )

    def inputs(self) -> list[Any]:
        """Return new input arrays, arguments then states."""
        return self._subject.arrays(self._sample, "float64")

    def results(self) -> list[Any]:
        """Return arrays of garbage for the results."""
        shapes, codes = self._inferred.out_shapes, self._inferred.out_codes
        return [
            nd.full(shape, _GARBAGE, dtype=dtype_of(code))
            for shape, code in zip(shapes, codes, strict=True)
        ]

    def run(self, req: list[str], results: list[Any], inputs: list[Any]) -> Any:
        """Fill `results`; return the operator object, if there is one."""
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

    def __init__(self, subject: OperatorSubject, sample: Sample) -> None:
        super().__init__(subject, sample)
        self.noun = "gradient of input"
        self.varied = len(self._inferred.in_shapes)

    def results(self) -> list[Any]:
        """Return arrays of garbage for the gradients."""
        return [nd.full(i.shape, _GARBAGE, dtype=i.dtype) for i in self.inputs()[: self.varied]]

    def run(
        self,
        req: list[str],
        results: list[Any],
        inputs: list[Any],
        between: Callable[[Groups], Groups] = lambda groups: groups,
    ) -> Any:
        """Run forward, then fill `results` by backward.

        `between` gets gradients from above, inputs and outputs, and returns what backward gets.
        """
        outputs = super().results()
        operator = super().run(["write"] * len(outputs), outputs, inputs)
        rng = np.random.default_rng(0)
        heads = [nd.array(rng.standard_normal(o.shape), dtype=o.dtype) for o in outputs]
        groups = between((heads, inputs[: self.varied], outputs))
        if isinstance(self.prop, NativeOperator):
            self.prop.fill_gradients(req, *groups, results, inputs[self.varied :])
        else:
            operator.backward(req, *groups, results, inputs[self.varied :])
        return operator


def _try_all(work: _Forward, sample: Sample) -> None:
    """Give every result in turn each request, while the others are written."""
    written = _run(work, ["write"] * len(work.results()))
    for position in range(work.varied):
        for request, expected in _EXPECTED.items():
            req = ["write"] * len(written)
            req[position] = request
            np.testing.assert_allclose(
                _run(work, req)[position],
                expected(written[position]),
                rtol=_RTOL,
                atol=_RTOL,
                err_msg=f"{sample}: {work.noun} {position} with the request {request!r}",
            )


def _run(work: _Forward, req: list[str]) -> list[Any]:
    results = work.results()
    work.run(req, results, work.inputs())
    return [result.asnumpy() for result in results]


#: Request -> what the result must be, from what is written without it.
_EXPECTED: dict[str, Callable[[Any], Any]] = {
    "inplace": lambda written: written,
    "add": lambda written: (written + _GARBAGE).astype(written.dtype),  # True where it is bool
    "null": lambda written: np.full_like(written, _GARBAGE),
}


def _try_in_place(work: _Forward, sample: Sample) -> None:
    """Let input and output share memory where the declaration says that they may."""
    written = _run(work, ["write"] * len(work.results()))
    for source, target in getattr(work.prop, "inplace_pairs", []):
        inputs, results = work.inputs(), work.results()
        if inputs[source].shape != results[target].shape:
            continue
        req = ["write"] * len(results)
        req[target] = "inplace"
        results[target] = inputs[source]
        work.run(req, results, inputs)
        np.testing.assert_allclose(
            results[target].asnumpy(),
            written[target],
            rtol=_RTOL,
            atol=_RTOL,
            err_msg=f"{sample}: FInplaceOption allows output {target} in the memory of input "
            f"{source}, but the result differs there",
        )
