"""Interleaved products: rejected inputs."""

import pytest

from opforge import nd
from opforge.base.errors import AttributeValueError, DTypeError, ShapeError

#: Valid shapes of the inputs, for two heads.
SHAPES = {
    "selfatt_qk": [(3, 2, 24)],
    "selfatt_valatt": [(3, 2, 24), (4, 3, 3)],
    "encdec_qk": [(3, 2, 8), (5, 2, 16)],
    "encdec_valatt": [(5, 2, 16), (4, 3, 5)],
}
PAIRS = [name for name, shapes in SHAPES.items() if len(shapes) == 2]


def called(name, arrays):
    return getattr(nd.contrib, f"interleaved_matmul_{name}")(*arrays, heads=2)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("types", [("float32", "float64"), ("float64", "float32")])
def test_inputs_of_two_types_raise(name, types):
    arrays = [nd.zeros(shape, dtype=t) for shape, t in zip(SHAPES[name], types, strict=True)]
    with pytest.raises(DTypeError, match=rf"has dtype {types[1]}; expected {types[0]}.*astype"):
        called(name, arrays)


@pytest.mark.parametrize("name", SHAPES)
def test_inputs_without_axes_raise(name):
    for at in range(len(SHAPES[name])):
        arrays = [nd.zeros(() if i == at else shape) for i, shape in enumerate(SHAPES[name])]
        with pytest.raises(ShapeError, match=r"pass inputs that have dimensions|has shape \(\)"):
            called(name, arrays)


@pytest.mark.parametrize("name", SHAPES)
def test_heads_beyond_32_bits_raise(name):
    arrays = [nd.zeros((0, 0, 0)) for _ in SHAPES[name]]
    with pytest.raises(AttributeValueError, match="heads"):
        getattr(nd.contrib, f"interleaved_matmul_{name}")(*arrays, heads=2**62)
