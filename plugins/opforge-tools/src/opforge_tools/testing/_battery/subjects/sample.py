"""Samples: a call of an operator, or a layer with its input."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from opforge.base.dtypes import code_of, dtype_of

__all__ = ["LayerSample", "Sample", "layer_samples_of", "samples_of", "what_was_tried"]


@dataclass(frozen=True)
class Sample:
    """One call of an operator.

    Parameters
    ----------
    inputs : sequence of array_like or tuple of int
        The arguments, then the auxiliary states. A tuple of integers is a shape, filled with
        standard normal numbers. Floating-point arrays are converted to each checked dtype;
        others keep theirs.
    attributes : mapping of str to object
    wanted : sequence of int, optional
        Inputs whose gradient is checked; None: all arguments of a floating type.
    single : sequence of int, default ()
        Inputs that are float32 in each checked dtype, because the operator has no other for them.

    Examples
    --------
    >>> Sample([(2, 3)], {"axis": 0}).inputs
    [(2, 3)]
    """

    inputs: Sequence[Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    wanted: Sequence[int] | None = None
    single: Sequence[int] = ()

    def drawn(self, rng: Any) -> "Sample":
        """Return the sample with shapes replaced by arrays."""
        inputs = _draw_inputs(self.inputs, rng)
        for position in self.single:
            inputs[position] = inputs[position].astype(np.float32)
        return replace(self, inputs=inputs, attributes=dict(self.attributes))

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the inputs."""
        return [tuple(np.shape(item)) for item in self.inputs]

    def is_converted(self, position: int) -> bool:
        """Return whether an input is converted to each checked dtype."""
        return self.inputs[position].dtype.kind == "f" and position not in self.single

    def arrays(self, dtype: str) -> list[Any]:
        """Return copies of the inputs as NumPy arrays, with floating types converted to `dtype`.

        Numbers of bfloat16, which is no floating type for NumPy, are stored in float32.
        """
        kind = dtype_of(code_of(dtype))
        stored = np.float32 if dtype == "bfloat16" else kind
        return [
            item.astype(kind).astype(stored) if self.is_converted(position) else item.copy()
            for position, item in enumerate(self.inputs)
        ]

    def __str__(self) -> str:
        words = [", ".join(str(shape) for shape in self.shapes) or "no inputs"]
        words += [f"{key}={value!r}" for key, value in self.attributes.items()]
        return f"sample {', '.join(words)}"


def _outputs_of(layer: Any, *inputs: Any) -> Any:
    """Return the outputs of a layer."""
    return layer(*inputs)


@dataclass(frozen=True)
class LayerSample:
    """One layer and an input for it.

    Parameters
    ----------
    inputs : sequence of array_like or tuple of int
        As in `Sample`.
    arguments : mapping of str to object
        Arguments of the layer's constructor.
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
        """Return the sample with shapes replaced by arrays."""
        return replace(self, inputs=_draw_inputs(self.inputs, rng))

    def made(self, layer_class: Any) -> Any:
        """Return a new layer."""
        return layer_class(**self.arguments) if self.make is None else self.make(layer_class)

    def __str__(self) -> str:
        words = [str(tuple(np.shape(item))) for item in self.inputs]
        words += [f"{key}={value!r}" for key, value in self.arguments.items()]
        return f"sample {', '.join(words)}"


def samples_of(given: Any, rng: Any) -> list[Sample]:
    """Return samples from an author's sequence, or from a function of a random generator.

    Each is a `Sample`, a dictionary of its fields, or only the list of inputs.
    """
    return [_as_sample(Sample, item).drawn(rng) for item in _as_list(given, rng)]


def layer_samples_of(given: Any, rng: Any) -> list[LayerSample]:
    """Return an author's layer samples; see `samples_of`."""
    return [_as_sample(LayerSample, item).drawn(rng) for item in _as_list(given, rng)]


def what_was_tried(samples: Iterable[Sample]) -> str:
    """Return the shapes of the first samples and the values of attributes in one line.

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


def _as_list(given: Any, rng: Any) -> Iterable[Any]:
    found = list(given(rng) if callable(given) else given)
    if not found:
        raise ValueError("samples is empty; pass at least one, or omit it to generate samples")
    return found


def _as_sample(kind: Any, item: Any) -> Any:
    if isinstance(item, kind):
        return item
    return kind(**item) if isinstance(item, Mapping) else kind(item)


def _draw_inputs(inputs: Sequence[Any], rng: Any) -> list[Any]:
    return [
        rng.standard_normal(item) if _is_shape(item) else np.array(item, copy=True)
        for item in inputs
    ]


def _is_shape(item: Any) -> bool:
    return isinstance(item, tuple) and all(isinstance(dim, int) for dim in item)
