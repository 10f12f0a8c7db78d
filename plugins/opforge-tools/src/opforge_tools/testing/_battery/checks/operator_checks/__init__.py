"""Checks of an operator, one concern per file, in the order in which they run."""

from ..check import Check
from .aliasing import check_aliasing, check_mutation
from .blocked_forms import check_blocked_forms
from .calls_at_once import check_calls_at_once
from .copies import check_copies
from .determinism import check_repetition, check_threads
from .documentation import check_documentation, check_examples
from .element_types import check_element_types
from .empty_arrays import check_empty_arrays
from .epilogues import check_epilogues
from .every_way import check_every_way, check_repeated_graphs
from .exports import check_exports
from .forward import check_forward_values
from .gradient_types import check_gradient_types
from .gradients import check_first_gradients, check_gradient_requests, check_second_gradients
from .heads import check_backward_twice, check_heads, check_prediction_gradients
from .inference import check_backward_inference, check_inference
from .kept_order import check_kept_order
from .leaks import check_leaks
from .memory_bounds import check_memory_bounds
from .not_a_number import check_nan
from .other_lengths import check_other_lengths
from .requests import check_requests_of_backward, check_requests_of_forward
from .saved_arrays import check_saved_arrays
from .special_values import check_special_values
from .states import check_states
from .surroundings import check_surroundings
from .variants import check_axes, check_large_arrays, check_magnitudes
from .views import check_views

__all__ = ["OPERATOR_CHECKS"]

#: Failures of the samples recur in their variants.
_VALUES, _GRADIENT = ("forward",), ("gradients",)
_ALL = (*_VALUES, *_GRADIENT, "gradient types")

OPERATOR_CHECKS = (
    Check("documentation", check_documentation),
    Check("examples", check_examples),
    Check("surroundings", check_surroundings),
    Check("inference", check_inference),
    Check("inference from outputs", check_backward_inference),
    Check("memory bounds", check_memory_bounds),
    Check("other lengths", check_other_lengths),
    Check("forward", check_forward_values),
    Check("states", check_states),
    Check("epilogues", check_epilogues),
    Check("blocked forms", check_blocked_forms),
    Check("kept order", check_kept_order),
    Check("gradients", check_first_gradients),
    Check("gradient types", check_gradient_types, _GRADIENT),
    Check("second gradients", check_second_gradients),
    Check("prediction gradients", check_prediction_gradients, _GRADIENT),
    Check("heads", check_heads, _GRADIENT),
    Check("backward twice", check_backward_twice, _GRADIENT),
    Check("gradient requests", check_gradient_requests),
    Check("forward requests", check_requests_of_forward),
    Check("backward requests", check_requests_of_backward),
    Check("saved arrays", check_saved_arrays),
    Check("inputs unchanged", check_mutation),
    Check("one array twice", check_aliasing),
    Check("slices", check_views),
    Check("empty arrays", check_empty_arrays),
    Check("not a number", check_nan),
    Check("special values", check_special_values, _VALUES + _GRADIENT),
    Check("element types", check_element_types, _VALUES),
    Check("axes", check_axes, _ALL),
    Check("magnitudes", check_magnitudes, _ALL),
    Check("large arrays", check_large_arrays, _ALL),
    Check("threads", check_threads),
    Check("calls at once", check_calls_at_once),
    Check("every way", check_every_way),
    Check("repeated graphs", check_repeated_graphs, ("every way",)),
    Check("exports", check_exports, _VALUES),
    Check("copies", check_copies),
    Check("leaks", check_leaks),
    Check("repetition", check_repetition),
)
