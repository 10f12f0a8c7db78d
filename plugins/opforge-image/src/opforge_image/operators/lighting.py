"""PCA lighting noise of AlexNet: `_image_adjust_lighting` and `_image_random_lighting`."""

from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, AttributeValueError, F, Floats, kernels

from ..colors import IMAGENET_EIGENVALUES, IMAGENET_EIGENVECTORS
from .layouts import ColorOperator

#: Principal components of ImageNet's colors, as columns.
_AXES = (IMAGENET_EIGENVALUES * IMAGENET_EIGENVECTORS).astype(np.float32)


class _LightingOperator(ColorOperator):
    """Base class of both operators."""

    dtypes = ("floating", "integer")
    saves = ()

    def coefficients(self) -> Any:
        """Return the coefficients of the axes, shape (3,)."""
        raise NotImplementedError

    def light(self) -> np.ndarray:
        """Return what is added to each channel."""
        return _AXES @ np.asarray(self.coefficients(), np.float32)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Add light to each channel; images of one channel are unchanged."""
        data = np.asarray(in_data[0])
        if data.shape[2] == 1:
            kernels.cast(in_data[0], out_data[0], req=req[0])
            return
        out = data + self.light()
        if data.dtype.itemsize == 1:
            limits = np.iinfo(data.dtype)
            out = out.clip(limits.min, limits.max)
        kernels.cast(F.from_numpy(np.ascontiguousarray(out)), out_data[0], req=req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradient, since the added light does not depend on the image."""
        return [F.identity(out_grad[0])]


class AdjustLighting(_LightingOperator):
    """Add light along the principal components of ImageNet's colors.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.adjust_lighting(nd.zeros((1, 1, 3)), alpha=(0, 0, 1)).asnumpy().round(2).tolist()
    [[[0.46000000834465027, -0.9300000071525574, 0.47999998927116394]]]
    """

    name = "_image_adjust_lighting"
    category = "vision"
    alpha = Attribute(Floats, doc="Coefficients of the three axes.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if len(self.alpha) != 3:
            raise AttributeValueError(f"{self.name}: alpha is {self.alpha}; expected three numbers")

    def coefficients(self) -> Any:
        """Return `alpha`."""
        return self.alpha


class RandomLighting(_LightingOperator):
    """Add random light along the principal components of ImageNet's colors.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.random_lighting(nd.ones((4, 4, 3)), alpha_std=0.1).shape
    (4, 4, 3)
    """

    name = "_image_random_lighting"
    category = "vision"
    alpha_std = Attribute(float, default=0.05, ge=0, doc="Standard deviation of the coefficients.")

    def coefficients(self) -> Any:
        """Return random coefficients."""
        return F._random_normal(loc=0.0, scale=self.alpha_std, shape=(3,)).asnumpy()
