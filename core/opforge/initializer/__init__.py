"""Initial values of parameters.

An `Initializer` is called with an `InitDesc` (the parameter's name and its requested initializer)
and the array to fill. Arrays are filled in place; random ones depend on `opforge.random.seed`.
"""

from ..base.module_aliases import add_aliases as _add_aliases
from ..op.registry.modules import plugin_attributes as _plugin_attributes
from .base import InitDesc as InitDesc
from .base import Initializer as Initializer
from .base import alias as alias
from .base import create as create
from .base import register as register
from .composite import Load as Load
from .composite import Mixed as Mixed
from .scaled import MSRAPrelu as MSRAPrelu
from .scaled import Xavier as Xavier
from .simple import Constant as Constant
from .simple import Normal as Normal
from .simple import One as One
from .simple import Uniform as Uniform
from .simple import Zero as Zero
from .structured import Bilinear as Bilinear
from .structured import LSTMBias as LSTMBias
from .structured import Orthogonal as Orthogonal

__all__ = [
    "Bilinear",
    "Constant",
    "InitDesc",
    "Initializer",
    "LSTMBias",
    "Load",
    "MSRAPrelu",
    "Mixed",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Xavier",
    "Zero",
    "alias",
    "create",
    "register",
]

__getattr__, __dir__ = _plugin_attributes(__name__, "initializer", __all__)

_add_aliases(__name__)
