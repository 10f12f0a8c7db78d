"""Samples generated from a declaration, for operators whose author provides none.

Attributes take their default, each of their choices and one other value; shapes are small with one
to four axes; numbers are standard normal, or positive if that gives NaN. Shapes that the operator
rejects with a `ShapeError` are skipped.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from opforge.base.errors import (
    AttributeValueError,
    DTypeError,
    IndexRangeError,
    OpforgeError,
    ShapeError,
)
from opforge.op.declaring.attribute import Attribute, DType, Floats, OptionalInts, Shape
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.declaring.inference import infer_shapes

from .sample import Sample
from .subject import OperatorSubject

__all__ = ["REFUSALS", "generated_samples"]

#: Errors by which an operator legitimately rejects inputs.
REFUSALS = (ShapeError, DTypeError, AttributeValueError, IndexRangeError)

_SHAPES = ((2, 3), (4,), (2, 3, 4), (3, 1), (2, 3, 4, 5))
#: Ranges to try in turn until results are not NaN: standard normal numbers, then a range for
#: #: logarithms, roots and class indices, then numbers above one.
_RANGES = (None, (0.3, 0.8), (1.2, 3.0))
_VALUES: dict[Any, tuple[Any, ...]] = {
    int: (1, 2, 0, 3),
    float: (0.5, 1.5, 1.0, 2.0),
    bool: (False, True),
    Shape: ((2,), (2, 3), (1, 2)),
    Floats: ((0.5,), (1.0,), (0.5, 1.5)),
    OptionalInts: ((0,), (0, 1)),
    DType: ("float32",),
}
#: Samples per set of attribute values; the first set, the defaults, gets more.
_FIRST, _FURTHER, _SETS = 5, 1, 12


def generated_samples(subject: OperatorSubject, rng: Any) -> list[Sample]:
    """Return samples that the operator of `subject` accepts.

    Raises
    ------
    ValueError
        It accepts none; the message has its last error.
    """
    found: list[Sample] = []
    rejections: list[str] = []
    for attributes in _attribute_sets(subject.prop_class):
        limit = _FURTHER if found else _FIRST
        for shape in _SHAPES:
            if limit == 0:
                break
            sample = _accepted_sample(subject, attributes, shape, rng, rejections)
            if sample is not None:
                found.append(sample)
                limit -= 1
    if not found:
        said = f"; last error: {rejections[-1]}" if rejections else ""
        raise ValueError(
            f"no sample could be generated from the declaration{said}. Pass samples=, or add "
            "them to OPERATOR_CHECKS in the plugin's checks.py"
        )
    return found


def _attribute_sets(prop_class: Any) -> list[dict[str, Any]]:
    """Return sets of values: the required ones, then sets with one attribute changed."""
    if not issubclass(prop_class, OperatorProp):
        return [{}]
    table = {
        key: attribute
        for key, attribute in prop_class.attributes.items()
        if key != prop_class.variadic
    }
    values = {key: _values(attribute) for key, attribute in table.items()}
    required = {key: found[0] for key, found in values.items() if table[key].required and found}
    sets = [required]
    for key, found in values.items():
        used = required.get(key, table[key].default)
        sets += [{**required, key: value} for value in found if value != used]
    return sets[:_SETS]


def _values(attribute: Attribute) -> list[Any]:
    """Return values to try: all choices, or two that the attribute's validation accepts."""
    if attribute.choices is not None:
        return list(attribute.choices)
    accepted = []
    for value in _VALUES.get(attribute.type, ()):
        try:
            accepted.append(attribute.parse(value, ""))
        except AttributeValueError:
            continue
    return accepted[:2]


def _accepted_sample(
    subject: OperatorSubject, attributes: Any, shape: Any, rng: Any, rejections: list[str]
) -> Sample | None:
    """Return a sample whose first argument has `shape`, or None if the operator rejects it."""
    found: Sample | None = None
    try:
        count = 2 if getattr(subject.prop_class, "variadic", None) else 0
        prop = subject.prop(Sample([0] * count, attributes))
        for arguments, states in _complete(subject, prop, shape):
            for low_and_high in _RANGES:
                sample = _draw_sample(arguments, states, low_and_high, rng, attributes)
                defined = _runs(subject, sample, rejections)
                if defined:
                    return sample
                if defined is False:
                    found = found or sample
    # The author's infer_shape, or an attribute's validation, may raise here.
    except OpforgeError as error:
        rejections.append(str(error))
    return found


def _draw_sample(arguments: Any, states: Any, between: Any, rng: Any, attributes: Any) -> Sample:
    """Return a sample with numbers from a range, or standard normal ones."""
    draw = rng.standard_normal if between is None else partial(rng.uniform, *between)
    inputs = [draw(size=shape) for shape in arguments]
    # States may be variances or counts, so they are positive.
    inputs += [rng.uniform(0.5, 1.5, shape) for shape in states]
    return Sample(inputs, attributes)


def _complete(subject: OperatorSubject, prop: Any, shape: Any) -> Iterator[tuple[Any, Any]]:
    """Return the shapes of arguments and states, inferred from the first or all equal."""
    count = len(prop.list_arguments())
    if count > 1:
        try:
            shapes, _, states = infer_shapes(prop, subject.entry, [shape] + [()] * (count - 1))
        except OpforgeError:
            pass  # no inference from the first: all get the same shape
        else:
            if all(item and 0 not in item for item in shapes):
                yield shapes, states
    same = [shape] * count
    _, _, states = infer_shapes(prop, subject.entry, same)
    yield same, states


def _runs(subject: OperatorSubject, sample: Sample, rejections: list[str]) -> bool | None:
    """Return whether all results are free of NaN; None if the operator rejects the sample.

    Other failures are left to the checks.
    """
    try:
        results = subject.outputs(sample, "float64")
    except REFUSALS as error:
        rejections.append(str(error))
        return None
    except OpforgeError:
        return True
    return not any(np.isnan(item).any() for item in results if item.dtype.kind == "f")
