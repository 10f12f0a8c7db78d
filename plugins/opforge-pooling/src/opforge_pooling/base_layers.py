"""Base classes of pooling layers."""

import inspect
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

from opforge.plugin_api import HybridBlock

__all__ = ["AvgPool", "MaxPool", "PoolingLayer", "Size"]

Size = int | Sequence[int]


class PoolingLayer(HybridBlock):
    """Base class of pooling layers, which call Pooling with fixed attributes.

    Subclasses declare the pool type and the layouts, which set the number of spatial dimensions.

    Parameters
    ----------
    kernel, stride, pad : tuple of int
        One number for each spatial dimension.
    layout : str, optional
        Order of the axes; None: channels first.
    full : bool
        Whether a partial last window produces an output.
    global_pool : bool, default False
        Whether one window covers the whole input.
    **kwargs
        Passed to `HybridBlock`.
    """

    _pool_type: ClassVar[str]
    _layouts: ClassVar[tuple[str, str]]
    __signature__: ClassVar[inspect.Signature | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        complete = "__init__" in vars(cls) or not hasattr(cls, "_layouts")
        cls.__signature__ = None if complete else _signature(cls)

    def __init__(
        self,
        kernel: tuple[int, ...],
        stride: tuple[int, ...],
        pad: tuple[int, ...],
        layout: str | None,
        full: bool,
        global_pool: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        layout = self._layouts[0] if layout is None else layout
        if layout not in self._layouts:
            raise ValueError(
                f"{type(self).__name__}: layout is {layout!r}; expected "
                f"{self._layouts[0]!r} or {self._layouts[1]!r}"
            )
        self._kwargs: dict[str, Any] = {
            "kernel": kernel,
            "stride": stride,
            "pad": pad,
            "global_pool": global_pool,
            "pool_type": self._pool_type,
            "layout": layout,
            "pooling_convention": "full" if full else "valid",
        }

    def _alias(self) -> str:
        return "pool"

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return `x` pooled."""
        return F.Pooling(x, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        values = self._kwargs
        return (
            f"{type(self).__name__}(size={values['kernel']}, stride={values['stride']}, "
            f"padding={values['pad']}, ceil_mode={values['pooling_convention'] == 'full'}, "
            f"global_pool={values['global_pool']}, pool_type={values['pool_type']}, "
            f"layout={values['layout']})"
        )


class _SlidingPool(PoolingLayer):
    """Base class of layers with sliding windows; `strides` defaults to the window size."""

    def __init__(
        self,
        pool_size: Size,
        strides: Size | None,
        padding: Size,
        layout: str | None,
        ceil_mode: bool,
        **kwargs: Any,
    ) -> None:
        kernel = self._lengths("pool_size", pool_size, 1)
        stride = kernel if strides is None else self._lengths("strides", strides, 1)
        pad = self._lengths("padding", padding, 0)
        super().__init__(kernel, stride, pad, layout, ceil_mode, **kwargs)

    def _lengths(self, argument: str, value: Size, least: int) -> tuple[int, ...]:
        """Return one number for each spatial dimension."""
        spatial = len(self._layouts[0]) - 2
        items: Any = (value,) * spatial if isinstance(value, Integral) else value
        if (
            isinstance(items, Sequence)
            and len(items) == spatial
            and all(isinstance(item, Integral) and int(item) >= least for item in items)
        ):
            return tuple(map(int, items))
        raise ValueError(
            f"{type(self).__name__}: {argument} is {value!r}; expected an integer of at least "
            f"{least}" + (f", or {spatial} of them" if spatial > 1 else "")
        )


class MaxPool(_SlidingPool):
    """Base class of max pooling layers, with the arguments in the order of `MaxPool2D`."""

    _pool_type = "max"

    def __init__(
        self,
        pool_size: Size = 2,
        strides: Size | None = None,
        padding: Size = 0,
        layout: str | None = None,
        ceil_mode: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, **kwargs)


class AvgPool(_SlidingPool):
    """Base class of average pooling layers, with the arguments in the order of `AvgPool2D`."""

    _pool_type = "avg"

    def __init__(
        self,
        pool_size: Size = 2,
        strides: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        layout: str | None = None,
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, **kwargs)
        self._kwargs["count_include_pad"] = count_include_pad


def _signature(cls: type[PoolingLayer]) -> inspect.Signature:
    """Return the signature of a class that inherits its constructor, with the class's defaults."""
    signature = inspect.signature(cls.__init__)
    spatial = len(cls._layouts[0]) - 2
    parameters = []
    for parameter in list(signature.parameters.values())[1:]:
        if parameter.name == "layout":
            parameter = parameter.replace(default=cls._layouts[0])
        elif parameter.name == "pool_size" and spatial > 1:
            parameter = parameter.replace(default=(parameter.default,) * spatial)
        parameters.append(parameter)
    return signature.replace(parameters=parameters)
