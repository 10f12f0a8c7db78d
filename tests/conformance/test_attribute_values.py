"""Every attribute of every operator accepts values of NumPy's types and enumeration members."""

import enum

import numpy as np
import pytest

from opforge import nd
from opforge.op.declaring.attribute import REQUIRED
from opforge.op.registry.registry import lookup, names

pytestmark = pytest.mark.plugins


def operators():
    return [lookup(name).prop_class for name in names()]


def variants(value):
    """Return equivalents of a plain value."""
    if isinstance(value, bool):
        return [np.bool_(value)]
    if isinstance(value, str):
        return [np.str_(value), enum.Enum("Mode", {"ONE": value}, type=str).ONE]
    if isinstance(value, int):
        return [np.int64(value), np.int32(value)]
    if isinstance(value, float):
        return [np.float64(value)]
    if isinstance(value, tuple) and value and all(type(item) is int for item in value):
        return [np.array(value), tuple(map(np.int64, value)), list(value)]
    return []


def plain_values(attribute):
    """Return values that the attribute certainly accepts."""
    if attribute.choices is not None:
        return list(attribute.choices)
    if attribute.default is None or attribute.default is REQUIRED:
        return []
    return [attribute.default]


def test_attributes_take_the_types_of_numpy_and_enumerations():
    tried = 0
    for kind in operators():
        for name, attribute in kind.attributes.items():
            for value in plain_values(attribute):
                for variant in variants(value):
                    parsed = attribute.parse(variant, kind.name)
                    assert parsed == value and type(parsed) is type(value), (kind.name, name)
                    tried += 1
    assert tried > 500


@pytest.mark.parametrize("text", [np.str_, lambda word: enum.Enum("M", {"A": word}, type=str).A])
def test_native_computations_take_them(text):
    x = nd.ones((1, 1, 4, 4))
    assert nd.Pooling(x, kernel=(2, 2), pool_type=text("max")).shape == (1, 1, 3, 3)
    assert nd.Activation(x, act_type=text("relu")).shape == x.shape
    assert nd.take(x, nd.zeros(1), mode=text("clip")).shape == x.shape
    padded = nd.pad(x, mode=text("constant"), pad_width=(0, 0, 0, 0, 1, 1, 1, 1))
    assert padded.shape == (1, 1, 6, 6)
    loss = nd.CTCLoss(nd.ones((3, 1, 4)), nd.ones((1, 2)), blank_label=text("first"))
    assert loss.shape == (1,)
    state = nd.zeros((1, 1, 2))
    y = nd.RNN(
        *(nd.ones((2, 1, 3)), nd.ones((56,)), state, state),
        state_size=np.int64(2),
        num_layers=np.int32(1),
        mode=text("lstm"),
    )
    assert y.shape == (2, 1, 2)
