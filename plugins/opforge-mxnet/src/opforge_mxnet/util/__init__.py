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
from ._scopes import _NumpyArrayScope as _NumpyArrayScope
from ._ufunc_options import np_ufunc_legal_option as np_ufunc_legal_option
from ._ufunc_options import wrap_np_binary_func as wrap_np_binary_func
from ._ufunc_options import wrap_np_unary_func as wrap_np_unary_func

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
    "np_ufunc_legal_option",
    "reset_np",
    "set_module",
    "set_np",
    "set_np_shape",
    "setenv",
    "wrap_np_binary_func",
    "wrap_np_unary_func",
]

_add_names(__name__)
