"""Helpers that build networks from sequences of layers and parallel branches."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from opforge.plugin_api import HybridBlock, model_file, nn

__all__ = [
    "ClassifiedFeatures",
    "Network",
    "chain",
    "concatenate",
    "load_pretrained",
    "preset",
    "specification_of",
]

_Net = TypeVar("_Net")


class Network(HybridBlock):
    """Network that computes `output` from `features`."""

    features: Any
    output: Any

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the output for images `x`."""
        return self.output(self.features(x))


class ClassifiedFeatures(Network):
    """Network of fixed feature layers followed by one dense layer.

    Parameters
    ----------
    classes : int, default 1000
    """

    def __init__(self, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = chain(*self._feature_layers())
            self.output = nn.Dense(classes)

    def _feature_layers(self) -> Iterable[Any]:
        raise NotImplementedError


def chain(*blocks: Any, prefix: str = "") -> Any:
    """Return a sequence of blocks.

    Parameters
    ----------
    *blocks : HybridBlock or None
        None is skipped.
    prefix : str
        Prefix of parameter names. If empty, names are numbered in the enclosing scope.
    """
    sequence = nn.HybridSequential(prefix=prefix)
    sequence.add(*(block for block in blocks if block is not None))
    return sequence


def concatenate(*blocks: Any, prefix: str = "") -> Any:
    """Return blocks that share an input and whose outputs are concatenated along channels."""
    branches = nn.HybridConcurrent(axis=1, prefix=prefix)
    branches.add(*blocks)
    return branches


def specification_of(specifications: Mapping[int, Any], num_layers: int) -> Any:
    """Return the specification of the network with `num_layers` layers."""
    if num_layers not in specifications:
        raise AssertionError(
            f"Invalid number of layers: {num_layers}. Options are {list(specifications)}"
        )
    return specifications[num_layers]


def load_pretrained(net: Any, name: str, pretrained: bool, ctx: Any, root: Any) -> Any:
    """Return the network, with the parameters of the model's file if `pretrained`."""
    if pretrained:
        net.load_parameters(model_file(name, root=root), ctx=ctx)
    return net


def preset(
    build: Callable[..., _Net], name: str, summary: str, *arguments: Any, **settings: Any
) -> Callable[..., _Net]:
    """Return a constructor named `name` that calls `build` with fixed arguments.

    Parameters
    ----------
    build : callable
        Constructor of the family, such as `get_resnet`.
    name : str
        Name of the new constructor, which `help` displays.
    summary : str
        Name of the network in prose, for the docstring.
    *arguments, **settings
        Fixed arguments of `build`.
    """

    def constructor(**kwargs: Any) -> _Net:
        return build(*arguments, **settings, **kwargs)

    constructor.__name__ = constructor.__qualname__ = name
    constructor.__module__ = build.__module__
    constructor.__annotations__["return"] = build.__annotations__["return"]
    constructor.__doc__ = f"Return {summary}; the arguments are those of `{build.__name__}`."
    return constructor
