"""Inputs that do not fit together: refused, or taken as the reference takes them."""

from typing import Any

import numpy as np

from opforge.base.errors import OpforgeError

from ...subjects.misfits import misfits
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject, listed
from ..check import NotApplicable, Unwise

__all__ = ["check_other_lengths"]


def check_other_lengths(subject: OperatorSubject) -> int:
    """Give one of several inputs another length along each axis: longer, one and none.

    Raises
    ------
    Unwise
        The operator takes what the reference refuses.
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
                continue  # it says that it does not take them
            _compare_with_inference(subject, candidate, dtype, results)
            doubts += _doubts(subject, candidate, results)
    if not count:
        raise NotApplicable("no sample has several inputs")
    if doubts:
        raise Unwise(
            f"{doubts[0]}. If they do not fit together, refuse them in infer_shape (infer in C)"
        )
    return count


def _compare_with_inference(
    subject: OperatorSubject, sample: Sample, dtype: str, results: list[Any]
) -> None:
    try:
        shapes = subject.inferred(sample, dtype).out_shapes
    except OpforgeError as error:
        raise AssertionError(
            f"{sample}: the operator takes arrays that its inference refuses, as graphs do: {error}"
        ) from error
    for position, (result, shape) in enumerate(zip(results, shapes, strict=False)):
        if not subject.is_as_inferred(result.shape, shape):
            raise AssertionError(
                f"{sample}: output {position} has shape {result.shape}, inferred was {shape}"
            )


def _doubts(subject: OperatorSubject, sample: Sample, results: list[Any]) -> list[str]:
    """Return where the reference refuses the inputs, or gives other shapes."""
    # A length of 0 is one that the inference does not know, and may find in the other inputs.
    if subject.reference is None or not all(item.size for item in sample.inputs):
        return []
    with np.errstate(all="ignore"):
        try:
            wanted = listed(subject.reference(*sample.arrays("float64"), **sample.attributes))
        except ValueError as error:
            return [f"{sample}: the operator takes inputs that the reference refuses: {error}"]
        except Exception:  # values that do not fit the lengths, such as numbers of classes
            return []
    return [
        f"{sample}: output {position} has shape {result.shape}, the reference's {np.shape(want)}"
        for position, (result, want) in enumerate(zip(results, wanted, strict=False))
        if result.shape != np.shape(want)
    ]
