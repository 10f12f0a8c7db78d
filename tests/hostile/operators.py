"""Every registered operator and every method of NDArray, with valid calls to start from.

The primitive operators' calls are those of the conformance table; a plugin's operator that is
neither in `PLUGINS` nor in `SEQUENCES` is called with one array.
"""

import inspect

import numpy as np
from conformance.test_operators import CASES

from opforge import nd
from opforge.op.registry.registry import OPERATORS, lookup

from .calls import Entry
from .native import BY_NAME
from .sequences import SEQUENCES
from .values import ArrayValue as A

ROW, COLUMN = A((4,)), A((3,))

#: A valid call of each of the plugins' operators; `SEQUENCES` has several of each.
PLUGINS = {
    "Activation": {0: A(), "act_type": "'tanh'"},
    "BatchNorm": {0: A(), 1: ROW, 2: ROW, 3: ROW, 4: ROW, "axis": "1", "momentum": "0.9"},
    "BilinearSampler": {0: A((1, 2, 4, 5)), 1: A((1, 2, 3, 4))},
    "Crop": {0: A((1, 2, 4, 5)), "h_w": "(2, 3)", "offset": "(1, 1)"},
    "Dropout": {0: A(), "p": "0.5", "mode": "'always'", "axes": "(1,)"},
    "GridGenerator": {0: A((2, 6)), "transform_type": "'affine'", "target_shape": "(3, 4)"},
    "GroupNorm": {0: A((2, 4, 3)), 1: A((2,)), 2: A((2,)), "num_groups": "2", "eps": "1e-5"},
    "InstanceNorm": {0: A((2, 3, 4)), 1: COLUMN, 2: COLUMN, "eps": "1e-3"},
    "L2Normalization": {0: A((2, 3, 4)), "mode": "'channel'", "eps": "1e-10"},
    "LRN": {0: A((2, 3, 4)), "nsize": "3", "alpha": "1e-4"},
    "LayerNorm": {0: A(), 1: ROW, 2: ROW, "axis": "-1", "eps": "1e-5"},
    "LeakyReLU": {0: A(), 1: ROW, "act_type": "'prelu'", "slope": "0.25"},
    "LinearRegressionOutput": {0: A(), 1: A(), "grad_scale": "1.0"},
    "LogisticRegressionOutput": {0: A(), 1: A(), "grad_scale": "1.0"},
    "MAERegressionOutput": {0: A(), 1: A(), "grad_scale": "1.0"},
    "MakeLoss": {0: A(), "normalization": "'valid'", "valid_thresh": "0.5"},
    "pad": {0: A((1, 2, 4, 5)), "mode": "'reflect'", "pad_width": "(0, 0, 0, 0, 1, 2, 3, 4)"},
    "Pooling": {0: A((1, 2, 4, 5)), "kernel": "(2, 3)", "stride": "(2, 1)", "pad": "(1, 0)"},
    "BatchNorm_v1": {0: A(), 1: ROW, 2: ROW, 3: ROW, 4: ROW, "fix_gamma": "True"},
    "Pooling_v1": {0: A((1, 2, 4, 5)), "kernel": "(2, 3)", "pool_type": "'avg'"},
    "SpatialTransformer": {
        **{0: A((1, 2, 4, 5)), 1: A((1, 6)), "target_shape": "(3, 4)"},
        **{"transform_type": "'affine'", "sampler_type": "'bilinear'"},
    },
    "UpSampling": {0: A((1, 2, 4, 5)), "scale": "2", "sample_type": "'nearest'"},
    "SoftmaxOutput": {0: A(), 1: COLUMN, "use_ignore": "True", "normalization": "'valid'"},
    "_contrib_AdaptiveAvgPooling2D": {0: A((1, 2, 4, 5)), "output_size": "(2, 3)"},
    "_contrib_BatchNormWithReLU": {0: A(), 1: ROW, 2: ROW, 3: ROW, 4: ROW, "axis": "1"},
    "_contrib_SyncBatchNorm": {0: A(), 1: ROW, 2: ROW, 3: ROW, 4: ROW, "key": "'k'"},
    "_contrib_BilinearResize2D": {0: A((1, 2, 4, 5)), "height": "3", "width": "7"},
    "_repeat_pixels": {0: A((1, 2, 4, 5)), "scale": "2"},
    "_spread_pixels": {0: A((1, 2, 4, 5)), 1: A((2, 1, 4, 4)), "scale": "2"},
    "_backward_softmax": {0: A(), 1: A(), "axis": "-1"},
    "_backward_log_softmax": {0: A(), 1: A(), "axis": "-1"},
    "center": {0: A(), "axis": "1"},
    "depth_to_space": {0: A((1, 8, 2, 3)), "block_size": "2"},
    "space_to_depth": {0: A((1, 2, 4, 6)), "block_size": "2"},
    "dense": {0: A(), 1: A((5, 4)), "bias": "0.5"},
    "log_softmax": {0: A(), "axis": "-1", "temperature": "1.0"},
    "min_max_norm": {0: A(), "axis": "1"},
    "repeat": {0: A(), "repeats": "2", "axis": "1"},
    "softmax": {0: A(), "axis": "-1", "temperature": "1.0"},
    "softmin": {0: A(), "axis": "-1"},
    "tile": {0: A(), "reps": "(2, 1)"},
}

