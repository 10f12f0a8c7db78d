"""Check that a hybridized layer gives the same outputs, gradients and states."""

from opforge import gluon

from ...subjects.layer_subject import LayerSubject
from ..check import NotApplicable
from .forward import same_arrays
from .saved_parameters import copied_parameters

__all__ = ["check_hybridized"]

#: Graphs may sum in a different order.
_RTOL = 1e-5


def check_hybridized(subject: LayerSubject) -> int:
    """Compare a prediction and a training step of two layers with the same parameters."""
    if not issubclass(subject.layer_class, gluon.HybridBlock):
        raise NotApplicable("the layer is not a HybridBlock")
    for sample in subject.samples:
        plain, hybrid = subject.make(sample), subject.make(sample)
        copied_parameters(plain, hybrid)
        hybrid.hybridize()
        have, want = subject.predict(hybrid, sample), subject.predict(plain, sample)
        same_arrays(have, want, f"{sample}, prediction: output", _RTOL)
        ours, theirs = subject.train(hybrid, sample), subject.train(plain, sample)
        same_arrays(ours.outputs, theirs.outputs, f"{sample}, training: output", _RTOL)
        same_arrays(ours.gradients, theirs.gradients, f"{sample}: gradient of", _RTOL)
        same_arrays(ours.parameters, theirs.parameters, f"{sample}, after it: parameter", _RTOL)
    return len(subject.samples)
