"""Operators that draw random numbers, from the stream that `opforge.random.seed` starts anew.

A distribution has three: ``_random_x`` with numbers as parameters, ``_random_x_like`` with the
shape of an array, ``_sample_x`` with arrays of parameters, one distribution for each element.
``FResourceRequest`` says, as in NNVM, that two calls with equal inputs are not equal.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, ClassVar

import numpy as np

from ..base.context import current_context
from ..base.dtypes import code_of
from ..base.errors import AttributeValueError, ShapeError
from ..native.array import Array, empty, numpy_alias
from ..native.calls import random as native
from ..op.declaring.attribute import Attribute, DType
from ..op.declaring.attribute import Shape as Ints
from ..op.declaring.inference import united
from ._operator import StdOperator, shape_error, store
from ._shapes import last_position

__all__ = ["numpy_stream"]

Shape = tuple[int, ...]
#: From (out, *parameters, req) to filled elements.
Fill = Callable[..., None]

FLOATS = ("float32", "float64", "float16")
INTS = ("int32", "int64")


def numpy_stream() -> "np.random.Generator":  # quoted: NumPy loads it when asked
    """Return a NumPy generator that starts from the next number of the stream."""
    start = empty((4,), code_of("int64"), current_context())
    native.randint(start, 0, 2**32)
    return np.random.default_rng(numpy_alias(start).tolist())


class _Random(StdOperator):
    """Base class of all random operators."""

    category = "random"
    differentiable = False
    saves: Sequence[str] = ()
    attrs = {"FResourceRequest": ("random",)}
    #: The type of what is drawn where nothing else is asked for, and the others.
    dtypes: ClassVar[tuple[str, ...]] = FLOATS

    def output_types(self, common: Any, types: list[Any]) -> list[Any]:
        chosen = getattr(self, "dtype", None) or self.dtypes[0]
        if np.dtype(chosen).name not in self.dtypes:
            raise AttributeValueError(
                f"operator '{self.name}': dtype {np.dtype(chosen).name!r} is not one of "
                f"{self.dtypes}"
            )
        return [np.dtype(chosen).type]


def _result() -> dict[str, Attribute]:
    """Return the attributes behind the parameters."""
    return {
        "shape": Attribute(Ints, default=(), doc="Shape of the result; (): one number."),
        "ctx": Attribute(str, default="", doc="Accepted; the current context is used."),
        "dtype": Attribute(DType, default=None, doc="Element type; None: the usual one."),
    }


class _ByNumbers(_Random):
    """Draw from one distribution."""

    arguments: ClassVar[Sequence[str]] = ()
    fill: Fill
    parameters: tuple[str, ...] = ()
    shape: Any = ()

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [self.shape or (1,)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Draw."""
        if req[0] != "null":
            type(self).fill(out_data[0], *(getattr(self, key) for key in self.parameters), req[0])


class _Like(_ByNumbers):
    """Draw from one distribution, as many numbers as `data` has elements."""

    attrs = {"FElementwiseShape": True}
    arguments = ("data",)

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[0]]

    def output_types(self, common: Any, types: list[Any]) -> list[Any]:
        return [common]


