"""Images as PNG files inside an event."""

import io
from typing import Any

import numpy as np

__all__ = ["image_summary"]


def image_summary(summaries: Any, tag: str, image: Any, layout: str) -> Any:
    """Return a summary with an image, or with a batch of images side by side.

    Parameters
    ----------
    summaries : module
        tensorboard's ``summary_pb2``.
    tag : str
    image : numpy.ndarray
    layout : {"CHW", "HWC"}

    Raises
    ------
    ValueError
        The shape is not that of an image.
    """
    from PIL import Image

    pixels = _bytes(_side_by_side(_channels_last(image, layout)))
    height, width, channels = pixels.shape
    buffer = io.BytesIO()
    Image.fromarray(pixels if channels == 3 else pixels[:, :, 0]).save(buffer, "PNG")
    value = summaries.Summary.Image(
        height=height,
        width=width,
        colorspace=channels,
        encoded_image_string=buffer.getvalue(),
    )
    return summaries.Summary(value=[summaries.Summary.Value(tag=tag, image=value)])


def _channels_last(image: Any, layout: str) -> Any:
    """Return the image with the axes batch, height, width, channels."""
    if layout not in ("CHW", "HWC"):
        raise ValueError(f"add_image: got layout={layout!r}, expected 'CHW' or 'HWC'")
    if image.ndim == 2:
        image = image[:, :, None]
    elif layout == "CHW" and image.ndim in (3, 4):
        image = np.moveaxis(image, -3, -1)
    if image.ndim == 3:
        image = image[None]
    if image.ndim != 4 or image.shape[3] not in (1, 3) or 0 in image.shape:
        raise ValueError(
            f"add_image: got an image of shape {image.shape} with the layout {layout}, expected "
            "height and width, 1 or 3 channels, and perhaps an axis of a batch in front"
        )
    return image


def _side_by_side(images: Any) -> Any:
    """Return a batch of images as one, in about as many rows as columns."""
    n, height, width, channels = images.shape
    columns = int(np.ceil(np.sqrt(n)))
    rows = -(-n // columns)
    cells = np.zeros((rows * columns, height, width, channels), images.dtype)
    cells[:n] = images
    grid = cells.reshape(rows, columns, height, width, channels).swapaxes(1, 2)
    return grid.reshape(rows * height, columns * width, channels)


def _bytes(image: Any) -> Any:
    if image.dtype == np.uint8:
        return image
    return (np.clip(np.nan_to_num(image.astype(np.float64)), 0, 1) * 255).round().astype(np.uint8)
