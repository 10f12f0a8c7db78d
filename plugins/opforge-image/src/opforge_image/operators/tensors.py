"""Conversion of images to network inputs: `_image_to_tensor` and `_image_normalize`."""

from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, F, Floats, OperatorProp, ShapeError, kernels

from .layouts import check_image


class ToTensor(OperatorProp):
    """Move channels first and scale values from [0, 255] to float32 in [0, 1].

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.to_tensor(nd.full((1, 2, 1), 51, dtype="uint8")).asnumpy().tolist()
    [[[0.20000000298023224, 0.20000000298023224]]]
    """

    name = "_image_to_tensor"
    output_dtypes = {"output": "float32"}
    category = "vision"
    argument_docs = {"data": "shape (h, w, c) or (n, h, w, c), any type"}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape with the channels before height and width."""
        data = tuple(in_shape[0])
        if not data:
            return in_shape, [()], []
        check_image("to_tensor", data)
        return [data], [(*data[:-3], data[-1], *data[-3:-1])], []

    def compose(self, F: Any, data: Any) -> Any:
        """Return the transposed and scaled image."""
        check_image("to_tensor", data.shape)
        axes = (2, 0, 1) if len(data.shape) == 3 else (0, 3, 1, 2)
        return F.transpose(F.cast(data, dtype="float32"), axes=axes) / 255.0


class Normalize(OperatorProp):
    """Subtract the mean from each channel and divide by the standard deviation.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.normalize(nd.ones((3, 1, 1)), mean=(0, 1, 2), std=2).asnumpy().ravel().tolist()
    [0.5, 0.0, -0.5]
    """

    name = "_image_normalize"
    category = "vision"
    saves = ()
    argument_docs = {"data": "shape (c, h, w) or (n, c, h, w)"}
    mean = Attribute(Floats, default=(0.0,), doc="One number, or one per channel.")
    std = Attribute(Floats, default=(1.0,), doc="One number, or one per channel.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape; mean and std have one number, or one per channel."""
        data = tuple(in_shape[0])
        if data and len(data) not in (3, 4):
            raise ShapeError(
                f"normalize: data has shape {data}; expected an image (channels, height, width) "
                "or a batch (n, channels, height, width), as returned by to_tensor"
            )
        for name in ("mean", "std"):
            numbers = getattr(self, name)
            if data and len(numbers) not in (1, data[-3]):
                raise ShapeError(
                    f"normalize: {name} has {len(numbers)} numbers; expected 1 or one for each of "
                    f"the {data[-3]} channels of data, whose shape is {data}"
                )
        return [data], [data], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape."""
        return [out_shapes[0]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Normalize in at least float32; integer results are truncated."""
        data = np.asarray(in_data[0])
        kind = np.result_type(data.dtype, np.float32) if data.dtype.kind == "f" else np.float32
        mean, std = (np.array(v, np.float32)[:, None, None] for v in (self.mean, self.std))
        out = (data.astype(kind, copy=False) - mean) / std
        kernels.cast(F.from_numpy(out.astype(kind, copy=False)), out_data[0], req=req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradient divided by the standard deviations."""
        return [F._image_normalize(out_grad[0], mean=(0.0,), std=self.std)]
