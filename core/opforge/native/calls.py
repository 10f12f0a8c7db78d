"""Every kernel that operators may call, under one name each.

All take arrays that the caller made, check them, and run without the GIL: inputs first, then
`out`, then attributes, then ``req`` ("null", "write", "inplace" or "add").
"""

from .channels import batch_norm as batch_norm
from .channels import batch_norm_grad as batch_norm_grad
from .channels import moments as moments
from .elementwise_calls import binary as binary
from .elementwise_calls import binary_scalar as binary_scalar
from .elementwise_calls import cast as cast
from .elementwise_calls import clip as clip
from .elementwise_calls import fill as fill
from .elementwise_calls import unary as unary
from .elementwise_calls import where as where
from .gemm import batch_dot as batch_dot
from .gemm import gemm as gemm
from .indexing_kernels import gather_nd as gather_nd
from .indexing_kernels import one_hot as one_hot
from .indexing_kernels import pick as pick
from .indexing_kernels import pick_grad as pick_grad
from .indexing_kernels import scatter_nd as scatter_nd
from .indexing_kernels import take as take
from .indexing_kernels import take_grad as take_grad
from .movement import broadcast_to as broadcast_to
from .movement import concat as concat
from .movement import flip as flip
from .movement import repeat as repeat
from .movement import slice_array as slice
from .movement import slice_assign as slice_assign
from .movement import slice_grad as slice_grad
from .movement import tile as tile
from .movement import transpose as transpose
from .normalize import layer_norm as layer_norm
from .normalize import layer_norm_grad as layer_norm_grad
from .reduce import argreduce as argreduce
from .reduce import reduce as reduce
from .reduce import repeat_grad as repeat_grad
from .reduce import tile_grad as tile_grad
from .rowwise import softmax as softmax
from .rowwise import softmax_grad as softmax_grad
