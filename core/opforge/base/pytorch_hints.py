"""PyTorch names and their equivalents in opforge, for error messages. Layer 0."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

__all__ = ["ARRAY_HINTS", "BLOCK_HINTS", "add_hints", "hint_for_name"]

Class = TypeVar("Class", bound=type)

_CONTEXT = "x.as_in_context(mx.cpu()); opforge computes on the CPU only"
_NET_CONTEXT = "net.collect_params().reset_ctx(mx.cpu()); opforge computes on the CPU only"

#: Attribute of torch.Tensor -> equivalent for an NDArray.
ARRAY_HINTS = {
    "add_": "x += y",
    "bool": "x.astype('bool')",
    "chunk": "x.split(num_outputs=n, axis=0)",
    "clone": "x.copy()",
    "contiguous": "x itself: arrays are contiguous",
    "cpu": _CONTEXT,
    "cuda": _CONTEXT,
    "data": "x.detach()",
    "device": "x.context",
    "dim": "x.ndim",
    "div_": "x /= y",
    "double": "x.astype('float64')",
    "eq": "x == y",
    "fill_": "x[:] = value",
    "float": "x.astype('float32')",
    "gather": "nd.pick(x, index, axis) or nd.gather_nd(x, indices)",
    "grad_fn": "autograd.get_symbol(x)",
    "half": "x.astype('float16')",
    "index_select": "nd.take(x, index, axis)",
    "int": "x.astype('int32')",
    "is_cuda": "x.context.device_type == 'gpu'",
    "is_leaf": "x.grad is not None",
    "long": "x.astype('int64')",
    "masked_fill": "nd.where(mask, value, x)",
    "matmul": "x @ y, or nd.dot(x, y)",
    "mm": "nd.dot(x, y)",
    "bmm": "nd.batch_dot(x, y)",
    "mul_": "x *= y",
    "new_ones": "nd.ones(shape, dtype=x.dtype, ctx=x.context)",
    "new_zeros": "nd.zeros(shape, dtype=x.dtype, ctx=x.context)",
    "numel": "x.size",
    "numpy": "x.asnumpy()",
    "permute": "x.transpose(axes)",
    "pow": "x ** y",
    "requires_grad": "x.attach_grad()",
    "requires_grad_": "x.attach_grad()",
    "sub_": "x -= y",
    "t": "x.T",
    "to": "x.astype(dtype) or x.as_in_context(ctx)",
    "type": "x.astype(dtype)",
    "unsqueeze": "x.expand_dims(axis)",
    "view": "x.reshape(shape)",
    "view_as": "x.reshape_like(y)",
    "zero_": "x[:] = 0",
}
#: Attribute of torch.nn.Module -> equivalent for a block.
BLOCK_HINTS = {
    "buffers": "net.collect_params(), whose grad_req is 'null'",
    "children": "net._children.values()",
    "cpu": _NET_CONTEXT,
    "cuda": _NET_CONTEXT,
    "double": "net.cast('float64')",
    "eval": "nothing: outside autograd.record() a block predicts",
    "float": "net.cast('float32')",
    "half": "net.cast('float16')",
    "load_state_dict": "net.load_parameters(file)",
    "modules": "net.apply(function)",
    "named_parameters": "net.collect_params().items()",
    "parameters": "net.collect_params(), which gluon.Trainer takes",
    "requires_grad_": "net.collect_params().setattr('grad_req', 'null')",
    "state_dict": "net.save_parameters(file), or net.collect_params()",
    "to": "net.cast(dtype) or net.collect_params().reset_ctx(ctx)",
    "train": "with autograd.record(): inside it a block trains",
}
#: Name in a module of PyTorch -> equivalent.
_NAMES = {
    "AvgPool2d": "nn.AvgPool2D",
    "BatchNorm1d": "nn.BatchNorm",
    "BatchNorm2d": "nn.BatchNorm",
    "BCEWithLogitsLoss": "gluon.loss.SigmoidBCELoss()",
    "Conv1d": "nn.Conv1D",
    "Conv2d": "nn.Conv2D",
    "Conv3d": "nn.Conv3D",
    "ConvTranspose2d": "nn.Conv2DTranspose",
    "CrossEntropyLoss": "gluon.loss.SoftmaxCELoss()",
    "Linear": "nn.Dense(units)",
    "MSELoss": "gluon.loss.L2Loss(), which has a factor of 1/2",
    "MaxPool2d": "nn.MaxPool2D",
    "Module": "gluon.HybridBlock or gluon.Block",
    "ModuleList": "nn.Sequential, whose layers are net[i]",
    "ReLU": "nn.Activation('relu')",
    "Sigmoid": "nn.Activation('sigmoid')",
    "Softmax": "nd.softmax(x)",
    "Tanh": "nn.Activation('tanh')",
    "Tensor": "nd.array(values)",
    "cat": "nd.concat(x, y, dim=axis)",
    "cuda": "mx.gpu(); opforge computes on the CPU only",
    "manual_seed": "mx.random.seed(seed)",
    "matmul": "nd.dot(x, y) or x @ y",
    "mm": "nd.dot(x, y)",
    "nn": "gluon.nn",
    "no_grad": "autograd.pause()",
    "optim": "optimizer, or gluon.Trainer",
    "randn": "nd.random.randn",
    "rand": "nd.random.uniform",
    "tensor": "nd.array(values)",
    "unsqueeze": "nd.expand_dims(x, axis)",
    "bmm": "nd.batch_dot(x, y)",
}


class _Hint:
    """Descriptor of a missing attribute; access raises an error that suggests a replacement."""

    def __init__(self, name: str, remedy: str) -> None:
        self._name = name
        self._remedy = remedy

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            raise AttributeError(f"type object {owner.__name__!r} has no attribute {self._name!r}")
        raise AttributeError(
            f"{owner.__name__!r} object has no attribute {self._name!r}; use {self._remedy}"
        )


def _existing(instance: Any) -> list[str]:
    """Return the attributes of an instance without the missing ones, which programs read."""
    kind = type(instance)
    return [
        name
        for name in object.__dir__(instance)
        if not isinstance(inspect.getattr_static(kind, name, None), _Hint)
        or name in getattr(instance, "__dict__", ())
    ]


def add_hints(hints: Mapping[str, str]) -> Callable[[Class], Class]:
    """Return a class decorator that adds suggestions to the errors for missing attributes.

    Unlike ``__getattr__``, it does not slow down other attributes of the class. Instances may have
    attributes of these names, and subclasses may define them.

    Parameters
    ----------
    hints : mapping of str to str

    Examples
    --------
    >>> @add_hints({"numpy": "x.asnumpy()"})
    ... class Mine: pass
    >>> Mine().numpy
    Traceback (most recent call last):
    AttributeError: 'Mine' object has no attribute 'numpy'; use x.asnumpy()
    >>> hasattr(Mine(), "numpy"), hasattr(Mine, "numpy")
    (False, False)
    """

    def decorate(cls: Class) -> Class:
        for name, remedy in hints.items():
            if not hasattr(cls, name):
                setattr(cls, name, _Hint(name, remedy))
        cls.__dir__ = _existing  # type: ignore[assignment, method-assign]
        return cls

    return decorate


def hint_for_name(name: str) -> str:
    """Return a sentence about a PyTorch name that a module lacks; empty for other names.

    Examples
    --------
    >>> hint_for_name("Linear")
    "PyTorch's Linear is nn.Dense(units) here"
    """
    return f"PyTorch's {name} is {_NAMES[name]} here" if name in _NAMES else ""
