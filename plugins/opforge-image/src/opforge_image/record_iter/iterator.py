"""`ImageRecordIter`: batches of augmented images from a record file."""

import os
from dataclasses import dataclass, fields
from random import Random
from typing import Any

import numpy as np

from opforge.plugin_api import AttributeValueError

from ..recordio.header import HEADER
from .base import RecordIter, record_offsets
from .color_settings import Colours
from .geometry import Geometry
from .labels import LabelSource
from .mean_image import mean_image
from .normalization import Normalization
from .reading import Reading
from .settings import taken

__all__ = [
    "ImageRecordInt8Iter",
    "ImageRecordIter",
    "ImageRecordIter_v1",
    "ImageRecordUInt8Iter",
    "ImageRecordUInt8Iter_v1",
]


class ImageRecordIter(RecordIter):
    """Batches of images from a record file, decoded and augmented by threads ahead of their use.

    What is read depends on the arguments alone, not on the number of threads. A record that is
    damaged or holds no image is named by a warning and left out; ``warnings.simplefilter("error",
    RuntimeWarning)`` makes an error of it. JPEGs are not turned by the orientation that a camera
    wrote into them, as MXNet does not.

    Parameters
    ----------
    path_imgrec : path-like
        Record file, as `im2rec` writes it.
    data_shape : tuple of int
        (channels, height, width); 1 channel: grey, 3: red, green and blue, 4: as the file has it.
    batch_size : int
    path_imgidx : path-like, optional
        Its index. Without one the heads of all records are read once, in sequence.
    path_imglist : path-like, optional
        List of labels by record number, instead of those in the records.
    label_width : int, default 1
        Labels a record. A batch's labels have shape (batch_size,) or (batch_size, label_width).
    preprocess_threads : int, default 4
        Threads that decode; no more than there are processors are used.
    prefetch_buffer : int, default 4
        Batches that are made ahead.
    num_parts, part_index : int, default 1 and 0
        Read one of `num_parts` contiguous parts, which hold each record once.
    shuffle : bool, default False
        A new order in each pass.
    seed : int, default 0
        Of the order and the augmentations.
    seed_aug : int, optional
        Of the augmentations, which are then the same in each epoch.
    round_batch : bool, default True
        The last batch is filled from the next pass, which the next epoch goes on with; otherwise
        from the same epoch. Its `pad` says how many rows that are.
    dtype : {'float32', 'uint8', 'int8'}, default 'float32'
        uint8: bytes as they are; int8: less the rounded mean.
    resize : int, default -1
        Size of the shorter edge, before all else.
    rand_crop : bool, default False
        Cut at a random place, rather than in the middle.
    random_resized_crop, min_random_area, max_random_area, min_aspect_ratio, max_aspect_ratio
        Cut a part of a random area and ratio of width to height.
    min_crop_size, max_crop_size : int, default -1
        Cut a square of a random size.
    max_rotate_angle, rotate, max_shear_ratio, min_random_scale, max_random_scale, min_img_size, \
max_img_size
        Warp the image before it is cut; `fill_value`, 255, is around it.
    pad : int, default 0
        Pixels of `fill_value` on each side.
    inter_method : int, default 1
        Interpolation: 0 nearest, 1 bilinear, 2 cubic, 3 area, 4 Lanczos, 9 by the sizes, 10 random.
    brightness, contrast, saturation, pca_noise, random_h, random_s, random_l
        How far colours change.
    mirror, rand_mirror : bool, default False
        Mirror each image, or half of them.
    mean_img : path-like, optional
        File of a mean image to subtract; made of all images where it is missing.
    mean_r, mean_g, mean_b, mean_a, std_r, std_g, std_b, std_a, scale
        A number is ``(byte - mean) * scale / std``.
    max_random_contrast, max_random_illumination : float, default 0
        Multiply by and add random numbers.
    data_name, label_name : str, default "data" and "softmax_label"

    Raises
    ------
    AttributeValueError, DTypeError
        An argument is of the wrong type or out of range, or excludes another.
    FileNotFoundError
        A file is missing.

    Examples
    --------
    >>> import tempfile, pathlib, numpy
    >>> from opforge import io
    >>> from opforge_image import recordio
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "grey.rec"
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
        given = {
            **settings,
            "path_imgrec": path_imgrec,
            "data_shape": data_shape,
            "batch_size": batch_size,
        }
        reading, geometry, colours, normalization = taken(
            owner, given, Reading, Geometry, Colours, Normalization
        )
        reading.check(owner)
        if colours.changes and reading.data_shape[0] != 3:
            raise AttributeValueError(
                f"{owner}: colours are changed of 3 channels, got data_shape={data_shape}; leave "
                "brightness, contrast, saturation, pca_noise and random_h, _s and _l out"
            )
        mean = None
        if mean_img:
            mean = mean_image(mean_img, reading.data_shape, lambda: _as_they_are(given))
        super().__init__(
            reading,
            record_offsets(reading),
            (label_width,) if label_width > 1 else (),
            _Pipeline(
                geometry, colours, normalization, LabelSource(label_width, path_imglist), mean
            ),
        )


class ImageRecordUInt8Iter(ImageRecordIter):
    """`ImageRecordIter` with dtype uint8, by the name that older programs use.

    Parameters
    ----------
    path_imgrec : path-like
    **settings
        Those of `ImageRecordIter`.
    """

    def __init__(self, *, path_imgrec: str | os.PathLike[str], **settings: Any) -> None:
        super().__init__(path_imgrec=path_imgrec, **{**settings, "dtype": "uint8"})


class ImageRecordInt8Iter(ImageRecordIter):
    """`ImageRecordIter` with dtype int8, by the name that older programs use.

    Parameters
    ----------
    path_imgrec : path-like
    **settings
        Those of `ImageRecordIter`.
    """

    def __init__(self, *, path_imgrec: str | os.PathLike[str], **settings: Any) -> None:
        super().__init__(path_imgrec=path_imgrec, **{**settings, "dtype": "int8"})


class ImageRecordIter_v1(ImageRecordIter):
    """`ImageRecordIter` by the name of its first version, which older programs use.

    Parameters
    ----------
    path_imgrec : path-like
    **settings
        Those of `ImageRecordIter`.
    """


class ImageRecordUInt8Iter_v1(ImageRecordUInt8Iter):
    """`ImageRecordUInt8Iter` by the name of its first version, which older programs use.

    Parameters
    ----------
    path_imgrec : path-like
    **settings
        Those of `ImageRecordIter`.
    """


@dataclass(frozen=True)
class _Pipeline:
    """Processing of one decoded image."""

    geometry: Geometry
    colours: Colours
    normalization: Normalization
    labels: LabelSource
    mean: np.ndarray | None

    def __call__(
        self,
        image: np.ndarray,
        header: HEADER,
        data: np.ndarray,
        label: np.ndarray,
        rng: Random,
    ) -> None:
        label[...] = self.labels(header)
        image = self.geometry(image, (data.shape[1], data.shape[2]), rng)
        if self.colours.changes:
            image = self.colours(image, rng)
        self.normalization(image, data, self.mean, rng)


def _as_they_are(given: dict[str, Any]) -> ImageRecordIter:
    """Return an iterator over all images that only moves their pixels."""
    changed = {field.name for field in fields(Normalization)}
    kept = {name: value for name, value in given.items() if name not in changed}
    return ImageRecordIter(**{**kept, "shuffle": False, "round_batch": False, "dtype": None})
