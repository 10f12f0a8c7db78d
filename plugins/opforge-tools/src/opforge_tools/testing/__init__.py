"""Checks for authors of operators, available as `opforge.testing`.

Modules are loaded on first use.
"""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from ._battery.checks.layers import check_layer as check_layer
    from ._battery.checks.operators import check_op as check_op
    from ._battery.checks.operators import measure_op as measure_op
    from ._battery.project.distribution import check_distribution as check_distribution
    from ._battery.project.distribution import distribution_parts as distribution_parts
    from ._battery.report.outcome import Outcome as Outcome
    from ._battery.report.report import CheckFailedError as CheckFailedError
    from ._battery.report.report import Report as Report
    from ._battery.subjects.sample import LayerSample as LayerSample
    from ._battery.subjects.sample import Sample as Sample
    from ._closeness import assert_allclose as assert_allclose
    from ._forward import check_forward as check_forward
    from ._gradients import GradientMismatchError as GradientMismatchError
    from ._gradients import check_gradients as check_gradients
    from ._providers import Comparison as Comparison
    from ._providers import compare as compare
    from ._requests import check_requests as check_requests
    from ._ways import check_ways as check_ways

# Public name -> the module that defines it.
_LAZY = {
    "CheckFailedError": "_battery.report.report",
    "Comparison": "_providers",
    "GradientMismatchError": "_gradients",
    "LayerSample": "_battery.subjects.sample",
    "Outcome": "_battery.report.outcome",
    "Report": "_battery.report.report",
    "Sample": "_battery.subjects.sample",
    "assert_allclose": "_closeness",
    "check_distribution": "_battery.project.distribution",
    "check_forward": "_forward",
    "check_gradients": "_gradients",
    "check_layer": "_battery.checks.layers",
    "check_op": "_battery.checks.operators",
    "check_requests": "_requests",
    "check_ways": "_ways",
    "compare": "_providers",
    "distribution_parts": "_battery.project.distribution",
    "measure_op": "_battery.checks.operators",
}

__all__ = list(_LAZY)


def __getattr__(name: str) -> _Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
