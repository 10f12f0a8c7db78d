"""Finder behind ``import mxnet``: each ``mxnet.x.y`` is opforge's module itself, not a copy.

A name is resolved from its parent's real module, so that ``mxnet.nd.ndarray`` and
``opforge.ndarray.ndarray`` are the same object regardless of aliases. A real MXNet is never hidden
unless requested.
"""

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from opforge.base.foreign_modules import standing_in
from opforge.base.spelling import close_names
from opforge.base.version import VERSION
from opforge.plugin.aliases import explain_missing

from ._child_processes import install_in_children, leave_children
from ._companions import CompanionFinder

__all__ = ["install", "uninstall"]

#: Name that programs import, and the package behind it.
OUTER = "mxnet"
#: Standard library modules that MXNet imports and that its programs rely on implicitly:
#: ``import multiprocessing`` does not import ``multiprocessing.pool``.
SIDE_EFFECTS = ("multiprocessing.pool", "multiprocessing.queues", "urllib.request")
INNER = "opforge"
#: Value of ``mxnet.__version__``, which many programs check.
API_VERSION = "1.9.1"


class MXNetFinder(MetaPathFinder):
    """Meta path finder that maps ``mxnet`` and its submodules to opforge.

    Parameters
    ----------
    force : bool
        Whether to take precedence over an installed MXNet.
    """

    def __init__(self, force: bool) -> None:
        self.force = force

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for MXNet's modules; raise an explanatory error for missing ones."""
        if fullname == OUTER:
            if not self.force:
                _reject_real_mxnet()  # sys.path may have changed after `install`
            for name in SIDE_EFFECTS:
                importlib.import_module(name)
            return standing_in(fullname, lambda: sys.modules[INNER], is_package=True)
        if not fullname.startswith(f"{OUTER}."):
            return None
        real = _real_module(fullname)
        if real is None:
            raise _missing_module(fullname)
        return standing_in(fullname, lambda: real)


def install(force: bool = False) -> None:
    """Make ``import mxnet`` and every ``mxnet.x.y`` import opforge's module of that name.

    Plugins' replacements of modules that are used with MXNet, such as opforge-mpi for
    ``horovod.mxnet``, are found if the real ones are not installed.

    ``mxnet.__version__`` becomes MXNet's, which programs and libraries check. Processes that
    multiprocessing starts import opforge as well.

    Call it before the first ``import mxnet``. Further calls have no effect, except that
    `force` may be passed later.

    Parameters
    ----------
    force : bool, default False
        Whether to hide a real MXNet that is installed.

    Raises
    ------
    ImportError
        A real MXNet is installed and `force` is false, or one is already imported.

    Examples
    --------
    >>> import opforge.mxnet
    >>> opforge.mxnet.install(force=True)
    >>> import mxnet as mx
    >>> mx.nd is opforge.nd
    True
    """
    loaded = sys.modules.get(OUTER)
    if loaded is not None and loaded is not sys.modules[INNER]:
        raise ImportError(
            f"a real MXNet is already imported, from {_origin(loaded.__spec__)}: opforge cannot "
            "replace it in this process. Call opforge.mxnet.install() before the first "
            "`import mxnet`",
            name=OUTER,
        )
    known = _installed_finder()
    if known is not None:
        known.force = known.force or force
        install_in_children(known.force)
        return
    if not force:
        _reject_real_mxnet()
    sys.meta_path.insert(0, MXNetFinder(force))
    sys.meta_path.append(CompanionFinder())
    vars(sys.modules[INNER])["__version__"] = API_VERSION
    install_in_children(force)


def uninstall() -> None:
    """Undo `install`: later imports of ``mxnet`` find a real MXNet, or nothing.

    Modules that are already imported stay unchanged.
    """
    known = _installed_finder()
    if known is None:
        return
    sys.meta_path.remove(known)
    leave_children()
    vars(sys.modules[INNER])["__version__"] = VERSION
    for finder in [one for one in sys.meta_path if isinstance(one, CompanionFinder)]:
        sys.meta_path.remove(finder)
        finder.forget()
    for name in [name for name in sys.modules if name.partition(".")[0] == OUTER]:
        del sys.modules[name]


def _installed_finder() -> MXNetFinder | None:
    return next((f for f in sys.meta_path if isinstance(f, MXNetFinder)), None)


def _reject_real_mxnet() -> None:
    """Raise if another finder has an MXNet; a plain folder with that name does not count."""
    for finder in sys.meta_path:
        if isinstance(finder, MXNetFinder):
            continue
        spec = finder.find_spec(OUTER, None)
        if spec is not None and spec.loader is not None and spec.origin is not None:
            raise ImportError(
                f"a real MXNet is installed at {_origin(spec)}, and opforge does not hide it "
                "by default. To run on opforge anyway: opforge.mxnet.install(force=True), or "
                "python -m opforge.mxnet --force ...",
                name=OUTER,
            )


def _origin(spec: ModuleSpec | None) -> str:
    return (spec.origin if spec is not None else None) or "an unknown location"


def _real_module(name: str) -> ModuleType | None:
    """Return opforge's module for one of MXNet's names, or None if it does not exist."""
    if name == OUTER:
        return sys.modules[INNER]
    parent_name, _, leaf = name.rpartition(".")
    parent = importlib.import_module(parent_name)
    real = f"{parent.__name__}.{leaf}"
    try:
        return importlib.import_module(real)
    except ModuleNotFoundError as error:
        if error.name not in (real, leaf):
            raise  # the module exists, but one of its imports is missing
    value = getattr(parent, leaf, None)
    return value if isinstance(value, ModuleType) else None


def _missing_module(name: str) -> ModuleNotFoundError:
    """Return the error for an MXNet module that opforge lacks."""
    parent_name, _, leaf = name.rpartition(".")
    parent = importlib.import_module(parent_name)
    there = _public_modules(parent)
    lines = [
        f"No module named {name!r}: opforge replaces MXNet here, and {parent.__name__} has no "
        f"module {leaf!r}"
    ]
    why = explain_missing(parent.__name__.partition(".")[2], leaf)
    if why:
        return ModuleNotFoundError(f"{lines[0]}: {why}", name=name)
    close = close_names(leaf, there)
    if close:
        lines.append(f"Did you mean {' or '.join(f'{parent_name}.{word}' for word in close)}?")
    lines.append(f"Its modules are: {', '.join(there) or 'none'}")
    return ModuleNotFoundError("\n".join(lines), name=name)


def _public_modules(parent: ModuleType) -> list[str]:
    """Return the sorted names of a package's modules."""
    offered = [n for n in getattr(parent, "__all__", dir(parent)) if not n.startswith("_")]
    return sorted(n for n in offered if isinstance(getattr(parent, n, None), ModuleType))
