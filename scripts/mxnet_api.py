"""Compare MXNet 1.9.1's Python API with opforge's: the page ``docs/reference/mxnet-api.md``.

``python scripts/mxnet_api.py`` writes the page from the stored list of MXNet's names and
opforge's own, and ``--check`` fails if the page would change. ``--read`` rewrites the list; it
needs an interpreter that has MXNet 1.9.1:

    /path/to/mxnet/python scripts/mxnet_api.py --read

Each function and class is listed once, under the shortest module path by which a program reaches
it; a class with the public members that it defines itself. Operators are compared by the names of
their arguments, everything else by parameters and plain defaults.
"""

import difflib
import importlib
import inspect
import json
import pkgutil
import sys
from ast import literal_eval
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
LIST = REFERENCE / "mxnet-1.9.1-api.json"
PAGE = REFERENCE / "mxnet-api.md"

#: Parts of MXNet that are not an API for programs: the bridge to C, generators, documentation.
INTERNAL = {
    "api",
    "cython",
    "libinfo",
    "libmxnet",
    "misc",
    "ndarray_doc",
    "numpy_dispatch_protocol",
    "numpy_op_fallback",
    "numpy_op_signature",
    "register",
    "space",
    "symbol_doc",
    "tvmop",
}
#: Parts of `nd` and `sym` that implement ``mxnet.numpy``.
INTERNAL_BELOW = ("ndarray", "symbol"), {"numpy", "numpy_extension"}
#: Modules of operators: `nd` and `sym` themselves, and those below them.
NAMESPACES = ("", "contrib", "linalg", "random", "image", "sparse")
#: Parameters that every operator of MXNet has.
COMMON = {"attr", "kwargs", "name", "out"}

#: Path below `mxnet` -> why opforge lacks the name or a parameter of it; programs do not use them.
REASONS = {
    **dict.fromkeys(
        (
            "ndarray.get_indexing_dispatch_code",
            "ndarray.get_oshape_of_gather_nd_op",
            "ndarray.indexing_key_expand_implicit_axes",
        ),
        "steps of indexing in MXNet; index the array",
    ),
    **dict.fromkeys(
        (
            "metric.PearsonCorrelation.reset_micro",
            "metric.PearsonCorrelation.update_cov",
            "metric.PearsonCorrelation.update_variance",
        ),
        "steps of `reset` and `update`",
    ),
    **dict.fromkeys(
        ("rtc.CudaKernel.launch", "rtc.CudaModule.get_kernel"),
        "methods of objects that only builds with CUDA create; `opforge.rtc` compiles for CPUs",
    ),
    **dict.fromkeys(
        (
            "notebook.Bokeh_Failed_To_Import",
            "notebook.bokeh",
            "notebook.callback.Pandas_Failed_To_Import",
            "notebook.callback.pd",
        ),
        "placeholders of packages that are not installed",
    ),
    **dict.fromkeys(
        (
            "executor.Executor",
            "kvstore.KVStore",
            "ndarray.sparse.BaseSparseNDArray",
            "ndarray.sparse.CSRNDArray",
            "ndarray.sparse.RowSparseNDArray",
            "symbol.Symbol",
        ),
        "handles of MXNet's C library; use the functions that create the objects",
    ),
    "symbol.Group": "class of the result; symbols show NumPy's methods by `as_np_ndarray`",
    "symbol.random.multinomial": "see the list of differences",
    "io.MXDataIter.debug_skip_load": "measures the overhead of MXNet's own iterators",
    "kvstore.KVStoreServer": "process of MXNet's parameter server; workers use opforge-mpi, which "
    "needs no servers",
    "ndarray.imdecode": "fails for every image in MXNet 1.9.1; use `image.imdecode`",
    "gluon.rnn.SequentialRNNCell.hybrid_forward": "raises NotImplementedError in MXNet; call the "
    "cell",
    "optimizer.Optimizer.set_lr_scale": "raises DeprecationWarning in MXNet; use `set_lr_mult`",
    "profiler.set_kvstore_handle": "called by MXNet's key-value store only",
}

