"""Positions of each gate's weights in the one vector that the operator RNN takes."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ..ndarray import NDArray

__all__ = ["GATES", "PackedWeights"]

#: What the names of each gate's weights end in, in their order, for each mode of RNN.
GATES: dict[str, tuple[str, ...]] = {
    "rnn_relu": ("",),
    "rnn_tanh": ("",),
    "lstm": ("_i", "_f", "_c", "_o"),
    "gru": ("_r", "_z", "_o"),
}


@dataclass(frozen=True, slots=True)
class PackedWeights:
    """The order of weights: those of all layers and directions, and then all biases.

    Parameters
    ----------
    num_hidden, num_layers : int
    mode : {"rnn_relu", "rnn_tanh", "lstm", "gru"}
    bidirectional : bool
    prefix : str
        Put before all names.

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
            raise ValueError(f"mode is {self.mode!r}, expected one of {', '.join(sorted(GATES))}")

    def shapes(self, input_size: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the name and shape of each gate's weights and biases, in their order."""
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
        """Return how long the vector is."""
        return sum(math.prod(shape) for _, shape in self.shapes(input_size))

    def input_size(self, size: int) -> int:
        """Return how many features the input has where the vector is `size` long.

        Raises
        ------
        ValueError
            No vector of such weights is so long.
        """
        rows = self.num_hidden * len(GATES[self.mode]) * (1 + self.bidirectional)
        found, rest = divmod(size - self.size(0), rows)
        if rest or found <= 0:
            raise ValueError(
                f"packed weights have {size} elements, expected {self.size(0)} and a multiple of "
                f"{rows} for {self!r}: were they packed with other arguments?"
            )
        return found

    def views(self, vector: NDArray) -> dict[str, NDArray]:
        """Return the part of `vector` for each gate by name; parts share its memory."""
        found, at = {}, 0
        for name, shape in self.shapes(self.input_size(vector.size)):
            size = math.prod(shape)
            found[name] = vector[at : at + size].reshape(shape)
            at += size
        return found
