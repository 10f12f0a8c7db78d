"""Tests of the attribute types."""

import ml_dtypes
import numpy as np
import pytest

from opforge.op.declaring.values import KINDS, Floats, OptionalInts, Shape


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.text)
def test_examples_in_messages_are_valid(kind):
    text = kind.example("x").removeprefix("for instance x=")
    assert kind.parse(text.strip("'")) is not None


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.text)
@pytest.mark.parametrize("value", [object(), {}, "(" * 300])
def test_nonsense_raises_type_or_value_error(kind, value):
    if kind.text == "string" and isinstance(value, str):
        assert kind.parse(value) == value
        return
    with pytest.raises((TypeError, ValueError)):
        kind.parse(value)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (Shape, "(8L, 3L)", (8, 3)),
        (Shape, "[8L, -3L]", (8, -3)),
        (Shape, "(0L,)", (0,)),
        (Shape, "5L", (5,)),
        (Floats, "(1L, 0.5)", (1.0, 0.5)),
        (OptionalInts, "(0L, None, -1L)", (0, None, -1)),
    ],
)
def test_tuples_of_long_integers(kind, text, expected):
    """MXNet's files that were saved under Python 2 contain them."""
    assert KINDS[kind].parse(text) == expected


@pytest.mark.parametrize("text", ["(L, 3)", "(8LL,)", "(8L3,)"])
def test_other_suffixes_are_rejected(text):
    with pytest.raises((TypeError, ValueError)):
        KINDS[Shape].parse(text)


def test_floats_may_be_scalars_of_any_real_type():
    for value in (ml_dtypes.bfloat16(1.5), np.float16(1.5), np.float64(1.5), np.array(1.5), "1.5"):
        assert KINDS[float].parse(value) == 1.5
    with pytest.raises(TypeError):
        KINDS[float].parse(np.complex64(1))
