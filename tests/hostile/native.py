"""Every function and class of the native modules, found by inspection, with a valid call of each.

A new function is covered as soon as it exists: names of parameters determine their arguments. If
that does not make a valid call, `SOUND` has one.
"""

import importlib
import inspect
import pkgutil

import opforge.native

from .calls import Entry
from .values import ArrayValue as A

#: Functions that are not called -> the reason.
LEFT_OUT = {
    "opforge.native.dispatch.elementwise.set_namespace": "installs the layer above, at import",
    "opforge.native.array.array.set_array_class": "installs the layer above, at import",
    "opforge.native.threads.engine.wait_all": "raises what tasks of earlier calls raised",
}

INDICES = A((2,), "int64", "[0, 1]")
ROW, COLUMN = A((4,)), A((3,))

#: Parameter name -> its argument in a valid call.
BY_NAME = {
    **dict.fromkeys(("x", "a", "b", "src", "dst", "out", "dx", "dy", "y", "target", "source"), A()),
    **dict.fromkeys(("gamma", "beta", "dgamma", "dbeta"), ROW),
    **dict.fromkeys(("mean", "var", "std"), COLUMN),
    **dict.fromkeys(("variable", "grad", "condition"), A()),
    **{"index": A((3,), fill="1"), "indices": INDICES, "inputs": "(a0,)"},
    **{"req": "'write'", "reqs": "('write',) * 3", "axis": "1", "axes": "(1,)", "shape": "(3, 4)"},
    **{
        "name": "'exp'",
        "scalar": "2.0",
        "value": "1.0",
        "a_min": "0",
        "a_max": "2",
        "reps": "(1, 1)",
    },
    **{"repeats": "1", "begin": "(0, 0)", "step": "(1, 1)", "mode": "'clip'", "code": "0"},
    **{"context": "opforge.cpu()", "state": "1", "fn": "int", "low": "0", "high": "5"},
}

MATRICES = {0: A((3, 4)), 1: A((4, 5)), "out": A((3, 5))}
NORMAL = {0: A((3, 4)), 1: ROW, 2: ROW}
HALF = A((3, 4), "float16")