class _ByArrays(_Random):
    """Draw from one distribution for each element of the parameters."""

    fill: Fill
    shape = Attribute(Ints, default=(), doc="How many numbers for each distribution; (): one.")
    dtype = Attribute(DType, default=None, doc="Element type; None: the usual one.")

    def complete(self, shapes: list[Shape]) -> list[Shape]:
        """Merge the known dimensions of the parameters."""
        common: Shape = ()
        for shape in shapes:
            common = united(common, shape) or ()
        return [united(shape, common) or shape for shape in shapes]

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        """Return the output's shape without that of the numbers for each distribution."""
        out = out_shapes[0]
        found = out[: len(out) - len(self.shape)]
        return [united(shape, found) or shape for shape in in_shapes]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        if any(shape != shapes[0] for shape in shapes):
            given = ", ".join(map(str, shapes))
            raise ShapeError(
                f"operator '{self.name}': the parameters have shapes {given}, expected one shape"
            )
        return [shapes[0] + self.shape]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Draw, distribution by distribution."""
        out = out_data[0]
        rows = zip(*(numpy_alias(x).ravel().tolist() for x in in_data), strict=True)
        size = prod(self.shape)
        for at, numbers in enumerate(rows if out.size and req[0] != "null" else ()):
            type(self).fill(out._view(at * size, (size,)), *numbers, req[0])


def _exponential(out: Array, lam: float, req: str) -> None:
    if not lam > 0:
        raise AttributeValueError(f"exponential: lam is {lam}, expected above 0")
    native.exponential(out, 1 / lam, req)


def _negative_binomial(out: Array, k: float, p: float, req: str) -> None:
    stream = numpy_stream()
    store(out, stream.negative_binomial(k, p, out.shape) if k else np.zeros(out.shape), req)


def _generalized(out: Array, mu: float, alpha: float, req: str) -> None:
    stream = numpy_stream()
    lam = stream.gamma(1 / alpha, mu * alpha, out.shape) if alpha else mu
    store(out, stream.poisson(lam, out.shape), req)


#: Distribution -> (what is drawn, how, parameters with defaults, their names as arrays).
_DISTRIBUTIONS: dict[str, tuple[str, Fill, dict[str, float], tuple[str, ...]]] = {
    "uniform": (
        "numbers that are equally likely anywhere in [low, high)",
        native.uniform,
        {"low": 0.0, "high": 1.0},
        ("low", "high"),
    ),
    "normal": (
        "normal numbers of mean `loc` and standard deviation `scale`",
        native.normal,
        {"loc": 0.0, "scale": 1.0},
        ("mu", "sigma"),
    ),
    "gamma": (
        "gamma numbers of shape `alpha` and scale `beta`",
        native.gamma,
        {"alpha": 1.0, "beta": 1.0},
        ("alpha", "beta"),
    ),
    "exponential": ("exponential numbers of rate `lam`", _exponential, {"lam": 1.0}, ("lam",)),
    "poisson": ("Poisson counts of mean `lam`", native.poisson, {"lam": 1.0}, ("lam",)),
    "negative_binomial": (
        "counts of failures before success number `k` of probability `p`",
        _negative_binomial,
        {"k": 1.0, "p": 1.0},
        ("k", "p"),
    ),
    "generalized_negative_binomial": (
        "counts of mean `mu` and dispersion `alpha`",
        _generalized,
        {"mu": 1.0, "alpha": 1.0},
        ("mu", "alpha"),
    ),
}


def _rows(what: str) -> None:
    """Declare the three operators of a distribution."""
    text, fill, defaults, arrays = _DISTRIBUTIONS[what]
    numbers: dict[str, Any] = {
        key: Attribute(float, default=value, doc="Parameter of the distribution.")
        for key, value in defaults.items()
    }
    short = (what,) if what in ("uniform", "normal") else ()
    common = {"fill": staticmethod(fill), "__module__": __name__}
    of_numbers = {**common, **numbers, "parameters": tuple(numbers)}
    kinds: tuple[tuple[type, str, tuple[str, ...], dict[str, Any], str], ...] = (
        (
            _ByNumbers,
            f"_random_{what}",
            (f"random_{what}", *short),
            {**of_numbers, **_result()},
            "",
        ),
        (_Like, f"_random_{what}_like", (), of_numbers, ", as many as `data` has elements"),
        (
            _ByArrays,
            f"_sample_{what}",
            (f"sample_{what}",),
            {**common, "arguments": arrays},
            ", for each element of the parameters",
        ),
    )
    for base, name, aliases, members, end in kinds:
        title = "".join(part.capitalize() for part in name.split("_"))
        doc = f"Draw {text}{end}."
        type(title, (base,), {"name": name, "aliases": aliases, "__doc__": doc, **members})


for _what in _DISTRIBUTIONS:
    _rows(_what)


class RandomRandint(_ByNumbers):
    """Draw integers that are equally likely in [low, high)."""

    name = "_random_randint"
    aliases = ("random_randint",)
    dtypes = INTS
    fill = staticmethod(native.randint)
    parameters = ("low", "high")
    low = Attribute(int, doc="Lowest value.")
    high = Attribute(int, doc="End, not included.")
    shape, ctx, dtype = _result().values()


class SampleMultinomial(_Random):
    """Draw indices along the last axis of `data`, with the probabilities that it holds.

    The logarithms of the probabilities have a gradient, the indices have none.
    """

    name = "_sample_multinomial"
    aliases = ("sample_multinomial",)
    saves = ("inputs", "outputs")
    shape = Attribute(Ints, default=(), doc="How many for each row; (): one.")
    get_prob = Attribute(bool, default=False, doc="Return the logarithms of probabilities too.")
    dtype = Attribute(DType, default="int32", doc="Element type of the indices.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.differentiable = self.get_prob

    def list_outputs(self) -> list[str]:
        return ["output0", "output1"] if self.get_prob else ["output"]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[0][:-1] + self.shape or (1,)] * len(self.list_outputs())

    def output_types(self, common: Any, types: list[Any]) -> list[Any]:
        return [self.dtype, common][: len(self.list_outputs())]

    def highest_position(self, in_shapes: list[Shape]) -> list[int | None]:
        """Return the last index of a row."""
        highest = last_position(in_shapes[0], -1) if in_shapes[0] else None
        return [highest, None][: len(self.list_outputs())]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Draw by inverting the cumulated probabilities."""
        data = numpy_alias(in_data[0])
        if not out_data[0].size:
            return
        if not data.size or not data.ndim:
            raise shape_error(self.name, f"data of shape {data.shape} has no index to draw")
        weights_nk = data.astype(np.float64).reshape(-1, data.shape[-1])
        edges_nk = np.cumsum(weights_nk, axis=1)
        picks = numpy_stream().random((len(weights_nk), prod(self.shape)))
        picks *= edges_nk[:, -1:]
        found = [np.searchsorted(e, p, "right") for e, p in zip(edges_nk, picks, strict=True)]
        index = np.minimum(np.stack(found), weights_nk.shape[1] - 1)
        store(out_data[0], index, req[0])
        if self.get_prob:
            with np.errstate(divide="ignore"):
                store(out_data[1], np.log(np.take_along_axis(weights_nk, index, 1)), req[1])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradient of the logarithms; indices have none."""
        return [F._backward_sample_multinomial(out_grad[1], in_data[0], out_data[0])]


class BackwardSampleMultinomial(StdOperator):
    """Add `ograd` over the probability of what was drawn, where it was drawn."""

    name = "_backward_sample_multinomial"
    arguments = ("ograd", "data", "index")
    free_types = ("index",)
    differentiable = False

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[1]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Scatter, then divide once."""
        grad, data, index = (numpy_alias(item) for item in in_data)
        sums = np.zeros(data.shape, np.float64)
        if data.size:
            rows_nk = sums.reshape(-1, data.shape[-1])
            index_nm = index.reshape(len(rows_nk), -1).astype(np.int64)
            np.add.at(
                rows_nk, (np.arange(len(rows_nk))[:, None], index_nm), grad.reshape(index_nm.shape)
            )
            np.divide(sums, data, out=sums, where=sums != 0)
        store(out_data[0], sums, req[0])


class Shuffle(_Random):
    """Put the slices of `data` along its first axis in random order."""

    name = "_shuffle"
    aliases = ("shuffle",)
    attrs = {"FElementwiseShape": True}

    def output_types(self, common: Any, types: list[Any]) -> list[Any]:
        return [common]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Permute."""
        if req[0] != "null":
            native.shuffle(in_data[0], out_data[0], req[0])
