"""Samples made from a declaration alone, for operators whose author gives none.

Attributes take their default, each of their choices and one other value; shapes are small and of
one to four axes; numbers are normal, or positive where that gives nan. Kept is what the operator
accepts: one that refuses a shape by a `ShapeError` says so, and is asked with the next.
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

#: By which an operator says that it does not take these inputs: no fault of it.
REFUSALS = (ShapeError, DTypeError, AttributeValueError, IndexRangeError)

_SHAPES = ((2, 3), (4,), (2, 3, 4), (3, 1), (2, 3, 4, 5))
#: Values to try in turn until results are numbers: normal ones, then those of logarithms, roots and
#: class numbers, then those above one.
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
#: How many samples one set of attribute values gets: the first set, which has the defaults, more.
_FIRST, _FURTHER, _SETS = 5, 1, 12


def generated_samples(subject: OperatorSubject, rng: Any) -> list[Sample]:
    """Return samples that the operator of `subject` accepts.

    Raises
    ------
    ValueError
        It accepts none; the message has what it said last.
    """
    found: list[Sample] = []
    refusals: list[str] = []
    for attributes in _attribute_sets(subject.prop_class):
        limit = _FURTHER if found else _FIRST
        for shape in _SHAPES:
            if limit == 0:
                break
            sample = _accepted(subject, attributes, shape, rng, refusals)
            if sample is not None:
                found.append(sample)
                limit -= 1
    if not found:
        said = f"; it said: {refusals[-1]}" if refusals else ""
        raise ValueError(
            f"no sample could be made from the declaration alone{said}. Give samples=, or write "
            "them into OPERATOR_CHECKS of the plugin's checks.py"
        )
    return found


def _attribute_sets(prop_class: Any) -> list[dict[str, Any]]:
    """Return sets of values: what is required, then one other value of one attribute each."""
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
    """Return values to try: all choices, or two that the attribute's own checks accept."""
    if attribute.choices is not None:
        return list(attribute.choices)
    accepted = []
    for value in _VALUES.get(attribute.type, ()):
        try:
            accepted.append(attribute.parse(value, ""))
        except AttributeValueError:
            continue
    return accepted[:2]


def _accepted(
    subject: OperatorSubject, attributes: Any, shape: Any, rng: Any, refusals: list[str]
) -> Sample | None:
    """Return a sample whose first argument has `shape`, or None where the operator refuses."""
    found: Sample | None = None
    try:
        count = 2 if getattr(subject.prop_class, "variadic", None) else 0
        prop = subject.prop(Sample([0] * count, attributes))
        for arguments, states in _complete(subject, prop, shape):
            for low_and_high in _RANGES:
                sample = _drawn(arguments, states, low_and_high, rng, attributes)
                defined = _runs(subject, sample, refusals)
                if defined:
                    return sample
                if defined is False:
                    found = found or sample
    # What raises here is the author's infer_shape, or an attribute's check: one of many questions.
    except OpforgeError as error:
        refusals.append(str(error))
    return found


def _drawn(arguments: Any, states: Any, between: Any, rng: Any, attributes: Any) -> Sample:
    """Return a sample with numbers from a range, or standard normal ones."""
    draw = rng.standard_normal if between is None else partial(rng.uniform, *between)
    inputs = [draw(size=shape) for shape in arguments]
    # Variances and counts are states, so that these are positive.
    inputs += [rng.uniform(0.5, 1.5, shape) for shape in states]
    return Sample(inputs, attributes)


def _complete(subject: OperatorSubject, prop: Any, shape: Any) -> Iterator[tuple[Any, Any]]:
    """Give shapes of arguments and states: what the first tells of the others, or all the same."""
    count = len(prop.list_arguments())
    if count > 1:
        try:
            shapes, _, states = infer_shapes(prop, subject.entry, [shape] + [()] * (count - 1))
        except OpforgeError:
            pass  # it cannot be asked so: all get the same shape
        else:
            if all(item and 0 not in item for item in shapes):
                yield shapes, states
    same = [shape] * count
    _, _, states = infer_shapes(prop, subject.entry, same)
    yield same, states


def _runs(subject: OperatorSubject, sample: Sample, refusals: list[str]) -> bool | None:
    """Tell whether all results are numbers; None: the operator refuses the sample.

    What fails otherwise is for the checks to find.
    """
    try:
        results = subject.outputs(sample, "float64")
    except REFUSALS as error:
        refusals.append(str(error))
        return None
    except OpforgeError:
        return True
    return not any(np.isnan(item).any() for item in results if item.dtype.kind == "f")
