"""Check that mismatched inputs are rejected, or handled like the reference does."""

from typing import Any

from opforge.base.errors import OpforgeError

from ...subjects.misfits import misfits
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable, Unwise
from .agreement import expected_outputs

__all__ = ["check_other_lengths"]


def check_other_lengths(subject: OperatorSubject) -> int:
    """Change the length of one of several inputs along each axis: longer, one and zero.

    Raises
    ------
    Unwise
        The operator accepts inputs that the reference rejects.
    """
    count, dtype = 0, subject.dtype
    doubts: list[str] = []
    for sample in subject.samples:
        arguments = len(sample.inputs) - subject.n_states(sample)
        for candidate in misfits(sample, arguments if arguments > 1 else 0):
            count += 1
            try:
                results = subject.outputs(candidate, dtype)
            except OpforgeError:
                continue  # the declaration rejects them
            _compare_with_inference(subject, candidate, dtype, results)
            doubts += _doubts(subject, candidate, results)
    if not count:
        raise NotApplicable("no sample has several inputs")
    if doubts:
        raise Unwise(
            f"{doubts[0]}. If the shapes are incompatible, reject them in infer_shape (infer in C)"
        )
    return count


def _compare_with_inference(
    subject: OperatorSubject, sample: Sample, dtype: str, results: list[Any]
) -> None:
    try:
        shapes = subject.inferred(sample, dtype).out_shapes
    except OpforgeError as error:
        raise AssertionError(
            f"{sample}: the operator accepts arrays that its inference, "
            f"which graphs use, rejects: {error}"
        ) from error
    for position, (result, shape) in enumerate(zip(results, shapes, strict=False)):
        if not subject.is_as_inferred(result.shape, shape):
            raise AssertionError(
                f"{sample}: output {position} has shape {result.shape}; inference gave {shape}"
            )


def _doubts(subject: OperatorSubject, sample: Sample, results: list[Any]) -> list[str]:
    """Return a message if the reference rejects the inputs or gives other shapes."""
    # Inference treats a length of 0 as unknown and may complete it from the other inputs.
    if subject.reference is None or not all(item.size for item in sample.inputs):
        return []
    try:
        wanted = expected_outputs(subject, sample)
    except ValueError as error:
        return [f"{sample}: the operator accepts inputs that the reference rejects: {error}"]
    except Exception:  # values inconsistent with the lengths, such as class indices
        return []
    return [
        f"{sample}: output {position} has shape {result.shape}; the reference gives {want.shape}"
        for position, (result, want) in enumerate(zip(results, wanted, strict=False))
        if result.shape != want.shape
    ]
