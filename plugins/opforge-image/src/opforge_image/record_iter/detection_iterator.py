"""`ImageDetRecordIter`: batches of augmented images and their objects from a record file."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from random import Random
from typing import Any

import numpy as np

from opforge.plugin_api import AttributeValueError, DTypeError

from ..recordio.header import HEADER
from .base import RecordIter, record_offsets
from .box_crops import Cropping
from .boxes import Boxes
from .detection_geometry import DetectionColours, Placing
from .labels import LabelSource
from .mean_image import mean_image
from .normalization import Normalization
from .reading import Reading
from .settings import taken

__all__ = ["ImageDetRecordIter"]

#: Those of `Normalization`'s settings that objects leave: mirroring and light are `Placing`'s and
#: `DetectionColours`'.
_DEVIATIONS = ("std_r", "std_g", "std_b", "std_a")
_SCALING = frozenset(("mean_r", "mean_g", "mean_b", "mean_a", *_DEVIATIONS, "scale"))
#: Numbers before the labels of a record: channels, height and width of the image, and how many
#: labels there are.
_TOLD = 4


class ImageDetRecordIter(RecordIter):
    """Batches of images with objects, decoded and augmented by threads ahead of their use.

    A record's labels are ``(header width, object width, more header ..., objects ...)``, and an
    object is ``(class, left, top, right, bottom, more ...)`` in shares of the image: what
    ``im2rec --pack-label`` writes of such a list. A row of a batch's label is ``(channels, height,
    width, count, labels ..., padding ...)`` with `count` labels, those of the image as it was
    augmented. Objects without an area are left out.

    Everything that `ImageRecordIter` says of threads, seeds and damaged records holds here.

    Parameters
    ----------
    path_imgrec : path-like, default "./data/imgrec.rec"
    data_shape : tuple of int
        (channels, height, width).
    batch_size : int
    path_imglist : path-like, optional
        List of labels by record number, instead of those in the records.
    label_width : int, default -1
        Labels of each record; -1: any number.
    label_pad_width : int, default 0
        Room for labels in a row; 0 and -1: for the most that any record of the file has.
    label_pad_value : float, default -1
        What fills a row up.
    path_imgidx, preprocess_threads, prefetch_buffer, num_parts, part_index, shuffle, seed, \
