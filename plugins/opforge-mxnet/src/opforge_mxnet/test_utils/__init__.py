"""MXNet's `test_utils`: array comparisons, random arrays, checks of symbols, downloads.

For new tests prefer `opforge.testing`, which runs all checks of an operator in one call. A star
import also provides ``mx``, ``np``, ``os`` and other names, because programs written for MXNet rely
on them; see `_star`.
"""

from typing import Any as _Any

from ._blocks import discard_stderr as discard_stderr
from ._blocks import environment as environment
from ._comparison import almost_equal as almost_equal
from ._comparison import assert_allclose as assert_allclose
from ._comparison import assert_almost_equal as assert_almost_equal
from ._comparison import assert_almost_equal_ignore_nan as assert_almost_equal_ignore_nan
from ._comparison import assert_almost_equal_with_err as assert_almost_equal_with_err
from ._comparison import assert_exception as assert_exception
from ._comparison import checkShapes as checkShapes
from ._comparison import compare_ndarray_tuple as compare_ndarray_tuple
from ._comparison import locationError as locationError
from ._comparison import same as same
from ._comparison import same_array as same_array
from ._consistency import check_consistency as check_consistency
from ._datasets import get_cifar10 as get_cifar10
from ._datasets import get_mnist as get_mnist
from ._datasets import get_mnist_iterator as get_mnist_iterator
from ._datasets import get_mnist_pkl as get_mnist_pkl
from ._datasets import get_mnist_ubyte as get_mnist_ubyte
from ._devices import default_context as default_context
from ._devices import default_dtype as default_dtype
from ._devices import has_tvm_ops as has_tvm_ops
from ._devices import is_aarch64_run as is_aarch64_run
from ._devices import is_cd_run as is_cd_run
from ._devices import is_op_runnable as is_op_runnable
from ._devices import list_gpus as list_gpus
from ._devices import set_default_context as set_default_context
from ._downloads import download as download
from ._downloads import download_model as download_model
from ._downloads import get_bz2_data as get_bz2_data
from ._downloads import get_im2rec_path as get_im2rec_path
from ._downloads import get_zip_data as get_zip_data
from ._dummy_iter import DummyIter as DummyIter
from ._generators import chi_square_check as chi_square_check
from ._generators import gen_buckets_probs_with_ppf as gen_buckets_probs_with_ppf
from ._generators import mean_check as mean_check
from ._generators import var_check as var_check
from ._generators import verify_generator as verify_generator
from ._hybridizing import check_gluon_hybridize_consistency as check_gluon_hybridize_consistency
from ._matrices import create_2d_tensor as create_2d_tensor
from ._matrices import create_vector as create_vector
from ._matrices import get_identity_mat as get_identity_mat
from ._matrices import get_identity_mat_batch as get_identity_mat_batch
from ._matrices import new_matrix_with_real_eigvals_2d as new_matrix_with_real_eigvals_2d
from ._matrices import new_matrix_with_real_eigvals_nd as new_matrix_with_real_eigvals_nd
from ._matrices import new_orthonormal_matrix_2d as new_orthonormal_matrix_2d
from ._matrices import new_sym_matrix_with_real_eigvals_2d as new_sym_matrix_with_real_eigvals_2d
from ._matrices import new_sym_matrix_with_real_eigvals_nd as new_sym_matrix_with_real_eigvals_nd
from ._numeric_gradient import check_numeric_gradient as check_numeric_gradient
from ._numeric_gradient import numeric_grad as numeric_grad
from ._numpy_loops import assign_each as assign_each
from ._numpy_loops import assign_each2 as assign_each2
from ._numpy_loops import collapse_sum_like as collapse_sum_like
from ._numpy_loops import np_reduce as np_reduce
from ._optimizers import compare_optimizer as compare_optimizer
from ._retry import retry as retry
from ._samples import rand_coord_2d as rand_coord_2d
from ._samples import rand_ndarray as rand_ndarray
from ._samples import rand_shape_2d as rand_shape_2d
from ._samples import rand_shape_3d as rand_shape_3d
from ._samples import rand_shape_nd as rand_shape_nd
from ._samples import random_arrays as random_arrays
from ._samples import random_sample as random_sample
from ._samples import random_uniform_arrays as random_uniform_arrays
from ._sparse import create_sparse_array as create_sparse_array
from ._sparse import create_sparse_array_zd as create_sparse_array_zd
from ._sparse import rand_sparse_ndarray as rand_sparse_ndarray
from ._sparse import shuffle_csr_column_indices as shuffle_csr_column_indices
from ._speed import check_speed as check_speed
from ._star import brought as _brought
from ._star import names as _names
from ._symbols import check_symbolic_backward as check_symbolic_backward
from ._symbols import check_symbolic_forward as check_symbolic_forward
from ._symbols import same_symbol_structure as same_symbol_structure
from ._symbols import simple_forward as simple_forward
from ._tolerances import default_atols as default_atols
from ._tolerances import default_numeric_eps as default_numeric_eps
from ._tolerances import default_rtols as default_rtols
from ._tolerances import effective_dtype as effective_dtype
from ._tolerances import get_atol as get_atol
from ._tolerances import get_etol as get_etol
from ._tolerances import get_rtol as get_rtol
from ._tolerances import get_tolerance as get_tolerance
from ._tolerances import get_tols as get_tols

