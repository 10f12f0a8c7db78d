"""Base classes of update operators; call these with ``out=weight``. States change in place.

A rule is a native kernel of the core; a class adds its settings. Each rule has up to three forms:
of one weight, of a 16-bit weight with a float32 copy, and of several weights.
"""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from opforge.plugin_api import (
    Attribute,
    AttributeValueError,
    F,
    Floats,
    OperatorProp,
    ShapeError,
    kernels,
)

__all__ = ["Moments", "MultiUpdate", "PreloadedUpdate", "Update", "common_shape", "take_steps"]

Dims = tuple[int, ...]
Pairs = list[tuple[float, float]]


class Moments:
    """Attributes of rules with two decaying moments; a mixin of `Update` and `MultiUpdate`."""

    beta1 = Attribute(float, default=0.9, doc="Decay rate of the first moment.")
    beta2 = Attribute(float, default=0.999, doc="Decay rate of the second moment.")
    epsilon = Attribute(float, default=1e-8, doc="Constant added to the denominator.")

    def coefficients(self) -> dict[str, Any]:
        """Return the rule's settings as arguments of `plugin_api.kernels.update_weights`."""
        return {"a": self.beta1, "b": self.beta2, "epsilon": self.epsilon}


def common_shape(operator: str, names: Iterable[str], shapes: Iterable[Any]) -> Dims:
    """Return the shape that all known shapes of arrays equal; () if none is known.

    Parameters
    ----------
    operator : str
        For the error.
    names : iterable of str
        Names of the first arrays.
    shapes : iterable

    Raises
    ------
    ShapeError
        The shapes differ.
    """
    shapes = list(shapes)
    known = next((tuple(shape) for shape in shapes if shape), ())
    for name, shape in zip(names, shapes, strict=False):
        if shape and tuple(shape) != known:
            raise ShapeError(
                f"operator '{operator}': '{name}' has shape {tuple(shape)}, expected {known}, as "
                "the other arrays of the weight have"
            )
    return known


def take_steps(
    rule: str,
    groups: Sequence[Sequence[Any]],
    outs: Sequence[Any],
    reqs: Sequence[str],
    rates: list[float],
    decays: list[float],
    has_copy: bool,
    **settings: Any,
) -> None:
    """Update the states of weights by a rule, and store the new weights.

    Parameters
    ----------
    rule : str
        As for `plugin_api.kernels.update_weights`.
    groups : sequence
        Weight, gradient and states of each weight, and its float32 copy if it has one.
    outs, reqs : sequence
        Array for each new weight, and how to store it.
    rates, decays : list of float
        Learning rate and weight decay of each weight.
    has_copy : bool
        Whether the copies are updated, and the outputs are rounded.
    **settings
        Further arguments of `plugin_api.kernels.update_weights`.
    """
    targets = [
        out if req in {"write", "inplace"} else F.empty(out.shape, out.context, out.dtype)
        for out, req in zip(outs, reqs, strict=True)
    ]
    last = -1 if has_copy else None
    kernels.update_weights(
        rule,
        [group[last or 0] for group in groups],
        [group[1] for group in groups],
        [tuple(group[2:last]) for group in groups],
        rates,
        decays,
        outs=None if has_copy else targets,
        rounded=targets if has_copy else None,
        **settings,
    )
    for target, out, req in zip(targets, outs, reqs, strict=True):
        if target is not out:
            kernels.unary("identity", target, out, req)


class _UpdateBase(OperatorProp):
    """Common attributes of all update operators."""

    category = "update"
    dtypes = ("floating",)
    differentiable = False
    saves = ()
    #: Rule of `plugin_api.kernels.update_weights`.
    rule: ClassVar[str]
    #: Whether the last array of each weight is its float32 copy.
    has_copy: ClassVar[bool] = False
    rescale_grad = Attribute(float, default=1.0, doc="Factor of the gradient.")
    clip_gradient = Attribute(
        float, default=-1.0, doc="Limit of its absolute values; negative: no limit."
    )

    def changed_inputs(self) -> list[int]:
        """Return the positions of the states, which follow the weight and its gradient."""
        return list(range(2, len(self.list_arguments())))

    attrs = {"FMutateInputs": lambda prop: prop.changed_inputs()}

    def coefficients(self) -> dict[str, Any]:
        """Return the rule's settings as arguments of `plugin_api.kernels.update_weights`."""
        return {}

    def corrections(self) -> Pairs | None:
        """Return further coefficients of each weight, if the rule has them."""
        return None

    def clip(self) -> float:
        """Return the limit of the gradients; negative for no limit."""
        return float(self.clip_gradient)


