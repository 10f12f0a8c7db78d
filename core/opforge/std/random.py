"""Operators that draw random numbers, from the stream that `opforge.random.seed` resets.

Each distribution has three: ``_random_x`` with numbers as parameters, ``_random_x_like`` with the
shape of an array, and ``_sample_x`` with arrays of parameters, one distribution for each element.
As in NNVM, ``FResourceRequest`` marks operators whose calls with equal inputs differ.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, ClassVar

import numpy as np

from ..base.context import current_context
from ..base.dtypes import FLOAT_NAMES, NAMES, code_of
from ..base.errors import AttributeValueError, ShapeError
from ..native.array import Array, empty, numpy_alias
from ..native.calls import random as native
from ..op.declaring.attribute import Attribute, DType
from ..op.declaring.attribute import Shape as Ints
from ..op.declaring.element_types import OutputRule
from ..op.declaring.inference import united
from ._examples import with_example
from ._operator import StdOperator, no_gradients, shape_error, store
from ._shapes import last_position

__all__ = ["numpy_stream"]

Shape = tuple[int, ...]
#: ``fill(out, *parameters, req)`` writes the elements of `out`.
Fill = Callable[..., None]

INTS = ("int32", "int64")


def numpy_stream() -> "np.random.Generator":  # quoted, because NumPy loads it lazily
    """Return a NumPy generator that is seeded from the stream."""
    start = empty((4,), code_of("int64"), current_context())
    native.randint(start, 0, 2**32)
    return np.random.default_rng(numpy_alias(start).tolist())


class _Random(StdOperator):
    """Base class of all random operators."""

    category = "random"
    differentiable = False
    saves: Sequence[str] = ()
    attrs = {"FResourceRequest": ("random",)}
    #: Element types of the result that the attribute `dtype` may name.
    drawn_types: ClassVar[tuple[str, ...]] = FLOAT_NAMES

    def infer_type(self, in_type: Sequence[Any]) -> tuple[Any, Any, Any]:
        """Check `dtype`, and return the types of the outputs."""
        chosen = getattr(self, "dtype", None)
        if chosen is not None and np.dtype(chosen).name not in self.drawn_types:
            raise AttributeValueError(
                f"operator '{self.name}': dtype {np.dtype(chosen).name!r} is not one of "
                f"{self.drawn_types}"
            )
        return super().infer_type(in_type)


def _result() -> dict[str, Attribute]:
    """Return the attributes after the parameters."""
    return {
        "shape": Attribute(Ints, default=(), doc="Shape of the result; (): a single number."),
        "ctx": Attribute(str, default="", doc="Ignored; the current context is used."),
        "dtype": Attribute(
            DType, default=None, doc="Element type; None: the default of the operator."
        ),
    }


class _ByNumbers(_Random):
    """Base of operators that draw from a single distribution."""

    arguments: ClassVar[Sequence[str]] = ()
    output_dtypes: Mapping[str, OutputRule] = {"output": ("dtype", "float32")}
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
    """Base of operators that draw an array with the shape of `data`."""

    attrs = {"FElementwiseShape": True}
    differentiable = True
    gradient = no_gradients
    arguments = ("data",)
    output_dtypes: Mapping[str, OutputRule] = {}

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[0]]


class _ByArrays(_Random):
    """Base of operators with a distribution for each element of the parameters."""

    output_dtypes = {"output": ("dtype", "float32")}
    differentiable = True
    gradient = no_gradients
    #: The distribution.
    what: ClassVar[str]
    shape = Attribute(
        Ints, default=(), doc="Shape of the sample of each distribution; (): a single number."
    )
    dtype = Attribute(DType, default=None, doc="Element type; None: the default of the operator.")

    def complete(self, shapes: list[Shape]) -> list[Shape]:
        """Merge the known dimensions of the parameters."""
        common: Shape = ()
        for shape in shapes:
            common = united(common, shape) or ()
        return [united(shape, common) or shape for shape in shapes]

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        """Infer the shape of the parameters: that of the output without the sample's."""
        out = out_shapes[0]
        found = out[: len(out) - len(self.shape)]
        return [united(shape, found) or shape for shape in in_shapes]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        if any(shape != shapes[0] for shape in shapes):
            given = ", ".join(map(str, shapes))
            raise ShapeError(
                f"operator '{self.name}': the parameters have shapes {given}, expected equal shapes"
            )
        return [shapes[0] + self.shape]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Draw from each distribution."""
        self.output_shapes(*(x.shape for x in in_data))  # inference takes 0 for an unknown size
        if out_data[0].size and req[0] != "null":
            values = [numpy_alias(x).ravel().astype(np.float64) for x in in_data]
            _draw_rows(self.what, out_data[0], values, req[0])


def _exponential(out: Array, lam: float, req: str) -> None:
    if not lam > 0:
        raise AttributeValueError(f"exponential: lam is {lam}, expected a positive number")
    native.exponential(out, 1 / lam, req)


def _negative_binomial(out: Array, k: float, p: float, req: str) -> None:
    _draw_rows("negative_binomial", out, _numbers("negative_binomial", k, p), req)


def _mixture(out: Array, mu: float, alpha: float, req: str) -> None:
    what = "generalized_negative_binomial"
    _draw_rows(what, out, _numbers(what, mu, alpha), req)


def _numbers(what: str, *values: float) -> list["np.ndarray"]:
    """Return the parameters of a single distribution, which may not be NaN."""
    for name, value in zip(_DISTRIBUTIONS[what][3], values, strict=True):
        if value != value:
            raise AttributeValueError(f"{what}: {name} is {value}, {_requirement(what, name)}")
    return [np.array([value]) for value in values]


def _draw_rows(what: str, out: Array, values: Sequence["np.ndarray"], req: str) -> None:
    """Draw rows of `out` of equal length from distributions with parameters in float64."""
    names = _DISTRIBUTIONS[what][3]
    for name, one in zip(names, values, strict=True):
        _expect_domain(what, name, one)
    first, last = values[0], values[-1]
    if what == "uniform":
        last = last - first
    elif what == "exponential":
        with np.errstate(divide="ignore"):
            first, last = np.zeros_like(first), 1 / last
    native.rows(what, out, first, last, req)


def _expect_domain(what: str, name: str, values: "np.ndarray") -> None:
    """Reject parameters without a distribution, but for NaN, whose numbers are NaN.

    As in MXNet, the bounds of uniform numbers may be in any order.
    """
    if what == "uniform" or (what == "normal" and name == "mu"):
        return
    if name == "p":
        valid = (values > 0) & (values <= 1)
    elif what == "normal":
        valid = values >= 0
    else:  # with an infinite parameter, rejection sampling would never end
        valid = (values >= 0) & (values < np.inf)
    wrong = values[~(valid | np.isnan(values))]
    if wrong.size:
        raise AttributeValueError(f"{what}: {name} is {wrong[0]}, {_requirement(what, name)}")


def _requirement(what: str, name: str) -> str:
    """Return what is expected of a parameter, for an error."""
    if name == "p":
        return "expected a probability above 0 and at most 1"
    return f"expected a {'' if what == 'normal' else 'finite '}value of 0 or more"


#: Distribution -> (description, fill function, parameters with defaults, names as arrays).
_DISTRIBUTIONS: dict[str, tuple[str, Fill, dict[str, float], tuple[str, ...]]] = {
    "uniform": (
        "uniform numbers in [low, high)",
        native.uniform,
        {"low": 0.0, "high": 1.0},
        ("low", "high"),
    ),
    "normal": (
        "normal numbers with mean `loc` and standard deviation `scale`",
        native.normal,
        {"loc": 0.0, "scale": 1.0},
        ("mu", "sigma"),
    ),
    "gamma": (
        "gamma numbers with shape `alpha` and scale `beta`",
        native.gamma,
        {"alpha": 1.0, "beta": 1.0},
        ("alpha", "beta"),
    ),
    "exponential": ("exponential numbers with rate `lam`", _exponential, {"lam": 1.0}, ("lam",)),
    "poisson": ("Poisson counts with mean `lam`", native.poisson, {"lam": 1.0}, ("lam",)),
    "negative_binomial": (
        "counts of failures before the `k`-th success, with success probability `p`",
        _negative_binomial,
        {"k": 1.0, "p": 1.0},
        ("k", "p"),
    ),
    "generalized_negative_binomial": (
        "negative binomial counts with mean `mu` and dispersion `alpha`",
        _mixture,
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
    of_numbers = {**numbers, "fill": staticmethod(fill), "parameters": tuple(numbers)}
    kinds: tuple[tuple[type, str, tuple[str, ...], dict[str, Any], str], ...] = (
        (
            _ByNumbers,
            f"_random_{what}",
            (f"random_{what}", *short),
            {**of_numbers, **_result()},
            "",
        ),
        (_Like, f"_random_{what}_like", (), of_numbers, ", with the shape of `data`"),
        (
            _ByArrays,
            f"_sample_{what}",
            (f"sample_{what}",),
            {"arguments": arrays, "what": what},
            ", for each element of the parameters",
        ),
    )
    for base, name, aliases, members, end in kinds:
        title = "".join(part.capitalize() for part in name.split("_"))
        doc = with_example(f"Draw {text}{end}.", name)
        declared = {"name": name, "aliases": aliases, "__doc__": doc, "__module__": __name__}
        type(title, (base,), {**declared, **members})


for _what in _DISTRIBUTIONS:
    _rows(_what)


class RandomRandint(_ByNumbers):
    """Draw uniform integers in [low, high).

    Examples
    --------
    >>> import opforge as mx
    >>> from opforge import nd
    >>> mx.random.seed(0)
    >>> x = nd.random_randint(low=0, high=6, shape=(1000,))
    >>> int(x.min().asscalar()), int(x.max().asscalar())
    (0, 5)
    """

    name = "_random_randint"
    aliases = ("random_randint",)
    drawn_types = INTS
    output_dtypes = {"output": ("dtype", "int32")}
    fill = staticmethod(native.randint)
    parameters = ("low", "high")
    low = Attribute(int, doc="Lowest value.")
    high = Attribute(int, doc="End, exclusive.")
    shape, ctx, dtype = _result().values()


class SampleMultinomial(_Random):
    """Draw indices along the last axis of `data`, which contains their probabilities.

    The logarithms of the probabilities have a gradient, that of the indices is 0.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.sample_multinomial(nd.array([[0, 1, 0], [0, 0, 1]]), shape=2).asnumpy().tolist()
    [[1, 1], [2, 2]]
    """

    name = "_sample_multinomial"
    aliases = ("sample_multinomial",)
    differentiable = True
    drawn_types = NAMES
    output_dtypes = {"output": "dtype", "output0": "dtype"}
    saves = ("inputs", "outputs")
    shape = Attribute(Ints, default=(), doc="Shape of the sample of each row; (): one index.")
    get_prob = Attribute(bool, default=False, doc="Whether to also return the log probabilities.")
    dtype = Attribute(DType, default="int32", doc="Element type of the indices.")

    def list_outputs(self) -> list[str]:
        return ["output0", "output1"] if self.get_prob else ["output"]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[0][:-1] + self.shape or (1,)] * len(self.list_outputs())

    def highest_position(self, in_shapes: list[Shape]) -> list[int | None]:
        """Return the last index of a row."""
        highest = last_position(in_shapes[0], -1) if in_shapes[0] else None
        return [highest, None][: len(self.list_outputs())]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Draw by inversion of the cumulative probabilities."""
        data = numpy_alias(in_data[0])
        if not out_data[0].size:
            return
        if not data.size or not data.ndim:
            raise shape_error(self.name, f"'data' of shape {data.shape} has no index to draw")
        weights_nk = data.astype(np.float64).reshape(-1, data.shape[-1])
        self._expect_weights(weights_nk)
        edges_nk = np.cumsum(weights_nk, axis=1)
        picks = numpy_stream().random((len(weights_nk), prod(self.shape)))
        picks *= edges_nk[:, -1:]
        found = [np.searchsorted(e, p, "right") for e, p in zip(edges_nk, picks, strict=True)]
        index = np.minimum(np.stack(found), weights_nk.shape[1] - 1)
        store(out_data[0], index, req[0])
        if self.get_prob:
            with np.errstate(divide="ignore"):
                store(out_data[1], np.log(np.take_along_axis(weights_nk, index, 1)), req[1])

    def _expect_weights(self, weights_nk: np.ndarray) -> None:
        """Reject rows from which no index can be drawn."""
        valid_n = np.isfinite(weights_nk).all(1) & (weights_nk >= 0).all(1) & weights_nk.any(1)
        if not valid_n.all():
            at = int(valid_n.argmin())
            raise AttributeValueError(
                f"operator '{self.name}': row {at} of 'data' is {weights_nk[at].tolist()!s:.60}, "
                "expected finite weights that are not negative, and one above 0"
            )

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradient of the log probabilities."""
        if not self.get_prob:
            return [None]
        return [F._backward_sample_multinomial(out_grad[1], in_data[0], out_data[0])]


class BackwardSampleMultinomial(StdOperator):
    """Scatter-add ``ograd / probability`` at the drawn indices."""

    name = "_backward_sample_multinomial"
    arguments = ("ograd", "data", "index")
    argument_dtypes = {"index": ("any",)}
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
    """Shuffle `data` along its first axis.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.shuffle(nd.arange(5))
    >>> sorted(x.asnumpy().tolist())
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """

    name = "_shuffle"
    aliases = ("shuffle",)
    attrs = {"FElementwiseShape": True}

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Permute."""
        if req[0] != "null":
            native.shuffle(in_data[0], out_data[0], req[0])
