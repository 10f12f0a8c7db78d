"""Positions of each gate's weights in the packed parameter vector of the operator RNN."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from opforge.ndarray import NDArray

__all__ = ["GATES", "PackedWeights"]

#: Suffixes of the gates' names, in packing order, for each mode of RNN.
GATES: dict[str, tuple[str, ...]] = {
    "rnn_relu": ("",),
    "rnn_tanh": ("",),
    "lstm": ("_i", "_f", "_c", "_o"),
    "gru": ("_r", "_z", "_o"),
}


@dataclass(frozen=True, slots=True)
class PackedWeights:
    """Order of packed weights: the weights of all layers and directions, then all biases.

    Parameters
    ----------
    num_hidden, num_layers : int
    mode : {"rnn_relu", "rnn_tanh", "lstm", "gru"}
    bidirectional : bool
    prefix : str
        Prepended to all names.

    Examples
    --------
    >>> packed = PackedWeights(4, 1, "rnn_tanh", False, "rnn_")
    >>> [name for name, _ in packed.shapes(3)]
    ['rnn_l0_i2h_weight', 'rnn_l0_h2h_weight', 'rnn_l0_i2h_bias', 'rnn_l0_h2h_bias']
    >>> packed.size(3), packed.input_size(36)
    (36, 3)
    """

    num_hidden: int
    num_layers: int
    mode: str
    bidirectional: bool
    prefix: str = ""

    def __post_init__(self) -> None:
        if self.mode not in GATES:
            raise ValueError(f"mode is {self.mode!r}; expected one of {', '.join(sorted(GATES))}")

    def shapes(self, input_size: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the name and shape of each gate's weights and biases, in packing order."""
        hidden = self.num_hidden
        for kind in ("weight", "bias"):
            for layer in range(self.num_layers):
                below = input_size if layer == 0 else hidden * (1 + self.bidirectional)
                for direction in "lr"[: 1 + self.bidirectional]:
                    for group, columns in (("i2h", below), ("h2h", hidden)):
                        shape = (hidden, columns) if kind == "weight" else (hidden,)
                        for gate in GATES[self.mode]:
                            yield f"{self.prefix}{direction}{layer}_{group}{gate}_{kind}", shape

    def size(self, input_size: int) -> int:
        """Return the length of the vector."""
        return sum(math.prod(shape) for _, shape in self.shapes(input_size))

    def input_size(self, size: int) -> int:
        """Return the number of input features for a vector of length `size`.

        Raises
        ------
        ValueError
            No vector of such weights has this length.
        """
        rows = self.num_hidden * len(GATES[self.mode]) * (1 + self.bidirectional)
        found, remainder = divmod(size - self.size(0), rows)
        if remainder or found <= 0:
            raise ValueError(
                f"packed weights have {size} elements; expected {self.size(0)} plus a multiple of "
                f"{rows} for {self!r}. Check the arguments that they were packed with"
            )
        return found

    def views(self, vector: NDArray) -> dict[str, NDArray]:
        """Return the views of `vector` for each gate, by name."""
        views, offset = {}, 0
        for name, shape in self.shapes(self.input_size(vector.size)):
            size = math.prod(shape)
            views[name] = vector[offset : offset + size].reshape(shape)
            offset += size
        return views