#: A signature as text, ``self, x, axis=1, *args, **kwargs``; "?" stands for a default that is no
#: plain value, None for what has no signature. A class is {"": its constructor's, member: ...}.
Entry = Any


# -- reading MXNet ------------------------------------------------------------------------------


def read_mxnet() -> dict[str, Any]:
    """Return MXNet's modules, functions, classes and operators."""
    import mxnet

    modules: dict[str, Any] = {}
    seen: set[int] = set()
    for module in sorted(public_modules(mxnet), key=lambda m: (m.__name__.count("."), m.__name__)):
        members = [(n, v) for n, v in public_members(module) if id(v) not in seen]
        seen.update(id(value) for _, value in members)
        if members:
            modules[module.__name__] = {name: read_entry(value) for name, value in members}
    return {
        "version": mxnet.__version__,
        "modules": modules,
        "operators": read_operators(),
        "reachable": read_reachable(),
    }


def public_modules(package: ModuleType) -> Iterator[ModuleType]:
    """Yield the package and its public modules, except those with missing dependencies."""
    yield package
    owners, parts = INTERNAL_BELOW
    internal = INTERNAL | (parts if package.__name__.endswith(owners) else set())
    for info in pkgutil.iter_modules(package.__path__):
        if info.name.startswith(("_", "gen_")) or info.name in internal | {"setup"}:
            continue
        try:
            module = importlib.import_module(f"{package.__name__}.{info.name}")
        except ImportError as error:
            print(f"left out: {package.__name__}.{info.name}: {error}", file=sys.stderr)
            continue
        if info.ispkg:
            yield from public_modules(module)
        else:
            yield module


def read_reachable() -> dict[str, dict[str, str]]:
    """Return all attributes of every module that ``import mxnet`` loads, private ones included.

    A module's attributes are divided by where they come from: "own" ones, those of other modules of
    MXNet, and "foreign" ones, which belong to Python or other packages. Operators are not listed.
    """
    found = {}
    for path, module in sorted(sys.modules.items()):
        if path.partition(".")[0] != "mxnet":
            continue
        names: dict[str, list[str]] = {"own": [], "mxnet": [], "foreign": []}
        for name, value in sorted(vars(module).items()):
            # pytest and similar tools add names with "@"; operators are generated from text.
            if name.isidentifier() and name[:2] != "__" and not is_operator(value):
                names[origin(path, value)].append(name)
        found[path] = {kind: " ".join(names[kind]) for kind in names if names[kind]}
    return found


def origin(path: str, value: Any) -> str:
    """Return whether a module's attribute is its "own", of "mxnet", or "foreign"."""
    is_module = isinstance(value, ModuleType)
    home = value.__name__ if is_module else getattr(value, "__module__", None)
    if not isinstance(home, str):  # a constant
        return "own"
    if home == path or (is_module and home.rpartition(".")[0] == path):
        return "own"
    return "mxnet" if home.partition(".")[0] == "mxnet" else "foreign"


def public_members(module: ModuleType) -> list[tuple[str, Any]]:
    """Return the functions and classes that a module or a part of it defines."""
    names = getattr(module, "__all__", None) or dir(module)
    values = [(n, getattr(module, n, None)) for n in sorted(set(names)) if not n.startswith("_")]
    return [
        (name, value)
        for name, value in values
        if (inspect.isclass(value) or inspect.isroutine(value))
        and not is_operator(value)
        and f"{getattr(value, '__module__', '')}.".startswith(f"{module.__name__}.")
    ]


def is_operator(value: Any) -> bool:
    """Return whether MXNet generated a function from text for one of its operators."""
    return inspect.isfunction(value) and value.__code__.co_filename == "<string>"


def read_operators() -> dict[str, dict[str, str]]:
    """Return for `nd` and each namespace below it the operators with their arguments' names."""
    found = {}
    for namespace in NAMESPACES:
        module = importlib.import_module("mxnet.ndarray" + (namespace and f".{namespace}"))
        found[namespace] = {
            name: ", ".join(p for p in inspect.signature(value).parameters if p not in COMMON)
            for name, value in sorted(vars(module).items())
            if not name.startswith(("_", "backward_")) and is_operator(value)
        }
    return found


