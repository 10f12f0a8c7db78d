"""Walk the tables: every operator, with every element type, does what its declaration says.

Accepted types run and give the declared type; for others there is one error, which names those that
the operator has.
"""

import contextlib

import ml_dtypes  # noqa: F401  NumPy knows "bfloat16" from then on
import numpy as np
import pytest

from opforge import nd
from opforge.base.dtypes import NAMES, code_of
from opforge.base.errors import DTypeError
from opforge.cli.reference.declarations import operators_of
from opforge.op.declaring.element_types import accepted_types, default_types, type_rows
from opforge.op.registry.registry import lookup
from opforge.plugin import states

from .test_operators import CASES
from .test_ways import AVAILABLE, ROWS

#: Operators whose results have the type of several inputs, which no rule for outputs expresses.
COMPUTED = {"_contrib_quantized_concat", "_contrib_quantized_elemwise_add"}
#: Operators whose weight has another type if it is packed, in an array of one axis.
PACKED = {"_int8_convolution", "_int8_dense"}


def whole(values):
    """Round away from 0, so that parameters above 0 stay so as integers."""
    return np.sign(values) * np.ceil(np.abs(values))


class Sample:
    """A call of the tables."""

    def __init__(self, operator, values, attrs, n_states=0):
        prop_class = lookup(operator).prop_class
        given = dict(attrs)
        if prop_class.variadic:
            given[prop_class.variadic] = len(values) - n_states
        self.operator, self.values, self.attrs = operator, values, attrs
        self.prop = prop_class(**given)
        self.names = [*self.prop.list_arguments(), *self.prop.list_auxiliary_states()]
        self.arguments = arguments = self.prop.list_arguments()
        own = [n for n in self.names if n in self.prop.argument_dtypes or n not in arguments]
        self.own, self.shared = own, [name for name in self.names if name not in own]

    def usual(self, name):
        accepted = accepted_types(self.prop, name)
        return "float32" if "float32" in accepted else accepted[0]

    def choices(self):
        """Yield the name whose type is tried, and the types of all inputs, by name."""
        for name in (*self.shared[:1], *self.own):
            for dtype in NAMES:
                yield name, self.completed(name, dtype)

    def completed(self, name, dtype):
        """Return types with one given; the others are equal or inferred where it is possible."""
        types = {name: dtype}
        for other in self.shared:
            same = name in self.shared or dtype in accepted_types(self.prop, other)
            types[other] = dtype if same else self.usual(other)
        known = [types.get(name) and np.dtype(types[name]).type for name in self.arguments]
        with contextlib.suppress(DTypeError):
            known = self.prop.infer_type(known)[0]
        for other, found in zip(self.arguments, known, strict=True):
            if found is not None:
                types.setdefault(other, NAMES[code_of(found)])
        return {other: types.get(other) or self.usual(other) for other in self.names}

    def call(self, types):
        arrays = []
        for name, value in zip(self.names, self.values, strict=True):
            value = value if "float" in types[name] else whole(value)
            arrays.append(nd.array(value, dtype=types[name]))
        found = getattr(nd, self.operator)(*arrays, **self.attrs)
        return [np.dtype(x.dtype).name for x in (found if isinstance(found, list) else [found])]

    def declared(self, types):
        given = [np.dtype(types[name]).type for name in self.arguments]
        if self.operator in COMPUTED:
            return [NAMES[code_of(dtype)] for dtype in self.prop.infer_type(given)[1]]
        return [NAMES[code_of(dtype)] for dtype in default_types(self.prop, given)[1]]


def samples_of(operator):
    if operator in CASES:
        case = CASES[operator]
        call = next(call for call in case.calls if all(0 not in shape for shape in call.shapes))
        return [Sample(operator, case.draw(call), call.attrs)]
    return [
        Sample(operator, row.draw("float64"), row.attrs, row.n_states)
        for row in ROWS
        if row.operator == operator
    ]


@pytest.mark.parametrize("operator", sorted({*CASES, *(r.operator for r in ROWS)} & AVAILABLE))
def test_types(operator):
    for sample in samples_of(operator):
        for name, types in sample.choices():
            where = f"{operator} {sample.attrs} {types}"
            accepted = accepted_types(sample.prop, name)
            if types[name] not in accepted:
                with pytest.raises(DTypeError) as error:
                    sample.call(types)
                text = str(error.value)
                assert f"operator {operator!r}" in text, where
                assert f"input {name!r} has dtype {types[name]}; expected " in text, where
                assert f"Convert it with {name}.astype({sample.usual(name)!r})" in text, where
                assert all(other in text for other in accepted), where
                continue
            if operator in PACKED and types["weight"] == "uint8":
                continue
            try:
                found = sample.call(types)
            except DTypeError as error:
                assert sample.prop.highest_position, where
                assert "represents all integers only up to" in str(error), where
                continue
            assert found == sample.declared(types)[: len(found)], where


@pytest.mark.plugins
def test_types_are_read_from_source_as_declared():
    for state in states():
        for operator in operators_of(state.provider):
            loaded = lookup(f"{state.provider.name}::{operator.name}").prop_class
            assert type_rows(operator.prop_class) == type_rows(loaded), operator.name
