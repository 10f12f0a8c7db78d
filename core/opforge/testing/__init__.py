"""Layer 6: checks that operator authors run against their own operators."""

from ._forward import check_forward as check_forward
from ._gradients import GradientMismatchError as GradientMismatchError
from ._gradients import check_gradients as check_gradients
from ._requests import check_requests as check_requests
from ._ways import check_ways as check_ways

__all__ = [
    "GradientMismatchError",
    "check_forward",
    "check_gradients",
    "check_requests",
    "check_ways",
]