#: Valid calls of functions for which the names of their parameters do not give one.
SOUND = {
    "argreduce": [{0: "'argmax'", 1: A(), 2: COLUMN, "axis": "1"}],
    "look_up_bytes": [
        {0: A((2, 3, 1), "uint8"), 1: A((1, 256)), 2: "0", 3: "1", 4: "1", 5: "2", 6: "True"}
    ],
    "batch_dot": [{0: A((2, 3, 4)), 1: A((2, 4, 5)), "out": A((2, 3, 5))}],
    "Block": [{"axis": "1"}],
    "Unblock": [{"axis": "1"}],
    "batch_norm": [
        {**NORMAL, 3: ROW, 4: ROW, "out": A(), "axis": "1", "eps": "1e-3"},
        {0: A((2, 2, 2)), 1: ROW, 2: ROW, 3: ROW, 4: ROW, "out": A((2, 2, 2)), "blocked": "True"},
    ],
    "batch_norm_grad": [
        {0: A(), 1: A(), 2: ROW, 3: ROW, 4: ROW, 5: A(), 6: ROW, 7: ROW, "axis": "1"},
    ],
    "binary": [
        {0: "'add'", 1: A(), 2: A(), "out": A(), "req": "'write'"},
        {0: "'power'", 1: A(dtype="int32"), 2: A((4,), "int32"), "out": A(dtype="int32")},
        {0: "'mod'", 1: HALF, 2: HALF, "out": HALF, "req": "'add'"},
    ],
    "binary_scalar": [
        {0: "'add'", 1: A(), 2: "2.0", 3: A(), "reverse": "True"},
        {0: "'power'", 1: A(dtype="int8"), 2: "2", 3: A(dtype="int8"), "req": "'add'"},
    ],
    "broadcast_to": [{0: A((1, 4)), 1: A((3, 4))}],
    "cast": [
        {0: A(fill="nan"), 1: A(dtype=dtype)} for dtype in ("uint8", "int32", "int64", "bool")
    ],
    "Clip": [{0: "-1.0", 1: "1.0"}],
    "CrossEntropy": [{}],
    "CrossEntropyGrad": [{}],
    "Dense": [{0: "5", "bias": "True"}],
    "Dot": [{}],
    "Reduce": [{0: "'sum'", "axes": "(1,)", "exclude": "False"}],
    "Softmax": [{"axis": "-1", "temperature": "1.0", "log": "True"}],
    "SoftmaxGrad": [{"axis": "-1", "temperature": "1.0", "negate": "True"}],
    "Take": [{"axis": "1", "mode": "'wrap'", "indices_first": "True"}],
    "TakeGrad": [{"axis": "0", "mode": "'clip'"}],
    "Spread": [{"axes": "(1,)", "exclude": "False", "mean": "True"}],
    "Unary": [{0: "'exp'"}],
    "permutation": [{0: A((6,), "int64"), "req": "'write'"}],
    "update_weights": [
        {0: "'sgd'", 1: "[A((3, 4))]", 2: "[A((3, 4))]", 3: "[None]", 4: "[0.1]", 5: "[0.0]"},
        {0: "'adam'", 1: "[A((3, 4))]", 2: "[A((3, 4))]", 3: "[(A((3, 4)), A((3, 4)))]"}
        | {4: "[0.1]", 5: "[0.0]", "rescale": "1.0", "clip": "-1.0", "a": "0.9", "b": "0.99"},
    ],
    "concat": [{0: "(A((3, 2)), A((3, 2)))", "out": A(), "axis": "1"}],
    "copy_into": [{0: A(), 1: A(dtype="int64")}],
    "flip": [{0: A(), 1: A(), "axes": "(0,)"}],
    "from_numpy": [{0: "strided()", "code": "0"}, {0: "swapped()", "code": "6"}],
    "gather_nd": [{0: A(), 1: A((1, 2), "int64", "[0, 1]"), "out": A((2, 4))}],
    "gemm": [
        {**MATRICES, "transpose_a": "False", "alpha": "1.0", "bias": A((5,)), "req": "'write'"},
        {0: A((4, 3), "int32"), 1: A((5, 4), "int32"), "out": A((3, 5), "int32")}
        | {"transpose_a": "True", "transpose_b": "True"},
    ],
    "layer_norm": [{**NORMAL, "out": A(), "mean": COLUMN, "std": COLUMN, "axis": "-1"}],
    "layer_norm_grad": [
        {0: A(), 1: A(), 2: ROW, 3: COLUMN, 4: COLUMN, 5: A(), 6: ROW, 7: ROW, "axis": "-1"},
    ],
    "moments": [{0: A(), 1: COLUMN, 2: COLUMN, "axes": "(1,)"}],
    "one_hot": [{0: COLUMN, 1: A(), "on_value": "1.0", "off_value": "0.0"}],
    "pick_grad": [{0: COLUMN, 1: A((3,), fill="1"), "out": A(), "axis": "1"}],
    "pick": [{0: A(), 1: A((3,), fill="1"), "out": COLUMN, "axis": "1", "mode": "'wrap'"}],
    "order": [
        {0: A(), 1: "1", 2: "True", "values": A((3, 2)), "places": A((3, 2), "int64")},
        {0: HALF, 1: "0", 2: "False", "places": A((3, 4)), "places_req": "'add'"},
        {0: A(dtype="int64"), 1: "None", 2: "False", "values": A((12,), "int64")},
    ],
    "pack_two_bits": [{0: A((20,)), 1: A((20,)), 2: A((2,), "int32"), "threshold": "0.5"}],
    "reduce": [
        {0: "'sum'", 1: A(), 2: COLUMN, "axes": "(1,)", "req": "'write'"},
        {0: "'max'", 1: A(dtype="int64"), 2: A((1,), "int64"), "axes": "()"},
    ],
    "csr_dot": [
        {
            0: A((2,)),
            1: A((2,), "int64", "[0, 3]"),
            2: A((3,), "int64", "[0, 1, 2]"),
            3: A((4, 3)),
            4: A((2, 3)),
        },
    ],
    "csr_transpose": [
        {0: A((2,), "int64", "[0, 3]"), 1: A((3,), "int64", "[0, 1, 2]"), "columns": "4"},
    ],
    "repeat": [
        {0: A((3, 2)), 1: A(), "repeats": "2", "axis": "1"},
        {0: A((6,)), 1: A((12,)), "repeats": "2"},
    ],
    "repeat_grad": [{0: A(), 1: A((3, 2)), "repeats": "2", "axis": "1"}],
    "scatter_nd": [{0: A((2, 4)), 1: A((1, 2), "int64", "[0, 1]"), "out": A()}],
    "shuffle": [{0: A(), 1: A()}],
    "slice_array": [{0: A(), 1: A((2, 2)), "begin": "(0, 3)", "step": "(2, -2)"}],
    "slice_assign": [{0: A(), 1: A((2, 2)), "begin": "(0, 3)", "step": "(2, -2)"}],
    "slice_grad": [{0: A((2, 2)), 1: A(), "begin": "(0, 3)", "step": "(2, -2)"}],
    "expect_labels": [{0: "'pick'", 1: COLUMN, 2: "3"}],
    "softmax_cross_entropy": [{0: A(), 1: COLUMN, 2: COLUMN, 3: A((3, 2)), "weight": "0.5"}],
    "softmax_cross_entropy_grad": [
        {0: COLUMN, 1: A(), 2: COLUMN, 3: A((3, 2)), 4: A(), "weight": "0.5"},
    ],
    "softmax": [{0: A(), 1: A(), "axis": "-1", "temperature": "2.0", "log": "True"}],
    "softmax_grad": [{0: A(), 1: A(), 2: A(), "axis": "0", "temperature": "2.0", "negate": "True"}],
    "take": [
        {0: A(), 1: INDICES, 2: A((2, 4)), "axis": "0", "mode": "'wrap'"},
        {0: A(), 1: A((2,), "int64", "[0, 3]"), 2: A((3, 2)), "axis": "1", "mode": "'raise'"},
    ],
    "take_grad": [{0: A((2, 4)), 1: INDICES, 2: A(), "axis": "0", "mode": "'clip'"}],
    "tile": [{0: A((3, 2)), 1: A(), "reps": "(1, 2)"}],
    "tile_grad": [{0: A(), 1: A((3, 2)), "reps": "(1, 2)"}],
    "transpose": [{0: A(), 1: A((4, 3)), "axes": "(1, 0)"}],
    "read_sparse_rows": [{0: "b'1 0:2'", 1: "3"}],
    "read_dense_rows": [{0: "b'1,2'", 1: "np.zeros((1, 2))", 2: "0", 3: "9"}],
    "unpack_two_bits": [
        {0: A((2,), "int32"), 1: A((20,)), "threshold": "0.5", "req": "'write'"},
    ],
    "where": [{0: A(fill="[0, 1]"), 1: A(), 2: A(), 3: A()}],
    "wrap_numpy": [{0: "np.ones((3, 4), 'float32')"}, {0: "many_axes()"}, {0: "endless_rows()"}],
    "record_callback": [{0: "[A((3, 4))]", 1: "[A((3, 4))]", 2: "lambda *a: a"}],
    "backward": [{0: "[A((3, 4))]", 1: "[A((3, 4))]"}],
    "gradients": [{0: "[A((3, 4))]", 1: "[A((3, 4))]"}],
    "push": [{0: "int", "read": "[A((3, 4))]", "write": "[A((3, 4))]", "priority": "0"}],
    "poisson": [{0: A(), "lam": "20.0"}, {0: A(), "lam": "2.0"}],
}