seed_aug, round_batch, data_name, label_name
        As `ImageRecordIter` has them.
    resize : int, default -1
        Size of the shorter edge, before all else.
    max_random_hue, max_random_saturation, max_random_illumination, max_random_contrast
        How far colours change, each with the probability `random_hue_prob`,
        `random_saturation_prob`, `random_illumination_prob` or `random_contrast_prob`.
    rand_mirror_prob : float, default 0
        How often an image is mirrored.
    rand_pad_prob : float, default 0
        How often an image is put into one that is up to `max_pad_scale` times as high and wide,
        filled with `fill_value`, 127.
    rand_crop_prob : float, default 0
        How often a part is cut out, by one of `num_crop_sampler` samplers. Each of the following
        takes one value, or one for each sampler.
    min_crop_scales, max_crop_scales, min_crop_aspect_ratios, max_crop_aspect_ratios
        What parts are drawn.
    min_crop_overlaps, max_crop_overlaps
        Intersection over union of the part and an object.
    min_crop_sample_coverages, max_crop_sample_coverages
        Share of the part that an object covers.
    min_crop_object_coverages, max_crop_object_coverages
        Share of an object in the part. One object must fulfil all that is asked.
    max_crop_trials : int, default 25
        After so many parts that are not accepted comes the next sampler.
    crop_emit_mode : {'center', 'overlap'}, default 'center'
        Objects are kept whose centre lies in the part, or more than `emit_overlap_thresh`, 0.3, of
        their area; a part without any is not accepted.
    resize_mode : {'force', 'shrink', 'fit'}, default 'force'
        Resize to `data_shape`; or keep the ratio, and only shrink, or fit into it. The rest of a
        row is 0 then.
    inter_method : int, default 1
        Interpolation: 0 nearest, 1 bilinear, 2 cubic, 3 area, 4 Lanczos, 9 by the sizes, 10 random.
    mean_img, mean_r, mean_g, mean_b, mean_a, std_r, std_g, std_b, std_a, scale
        A number is ``(byte - mean) / std * scale``; a deviation of 0, the default, divides by
        nothing.

    Raises
    ------
    AttributeValueError, DTypeError
        An argument is of the wrong type or out of range, or labels have no room.
    FileNotFoundError
        A file is missing.

    Examples
    --------
    >>> import tempfile, pathlib, numpy
    >>> from opforge import io
    >>> from opforge_image import recordio
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "boxes.rec"
    >>> record = recordio.MXRecordIO(path, "w")
    >>> labels = [2, 5, 7, 0.25, 0.25, 0.5, 0.75]  # an object of class 7
    >>> record.write(recordio.pack_img((0, labels, 0, 0), numpy.zeros((8, 8, 3), numpy.uint8)))
    >>> record.close()
    >>> batches = io.ImageDetRecordIter(path_imgrec=path, data_shape=(3, 6, 6), batch_size=1)
    >>> batches.next().label[0].asnumpy().tolist()
    [[3.0, 6.0, 6.0, 7.0, 2.0, 5.0, 7.0, 0.25, 0.25, 0.5, 0.75]]
    """

    def __init__(
        self,
        *,
        data_shape: Any,
        batch_size: int,
        path_imgrec: str | os.PathLike[str] = "./data/imgrec.rec",
        path_imglist: str | os.PathLike[str] = "",
        label_width: int = -1,
        label_pad_width: int = 0,
        label_pad_value: float = -1.0,
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
        scaling = {name: given.pop(name) for name in [*given] if name in _SCALING}
        reading, placing, cropping, colours = taken(
            owner, given, Reading, Placing, Cropping, DetectionColours
        )
        (normalization,) = taken(owner, scaling, Normalization)
        reading.check(owner)
        if reading.element_type != np.float32:
            raise DTypeError(f"{owner}: got dtype={reading.dtype!r}, expected float32")
        if colours.changes and reading.data_shape[0] != 3:
            raise AttributeValueError(
                f"{owner}: colours are changed of 3 channels, got data_shape={data_shape}; leave "
                "random_hue_prob, random_saturation_prob, random_illumination_prob and "
                "random_contrast_prob out"
            )
        width = int(label_width) if int(label_width) > 0 else -1
        source = LabelSource(width, path_imglist)
        places = record_offsets(reading)
        room = _room(owner, int(label_pad_width), source.widest(path_imgrec, places))
        mean = None
        if mean_img:
            more = {"path_imglist": path_imglist, "label_width": label_width}
            mean = mean_image(mean_img, reading.data_shape, lambda: _as_they_are({**given, **more}))
        super().__init__(
            reading,
            places,
            (room + _TOLD,),
            _Pipeline(
                placing,
                cropping,
                colours,
                _without_zeros(normalization),
                source,
                float(label_pad_value),
                mean,
            ),
        )


def _without_zeros(normalization: Normalization) -> Normalization:
    """Return settings in which a deviation of 0 is one that changes nothing."""
    ones: dict[str, Any] = {name: 1.0 for name in _DEVIATIONS if getattr(normalization, name) <= 0}
    return replace(normalization, **ones)


def _room(owner: str, asked: int, widest: int) -> int:
    """Return how many labels a row has room for."""
    if 0 < asked < widest:
        raise AttributeValueError(
            f"{owner}: got label_pad_width={asked}, and a record has {widest} labels; leave it "
            "out, so that it is found, or give more room"
        )
    return max(asked, widest)


@dataclass(frozen=True)
class _Pipeline:
    """Processing of one decoded image and its labels."""

    placing: Placing
    cropping: Cropping
    colours: DetectionColours
    normalization: Normalization
    labels: LabelSource
    filler: float
    mean: np.ndarray | None

    def __call__(
        self,
        image: np.ndarray,
        header: HEADER,
        data: np.ndarray,
        label: np.ndarray,
        rng: Random,
    ) -> None:
        boxes = Boxes.of(self.labels(header))
        image = self.placing.scaled(image, rng)
        if self.colours.changes:
            image = self.colours(image, rng)
        steps: tuple[Callable[..., tuple[np.ndarray, Boxes]], ...] = (
            self.placing.mirrored,
            self.placing.padded,
            self.cropping,
        )
        for step in steps:
            image, boxes = step(image, boxes, rng)
        image = self.placing.fitted(image, data.shape[1], data.shape[2], rng)
        self._write_image(image, data, rng)
        labels = boxes.labels()
        label[:] = self.filler
        label[:_TOLD] = data.shape[0], *image.shape[:2], len(labels)
        label[_TOLD : _TOLD + len(labels)] = labels

    def _write_image(self, image: np.ndarray, data: np.ndarray, rng: Random) -> None:
        rows, columns = image.shape[:2]
        if (rows, columns) == data.shape[1:]:
            self.normalization(image, data, self.mean, rng)
            return
        mean = None if self.mean is None else self.mean[:, :rows, :columns]
        part = np.empty((len(data), rows, columns), data.dtype)
        self.normalization(image, part, mean, rng)
        data[...] = 0
        data[:, :rows, :columns] = part


def _as_they_are(given: Mapping[str, Any]) -> ImageDetRecordIter:
    """Return an iterator over all images as they are, in the size of the batch."""
    read = {field.name for field in fields(Reading)} | {"path_imglist", "label_width"}
    kept = {name: value for name, value in given.items() if name in read}
    return ImageDetRecordIter(**{**kept, "shuffle": False, "round_batch": False})
