import pytest

from opforge.module.gradient_requests import gradient_requests

ARGUMENTS = ["x", "w", "b", "y"]


@pytest.mark.parametrize(
    ("trained", "inputs", "grad_req", "expected"),
    [
        (["w"], [], "write", ["null", "write", "null", "null"]),
        (["w", "b"], ["x"], "add", ["add", "add", "add", "null"]),
        (["w", "b"], [], {"b": "add", "x": "write"}, ["write", "write", "add", "null"]),
        (["w"], [], ["write", "null", "add", "null"], ["write", "null", "add", "null"]),
        (["w"], ["x"], "null", ["null"] * 4),
    ],
)
def test_requests(trained, inputs, grad_req, expected):
    found = gradient_requests(ARGUMENTS, trained, inputs, grad_req)
    assert found == dict(zip(ARGUMENTS, expected, strict=True))


def test_invalid_gradient_requests_raise():
    with pytest.raises(ValueError, match="must be one of str, list, tuple, or dict, got int"):
        gradient_requests(ARGUMENTS, [], [], 3)
    with pytest.raises(AssertionError, match="has 1 entries, expected one for each"):
        gradient_requests(ARGUMENTS, [], [], ["write"])
