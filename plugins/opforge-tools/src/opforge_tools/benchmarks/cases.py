"""The benchmark cases: what is timed, in which library, and which ratio is asked of it.

Each is the work that users of other libraries know under the same name. Ratios are to PyTorch's CPU
build on the same machine with as many threads.
"""

import re

from .attention_cases import ATTENTION
from .call_cases import C_OPERATORS, CALLS, CUSTOM_OPERATORS, NETWORKS
from .case import Case
from .convolution_cases import CONVOLUTIONS
from .graph_cases import GRAPHS
from .kernel_cases import ELEMENTWISE, MOVEMENT, PRODUCTS, ROWS, TYPES
from .network_cases import CONVOLUTIONAL
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
    *NETWORKS,
    *GRAPHS,
    *CONVOLUTIONS,
    *CONVOLUTIONAL,
    *ATTENTION,
    *SEQUENCES,
    *OPTIMIZERS,
)


def select(pattern: str = "") -> tuple[Case, ...]:
    """Return the cases whose name or group the regular expression `pattern` is found in.

    Raises
    ------
    re.error
        `pattern` is no regular expression.

    Examples
    --------
    >>> [case.name for case in select("transpose|tile")]
    ['tile, 100x1000 by 80', 'transpose, 2048x2048']
    """
    wanted = re.compile(pattern)
    return tuple(case for case in CASES if wanted.search(f"{case.group}: {case.name}"))


def find(name: str) -> Case:
    """Return the case of this name.

    Raises
    ------
    KeyError
        There is none.
    """
    return {case.name: case for case in CASES}[name]
