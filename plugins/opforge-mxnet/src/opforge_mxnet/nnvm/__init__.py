"""NNVM-style registration of operators: a name, then properties and attributes in any order.

The result is an `OperatorProp` like any other for dispatch, graphs and plugins. Registered
functions get the same arguments as in NNVM.
"""

from .compute import OpContext as OpContext
from .compute import assign as assign
from .compute import binary_compute as binary_compute
from .compute import unary_bwd as unary_bwd
from .compute import unary_compute as unary_compute
from .gradient import elemwise_grad_use_in as elemwise_grad_use_in
from .gradient import elemwise_grad_use_none as elemwise_grad_use_none
from .gradient import elemwise_grad_use_out as elemwise_grad_use_out
from .gradient import make_grad_node as make_grad_node
from .gradient import make_zero_grad_nodes as make_zero_grad_nodes
from .inference import elemwise_shape as elemwise_shape
from .inference import elemwise_type as elemwise_type
from .operator import GradientNode as GradientNode
from .operator import NodeAttrs as NodeAttrs
from .parameter import Parameter as Parameter
from .parameter import param_parser as param_parser
from .registration import Op as Op
from .registration import declare_op as declare_op
from .registration import get_attr as get_attr
from .registration import register_op as register_op

__all__ = [
    "GradientNode",
    "NodeAttrs",
    "Op",
    "OpContext",
    "Parameter",
    "assign",
    "binary_compute",
    "declare_op",
    "elemwise_grad_use_in",
    "elemwise_grad_use_none",
    "elemwise_grad_use_out",
    "elemwise_shape",
    "elemwise_type",
    "get_attr",
    "make_grad_node",
    "make_zero_grad_nodes",
    "param_parser",
    "register_op",
    "unary_bwd",
    "unary_compute",
]
