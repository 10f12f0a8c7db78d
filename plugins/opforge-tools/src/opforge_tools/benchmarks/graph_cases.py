"""Cases of hybridized blocks, against the faster of PyTorch's eager mode and `torch.compile`."""

from .call_cases import perceptron
from .case import Array, Case

__all__ = ["GRAPHS"]

GRAPHS = (
    Case(
        "chain of 12 elementwise operators, 1e7, hybridized",
        "graphs",
        opforge="run()",
        torch="run()",
        sizes={"n": 10**7},
        arrays={"a": Array(("n",))},
        program="compiled_chain",
        target=0.3,
        nbytes="8 * n",
    ),
    perceptron("training step", 64, 0.5, hybridized=True),
    perceptron("training step", 1024, 0.8, hybridized=True),
    perceptron("inference", 1, 0.3, hybridized=True),
    Case(
        "20 operators, a NumPy CustomOp among them, hybridized",
        "graphs",
        opforge="run()",
        torch="run()",
        sizes={"rows": 64, "columns": 256},
        arrays={"x": Array(("rows", "columns"), needs_grad=True)},
        program="custom_in_the_middle",
        records=True,
        target=0.6,
    ),
)
