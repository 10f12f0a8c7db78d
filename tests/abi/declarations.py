"""Declarations of the test plugin's operators, with names that start with `abi_`."""

from contextlib import contextmanager, suppress

from opforge import nd, sym
from opforge.op.registry import registry
from opforge.plugin_api import Attribute, DType, Floats, OptionalInts, Shape, native


def declare(module, name, **body):
    """Return a new declaration of one operator of a library."""
    body.setdefault("__doc__", f"Test operator {name}.")
    body = {"name": f"abi_{name}", "library": module, **body}
    return type(name.capitalize(), (native.NativeOperator,), body)


ONE = {"infer_shape": lambda self, shapes: (shapes, [[1]], [])}
FIXED = {"differentiable": False}


def declare_all(module):
    """Return declarations of all operators of the test plugin."""
    return [
        declare(
            module,
            "scale",
            scale=Attribute(float, default=2.0),
            saves=(),
            attrs={"FElementwiseShape": True},
        ),
        declare(module, "product", arguments=("x", "y"), outputs=("product", "sum")),
        declare(module, "gil", **ONE, **FIXED),
        declare(module, "meet", **ONE, **FIXED),
        declare(
            module,
            "fail",
            status=Attribute(int, default=1),
            text=Attribute(str, default=None),
        ),
        declare(module, "scratch", **ONE, **FIXED),
        declare(module, "parallel", **FIXED),
        declare(
            module,
            "attributes",
            **ONE,
            **FIXED,
            a=Attribute(int, default=0),
            b=Attribute(float, default=0.0),
            c=Attribute(bool, default=False),
            d=Attribute(str, default=""),
            e=Attribute(Shape, default=()),
            f=Attribute(Floats, default=()),
            g=Attribute(OptionalInts, default=()),
            h=Attribute(DType, default="float32"),
            i=Attribute(float, default=0.0, optional=True),
        ),
        declare(module, "answers", what=Attribute(int, default=0), **FIXED),
        declare(module, "noise", **FIXED),
        declare(module, "silence", **FIXED),
    ]


class Undo(Exception):
    """Raised to roll back a transaction."""


@contextmanager
def registered(declarations, distribution):
    """Register the operators of a test plugin within the block."""
    with suppress(Undo), registry.transaction():
        for cls in declarations:
            registry.register_operator(cls, distribution, "1.0", "plugin")
        yield
        for namespace in (nd, sym):
            for name in [n for n in vars(namespace) if "abi_" in n]:
                delattr(namespace, name)
        raise Undo
