"""Checks of distribution parameters, shared by `nd.random` and `sym.random`."""

from numbers import Real
from typing import Any

from ..base.errors import AttributeValueError
from ..native.array import Array, numpy_alias

__all__ = ["operator_parameters"]

#: Distribution -> parameters that must not be negative.
_NOT_NEGATIVE: dict[str, tuple[str, ...]] = {
    "exponential": ("scale",),
    "gamma": ("alpha", "beta"),
    "generalized_negative_binomial": ("mu", "alpha"),
    "negative_binomial": ("k",),
    "poisson": ("lam",),
}


def operator_parameters(distribution: str, **given: Any) -> dict[str, Any]:
    """Check the parameters of a distribution and return those of its operators.

    Numbers and arrays are checked immediately, symbols when the graph runs.

    Parameters
    ----------
    distribution : str
        Name, for instance ``"gamma"``.
    **given : number, NDArray or Symbol
        Parameters under their names in `nd.random`.

    Raises
    ------
    AttributeValueError
        A parameter is out of range.

    Examples
    --------
    >>> operator_parameters("exponential", scale=4)
    {'lam': 0.25}
    """
    for name in _NOT_NEGATIVE.get(distribution, ()):
        _check_not_negative(distribution, name, given[name])
    if distribution == "exponential":
        scale = given["scale"]
        if _is_number(scale) and not scale > 0:
            raise AttributeValueError(
                f"random.exponential: scale is {scale!r}, expected a positive number"
            )
        return {"lam": 1.0 / scale}
    if distribution == "randint":
        low, high = given["low"], given["high"]
        if _is_number(low) and _is_number(high) and low >= high:
            raise AttributeValueError(f"random.randint: low {low} must be less than high {high}")
    return given


def _check_not_negative(distribution: str, name: str, value: Any) -> None:
    smallest = numpy_alias(value).min(initial=0) if isinstance(value, Array) else value
    if _is_number(smallest) and not smallest >= 0:
        raise AttributeValueError(
            f"random.{distribution}: {name} must not be negative, got {smallest}"
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, Real)
