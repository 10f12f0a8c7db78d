import pytest

from opforge.base import errors


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_an_opforge_error(name):
    assert issubclass(getattr(errors, name), errors.OpforgeError)


def test_builtin_bases():
    assert errors.MXNetError is errors.OpforgeError
    assert issubclass(errors.ShapeError, ValueError)
    assert issubclass(errors.DTypeError, TypeError)
    assert issubclass(errors.IndexRangeError, IndexError)
    assert issubclass(errors.OperatorNotFoundError, AttributeError)


def test_operator_error_carries_the_facts():
    error = errors.OperatorError("text", operator="tile", provider="acme 1.0")
    assert (str(error), error.operator, error.provider) == ("text", "tile", "acme 1.0")
