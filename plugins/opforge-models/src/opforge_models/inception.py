"""Inception v3 (Szegedy et al., "Rethinking the Inception Architecture")."""

from collections.abc import Iterable
from typing import Any

from opforge.plugin_api import nn

from .building import ClassifiedFeatures, chain, concatenate, load_pretrained

__all__ = ["Inception3", "inception_v3"]

# A branch is a sequence of convolutions, each given as (channels, kernel[, padding]); a padding of
# "half" means stride 2. An optional pooling layer comes first.
_HALF = "half"


class Inception3(ClassifiedFeatures):
    """Inception v3 for images of 299x299: parallel branches with different kernels.

    Source: https://arxiv.org/abs/1512.00567

    Parameters
    ----------
    classes : int, default 1000
    """

    def _feature_layers(self) -> Iterable[Any]:
        return (
            _convolution(32, 3, _HALF),
            _convolution(32, 3),
            _convolution(64, 3, 1),
            nn.MaxPool2D(pool_size=3, strides=2),
            _convolution(80, 1),
            _convolution(192, 3),
            nn.MaxPool2D(pool_size=3, strides=2),
            *(_module_a(pooled, f"A{i}_") for i, pooled in enumerate((32, 64, 64), 1)),
            _module_b("B_"),
            *(
                _module_c(inner, f"C{index}_")
                for index, inner in enumerate((128, 160, 160, 192), 1)
            ),
            _module_d("D_"),
            *(_module_e(f"E{i}_") for i in (1, 2)),
            nn.AvgPool2D(pool_size=8),
            nn.Dropout(0.5),
        )


def _convolution(channels: int, kernel: Any, padding: Any = 0) -> Any:
    strides, padding = (2, 0) if padding == _HALF else (1, padding)
    return chain(
        nn.Conv2D(channels, kernel, strides=strides, padding=padding, use_bias=False),
        nn.BatchNorm(epsilon=0.001),
        nn.Activation("relu"),
    )


def _branch(*convolutions: Any, pooling: Any = None) -> Any:
    return chain(pooling, *(_convolution(*convolution) for convolution in convolutions))


def _average_pooled(channels: int) -> Any:
    return _branch((channels, 1), pooling=nn.AvgPool2D(pool_size=3, strides=1, padding=1))


def _max_pooled() -> Any:
    return _branch(pooling=nn.MaxPool2D(pool_size=3, strides=2))


def _module(prefix: str, make: Any) -> Any:
    """Return parallel branches whose parameter names are numbered in a separate scope."""
    module = concatenate(prefix=prefix)
    with module.name_scope():
        for branch in make():
            module.add(branch)
    return module


def _module_a(pooled: int, prefix: str) -> Any:
    def branches() -> Any:
        yield _branch((64, 1))
        yield _branch((48, 1), (64, 5, 2))
        yield _branch((64, 1), (96, 3, 1), (96, 3, 1))
        yield _average_pooled(pooled)

    return _module(prefix, branches)


def _module_b(prefix: str) -> Any:
    def branches() -> Any:
        yield _branch((384, 3, _HALF))
        yield _branch((64, 1), (96, 3, 1), (96, 3, _HALF))
        yield _max_pooled()

    return _module(prefix, branches)


def _module_c(inner: int, prefix: str) -> Any:
    def wide(channels: int) -> Any:
        return channels, (1, 7), (0, 3)

    def tall(channels: int) -> Any:
        return channels, (7, 1), (3, 0)

    def branches() -> Any:
        yield _branch((192, 1))
        yield _branch((inner, 1), wide(inner), tall(192))
        yield _branch((inner, 1), tall(inner), wide(inner), tall(inner), wide(192))
        yield _average_pooled(192)

    return _module(prefix, branches)


def _module_d(prefix: str) -> Any:
    def branches() -> Any:
        yield _branch((192, 1), (320, 3, _HALF))
        yield _branch((192, 1), (192, (1, 7), (0, 3)), (192, (7, 1), (3, 0)), (192, 3, _HALF))
        yield _max_pooled()

    return _module(prefix, branches)


def _module_e(prefix: str) -> Any:
    def split() -> Any:
        return concatenate(_branch((384, (1, 3), (0, 1))), _branch((384, (3, 1), (1, 0))))

    def branches() -> Any:
        yield _branch((320, 1))
        yield chain(_branch((384, 1)), split())
        yield chain(_branch((448, 1), (384, 3, 1)), split())
        yield _average_pooled(192)

    return _module(prefix, branches)


def inception_v3(
    pretrained: bool = False, ctx: Any = None, root: Any = None, **kwargs: Any
) -> Inception3:
    """Return Inception v3 for images of 299x299.

    Parameters
    ----------
    pretrained, ctx, root
        As for `get_resnet`.
    **kwargs
        Arguments of `Inception3`.
    """
    return load_pretrained(Inception3(**kwargs), "inceptionv3", pretrained, ctx, root)
