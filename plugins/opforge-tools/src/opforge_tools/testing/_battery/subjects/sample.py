"""Samples: one call of an operator, or one layer with its input, that the checks are made on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

__all__ = ["LayerSample", "Sample", "layer_samples_of", "samples_of", "what_was_tried"]


@dataclass(frozen=True)
class Sample:
    """One call of an operator.

    Parameters
    ----------
    inputs : sequence of array_like or tuple of int
        The arguments, then the auxiliary states. A tuple of whole numbers is a shape, filled with
        standard normal numbers. Arrays of a floating type are given in each element type that is
        checked; others keep theirs.
    attributes : mapping of str to object
    wanted : sequence of int, optional
        Inputs whose gradient is checked; None: all arguments of a floating type.

    Examples
    --------
    >>> Sample([(2, 3)], {"axis": 0}).inputs
    [(2, 3)]
    """

    inputs: Sequence[Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    wanted: Sequence[int] | None = None

    def drawn(self, rng: Any) -> "Sample":
        """Return the sample with arrays in the place of shapes."""
        return Sample(_drawn(self.inputs, rng), dict(self.attributes), self.wanted)

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the inputs."""
        return [tuple(np.shape(item)) for item in self.inputs]

    def arrays(self, dtype: str) -> list[Any]:
        """Return the inputs, those of a floating type as `dtype`, as NumPy arrays of their own."""
        return [
            item.astype(dtype if item.dtype.kind == "f" else item.dtype) for item in self.inputs
        ]

    def __str__(self) -> str:
        words = [", ".join(str(shape) for shape in self.shapes) or "no inputs"]
        words += [f"{key}={value!r}" for key, value in self.attributes.items()]
        return f"sample {', '.join(words)}"


def _outputs_of(layer: Any, *inputs: Any) -> Any:
    """Return what a layer gives."""
    return layer(*inputs)


@dataclass(frozen=True)
class LayerSample:
    """One layer and an input for it.

    Parameters
    ----------
    inputs : sequence of array_like or tuple of int
        As in `Sample`.
    arguments : mapping of str to object
        Of the layer's constructor.
    make : callable, optional
        ``make(layer_class)`` returns a new layer; default: the class is called with `arguments`.
    call : callable, optional
        ``call(layer, *inputs)`` returns the outputs; default: the layer is called with the inputs.
    """

    inputs: Sequence[Any]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    make: Callable[[Any], Any] | None = None
    call: Callable[..., Any] = _outputs_of

    def drawn(self, rng: Any) -> "LayerSample":
        """Return the sample with arrays in the place of shapes."""
        return replace(self, inputs=_drawn(self.inputs, rng))

    def made(self, layer_class: Any) -> Any:
        """Return a new layer."""
        return layer_class(**self.arguments) if self.make is None else self.make(layer_class)

    def __str__(self) -> str:
        words = [str(tuple(np.shape(item))) for item in self.inputs]
        words += [f"{key}={value!r}" for key, value in self.arguments.items()]
        return f"sample {', '.join(words)}"


def samples_of(given: Any, rng: Any) -> list[Sample]:
    """Return samples from what an author gave: a sequence, or a function of a generator.

    Each is a `Sample`, a dictionary of its fields, or the list of the inputs alone.
    """
    return [_as_sample(Sample, item).drawn(rng) for item in _listed(given, rng)]


def layer_samples_of(given: Any, rng: Any) -> list[LayerSample]:
    """Return layer samples from what an author gave; see `samples_of`."""
    return [_as_sample(LayerSample, item).drawn(rng) for item in _listed(given, rng)]


def what_was_tried(samples: Iterable[Sample]) -> str:
    """Return the shapes of the first inputs and the values of attributes in one line.

    Examples
    --------
    >>> what_was_tried([Sample([np.zeros(3)]), Sample([np.zeros((2, 3))], {"axis": 1})])
    'shapes (3,), (2, 3); axis=1'
    """
    shapes: dict[str, None] = {}
    attributes: dict[str, dict[str, None]] = {}
    for sample in samples:
        if sample.inputs:
            shapes[str(sample.shapes[0])] = None
        for key, value in sample.attributes.items():
            attributes.setdefault(key, {})[repr(value)] = None
    words = [f"shapes {', '.join(shapes)}"] if shapes else []
    words += [f"{key}={', '.join(values)}" for key, values in attributes.items()]
    return "; ".join(words) or "one call without inputs"


def _listed(given: Any, rng: Any) -> Iterable[Any]:
    found = list(given(rng) if callable(given) else given)
    if not found:
        raise ValueError("samples is empty; give at least one, or leave it out to have some made")
    return found


def _as_sample(kind: Any, item: Any) -> Any:
    if isinstance(item, kind):
        return item
    return kind(**item) if isinstance(item, Mapping) else kind(item)


def _drawn(inputs: Sequence[Any], rng: Any) -> list[Any]:
    return [
        rng.standard_normal(item) if _is_shape(item) else np.array(item, copy=True)
        for item in inputs
    ]


def _is_shape(item: Any) -> bool:
    return isinstance(item, tuple) and all(isinstance(dim, int) for dim in item)