def read_entry(value: Any) -> Entry:
    """Return the signature of a function, or of a constructor and its class's own members."""
    if not inspect.isclass(value):
        return signature(value)
    members = {n: getattr(m, "__func__", m) for n, m in vars(value).items() if n[:1] != "_"}
    return {
        "": signature(value),
        **{
            name: signature(inspect.unwrap(member)) if inspect.isroutine(member) else None
            for name, member in sorted(members.items())
            if inspect.isroutine(member) or isinstance(member, property)
        },
    }


def signature(function: Callable[..., Any]) -> "str | None":
    """Return a signature as text; None if it is not available."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    parts = []
    starred = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        parts.append(stars.get(parameter.kind, "") + parameter.name + default_text(parameter))
    return ", ".join(parts)


def default_text(parameter: inspect.Parameter) -> str:
    """Return ``=default``; "?" replaces values that are not plain or depend on the machine."""
    value = parameter.default
    if value is parameter.empty:
        return ""
    plain = isinstance(value, (bool, int, float, str, type(None))) or value in ((), [])
    text = repr(value)
    return f"={text}" if plain and ", " not in text and "/" not in text else "=?"


# -- comparing with opforge -----------------------------------------------------------------------


class Comparison:
    """Comparison of a group of names: each is present, different or absent."""

    def __init__(self) -> None:
        self.present: list[str] = []
        self.different: dict[str, str] = {}
        self.absent: list[str] = []

    @property
    def total(self) -> int:
        """Number of compared names."""
        return len(self.present) + len(self.different) + len(self.absent)

    def add(self, name: str, entry: "str | None", value: Any) -> None:
        """Compare one function, constructor or member; `value` is opforge's, or `MISSING`."""
        if value is MISSING:
            self.absent.append(name)
            return
        problem = difference(entry, signature(value) if callable(value) else None)
        if problem:
            self.different[name] = problem
        else:
            self.present.append(name)


MISSING = object()


def compare_module(name: str, entries: dict[str, Entry]) -> "Comparison | None":
    """Compare one module; None if opforge has no module of this name."""
    module = find_module(name)
    if module is None:
        return None
    result = Comparison()
    for key, entry in entries.items():
        value = find(module, key)
        if not isinstance(entry, dict):
            result.add(key, entry, value)
            continue
        for member, text in entry.items():
            if not member:
                result.add(key, text, value)
            else:
                result.add(f"{key}.{member}", text, find_member(value, member))
    return result


def find_module(name: str) -> Any:
    """Return opforge's module for one of MXNet's names, or None."""
    value: Any = importlib.import_module("opforge")
    for part in name.split(".")[1:]:
        found = find(value, part)
        if not isinstance(found, ModuleType):  # a function may have the same name as a module
            try:
                found = importlib.import_module(f"{value.__name__}.{part}")
            except ModuleNotFoundError:
                return None
        value = found
    return value


def find(owner: Any, name: str) -> Any:
    """Return an attribute, or `MISSING`."""
    try:
        return getattr(owner, name)
    except AttributeError:
        return MISSING


def find_member(owner: Any, name: str) -> Any:
    """Return a member of a class, None for what its constructor sets, or `MISSING`."""
    found = MISSING if owner is MISSING else find(owner, name)
    constructor = getattr(getattr(owner, "__init__", None), "__code__", None)
    if found is MISSING and constructor is not None and name in constructor.co_names:
        return None
    return found


def difference(wanted: "str | None", found: "str | None") -> str:
    """Describe differences of opforge's parameters that make a call fail or mean something else."""
    if wanted is None or found is None:
        return ""
    theirs, ours = split(wanted), split(found)
    named = {name: default for name, default in theirs.items() if name[:1] != "*" and name != "_"}
    takes_any = any(name[:1] == "*" for name in ours)
    lacking = [name for name in named if name not in ours and not takes_any]
    if lacking:
        return "lacks " + ", ".join(f"`{name}`" for name in lacking)
    for name, other in zip(positional(theirs), positional(ours), strict=False):
        if name != other and name in ours:
            return f"`{name}` at another place"
    return "; ".join(
        f"`{name}`: {shown(ours[name])}, in MXNet {shown(default)}"
        for name, default in named.items()
        if name in ours and default and not same_default(default, ours[name])
    )


