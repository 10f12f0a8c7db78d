"""Check of the gradients of a layer's parameters and inputs against finite differences."""

from typing import Any

import numpy as np

from opforge import autograd, random
from opforge import ndarray as nd

from ...subjects.layer_subject import LayerSubject
from ...subjects.sample import LayerSample
from ..check import NotApplicable

__all__ = ["check_gradients_of_layer"]

_STEP = 1e-5
_RTOL, _ATOL = 1e-4, 1e-6


def check_gradients_of_layer(subject: LayerSubject) -> int:
    """Move parameters and inputs together along a random direction, in float64."""
    count = 0
    for sample in subject.samples:
        point = _Point(subject, sample)
        if not point.start:
            continue
        analytic, numeric = point.derivative(), point.quotient()
        error, size = abs(analytic - numeric), max(abs(analytic), abs(numeric))
        if not (error <= _ATOL + _RTOL * size):
            raise AssertionError(
                f"{sample}: derivative along a random direction of {', '.join(point.start)}: "
                f"analytic {analytic:.9g}, numeric {numeric:.9g}"
            )
        count += 1
    if not count:
        raise NotApplicable("no sample has floating inputs or trainable parameters")
    return count


class _Point:
    """A layer with its input as a function of the step along one direction."""

    def __init__(self, subject: LayerSubject, sample: LayerSample) -> None:
        self._subject, self._sample = subject, sample
        self._layer = subject.make(sample, "float64")
        self._inputs = subject.inputs(sample, "float64")
        # Gradients of the trainable parameters and of the floating inputs.
        self._learned = {
            name: item
            for name, item in self._layer.collect_params().items()
            if item.grad_req != "null"
        }
        self._moved = {
            f"input {at}": item
            for at, item in enumerate(self._inputs)
            if np.dtype(item.dtype).kind == "f"
        }
        # Training changes the states, which the outputs may depend on.
        self._states = [
            (item, item._reduce().asnumpy())
            for item in self._layer.collect_params().values()
            if item.grad_req == "null"
        ]
        self.start = {name: item._reduce().asnumpy() for name, item in self._learned.items()}
        self.start |= {name: item.asnumpy() for name, item in self._moved.items()}
        rng = np.random.default_rng(subject.seed)
        self._directions = {k: rng.standard_normal(v.shape) for k, v in self.start.items()}

    def derivative(self) -> float:
        """Return the derivative from autograd."""
        self._move(0.0)
        for item in self._moved.values():
            item.attach_grad()
        with autograd.record():
            outputs = self._outputs()
        autograd.backward(outputs, self._subject.heads(outputs))
        gradients = {name: item.grad() for name, item in self._learned.items()}
        gradients |= {name: item.grad for name, item in self._moved.items()}
        return sum(
            float((gradient.asnumpy() * self._directions[name]).sum())
            for name, gradient in gradients.items()
        )

    def quotient(self) -> float:
        """Return the central difference."""
        return (self._value(_STEP) - self._value(-_STEP)) / (2 * _STEP)

    def _value(self, distance: float) -> float:
        self._move(distance)
        with autograd.train_mode():
            outputs = self._outputs()
        pairs = zip(outputs, self._subject.heads(outputs), strict=True)
        return sum(float((a * b).sum().asscalar()) for a, b in pairs)

    def _move(self, distance: float) -> None:
        """Set the parameters and inputs to a point of the line, and the states to their start."""
        for state, value in self._states:
            state.set_data(nd.array(value, dtype=value.dtype))
        for name, start in self.start.items():
            value = nd.array(start + distance * self._directions[name], dtype="float64")
            if name in self._learned:
                self._learned[name].set_data(value)
            else:
                self._moved[name][:] = value

    def _outputs(self) -> list[Any]:
        random.seed(self._subject.seed)
        return self._subject.run(self._layer, self._sample, self._inputs)
