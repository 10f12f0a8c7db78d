"""Errors of ``from opforge.gluon.nn import Name`` with the text of the attribute's error.

Python discards the error of ``opforge.gluon.nn.Name``, which explains what to install, and raises
one that only repeats the name.
"""

import sys
from collections.abc import Sequence

from ..base.errors import OpforgeError

__all__ = ["ImportErrors"]

_PACKAGE = __name__.partition(".")[0]


def _is_question() -> bool:
    """Return whether `importlib.util.find_spec` asks, whose answer is None for missing modules."""
    frame = sys._getframe(2)  # the caller of the finder, inside importlib
    caller = frame.f_back
    return caller is not None and caller.f_globals.get("__name__") == "importlib.util"


class ImportErrors:
    """Meta path finder that finds no module: it explains why opforge's do not have a name.

    It is the last one, and Python asks it only about names that a module with a ``__path__`` does
    not have.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: object = None
    ) -> None:
        """Raise a ModuleNotFoundError if an import asks for an attribute with an error of opforge.

        Its `name` is not `fullname`: ``from module import name`` discards such an error.
        """
        parent, _, leaf = fullname.rpartition(".")
        if not parent or leaf.startswith("_") or parent not in sys.modules:
            return
        if _is_question():
            return
        module = sys.modules[parent]
        # Plugins' modules, too, get theirs from opforge.
        look_up = getattr(module, "__getattr__", None)
        if getattr(look_up, "__module__", "").partition(".")[0] != _PACKAGE:
            return
        try:
            getattr(module, leaf)
        except OpforgeError as error:
            text = f"{fullname} cannot be imported: {error}"
            raise ModuleNotFoundError(text, name=leaf) from error
        except AttributeError:
            return  # Python's own error says as much
