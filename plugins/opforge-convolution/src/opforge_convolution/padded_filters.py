"""Declaration of `_padded_filters`, which fills vectors of filters for blocked convolutions."""

from typing import Any

from opforge.plugin_api import OperatorProp

from .operators import LIBRARY

__all__ = ["PaddedFilters"]


class PaddedFilters(OperatorProp):
    """Add filters of zeros, so that their number is a multiple of the lanes of a vector.

    Graphs compute it once for constant weights.
    """

    name = "_padded_filters"
    category = "shape"
    arguments = ("weight",)
    dtypes = ("floating", "bfloat16")
    differentiable = False
    argument_docs = {"weight": "(filters, channels, *kernel); floating"}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape with a multiple of the lanes as number of filters."""
        if not in_shape[0]:
            return in_shape, [()], []
        filters, *others = in_shape[0]
        return in_shape, [(-(-filters // LIBRARY.LANES) * LIBRARY.LANES, *others)], []

    def compose(self, F: Any, weight: Any) -> Any:
        """Concatenate the filters and zeros."""
        filters, *others = weight.shape
        missing = -filters % LIBRARY.LANES
        if not missing:
            return F.identity(weight)
        return F.Concat(weight, F.zeros((missing, *others), dtype=weight.dtype), dim=0)
