"""MXNet's module of errors."""

from opforge import base, error


def test_errors_are_those_of_base():
    assert error.MXNetError is base.MXNetError
    assert issubclass(error.InternalError, base.MXNetError)
