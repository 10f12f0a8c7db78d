"""`ImageRecordIter`: batches of augmented images from a record file."""

import os
from dataclasses import dataclass, fields
from random import Random
from typing import Any

import numpy as np

from ..recordio.header import HEADER
from .base import RecordIter, record_offsets
from .color_settings import ColorSettings
from .geometry import Geometry
from .labels import LabelSource
from .mean_image import mean_image
from .normalization import Normalization
from .reading import Reading
from .settings import build_settings

__all__ = [
    "ImageRecordInt8Iter",
    "ImageRecordIter",
    "ImageRecordIter_v1",
    "ImageRecordUInt8Iter",
    "ImageRecordUInt8Iter_v1",
]


class ImageRecordIter(RecordIter):
    """Batches of images from a record file, decoded and augmented by threads ahead of use.

    Results depend only on the arguments, not on the number of threads. Records that are damaged or
    hold no image are skipped with a warning; ``warnings.simplefilter("error", RuntimeWarning)``
    turns it into an error. As in MXNet, the EXIF orientation of JPEGs is ignored.

    Parameters
    ----------
    path_imgrec : path-like
        Record file, as written by `im2rec`.
    data_shape : tuple of int
        (channels, height, width); 1 channel: gray, 3: red, green and blue, 4: as stored.
    batch_size : int
    path_imgidx : path-like, optional
        Index of the record file. Without it, the heads of all records are scanned once.
    path_imglist : path-like, optional
        List of labels by record number, instead of those in the records.
    label_width : int, default 1
        Labels per record. Labels of a batch have shape (batch_size,) or (batch_size, label_width).
    preprocess_threads : int, default 4
        Number of decoding threads, limited to the number of processors.
    prefetch_buffer : int, default 4
        Number of batches to prepare ahead.
    num_parts, part_index : int, default 1 and 0
        Read one of `num_parts` contiguous parts that together hold each record once.
    shuffle : bool, default False
        Shuffle the records in each pass.
    seed : int, default 0
        Seed of the order and the augmentations.
    seed_aug : int, optional
        Seed of the augmentations, which are then the same in each epoch.
    round_batch : bool, default True
        Fill the last batch from the next pass, which the next epoch continues; otherwise fill it
        from the same epoch. Its `pad` is the number of these rows.
    dtype : {'float32', 'uint8', 'int8'}, default 'float32'
        uint8: unchanged bytes; int8: bytes minus the rounded mean.
    resize : int, default -1
        Length to resize the shorter side to, before other augmentations.
    rand_crop : bool, default False
        Crop at a random position instead of the center.
    random_resized_crop, min_random_area, max_random_area, min_aspect_ratio, max_aspect_ratio
        Crop a random area and aspect ratio.
    min_crop_size, max_crop_size : int, default -1
        Crop a square of random size.
    max_rotate_angle, rotate, max_shear_ratio, min_random_scale, max_random_scale, min_img_size, \
max_img_size
        Warp the image before cropping; pixels outside are `fill_value`, 255.
    pad : int, default 0
        Number of pixels of `fill_value` to add on each side.
    inter_method : int, default 1
        Interpolation: 0 nearest, 1 bilinear, 2 cubic, 3 area, 4 Lanczos, 9 by size, 10 random.
    brightness, contrast, saturation, pca_noise, random_h, random_s, random_l
        Largest color changes.
    mirror, rand_mirror : bool, default False
        Mirror each image, or half of them.
    mean_img : path-like, optional
        File of a mean image to subtract; computed from all images if it does not exist.
    mean_r, mean_g, mean_b, mean_a, std_r, std_g, std_b, std_a, scale
        Values are ``(byte - mean) * scale / std``.
    max_random_contrast, max_random_illumination : float, default 0
        Largest random factor (minus 1) and offset of the values.
    data_name, label_name : str, default "data" and "softmax_label"

    Raises
    ------
    AttributeValueError, DTypeError
        An argument is of the wrong type or out of range, or excludes another one.
    FileNotFoundError
        A file is missing.

    Examples
    --------
    >>> import tempfile, pathlib, numpy
    >>> from opforge import io
    >>> from opforge_image import recordio
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "gray.rec"
    >>> record = recordio.MXRecordIO(path, "w")
    >>> for i in range(3):
    ...     record.write(recordio.pack_img((0, i, i, 0), numpy.full((8, 8, 3), 9 * i, numpy.uint8)))
    >>> record.close()
    >>> batches = io.ImageRecordIter(path_imgrec=path, data_shape=(3, 6, 6), batch_size=2)
    >>> [(batch.label[0].asnumpy().tolist(), batch.pad) for batch in batches]
    [([0.0, 1.0], 0), ([2.0, 0.0], 1)]
    """

    def __init__(
        self,
        *,
        path_imgrec: str | os.PathLike[str],
        data_shape: Any,
        batch_size: int,
        path_imglist: str | os.PathLike[str] = "",
        label_width: int = 1,
        mean_img: str | os.PathLike[str] = "",
        **settings: Any,
    ) -> None:
        owner = type(self).__name__
        arguments = dict(
            settings, path_imgrec=path_imgrec, data_shape=data_shape, batch_size=batch_size
        )
        reading, geometry, colors, normalization = build_settings(
            owner, arguments, Reading, Geometry, ColorSettings, Normalization
        )
        reading.check(owner)
        if colors.changes:
            reading.check_colors(
                owner, "brightness, contrast, saturation, pca_noise and random_h, _s and _l"
            )
        mean = None
        if mean_img:
            mean = mean_image(mean_img, reading.data_shape, lambda: _plain_iterator(arguments))
        super().__init__(
            reading,
            record_offsets(reading),
            (label_width,) if label_width > 1 else (),
            _Pipeline(
                geometry, colors, normalization, LabelSource(label_width, path_imglist), mean
            ),
        )


