"""`OperatorSubject`: an operator under test, with its samples and methods that run it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from opforge import autograd, random
from opforge import ndarray as nd
from opforge.base.dtypes import code_of, dtype_of
from opforge.base.errors import OpforgeError
from opforge.op.abi import NativeOperator
from opforge.op.calling.custom_call import attribute_pairs
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.declaring.inference import Inferred, infer
from opforge.op.registry import registry
from opforge.op.registry.entry import Entry

from .sample import Sample
from .surroundings import Surroundings

__all__ = ["OperatorSubject", "listed"]

#: The type with the fewest bits, so that its numbers are exact in all others.
_SHORT = dtype_of(code_of("bfloat16"))


@dataclass
class OperatorSubject:
    """An operator with the options of its author.

    Parameters
    ----------
    entry : Entry
    samples : sequence of Sample
    reference : callable, optional
        Maps float64 arrays and the attributes to an array or a tuple of them: the outputs, and
        optionally the auxiliary states after training.
    tolerances : mapping of str to float
        Accepted relative error of each dtype; of bfloat16, which has three bits less, by default
        8 times that of float16.
    dtypes : sequence of str
        Dtypes in which results are compared.
    seed : int
        Seed of the checks and of the operator.
    loss : callable, optional
        Maps float64 arrays and the attributes to the loss that the operator differentiates.
    states_in_backward : bool
        Whether backward is declared to update auxiliary states.
    with_half : bool
        Whether to compare results in float16 if the operator accepts it, and in bfloat16 if its
        declaration lists it.
    stress : int
        Factor of the number of repeated calls that search for leaks and races.
    """

    entry: Entry
    samples: Sequence[Sample]
    reference: Callable[..., Any] | None
    tolerances: Mapping[str, float]
    dtypes: Sequence[str]
    seed: int
    loss: Callable[..., Any] | None = None
    states_in_backward: bool = False
    with_half: bool = True
    stress: int = 1
    #: Results of the first call with the first sample; see `determinism.results_of`.
    first_results: dict[str, list[Any]] = field(default_factory=dict)
    _heads: dict[Any, list[Any]] = field(default_factory=dict, repr=False)
    #: State of the process before the first call.
    surroundings: Surroundings = field(default_factory=Surroundings)

    def __post_init__(self) -> None:
        self.tolerances = {"bfloat16": 8 * self.tolerances.get("float16", 0), **self.tolerances}

    @property
    def halves(self) -> tuple[str, ...]:
        """16-bit floating-point types that the operator may accept."""
        is_declared = "bfloat16" in getattr(self.prop_class, "dtypes", ())
        return ("float16", "bfloat16") if is_declared else ("float16",)

    @property
    def name(self) -> str:
        """Registered name of the operator."""
        return self.entry.name

    @property
    def dtype(self) -> str:
        """Dtype of checks that use a single one."""
        return self.dtypes[0]

    @property
    def prop_class(self) -> Any:
        """Declaration class."""
        return self.entry.prop_class

    def prop(self, sample: Sample) -> Any:
        """Return the declaration with the attributes of a sample."""
        return self.prop_class(**dict(attribute_pairs(self.entry, self.attributes(sample))))

    def attributes(self, sample: Sample) -> dict[str, Any]:
        """Return the attributes of a sample, including the number of variadic inputs."""
        counter = getattr(self.prop_class, "variadic", None)
        if counter is None or counter in sample.attributes:
            return dict(sample.attributes)
        return {counter: len(sample.inputs), **sample.attributes}

    def call(self, F: Any, sample: Sample, inputs: Sequence[Any], **options: Any) -> list[Any]:
        """Call the operator in the namespace `F`; return the visible outputs as a list."""
        random.seed(self.seed)
        results = self.callable_of(F, sample)(*inputs, **options)
        # A symbol may have several outputs.
        return listed(results) if F is nd else results

    def callable_of(self, F: Any, sample: Sample) -> Callable[..., Any]:
        """Return the operator of the namespace `F` with the attributes of a sample."""
        attributes = self.attributes(sample)
        if self.entry.kind == "custom":
            return partial(F.Custom, op_type=self.name, **attributes)
        return partial(getattr(F, self._public_name()), **attributes)

    def outputs(self, sample: Sample, dtype: str, *, train: bool = False) -> list[Any]:
        """Return the results of a sample as NumPy arrays."""
        mode = autograd.train_mode() if train else autograd.predict_mode()
        with mode:
            results = self.call(nd, sample, self.arrays(sample, dtype))
        return [_numpy(result) for result in results]

    def gradients(self, sample: Sample, dtype: str, positions: Sequence[int]) -> list[Any]:
        """Return the gradients of some inputs for a fixed random head gradient."""
        return self.trained(sample, dtype, positions)[1]

    def trained(
        self, sample: Sample, dtype: str, positions: Sequence[int]
    ) -> tuple[list[Any], list[Any]]:
        """Return the results in training mode, and the gradients as from `gradients`."""
        arrays, results = self._train(sample, dtype, positions)
        gradients = [_numpy(arrays[position].grad) for position in positions]
        return [_numpy(result) for result in results], gradients

    def trained_states(self, sample: Sample, dtype: str) -> list[Any]:
        """Return the auxiliary states after a forward and a backward pass in training mode."""
        arrays, _ = self._train(sample, dtype, self.wanted(sample) if self.differentiable else ())
        return [_numpy(state) for state in arrays[len(arrays) - self.n_states(sample) :]]

    def _train(
        self, sample: Sample, dtype: str, positions: Sequence[int]
    ) -> tuple[list[Any], list[Any]]:
        """Run forward and, if gradients are wanted, backward; return the inputs and results."""
        arrays = self.arrays(sample, dtype)
        for position in positions:
            arrays[position].attach_grad()
        with autograd.record():
            results = self.call(nd, sample, arrays)
        if positions:
            autograd.backward(results, self.heads(results))
        return arrays, results

    def heads(self, results: Sequence[Any], scale: float = 1.0) -> list[Any]:
        """Return a random gradient for each result."""
        key = self.seed, scale, *(result.shape for result in results)
        if key not in self._heads:
            # Different numbers than those of the samples, which use `seed` directly.
            rng = np.random.default_rng((self.seed, 1))
            drawn = [rng.standard_normal(result.shape).astype(_SHORT) for result in results]
            # Hundreds of calls with one sample need the same numbers.
            self._heads[key] = [head.astype("float16").astype("float64") * scale for head in drawn]
        pairs = zip(self._heads[key], results, strict=True)
        return [nd.array(head, dtype=result.dtype) for head, result in pairs]

    def draws(self, sample: Sample) -> bool:
        """Return whether training mode is random, that is, depends on the seed."""
        runs = [
            replace(self, seed=seed).outputs(sample, self.dtype, train=True)
            for seed in (self.seed, self.seed + 1)
        ]
        return any(
            not np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
            for a, b in zip(*runs, strict=True)
        )

    def arrays(self, sample: Sample, dtype: str) -> list[Any]:
        """Return the inputs of a sample as new NDArrays."""
        return [
            nd.array(item, dtype=dtype if sample.is_converted(position) else item.dtype)
            for position, item in enumerate(sample.arrays(dtype))
        ]

    def n_states(self, sample: Sample) -> int:
        """Return the number of inputs that are auxiliary states."""
        return len(self.prop(sample).list_auxiliary_states())

    def n_visible(self, sample: Sample) -> int:
        """Return the number of outputs that a call returns."""
        prop = self.prop(sample)
        count = len(prop.list_outputs())
        return min(getattr(prop, "num_visible_outputs", count), count)

    def wanted(self, sample: Sample) -> list[int]:
        """Return the positions of the inputs whose gradient is checked."""
        if sample.wanted is not None:
            return list(sample.wanted)
        arguments = len(sample.inputs) - self.n_states(sample)
        return [at for at in range(arguments) if sample.inputs[at].dtype.kind == "f"]

    def inferred(self, sample: Sample, dtype: str, shapes: Sequence[Any] | None = None) -> Inferred:
        """Return the shapes inferred for a sample, or for other shapes of its arguments."""
        prop = self.prop(sample)
        count = len(sample.inputs) - len(prop.list_auxiliary_states())
        codes = [code_of(item.dtype) for item in self.arrays(sample, dtype)]
        return infer(prop, self.entry, (shapes or sample.shapes)[:count], codes[:count])

    def is_as_inferred(self, shape: tuple[int, ...], inferred: tuple[int, ...]) -> bool:
        """Return whether a result has the inferred shape; 0 stands for value-dependent lengths."""
        if not getattr(self.prop_class, "shapes_from_values", False):
            return shape == inferred
        return len(shape) == len(inferred) and all(
            length in (0, found) for found, length in zip(shape, inferred, strict=True)
        )

    @property
    def differentiable(self) -> bool:
        """True if the declaration says that gradients flow back."""
        return bool(getattr(self.prop_class, "differentiable", True))

    @property
    def has_backward(self) -> bool:
        """True if the author defines backward, in Python or in C."""
        native = issubclass(self.prop_class, NativeOperator)
        return self.prop_class.has_native_gradient() if native else self.how == "operator"

    @property
    def how(self) -> str:
        """Kind of implementation: "elementwise_kernel", "compose", "compute" or "operator"."""
        if not issubclass(self.prop_class, OperatorProp):
            return "operator"
        for way in ("elementwise_kernel", "compose"):
            if getattr(self.prop_class, way) is not None:
                return way
        sample = self.samples[0]
        return "operator" if self.prop(sample).compute is None else "compute"

    def _public_name(self) -> str:
        """Return the short name if it resolves to this provider, else the full name."""
        try:
            entry = registry.lookup(self.name)
        except OpforgeError:
            return self.entry.versioned_name
        return self.name if entry.prop_class is self.prop_class else self.entry.versioned_name


def _numpy(array: Any) -> Any:
    """Return the elements; those of bfloat16, which is no floating type for NumPy, in float32."""
    values = array.asnumpy()
    return values.astype(np.float32) if values.dtype == _SHORT else values


def listed(results: Any) -> list[Any]:
    """Return the results as a list, even a single one."""
    return list(results) if isinstance(results, (list, tuple)) else [results]
