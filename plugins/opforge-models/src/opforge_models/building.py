"""Building blocks of the networks: sequences of layers, and parallel branches."""

from collections.abc import Mapping
from typing import Any

from opforge.plugin_api import HybridBlock, model_file, nn

__all__ = ["Network", "chain", "of_depth", "prepared", "side_by_side"]


class Network(HybridBlock):
    """A network of `features` and the `output` that is computed from them."""

    features: Any
    output: Any

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the output for pictures `x`."""
        return self.output(self.features(x))


def chain(*blocks: Any, prefix: str = "") -> Any:
    """Return the blocks one after the other.

    Parameters
    ----------
    *blocks : HybridBlock or None
        None is left out.
    prefix : str
        Of the parameters' names; with none they count in the scope around the chain.
    """
    run = nn.HybridSequential(prefix=prefix)
    run.add(*(block for block in blocks if block is not None))
    return run


def side_by_side(*blocks: Any, prefix: str = "") -> Any:
    """Return the blocks on the same input, their results put together along the channels."""
    paths = nn.HybridConcurrent(axis=1, prefix=prefix)
    paths.add(*blocks)
    return paths


def of_depth(specifications: Mapping[int, Any], num_layers: int) -> Any:
    """Return what is known of a network of so many layers."""
    if num_layers not in specifications:
        raise AssertionError(
            f"Invalid number of layers: {num_layers}. Options are {list(specifications)}"
        )
    return specifications[num_layers]


def prepared(net: Any, name: str, pretrained: bool, ctx: Any, root: Any) -> Any:
    """Return the network, with the parameters of the model's file if they are asked for."""
    if pretrained:
        net.load_parameters(model_file(name, root=root), ctx=ctx)
    return net