class ImageRecordUInt8Iter(ImageRecordIter):
    """`ImageRecordIter` with dtype uint8, under its older name.

    Parameters
    ----------
    path_imgrec : path-like
    **settings
        Arguments of `ImageRecordIter`.
    """

    def __init__(self, *, path_imgrec: str | os.PathLike[str], **settings: Any) -> None:
        super().__init__(path_imgrec=path_imgrec, **{**settings, "dtype": "uint8"})


class ImageRecordInt8Iter(ImageRecordIter):
    """`ImageRecordIter` with dtype int8, under its older name.

    Parameters
    ----------
    path_imgrec : path-like
    **settings
        Arguments of `ImageRecordIter`.
    """

    def __init__(self, *, path_imgrec: str | os.PathLike[str], **settings: Any) -> None:
        super().__init__(path_imgrec=path_imgrec, **{**settings, "dtype": "int8"})


class ImageRecordIter_v1(ImageRecordIter):
    """`ImageRecordIter` under the name of its first version.

    Parameters
    ----------
    path_imgrec : path-like
    **settings
        Arguments of `ImageRecordIter`.
    """


class ImageRecordUInt8Iter_v1(ImageRecordUInt8Iter):
    """`ImageRecordUInt8Iter` under the name of its first version.

    Parameters
    ----------
    path_imgrec : path-like
    **settings
        Arguments of `ImageRecordIter`.
    """


@dataclass(frozen=True)
class _Pipeline:
    """Processing of one decoded image."""

    geometry: Geometry
    colors: ColorSettings
    normalization: Normalization
    labels: LabelSource
    mean: np.ndarray | None

    def __call__(
        self, image: np.ndarray, header: HEADER, data: np.ndarray, label: np.ndarray, rng: Random
    ) -> None:
        label[...] = self.labels(header)
        image = self.geometry(image, (data.shape[1], data.shape[2]), rng)
        if self.colors.changes:
            image = self.colors(image, rng)
        self.normalization(image, data, self.mean, rng)


def _plain_iterator(arguments: dict[str, Any]) -> ImageRecordIter:
    """Return an iterator over all images with geometric augmentation only."""
    changed = {field.name for field in fields(Normalization)}
    kept = {name: value for name, value in arguments.items() if name not in changed}
    return ImageRecordIter(**{**kept, "shuffle": False, "round_batch": False, "dtype": None})
