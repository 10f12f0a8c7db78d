"""Build the native code of a plugin, once for each instruction set.

For the ``setup.py`` of a plugin; needs setuptools, and Cython for ``.pyx`` sources. What is built
is found by `plugin_api.native.load`.
"""

import importlib
from collections.abc import Iterable, Sequence
from typing import Any

from .base.include import get_include
from .base.instruction_sets import MATH_FLAGS, built_sets

__all__ = ["extension"]


def extension(
    name: str,
    sources: Sequence[str],
    *,
    include_dirs: Iterable[str] = (),
    extra_compile_args: Iterable[str] = (),
    **options: Any,
) -> list[Any]:
    """Return the extension modules of a native source, one for each instruction set.

    The environment variable ``OPFORGE_BUILD_ISA`` chooses some of these. The modules get the flags
    that opforge's own kernels get, and the folder of ``opforge/abi.h``; ``native.load(name)`` in
    the plugin imports the one for the processor that it runs on.

    Parameters
    ----------
    name : str
        Dotted name of the module; its last part is also that of the init function,
        ``PyInit_<last part>``.
    sources : sequence of str
        C, C++ or Cython files.
    include_dirs, extra_compile_args : iterable of str
        In addition to those above.
    **options
        Further ones of `setuptools.Extension`, for instance ``language="c++"``.

    Returns
    -------
    list of setuptools.Extension
        For ``ext_modules``.

    Examples
    --------
    >>> [made.name for made in extension("acme._native", ["src/acme/_native.c"])][0]
    'acme._native_baseline'
    """
    new = importlib.import_module("setuptools").Extension
    last = name.rpartition(".")[2]
    paths = [get_include(), *include_dirs]
    if any(source.endswith(".pyx") for source in sources):
        sources, language = _translated(name, sources, paths, options)
        options = {**options, "language": language}
    macros = list(options.pop("define_macros", ()))
    return [
        new(
            f"{name}_{isa}",
            list(sources),
            include_dirs=paths,
            define_macros=[*macros, (f"PyInit_{last}", f"PyInit_{last}_{isa}")],
            extra_compile_args=["-O3", *MATH_FLAGS, *flags, *extra_compile_args],
            **options,
        )
        for isa, flags in built_sets().items()
    ]


def _translated(
    name: str, sources: Sequence[str], paths: Sequence[str], options: dict[str, Any]
) -> tuple[list[str], str | None]:
    """Return the C files that Cython makes of a module's sources, and their language."""
    new = importlib.import_module("setuptools").Extension
    translate = importlib.import_module("Cython.Build").cythonize
    module = new(name, list(sources), language=options.get("language"))
    (made,) = translate([module], include_path=list(paths), language_level=3)
    return list(made.sources), made.language
