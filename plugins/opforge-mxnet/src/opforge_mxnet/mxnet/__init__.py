"""MXNet programs unchanged: ``import mxnet`` means opforge, in a program or from the command line.

`install` does this in a running process; ``python -m opforge.mxnet script.py`` runs a program this
way.
The rest of opforge does not import this package.
"""

from ._finder import install as install
from ._finder import uninstall as uninstall
from ._removed_names import restore_numpy_aliases as restore_numpy_aliases

__all__ = ["install", "restore_numpy_aliases", "uninstall"]