def same_default(wanted: str, found: str) -> bool:
    """Return whether two defaults are equal; None stands for one that a function chooses."""
    if found == "None" or "?" in (wanted, found):
        return True
    return wanted == found or (bool(found) and literal_eval(wanted) == literal_eval(found))


def split(signature: str) -> dict[str, str]:
    """Return the parameters of a signature with their defaults, "" for those without one."""
    pairs = [part.partition("=") for part in signature.split(", ") if part]
    return {name: default for name, _, default in pairs}


def positional(parameters: dict[str, str]) -> list[str]:
    """Return the names of the parameters that can be passed by position, in order."""
    names = list(parameters)
    stars = [at for at, name in enumerate(names) if name[:1] == "*"]
    return names[: stars[0]] if stars else names


def shown(default: str) -> str:
    """Return a default as the page shows it."""
    return f"`{default}`" if default else "required"


#: MXNet's names of parameters for any number of arrays.
VARIADIC = ("*data", "data", "args", "graph_data", "seed_arrays")


def compare_operators(namespace: str, table: dict[str, str], face: str) -> Comparison:
    """Compare the operators of one namespace in `nd` or `sym`."""
    owner = importlib.import_module("opforge." + {"nd": "ndarray", "sym": "symbol"}[face])
    if namespace:
        owner = find(owner, namespace)
    result = Comparison()
    for name, wanted in table.items():
        value = MISSING if owner is MISSING else find(owner, name)
        if value is MISSING or not callable(value):
            result.absent.append(name)
            continue
        found = inspect.signature(value).parameters
        names = [p for p in wanted.split(", ") if p]
        if any(p.kind is p.VAR_POSITIONAL for p in found.values()):
            names = [p for p in names if p not in VARIADIC]
        lacking = [p for p in names if p not in found]
        if lacking:
            result.different[name] = "lacks " + ", ".join(f"`{p}`" for p in lacking)
        else:
            result.present.append(name)
    return result


# -- the page -----------------------------------------------------------------------------------


def page(api: dict[str, Any]) -> str:
    """Return the text of the page."""
    modules = {
        name: compare_module(name, entries) for name, entries in sorted(api["modules"].items())
    }
    operators = {
        (face, namespace): compare_operators(namespace, table, face)
        for face in ("nd", "sym")
        for namespace, table in api["operators"].items()
    }
    lines = [
        "# MXNet's Python API in opforge",
        "",
        f"Every public function, class, member and operator of MXNet {api['version']}, found by "
        "introspection, and whether opforge has it. *Different* means that parameters are missing, "
        "are in another position, or have another default; the tests compare results of "
        "functions. Generated by `scripts/mxnet_api.py`.",
        "",
        *operator_lines(operators),
        *module_lines(api, modules),
    ]
    return "\n".join(lines).rstrip() + "\n"


HEADER = ("| {} | names | present | different | absent |", "|---|---|---|---|---|")


def row(name: str, result: Comparison) -> str:
    """Return one row of a table of counts."""
    counts = (result.total, len(result.present), len(result.different), len(result.absent))
    return f"| {name} | {' | '.join(map(str, counts))} |"


def operator_lines(operators: "dict[tuple[str, str], Comparison]") -> list[str]:
    """Return the section on operators; those of `sym` are named where they differ from `nd`."""
    lines = ["## Operators", "", HEADER[0].format("namespace"), HEADER[1]]
    for (face, namespace), result in operators.items():
        shown_name = face + (namespace and f".{namespace}")
        lines.append(row(f"`{shown_name}`", result))
    lines.append("")
    for (face, namespace), result in operators.items():
        known = operators["nd", namespace] if face == "sym" else Comparison()
        absent = [name for name in result.absent if name not in known.absent]
        different = {k: v for k, v in result.different.items() if known.different.get(k) != v}
        shown_name = face + (namespace and f".{namespace}")
        besides = ", besides those above" if face == "sym" else ""
        lines += collapsed(f"Absent from {shown_name}{besides}", names_line(absent))
        lines += collapsed(f"Different in {shown_name}{besides}", different_lines(different))
    return lines


