"""List the names that programs reach after ``import mxnet`` 1.9.1 and that opforge lacks.

``python scripts/mxnet_paths.py`` removes from ``docs/reference/mxnet-1.9.1-missing.json`` the
names that opforge now has, and ``--check`` fails if that list would change. The list may only
shrink: the script fails if opforge has lost a name, unless ``--accept`` is given, too.

While `mxnet_api` compares the public API and its parameters, this compares attribute paths:
programs written for MXNet import names from any module that has them, private ones included.
"""

import importlib
import json
import sys
from typing import Any

from mxnet_api import LIST, MISSING, REFERENCE, find, find_module

FILE = REFERENCE / "mxnet-1.9.1-missing.json"

#: Reason -> modules that it applies to, including all below them; "_" stands for private names.
NUMPY = "mx.np and mx.npx are no part of opforge yet"
LATER = "no part of opforge yet"
BRIDGE = "bridge between Python and MXNet's C library, which opforge does not have"
PRIVATE = "helper of MXNet's implementation"
IMPORTED = "what MXNet's modules import for themselves, of Python, NumPy or each other"
MODULES = {
    NUMPY: (
        "numpy",
        "numpy_dispatch_protocol",
        "numpy_extension",
        "numpy_op_fallback",
        "numpy_op_signature",
        "ndarray.numpy",
        "ndarray.numpy_extension",
        "symbol.numpy",
        "symbol.numpy_extension",
    ),
    "module of MXNet's exporter, which opforge does not have": ("onnx", "contrib.onnx"),
    BRIDGE: (
        "_api_internal",
        "_ctypes",
        "_cy3",
        "_ffi",
        "_global_var",
        "api",
        "th",
        "torch",
        "tvmop",
        *(
            f"{face}.{name}"
            for face in ("ndarray", "symbol")
            for name in (
                "gen__internal",
                "gen_contrib",
                "gen_image",
                "gen_linalg",
                "gen_op",
                "gen_sparse",
                "register",
            )
        ),
    ),
    "texts for MXNet's documentation": ("_numpy_op_doc", "ndarray_doc", "symbol_doc"),
}
WORDS = {
    NUMPY: {
        "np",
        "npx",
        "set_np",
        "np_symbol",
        "is_np_array",
        "is_np_shape",
        "np_array",
        "np_shape",
    },
    BRIDGE: {
        *("CachedOp", "DLContext", "DLDataType", "DLManagedTensor", "DLTensor", "MXCallbackList"),
        *("NDArrayBase", "SymbolBase", "c_array", "c_array_buf", "c_handle_array", "c_str"),
        *("c_str_array", "check_call", "ctypes2buffer", "ctypes2numpy_shared", "py_str"),
        *("MXDataIter", "c2pyerror", "build_param_doc", "mx_float_p", "error_types"),
        *("add_fileline_to_docstring", "get_last_ffi_error", "register_error"),
        *("set_kvstore_handle", "find_conf_path", "classproperty", "with_metaclass"),
    },
}


def missing(api: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return the names that opforge lacks, by reason and module; "*" means an entire module."""
    found: dict[str, dict[str, list[str]]] = {}
    for path, kinds in api["reachable"].items():
        module = find_module(path)
        if module is None:
            found.setdefault(reason(path, "", "own"), {})[path] = ["*"]
            continue
        for kind, names in kinds.items():
            for name in names.split():
                if not has(module, path, name):
                    why = reason(path, name, kind)
                    found.setdefault(why, {}).setdefault(path, []).append(name)
    return {
        why: {path: " ".join(sorted(names)) for path, names in sorted(modules.items())}
        for why, modules in sorted(found.items())
    }


def has(module: Any, path: str, name: str) -> bool:
    """Return whether a module of opforge has an attribute or a submodule of this name."""
    try:
        if find(module, name) is not MISSING:
            return True
    except ModuleNotFoundError as error:
        # Packages that a module of MXNet imports, such as `requests`, may not be installed here.
        return not str(error.name).startswith("opforge")
    try:
        importlib.import_module(f"opforge.{path.partition('.')[2]}.{name}".replace("..", "."))
    except ImportError:
        return False
    return True


def reason(path: str, name: str, kind: str) -> str:
    """Return why opforge lacks a name, or a module if `name` is empty."""
    full = ".".join(filter(None, (path.partition(".")[2], name)))
    for why, modules in MODULES.items():
        if any(f"{full}.".startswith(f"{module}.") for module in modules):
            return why
    for why, words in WORDS.items():
        if name in words:
            return why
    if name.startswith("_"):
        return PRIVATE
    return LATER if kind == "own" else IMPORTED


def flat(listed: dict[str, dict[str, str]]) -> set[str]:
    """Return the attribute paths of a list."""
    return {
        f"{path}.{name}"
        for modules in listed.values()
        for path, names in modules.items()
        for name in names.split()
    }


def main() -> None:
    """Shrink the list, or compare it with the names that opforge lacks."""
    found = missing(json.loads(LIST.read_text(encoding="utf-8")))
    stored = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    lost, gained = flat(found) - flat(stored), flat(stored) - flat(found)
    if lost and "--accept" not in sys.argv[1:]:
        sys.exit(
            "opforge has lost names that MXNet's programs use; give them back (names/table.py of "
            "opforge-mxnet has names that moved):\n  " + "\n  ".join(sorted(lost))
        )
    if "--check" not in sys.argv[1:]:
        FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    elif gained:
        sys.exit(f"{len(gained)} listed names are there by now: python scripts/mxnet_paths.py")


if __name__ == "__main__":
    main()