class Update(_UpdateBase):
    """Base class of update operators of one weight.

    A subclass lists weight, gradient and states as its `arguments`.
    """

    attrs = {"FElementwiseShape": True}
    arguments: ClassVar[Sequence[str]] = ("weight", "grad")
    lr = Attribute(float, doc="Learning rate.")
    wd = Attribute(
        float, default=0.0, doc="Weight decay; ``wd * weight`` is added to the gradient."
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the weight, which all arrays have."""
        known = common_shape(self.name, self.arguments, in_shape)
        return [known] * len(in_shape), [known], []

    def rate(self) -> float:
        """Return the learning rate that the rule is given."""
        return float(self.lr)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the step."""
        take_steps(
            self.rule,
            [in_data],
            out_data,
            req,
            [self.rate()],
            [float(self.wd)],
            self.has_copy,
            rescale=self.rescale_grad,
            clip=self.clip(),
            corrections=self.corrections(),
            **self.coefficients(),
        )


class MultiUpdate(_UpdateBase):
    """Base class of update operators of several weights.

    A subclass names the arrays of each weight in `group`.
    """

    arguments = ("data",)
    variadic = "num_args"
    #: Names of the arrays of one weight.
    group: ClassVar[Sequence[str]] = ("weight", "grad")
    lrs = Attribute(Floats, doc="Learning rate of each weight.")
    wds = Attribute(Floats, doc="Weight decay of each weight.")
    num_weights = Attribute(int, default=1, ge=1, counts=True, doc="Number of weights.")
    num_args = Attribute(int, default=1, ge=1, doc="Number of inputs; set by the call.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        last = self.last_arguments()
        expected = self.count() * len(self.group) + len(last)
        if "num_args" in attributes and self.num_args != expected:
            raise AttributeValueError(
                f"operator '{self.name}': got {self.num_args} arrays, expected {expected}: "
                f"{', '.join(self.group)} of each of {self.count()} weights"
                + (f", and {len(last)} more" if last else "")
            )
        for key in self.per_weight():
            if len(getattr(self, key)) != self.count():
                raise AttributeValueError(
                    f"operator '{self.name}': {key} has {len(getattr(self, key))} elements, "
                    f"expected one for each of {self.count()} weights"
                )

    def changed_inputs(self) -> list[int]:
        """Return the positions of the states of all weights."""
        groups = self.groups(range(self.count() * len(self.group)))
        return [position for group in groups for position in group[2:]]

    def count(self) -> int:
        """Return the number of weights."""
        return int(self.num_weights)

    def per_weight(self) -> Sequence[str]:
        """Return the attributes that have an element for each weight."""
        return ("lrs", "wds")

    def list_arguments(self) -> list[str]:
        """Return the names of the arrays, numbered by weight."""
        names = [f"{name}_{i}" for i in range(self.count()) for name in self.group]
        return names + self.last_arguments()

    def last_arguments(self) -> list[str]:
        """Return the names of the arrays after those of the weights."""
        return []

    def list_outputs(self) -> list[str]:
        """Return a name for each weight."""
        return [f"output{i}" for i in range(self.count())] if self.count() > 1 else ["output"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of each weight, which its gradient and states have."""
        shapes: list[Any] = []
        for number, arrays in enumerate(self.groups(in_shape)):
            names = [f"{name}_{number}" for name in self.group]
            shapes += [common_shape(self.name, names, arrays)] * len(arrays)
        outputs = shapes[:: len(self.group)]
        return [*shapes, *in_shape[len(shapes) :]], outputs, []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the shape of each output for the arrays of its weight."""
        groups = zip(self.groups(in_shapes), out_shapes, strict=True)
        known = [shape or out for group, out in groups for shape in group]
        return [*known, *in_shapes[len(known) :]]

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of each weight; float32 copies and their states differ from it."""
        return list(in_type), [group[0] for group in self.groups(in_type)], []

    def groups(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the items of each weight."""
        size = len(self.group)
        return [arrays[i * size : (i + 1) * size] for i in range(self.count())]

    def rates_and_decays(self, in_data: Any) -> tuple[list[float], list[float]]:
        """Return the learning rate and the weight decay of each weight."""
        return list(self.lrs), list(self.wds)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the steps of all weights."""
        rates, decays = self.rates_and_decays(in_data)
        take_steps(
            self.rule,
            self.groups(in_data),
            out_data,
            req,
            rates,
            decays,
            self.has_copy,
            rescale=self.rescale_grad,
            clip=self.clip(),
            corrections=self.corrections(),
            **self.coefficients(),
        )


class PreloadedUpdate(MultiUpdate):
    """Base class of update operators whose last inputs are the learning rates and decays."""

    lrs = None
    wds = None

    def per_weight(self) -> Sequence[str]:
        """Return the attributes that have an element for each weight."""
        return ()

    def last_arguments(self) -> list[str]:
        """Return the names of the arrays after those of the weights."""
        return ["lrs", "wds"]

    def rates_and_decays(self, in_data: Any) -> tuple[list[float], list[float]]:
        """Return the learning rate and the weight decay of each weight."""
        rates, decays = (F.array(array).asnumpy().tolist() for array in in_data[-2:])
        for name, values in (("lrs", rates), ("wds", decays)):
            if len(values) != self.count():
                raise ShapeError(
                    f"operator '{self.name}': '{name}' has {len(values)} elements, expected "
                    f"{self.count()}"
                )
        return rates, decays
