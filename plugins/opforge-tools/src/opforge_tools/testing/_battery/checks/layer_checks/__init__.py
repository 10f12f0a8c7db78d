"""Checks of a layer, one concern per file, in the order in which they run."""

from ..check import Check
from .documentation import check_documentation, check_examples, check_repr
from .forward import check_forward
from .gradients import check_gradients_of_layer
from .hybridized import check_hybridized
from .saved_parameters import check_saved_parameters

__all__ = ["LAYER_CHECKS"]

LAYER_CHECKS = (
    Check("documentation", check_documentation),
    Check("examples", check_examples),
    Check("repr", check_repr),
    Check("forward", check_forward),
    Check("gradients", check_gradients_of_layer),
    Check("hybridized", check_hybridized),
    Check("saved parameters", check_saved_parameters),
)
