"""Test symbols of simpledet's configurations, read from a checkout; mxnext is installed.

Operators that simpledet adds to MXNet in C++, and its Python operators, are left out: what they
take becomes outputs of a network, and what they return inputs.
"""

import contextlib
import functools
import re
import sys
from pathlib import Path
from unittest import mock

import mxnet as mx
import numpy as np
from checking import Network
from weights import draw_for_symbol

#: Modules for data and results, which the symbols do not call.
FOR_DATA = (
    "operator_py.cython",
    "operator_py.cython.bbox",
    "operator_py.cython.bbox_self",
    "operator_py.cython.cpu_nms",
    "pycocotools",
    "shape_tool",
)
#: Shapes of the inputs of all test symbols.
SHAPES = {"data": (1, 3, 128, 256), "im_info": (1, 3)}
#: Scale of batch normalizations, with which deep networks do not enlarge rounding.
SCALE = 0.05
#: Changes of a configuration: few regions, with which a run takes seconds, and float32.
CHANGES = {
    r"((pre|post)_nms_top_n|max_det_per_image) = .*": r"\1 = 10",
    r"\bfp16( *)= True": r"fp16\1= False",
    r"\bpad_sizes = .*": "pad_sizes = (128, 256)",
}


def networks(checkout):
    """Return a function for each configuration that builds the network."""
    if checkout is None:
        raise SystemExit("pass the folder of simpledet's repository as --checkout")
    paths = sorted(checkout.glob("config/**/*.py"))
    paths = [path for path in paths if path.name != "__init__.py"]
    return {
        str(path.relative_to(checkout / "config").with_suffix("")): functools.partial(
            build, checkout.resolve(), path
        )
        for path in paths
    }


def build(checkout, path):
    """Return a network with random weights and inputs."""
    cuts = Cuts()
    with imports(checkout), cuts.operators():
        settings = {"__name__": path.stem}
        exec(compile(change(path.read_text()), path, "exec"), settings)
        parts = settings["get_config"](is_train=False)
    symbol = next(part for part in parts if part.__name__ == "ModelParam").test_symbol
    symbol = mx.sym.Group(computed([*cuts.taken, *symbol]))
    shapes = {**SHAPES, **cuts.shapes}
    inputs = {name: draw(shapes[name]) for name in symbol.list_inputs() if name in shapes}
    sizes = [
        (*array.shape[:2], "height", "width") if name == "data" else array.shape
        for name, array in inputs.items()
    ]
    return Network(
        symbol,
        list(inputs.values()),
        draw_for_symbol(symbol, SCALE, **inputs),
        dynamic=[sizes],
    )


def change(text):
    """Return a configuration with the changes."""
    for pattern, replacement in CHANGES.items():
        text = re.sub(pattern, replacement, text)
    return text


def draw(shape):
    """Return an image, or numbers that are the corners of boxes, too."""
    generator = np.random.default_rng(1)
    if shape == SHAPES["data"]:
        return generator.standard_normal(shape).astype("float32")
    return np.sort(generator.uniform(0, 4, shape), -1).astype("float32")


def computed(outputs):
    """Return the outputs without inputs and repetitions."""
    named = {output.list_outputs()[0]: output for output in outputs}
    return [output for output in named.values() if output.get_children() is not None]


class Cuts:
    """Operators that are left out."""

    def __init__(self):
        self.taken = []
        self.shapes = {}

    @contextlib.contextmanager
    def operators(self):
        """Call this object in place of the operators."""
        contrib = {
            "ROIAlign_v2": self.align_regions,
            "Proposal": self.propose,
            "Proposal_v2": self.propose,
            "Proposal_v3": self.propose,
            "GroupNorm": normalize_groups,
        }
        symbol = {
            "Custom": functools.partial(self.run_python, mx.sym.Custom),
            "BatchNorm": functools.partial(normalize_batch, mx.sym.BatchNorm),
        }
        with (
            mock.patch.dict(vars(mx.sym.contrib), contrib, __all__=[*contrib]),
            mock.patch.dict(vars(mx.sym), symbol),
        ):
            yield

    def propose(self, cls_prob, bbox_pred, im_info, *, rpn_post_nms_top_n, **attributes):
        """Return boxes and their scores."""
        count = rpn_post_nms_top_n
        return self.cut([cls_prob, bbox_pred], [(1, count, 4), (1, count, 1)])

    def align_regions(self, data, rois, *, pooled_size, **attributes):
        """Return the features of each box."""
        channels, count = (infer_shapes(symbol)[0][1] for symbol in (data, rois))
        return self.cut([data, rois], [(1, count, channels, *pooled_size)])[0]

    def run_python(self, custom, *inputs, **named):
        """Return what an operator in Python returns."""
        found = custom(*inputs, **named)
        symbols = [value for value in named.values() if isinstance(value, mx.sym.Symbol)]
        outputs = self.cut([*inputs, *symbols], infer_shapes(found))
        return outputs if len(outputs) > 1 else outputs[0]

    def cut(self, inputs, shapes):
        """Return variables with these shapes in place of the outputs of an operator."""
        self.taken += inputs
        names = [f"cut{len(self.shapes) + index}" for index in range(len(shapes))]
        self.shapes.update(zip(names, shapes, strict=True))
        return [mx.sym.var(name, shape=self.shapes[name]) for name in names]


def infer_shapes(symbol):
    """Return the shapes of the outputs."""
    known = {name: shape for name, shape in SHAPES.items() if name in symbol.list_inputs()}
    return symbol.infer_shape(**known)[1]


def normalize_batch(operator, *inputs, use_global_stats=False, **attributes):
    """Return a batch normalization whose averages `draw_for_symbol` can set."""
    return operator(*inputs, **attributes)


def normalize_groups(num_group, **others):
    """Return MXNet's group normalization."""
    return mx.sym.GroupNorm(num_groups=num_group, **others)


@contextlib.contextmanager
def imports(checkout):
    """Import from the checkout, whose classes keep parts of the last network."""
    before = set(sys.modules)
    for_data = dict.fromkeys(FOR_DATA, mock.MagicMock())
    with (
        mock.patch.dict(sys.modules, for_data),
        mock.patch.object(sys, "path", [str(checkout), *sys.path]),
    ):
        yield
    for name in set(sys.modules) - before:
        if checkout in Path(getattr(sys.modules[name], "__file__", None) or "/").parents:
            del sys.modules[name]
