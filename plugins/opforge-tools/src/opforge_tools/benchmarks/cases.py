"""All benchmark cases, with the libraries they run in and their target ratios.

The cases use the names that other libraries use for the same work. Ratios are relative to the CPU
build of PyTorch on the same machine with the same number of threads, or to `nd` for small calls of
`mx.np`.
"""

import re

from .attention_cases import ATTENTION
from .call_cases import C_OPERATORS, CALLS, CUSTOM_OPERATORS, NETWORKS
from .case import Case
from .convolution_cases import CONVOLUTIONS
from .graph_cases import GRAPHS
from .kernel_cases import ELEMENTWISE, MOVEMENT, PRODUCTS, ROWS, TYPES
from .linalg_cases import LINALG
from .network_cases import CONVOLUTIONAL
from .numpy_cases import NUMPY
from .sequence_cases import OPTIMIZERS, SEQUENCES

__all__ = ["CASES", "find", "select"]

#: Every case, in the order of tables.
CASES: tuple[Case, ...] = (
    *CALLS,
    *CUSTOM_OPERATORS,
    *C_OPERATORS,
    *ELEMENTWISE,
    *TYPES,
    *ROWS,
    *MOVEMENT,
    *PRODUCTS,
    *LINALG,
    *NUMPY,
    *NETWORKS,
    *GRAPHS,
    *CONVOLUTIONS,
    *CONVOLUTIONAL,
    *ATTENTION,
    *SEQUENCES,
    *OPTIMIZERS,
)


def select(pattern: str = "") -> tuple[Case, ...]:
    """Return the cases whose group and name match the regular expression `pattern` anywhere.

    Raises
    ------
    re.error
        `pattern` is not a valid regular expression.

    Examples
    --------
    >>> [case.name for case in select("transpose|tile")]
    ['tile, 100x1000 by 80', 'transpose, 2048x2048']
    """
    wanted = re.compile(pattern)
    return tuple(case for case in CASES if wanted.search(f"{case.group}: {case.name}"))


def find(name: str) -> Case:
    """Return the case with this name.

    Raises
    ------
    KeyError
        No case has this name.
    """
    return {case.name: case for case in CASES}[name]