#: Methods that are not called -> the reason.
LEFT_OUT = {"wait_to_read", "wait_to_write", "__new__", "__init_subclass__", "__class_getitem__"}


def sound_calls(case):
    """Return the calls of a row of the conformance table."""
    found = []
    for call in case.calls:
        values = case.draw(call)
        if sum(x.size for x in values) > 200:
            continue
        arrays = {
            i: A(x.shape, "float32", str(np.round(x, 2).ravel().tolist()) if x.size else "None")
            for i, x in enumerate(values)
        }
        found.append({**arrays, **{name: repr(value) for name, value in call.attrs.items()}})
    return found


def plugin_operators():
    """Return the names of operators that no row of the conformance table covers."""
    covered = {lookup(name).prop_class for name in CASES}
    names = [name for name in OPERATORS.names() if name not in CASES]
    return sorted(
        {
            lookup(name).prop_class: name
            for name in names
            if lookup(name).prop_class not in covered
        }.values()
    )


def calls_of_plugin(name):
    """Return the calls of an operator of a plugin."""
    return SEQUENCES.get(name) or [PLUGINS.get(name, {0: A()})]


def operators():
    """Return an entry for each operator."""
    table = {name: sound_calls(case) for name, case in CASES.items()}
    table |= {name: calls_of_plugin(name) for name in plugin_operators()}
    return [Entry(f"nd.{name}", calls, records=True) for name, calls in table.items()]


def functions():
    """Return an entry for each public function of `nd` that is not an operator."""
    known = set(OPERATORS.names())
    found = []
    for name in nd.__all__:
        function = getattr(nd, name)
        if name in known or not callable(function) or name in {"save", "load", "waitall"}:
            continue
        found.append(Entry(f"nd.{name}", [arguments_of(function)]))
    return found


def arguments_of(function):
    """Return arguments that the names of parameters suggest."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return {0: "1"}
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = [p for p in parameters if p.kind not in kinds and p.name not in {"self", "cls"}]
    return {
        i if p.kind is not inspect.Parameter.KEYWORD_ONLY else p.name: BY_NAME.get(p.name, "2")
        for i, p in enumerate(named)
    }


def methods():
    """Return an entry for each method of NDArray, special methods included."""
    found = []
    own = set(dir(nd.NDArray)) - set(dir(object)) - LEFT_OUT
    for name in sorted(own | {"__eq__", "__lt__", "__repr__", "__format__", "__hash__"}):
        function = getattr(nd.NDArray, name, None)  # hints for PyTorch's names raise
        if callable(function):
            line = "x = A((3, 4), 'float32', [1, -2, 0.5, nan])"
            entry = Entry(f"x.{name}", [arguments_of(function), {0: "2"}, {0: A()}], line, True)
            found.append(entry)
    return found