def module_lines(api: dict[str, Any], modules: "dict[str, Comparison | None]") -> list[str]:
    """Return the section on modules: a table of counts, then the differences of each."""
    lines = ["## Modules", "", HEADER[0].format("module"), HEADER[1]]
    nowhere = []
    for name, result in modules.items():
        if result is None:
            nowhere.append((name, count(api["modules"][name])))
        else:
            lines.append(row(f"`{name}`", result))
    lines.append(total_row(api, modules))
    lines += ["", "Modules that opforge does not have, with the number of their names: "]
    lines[-1] += ", ".join(f"`{name}` ({names})" for name, names in nowhere) + "."
    for name, result in modules.items():
        if result is not None and (result.absent or result.different):
            lines += ["", f"### {name}", ""]
            lines += collapsed("Absent", absent_lines(name.partition(".")[2], result.absent))
            lines += collapsed(
                "Different", different_lines(result.different, name.partition(".")[2])
            )
    return lines


def count(entries: dict[str, Entry]) -> int:
    """Return the number of names of a module, including members."""
    return sum(len(entry) if isinstance(entry, dict) else 1 for entry in entries.values())


def total_row(api: dict[str, Any], modules: "dict[str, Comparison | None]") -> str:
    """Return the last row of the table of modules."""
    total = Comparison()
    for name, result in modules.items():
        if result is None:
            total.absent += [name] * count(api["modules"][name])
        else:
            total.present += result.present
            total.absent += result.absent
            total.different.update({f"{name}.{k}": text for k, text in result.different.items()})
    return row("all, with the modules below", total)


def collapsed(title: str, body: list[str]) -> list[str]:
    """Return a collapsible list; short ones are shown in full."""
    if not body:
        return []
    if sum(map(len, body)) < 300:
        return [f"{title}:", "", *body, ""]
    return ["<details>", f"<summary>{title}</summary>", "", *body, "", "</details>", ""]


def names_line(names: list[str]) -> list[str]:
    """Return names as one line."""
    return [", ".join(f"`{name}`" for name in names)] if names else []


def absent_lines(module: str, names: list[str]) -> list[str]:
    """Return absent functions and classes in one line, absent members by their class.

    Those that are absent for another reason have their own line.
    """
    tops = [name for name in names if "." not in name]
    groups: dict[tuple[str, str], list[str]] = {}
    for name in names:
        owner, _, member = name.rpartition(".")
        if owner not in tops:
            why = REASONS.get(f"{module}.{name}", "")
            groups.setdefault((owner, why), []).append(member)
    return [
        f"- {owner and f'of `{owner}`: '}{names_line(found)[0]}{why and f': {why}'}"
        for (owner, why), found in groups.items()
    ]


def different_lines(different: dict[str, str], module: str = "nd") -> list[str]:
    """Return the differing names, one per line, with reasons."""
    lines = []
    for name, text in different.items():
        why = REASONS.get(f"{module}.{name}", "")
        lines.append(f"- `{name}`: {text}{why and f' ({why})'}")
    return lines


def main() -> None:
    """Write the list of MXNet's names or the page; or compare the page with the expected text."""
    if "--read" in sys.argv[1:]:
        LIST.write_text(json.dumps(read_mxnet(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    text = page(json.loads(LIST.read_text(encoding="utf-8")))
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
    elif text != PAGE.read_text(encoding="utf-8"):
        old = PAGE.read_text(encoding="utf-8").splitlines()
        change = difflib.unified_diff(old, text.splitlines(), "stored", "found", lineterm="", n=0)
        print("\n".join(change))
        sys.exit("if this is meant: python scripts/mxnet_api.py")


if __name__ == "__main__":
    main()
