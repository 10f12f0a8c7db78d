"""`opforge.array_api`: the Python array API standard, versions up to 2025.12.

Its functions are those of `mx.np` with the standard's names, defaults and strict types.
"""

import inspect as _inspect
from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi

from . import linalg as linalg
from .arrays import Array as Array
from .conversion import *  # noqa: F403
from .creation import *  # noqa: F403
from .dtypes import *  # noqa: F403
from .elementwise import *  # noqa: F403
from .info import __array_namespace_info__ as __array_namespace_info__
from .linalg import matmul as matmul
from .linalg import matrix_transpose as matrix_transpose
from .linalg import tensordot as tensordot
from .linalg import vecdot as vecdot
from .manipulation import *  # noqa: F403
from .reductions import *  # noqa: F403
from .searching import *  # noqa: F403

#: Versions of the standard whose functions the namespace has.
SUPPORTED_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
__array_api_version__ = SUPPORTED_VERSIONS[-1]
newaxis = None

__all__ = [
    *(name for name, one in globals().items() if name[0] != "_" and not _inspect.ismodule(one)),
    "linalg",
    "__array_api_version__",
    "__array_namespace_info__",
]
