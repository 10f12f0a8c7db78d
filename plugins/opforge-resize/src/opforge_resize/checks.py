"""What ``opforge check`` is told of these operators: calls to try and references in float64."""

from typing import Any


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {}
