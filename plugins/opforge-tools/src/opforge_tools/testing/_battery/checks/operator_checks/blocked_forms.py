"""Check that an operator gives the same results on blocked and on plain arrays."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from opforge import autograd
from opforge import ndarray as nd
from opforge.ndarray import NDArray
from opforge.op.declaring.layouts import Blocked, BlockedForm, Input, Layout, Prepared, steps_of

from ...._closeness import assert_allclose
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable

__all__ = ["check_blocked_forms"]

#: Lanes per block of the first input; None: it is plain.
_LANES = (None, 1, 2, 3, 4, 8, 16)
_DTYPE = "float32"


def check_blocked_forms(subject: OperatorSubject) -> int:
    """Compare each blocked form of a sample, in training and in prediction mode."""
    count = 0
    for sample in subject.samples:
        for needs_gradient in (False, True):
            for form in _forms(subject, sample, needs_gradient):
                _compare(subject, sample, form, needs_gradient)
                count += 1
    if not count:
        raise NotApplicable("its declaration has no blocked_form for any sample")
    return count


def _forms(subject: OperatorSubject, sample: Sample, needs_gradient: bool) -> Iterator[BlockedForm]:
    """Yield the forms with the first input, and others of its shape, plain and blocked."""
    prop = subject.prop(sample)
    if getattr(prop, "blocked_form", None) is None:
        return
    arrays = sample.arrays(_DTYPE)[: len(sample.inputs) - subject.n_states(sample)]
    if not arrays:
        return
    shape = arrays[0].shape
    for lanes in _LANES:
        layout = None if lanes is None else Blocked(1, lanes)
        if layout is not None and not layout.fits(shape):
            continue
        inputs = [
            Input(item.shape, item.dtype.type, layout if item.shape == shape else None)
            for item in arrays
        ]
        form = prop.blocked_form(inputs, needs_gradient)
        if form is not None:
            yield form


def _compare(
    subject: OperatorSubject, sample: Sample, form: BlockedForm, needs_gradient: bool
) -> None:
    wanted = subject.wanted(sample) if needs_gradient and subject.differentiable else []
    plain = BlockedForm([None] * len(form.inputs), [None] * len(form.outputs))
    have, want = (_results(subject, sample, one, wanted, needs_gradient) for one in (form, plain))
    tolerance = subject.tolerances[_DTYPE]
    for what, (a, b) in zip(_words(have, wanted), zip(have, want, strict=True), strict=True):
        scale = max(1.0, float(np.abs(b[np.isfinite(b)]).max(initial=0.0)))
        where = f"{sample}, the blocked form {form}, {what}"
        assert_allclose(a, b, tolerance, 10 * tolerance * scale, where=where)


def _results(
    subject: OperatorSubject,
    sample: Sample,
    form: BlockedForm,
    wanted: Sequence[int],
    is_train: bool,
) -> list[Any]:
    """Return the outputs and gradients of a call in a blocked form as plain arrays."""
    arrays = subject.arrays(sample, _DTYPE)
    for position in wanted:
        arrays[position].attach_grad()
    changed = replace(sample, attributes={**sample.attributes, **form.attributes})
    with autograd.record(train_mode=is_train):
        taken = [
            _split_channels(array, layout)
            for array, layout in zip(arrays, form.inputs, strict=False)
        ]
        outputs = subject.call(nd, changed, [*taken, *arrays[len(taken) :]])
        results = [
            _join_channels(y, layout) for y, layout in zip(outputs, form.outputs, strict=False)
        ]
    if wanted:
        rng = np.random.default_rng(subject.seed)
        heads = [nd.array(rng.standard_normal(y.shape), dtype=y.dtype) for y in results]
        autograd.backward(results, heads)
    gradients = [arrays[position].grad for position in wanted]
    return [array.asnumpy() for array in (*results, *gradients)]


def _split_channels(array: NDArray, layout: Layout) -> NDArray:
    for step in steps_of(layout):
        if isinstance(step, Prepared):
            array = getattr(nd, step.operator)(array)
        else:
            array = nd._internal._block(array, axis=step.axis, lanes=step.lanes)
    return array


def _join_channels(array: NDArray, layout: Blocked | None) -> NDArray:
    return array if layout is None else nd._internal._unblock(array, axis=layout.axis)


def _words(results: Sequence[Any], wanted: Sequence[int]) -> list[str]:
    n_outputs = len(results) - len(wanted)
    outputs = [f"output {at}" for at in range(n_outputs)]
    return outputs + [f"gradient of input {position}" for position in wanted]
