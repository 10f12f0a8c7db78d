"""Interface of MXNet's `util`: NumPy semantics, devices and environment variables."""

from opforge.base.numpy_semantics import is_np_array as is_np_array
from opforge.base.numpy_semantics import is_np_default_dtype as is_np_default_dtype
from opforge.base.numpy_semantics import is_np_shape as is_np_shape
from opforge.base.numpy_semantics import np_array as np_array
from opforge.base.numpy_semantics import np_shape as np_shape
from opforge.base.numpy_semantics import reset_np as reset_np
from opforge.base.numpy_semantics import set_np as set_np
from opforge.base.numpy_semantics import set_np_shape as set_np_shape

from ..names import add_names as _add_names
from ._decorating import set_module as set_module
from ._devices import get_cuda_compute_capability as get_cuda_compute_capability
from ._devices import get_gpu_count as get_gpu_count
from ._devices import get_gpu_memory as get_gpu_memory
from ._environment import getenv as getenv
from ._environment import makedirs as makedirs
from ._environment import setenv as setenv

__all__ = [
    "get_cuda_compute_capability",
    "get_gpu_count",
    "get_gpu_memory",
    "getenv",
    "is_np_array",
    "is_np_default_dtype",
    "is_np_shape",
    "makedirs",
    "np_array",
    "np_shape",
    "reset_np",
    "set_module",
    "set_np",
    "set_np_shape",
    "setenv",
]

_add_names(__name__)