def sound_calls(name, member):
    """Return valid calls of a function: the table's, or what the names of parameters suggest."""
    if name in SOUND:
        return SOUND[name]
    try:
        parameters = inspect.signature(member).parameters.values()
    except (TypeError, ValueError):
        return [{0: "1"}, {0: A(), 1: "1"}, {}]
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = [p for p in parameters if p.kind not in kinds]
    return [{i: value_for(p) for i, p in enumerate(named)}]


def value_for(parameter):
    """Return an argument for a valid call: a numeric default, or one suggested by the name."""
    if isinstance(parameter.default, int | float):
        return repr(parameter.default)
    return BY_NAME.get(parameter.name, A())


def modules():
    """Import and return the compiled modules."""
    packages = pkgutil.iter_modules(opforge.native.__path__, "opforge.native.")
    names = [
        module.name
        for package in packages
        if package.ispkg  # Cython's shared functions are a module next to the packages
        for module in pkgutil.iter_modules(
            importlib.import_module(package.name).__path__, f"{package.name}."
        )
        if not module.ispkg
    ]
    found = [importlib.import_module(name) for name in names]
    return [module for module in found if not module.__file__.endswith(".py")]


def is_own(module, name, member):
    """Return whether a public name of `module` was defined there."""
    return (
        not name.startswith("_")
        and callable(member)
        and getattr(member, "__module__", module.__name__) == module.__name__
    )


def entries():
    """Return an entry for each function and class of the native modules."""
    found = []
    for module in modules():
        for name, member in sorted(vars(module).items()):
            full = f"{module.__name__}.{name}"
            if is_own(module, name, member) and full not in LEFT_OUT:
                line = f"import {module.__name__}"
                found.append(Entry(full, sound_calls(name, member), line))
    return found


def kernels():
    """Return an entry for each name of `opforge.native.calls`, which plugins may use."""
    module = importlib.import_module("opforge.native.calls")
    found = []
    for name in module.__all__:
        sound = sound_calls("slice_array" if name == "slice" else name, getattr(module, name))
        line = "from opforge.native import calls"
        found.append(Entry(f"calls.{name}", sound, line))
    return found


def methods():
    """Return an entry for each method of the native classes, called on a fresh instance.

    The instances are created without `__init__`, which no class can prevent.
    """
    found = []
    for module in modules():
        for name, kind in sorted(vars(module).items()):
            if not (is_own(module, name, kind) and isinstance(kind, type)):
                continue
            line = f"import {module.__name__}; T = {module.__name__}.{name}"
            for method in sorted(set(dir(kind)) - set(dir(object))):
                sound = [{0: "1"}, {}, {0: A()}]
                found.append(Entry(f"T.__new__(T).{method}", sound, line, bare=True))
    return found