__all__ = [
    *_names(),
    "DummyIter",
    "almost_equal",
    "assert_allclose",
    "assert_almost_equal",
    "assert_almost_equal_ignore_nan",
    "assert_almost_equal_with_err",
    "assert_exception",
    "assign_each",
    "assign_each2",
    "checkShapes",
    "check_consistency",
    "check_gluon_hybridize_consistency",
    "check_numeric_gradient",
    "check_speed",
    "check_symbolic_backward",
    "check_symbolic_forward",
    "chi_square_check",
    "collapse_sum_like",
    "compare_ndarray_tuple",
    "compare_optimizer",
    "create_2d_tensor",
    "create_sparse_array",
    "create_sparse_array_zd",
    "create_vector",
    "default_atols",
    "default_context",
    "default_dtype",
    "default_numeric_eps",
    "default_rtols",
    "discard_stderr",
    "download",
    "download_model",
    "effective_dtype",
    "environment",
    "gen_buckets_probs_with_ppf",
    "get_atol",
    "get_bz2_data",
    "get_cifar10",
    "get_etol",
    "get_identity_mat",
    "get_identity_mat_batch",
    "get_im2rec_path",
    "get_mnist",
    "get_mnist_iterator",
    "get_mnist_pkl",
    "get_mnist_ubyte",
    "get_rtol",
    "get_tolerance",
    "get_tols",
    "get_zip_data",
    "has_tvm_ops",
    "is_aarch64_run",
    "is_cd_run",
    "is_op_runnable",
    "list_gpus",
    "locationError",
    "mean_check",
    "new_matrix_with_real_eigvals_2d",
    "new_matrix_with_real_eigvals_nd",
    "new_orthonormal_matrix_2d",
    "new_sym_matrix_with_real_eigvals_2d",
    "new_sym_matrix_with_real_eigvals_nd",
    "np_reduce",
    "numeric_grad",
    "rand_coord_2d",
    "rand_ndarray",
    "rand_shape_2d",
    "rand_shape_3d",
    "rand_shape_nd",
    "rand_sparse_ndarray",
    "random_arrays",
    "random_sample",
    "random_uniform_arrays",
    "retry",
    "same",
    "same_array",
    "same_symbol_structure",
    "set_default_context",
    "shuffle_csr_column_indices",
    "simple_forward",
    "var_check",
    "verify_generator",
]


def __getattr__(name: str) -> _Any:
    value = _brought(__name__, name)
    globals()[name] = value
    return value
