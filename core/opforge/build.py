"""Build support for native code of plugins, compiled once for each instruction set.

For the ``setup.py`` of a plugin; needs setuptools, and Cython for ``.pyx`` sources. At run time,
`plugin_api.native.load` selects the module to import.
"""

import importlib
from collections.abc import Iterable, Sequence
from pathlib import Path
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

    The environment variable ``OPFORGE_BUILD_ISA`` selects a subset. The modules are compiled with
    the flags of opforge's own kernels and the include folder of opforge's headers, and again when
    one of these changes. In the plugin, ``native.load(name)`` imports the module for the processor
    at hand.

    Parameters
    ----------
    name : str
        Dotted name of the module; its last part also names the init function,
        ``PyInit_<last part>``.
    sources : sequence of str
        C, C++ or Cython files.
    include_dirs, extra_compile_args : iterable of str
        In addition to those above.
    **options
        Other arguments of `setuptools.Extension`, for instance ``language="c++"``.

    Returns
    -------
    list of setuptools.Extension
        Value for ``ext_modules``.

    Examples
    --------
    >>> [made.name for made in extension("acme._native", ["src/acme/_native.c"])][0]
    'acme._native_baseline'
    """
    new = importlib.import_module("setuptools").Extension
    last = name.rpartition(".")[2]
    paths = [get_include(), *include_dirs]
    if any(source.endswith(".pyx") for source in sources):
        sources, language = _generate_c_files(name, sources, paths, options)
        options = {**options, "language": language}
    macros = list(options.pop("define_macros", ()))
    depends = [*options.pop("depends", ()), *map(str, Path(get_include()).rglob("*.h"))]
    return [
        new(
            f"{name}_{isa}",
            list(sources),
            include_dirs=paths,
            define_macros=[*macros, (f"PyInit_{last}", f"PyInit_{last}_{isa}")],
            depends=depends,
            extra_compile_args=["-O3", *MATH_FLAGS, *flags, *extra_compile_args],
            **options,
        )
        for isa, flags in built_sets().items()
    ]


def _generate_c_files(
    name: str, sources: Sequence[str], paths: Sequence[str], options: dict[str, Any]
) -> tuple[list[str], str | None]:
    """Return the C files that Cython generates from a module's sources, and their language."""
    new = importlib.import_module("setuptools").Extension
    translate = importlib.import_module("Cython.Build").cythonize
    module = new(name, list(sources), language=options.get("language"))
    (made,) = translate([module], include_path=list(paths), language_level=3)
    return list(made.sources), made.language
