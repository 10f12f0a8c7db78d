"""Checks that inferred shapes, dtypes and completed inputs match the results."""

from typing import Any

from opforge import ndarray as nd
from opforge.base.dtypes import dtype_of
from opforge.base.errors import OpforgeError
from opforge.op.declaring.inference import infer_shapes

from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable

__all__ = ["check_backward_inference", "check_inference"]


def check_inference(subject: OperatorSubject) -> int:
    """Compare inferred shapes and dtypes with those of results and of assigned values."""
    for sample in subject.samples:
        inferred = subject.inferred(sample, subject.dtype)
        _compare_states(subject, sample, inferred)
        results = subject.call(nd, sample, subject.arrays(sample, subject.dtype))
        for position, result in enumerate(results):
            shape, code = inferred.out_shapes[position], inferred.out_codes[position]
            if not subject.is_as_inferred(result.shape, shape):
                raise AssertionError(
                    f"{sample}: output {position} has shape {result.shape}; inference gave {shape}"
                )
            want = dtype_of(code).__name__
            have = result.asnumpy().dtype.name
            if have != want:
                raise AssertionError(
                    f"{sample}: output {position} has dtype {have}; inference gave {want}"
                )
        if subject.how == "operator":
            _compare_assigned(subject, sample, inferred)
        _compare_completed(subject, sample)
    return len(subject.samples)


def check_backward_inference(subject: OperatorSubject) -> int:
    """Compare the input shapes inferred from outputs with the real ones."""
    named = getattr(subject.prop_class, "named_attribute", lambda key: None)
    elementwise = bool(named("FElementwiseShape"))
    if getattr(subject.prop_class, "infer_inputs", None) is None and not elementwise:
        raise NotApplicable("neither infer_inputs nor FElementwiseShape is declared")
    for sample in subject.samples:
        inferred = subject.inferred(sample, subject.dtype)
        if elementwise:
            shapes = {*inferred.in_shapes, *inferred.out_shapes}
            if len(shapes) != 1:
                raise AssertionError(
                    f"{sample}: FElementwiseShape is declared, but the shapes are {shapes}"
                )
            continue
        unknown: list[Any] = [()] * len(inferred.in_shapes)
        answer = subject.prop(sample).infer_inputs(unknown, [*inferred.out_shapes])
        for position, (found, real) in enumerate(zip(answer, inferred.in_shapes, strict=True)):
            agrees = not found or (
                len(found) == len(real)
                and all(not a or a == b for a, b in zip(found, real, strict=True))
            )
            if not agrees:
                raise AssertionError(
                    f"{sample}: infer_inputs gives {tuple(found)} for input {position}, "
                    f"expected {real}"
                )
    return len(subject.samples)


def _compare_states(subject: OperatorSubject, sample: Sample, inferred: Any) -> None:
    arguments = len(sample.inputs) - len(inferred.aux_shapes)
    for shape, given in zip(inferred.aux_shapes, sample.shapes[arguments:], strict=True):
        if shape != given:
            raise AssertionError(f"{sample}: a state has shape {given}; inference gave {shape}")


def _compare_assigned(subject: OperatorSubject, sample: Sample, inferred: Any) -> None:
    """Inspect the values that a Python operator assigns; broadcasting could hide a wrong shape."""
    arrays = subject.arrays(sample, subject.dtype)
    arguments = len(inferred.in_shapes)
    shapes = [list(shape) for shape in (*inferred.in_shapes, *inferred.aux_shapes)]
    codes = [*inferred.in_codes, *inferred.aux_codes]
    operator = subject.prop(sample).create_operator(arrays[0].context, shapes, codes)
    outputs = [
        nd.zeros(shape, dtype=dtype_of(code))
        for shape, code in zip(inferred.out_shapes, inferred.out_codes, strict=True)
    ]
    own = getattr(operator, "assign", None)
    wrong: list[str] = []

    def assign(target: Any, request: str, value: Any) -> None:
        shape = getattr(value, "shape", ())
        if shape not in ((), (1,)) and shape != target.shape:
            wrong.append(f"a value of shape {tuple(shape)} for an output of shape {target.shape}")
        if own is not None:
            own(target, request, value)

    try:
        operator.assign = assign
    except AttributeError:
        return  # the class has __slots__
    operator.forward(0, ["write"] * len(outputs), arrays[:arguments], outputs, arrays[arguments:])
    if wrong:
        raise AssertionError(
            f"{sample}: forward assigns {wrong[0]}; correct infer_shape or forward"
        )


def _compare_completed(subject: OperatorSubject, sample: Sample) -> None:
    """Pass each shape alone; the shapes inferred from it must be consistent."""
    prop = subject.prop(sample)
    count = len(prop.list_arguments())
    for position in range(count if count > 1 else 0):
        partial: list[Any] = [()] * count
        partial[position] = sample.shapes[position]
        try:
            completed, outputs, _ = infer_shapes(prop, subject.entry, partial)
        except OpforgeError:
            continue  # it needs more shapes
        where = f"{sample}: from the shape of input {position} alone"
        if tuple(completed[position]) != sample.shapes[position]:
            raise AssertionError(f"{where}, inference changed it to {completed[position]}")
        if any(not shape or 0 in shape for shape in completed):
            continue
        again = infer_shapes(prop, subject.entry, completed)
        if again[:2] != (completed, outputs):
            raise AssertionError(
                f"{where}, inference gave {completed} -> {outputs}, but from these shapes "
                f"{again[0]} -> {again[1]}"
            )
