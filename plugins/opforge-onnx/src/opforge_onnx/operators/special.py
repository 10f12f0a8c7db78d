"""Rules for special functions of the core that ONNX lacks: gamma and its logarithm."""

from collections.abc import Sequence
from math import log, pi
from typing import Any

from ..exporting.call import Call

__all__ = ["gamma", "gammaln"]

#: Stirling's series is used for arguments that are larger by this number.
_SHIFT = 5


def _polynomial(call: Call, x: str, coefficients: Sequence[float]) -> str:
    """Return a polynomial by Horner's method; the last coefficient is the constant."""
    found, *others = map(call.constant, coefficients)
    for number in others:
        found = call.node("Add", call.node("Mul", found, x), number)
    return found


def gammaln(prop: Any, call: Call) -> str:
    """Translate gammaln; below 1/2 by Euler's reflection formula."""
    x, one = call.inputs[0], call.constant(1)
    is_low = call.node("Less", x, call.constant(0.5))
    positive = _positive_gammaln(call, call.node("Where", is_low, call.node("Sub", one, x), x))
    # The sine of pi times x has period 2, and its absolute value 1.
    fraction = call.node("Sub", x, call.node("Floor", x))
    sine = call.node("Sin", call.node("Mul", fraction, call.constant(pi)))
    reflected = call.node("Sub", call.constant(log(pi)), call.node("Log", sine))
    return str(call.node("Where", is_low, call.node("Sub", reflected, positive), positive))


def _positive_gammaln(call: Call, x: str) -> str:
    """Return the logarithm of gamma(x + 5) by Stirling's series, less those of the factors."""
    z = call.node("Add", x, call.constant(_SHIFT))
    half = call.node("Sub", z, call.constant(0.5))
    main = call.node("Sub", call.node("Mul", half, call.node("Log", z)), z)
    inverse = call.node("Reciprocal", z)
    squared = call.node("Mul", inverse, inverse)
    series = call.node("Mul", inverse, _polynomial(call, squared, (1 / 1260, -1 / 360, 1 / 12)))
    total = call.node("Add", call.node("Add", main, series), call.constant(log(2 * pi) / 2))
    factors = [call.node("Add", x, call.constant(number)) for number in range(_SHIFT)]
    logarithms = call.node("Sum", *(call.node("Log", factor) for factor in factors))
    return str(call.node("Sub", total, logarithms))


def gamma(prop: Any, call: Call) -> str:
    """Translate gamma; its sign alternates between negative integers."""
    x = call.inputs[0]
    size = call.node("Exp", gammaln(prop, call))
    half = call.node("Mul", call.node("Floor", x), call.constant(0.5))
    is_odd = call.node("Greater", half, call.node("Floor", half))
    is_negative = call.node("And", call.node("Less", x, call.constant(0)), is_odd)
    return str(call.node("Where", is_negative, call.node("Neg", size), size))
