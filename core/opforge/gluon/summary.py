"""The table that `Block.summary` prints."""

import math
from typing import Any

from ..ndarray import NDArray
from .hooks import HookHandle

__all__ = ["print_summary"]

_ROW = "{:>20}  {:>42} {:>15}"
_WIDTH = 80


class _Layer:
    """One row of the table; `shared` counts parameters that occur in an earlier row."""

    def __init__(self, block: Any, number: int, outputs: Any, seen: set[int]) -> None:
        self.label = f"{type(block).__name__}-{number}"
        self.output_shape = _shapes(outputs)
        self.n_params = self.trainable = self.shared = 0
        for param in block.params.values():
            size = math.prod(param._sizes)
            self.n_params += size
            self.trainable += 0 if param.grad_req == "null" else size
            if id(param) in seen:
                self.shared += size
            seen.add(id(param))


def print_summary(root: Any, inputs: tuple[Any, ...]) -> None:
    """Run `root` on `inputs` once and print the output shape of each layer.

    Parameters
    ----------
    root : Block
    inputs : tuple of NDArray

    Raises
    ------
    AssertionError
        A block was hybridized.
    """
    layers: list[_Layer] = []
    handles: list[HookHandle] = []
    seen: set[int] = set()

    def add_hook(block: Any) -> None:
        assert not getattr(block, "_active", False), (
            f'"{block.name}" must not be hybridized to print summary.'
        )

        def record(block: Any, _: Any, outputs: Any) -> None:
            layers.append(_Layer(block, len(layers) + 1, outputs, seen))

        if not block._only_passes:
            handles.append(block.register_forward_hook(record))

    try:
        root.apply(add_hook)
        root(*inputs)
    finally:
        for handle in handles:
            handle.detach()
    print(_table(_shapes(inputs), layers))


def _table(input_shape: str, layers: list[_Layer]) -> str:
    total = sum(layer.n_params for layer in layers)
    trainable = sum(layer.trainable for layer in layers)
    shared = sum(layer.shared for layer in layers)
    lines = [
        "-" * _WIDTH,
        _ROW.format("Layer (type)", "Output Shape", "Param #"),
        "=" * _WIDTH,
        _ROW.format("Input", input_shape, 0),
        *(_ROW.format(x.label, x.output_shape, x.n_params) for x in layers),
        "=" * _WIDTH,
        "Parameters in forward computation graph, duplicate included",
        f"   Total params: {total}",
        f"   Trainable params: {trainable}",
        f"   Non-trainable params: {total - trainable}",
        "Shared params in forward computation graph: " + str(shared),
        "Unique parameters in model: " + str(total - shared),
        "-" * _WIDTH,
    ]
    return "\n".join(lines)


def _shapes(values: Any) -> str:
    """Return the shape of an array, or of those in a list without outer brackets, as text."""
    shapes = _nested_shapes(values)
    return str(shapes)[1:-1] if isinstance(shapes, list) else str(shapes)


def _nested_shapes(values: Any) -> Any:
    if isinstance(values, list | tuple):
        return [_nested_shapes(value) for value in values]
    return values.shape if isinstance(values, NDArray) else values
