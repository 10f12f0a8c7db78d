"""`LayerSubject`: a layer class under test, with methods that create and run it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opforge import autograd, initializer, random
from opforge import ndarray as nd
from opforge.gluon import Trainer
from opforge.op.registry.entry import Entry

from .sample import LayerSample
from .subject import listed

__all__ = ["LayerRun", "LayerSubject"]


@dataclass(frozen=True)
class LayerRun:
    """Results of one training step as NumPy arrays: outputs, gradients and updated parameters."""

    outputs: list[Any]
    gradients: dict[str, Any]
    parameters: dict[str, Any]


@dataclass
class LayerSubject:
    """A layer class with the options of its author.

    Parameters
    ----------
    entry : Entry
    samples : sequence of LayerSample
    seed : int
        Seed of parameters and of random layers.
    """

    entry: Entry
    samples: Sequence[LayerSample]
    seed: int

    @property
    def layer_class(self) -> Any:
        """Layer class."""
        return self.entry.prop_class

    def make(self, sample: LayerSample, dtype: str = "float32") -> Any:
        """Return a layer with initialized parameters; equal samples get equal values."""
        random.seed(self.seed)
        layer = self.new(sample)
        layer.cast(dtype)
        layer.initialize(initializer.Normal(0.5))
        with autograd.predict_mode():
            self.run(layer, sample, self.inputs(sample, dtype))
        return layer

    def new(self, sample: LayerSample) -> Any:
        """Return a layer with uninitialized parameters."""
        return sample.made(self.layer_class)

    def run(self, layer: Any, sample: LayerSample, inputs: Sequence[Any]) -> list[Any]:
        """Return the outputs of one call in a list."""
        _keep_rows(layer)
        return listed(sample.call(layer, *inputs))

    def inputs(self, sample: LayerSample, dtype: str = "float32") -> list[Any]:
        """Return the inputs of a sample as new NDArrays."""
        return [
            nd.array(item, dtype=dtype if item.dtype.kind == "f" else item.dtype)
            for item in sample.inputs
        ]

    def predict(self, layer: Any, sample: LayerSample) -> list[Any]:
        """Return a layer's results as NumPy arrays."""
        random.seed(self.seed)
        with autograd.predict_mode():
            return [item.asnumpy() for item in self.run(layer, sample, self.inputs(sample))]

    def train(self, layer: Any, sample: LayerSample, dtype: str = "float32") -> LayerRun:
        """Run a layer forward and backward with a fixed random head gradient."""
        random.seed(self.seed)
        inputs = self.inputs(sample, dtype)
        for item in inputs:
            item.attach_grad()
        with autograd.record():
            outputs = self.run(layer, sample, inputs)
        autograd.backward(outputs, self.heads(outputs))
        parameters = dict(layer.collect_params().items())
        gradients = {f"input {at}": item.grad.asnumpy() for at, item in enumerate(inputs)}
        for name, parameter in parameters.items():
            if parameter.grad_req != "null":
                gradients[_without_prefix(layer, name)] = parameter.grad().asnumpy()
        return LayerRun(
            [item.asnumpy() for item in outputs],
            gradients,
            {_without_prefix(layer, n): p._reduce().asnumpy() for n, p in parameters.items()},
        )

    def heads(self, outputs: Sequence[Any]) -> list[Any]:
        """Return a fixed random gradient for each output."""
        rng = np.random.default_rng(self.seed)
        return [nd.array(rng.standard_normal(out.shape), dtype=out.dtype) for out in outputs]


def _keep_rows(layer: Any) -> None:
    """Attach a trainer to row-sparse parameters, whose store holds them."""
    parameters = layer.collect_params().values()
    rows = [p for p in parameters if p._stype != "default" and p._trainer is None]
    if rows:
        Trainer(rows, "sgd")


def _without_prefix(layer: Any, name: str) -> str:
    """Return a parameter's name without its layer's prefix, which differs between instances."""
    return name.removeprefix(layer.prefix)
