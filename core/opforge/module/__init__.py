"""Modules: a symbol with its parameters, an executor and an optimizer, and the loops around them.

`Module` is the usual one; `BucketingModule` has a symbol for each length of its input; `BaseModule`
is the base of one's own.
"""

from .base_module import BaseModule as BaseModule
from .bucketing_module import BucketingModule as BucketingModule
from .module import Module as Module

__all__ = ["BaseModule", "BucketingModule", "Module"]
