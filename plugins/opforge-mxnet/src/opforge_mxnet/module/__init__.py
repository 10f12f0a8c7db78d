"""Modules: a symbol with parameters, an executor and an optimizer, and training loops.

`Module` is the usual one; `BucketingModule` has a symbol for each length of its input,
`SequentialModule` chains several modules; `PythonModule` and `PythonLossModule` are written in
Python; `BaseModule` is the base class of user-defined modules.
"""

from .base_module import BaseModule as BaseModule
from .bucketing_module import BucketingModule as BucketingModule
from .module import Module as Module
from .python_module import PythonLossModule as PythonLossModule
from .python_module import PythonModule as PythonModule
from .sequential_module import SequentialModule as SequentialModule

__all__ = [
    "BaseModule",
    "BucketingModule",
    "Module",
    "PythonLossModule",
    "PythonModule",
    "SequentialModule",
]
