"""`ImageDetRecordIter`: batches of augmented images with objects from a record file."""

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
from .detection_geometry import DetectionColors, DetectionGeometry
from .labels import LabelSource
from .mean_image import mean_image
from .normalization import Normalization
from .reading import Reading
from .settings import build_settings

__all__ = ["ImageDetRecordIter"]

#: Settings of `Normalization` that apply; mirroring and light belong to `DetectionGeometry` and
#: `DetectionColors`.
_DEVIATIONS = ("std_r", "std_g", "std_b", "std_a")
_SCALING = frozenset(("mean_r", "mean_g", "mean_b", "mean_a", *_DEVIATIONS, "scale"))
#: Number of elements before the labels of a record: channels, height and width of the image, and
#: number of labels.
_PREFIX = 4


class ImageDetRecordIter(RecordIter):
    """Batches of images with objects, decoded and augmented by threads ahead of use.

    A record's labels are ``(header width, object width, more header ..., objects ...)``, and an
    object is ``(class, left, top, right, bottom, more ...)`` with coordinates relative to the
    image's size, as ``im2rec --pack-label`` writes them. A row of a batch's label is ``(channels,
    height, width, count, labels ..., padding ...)`` with the `count` labels of the augmented image.
    Objects without an area are dropped.

    Threads, seeds and damaged records are handled as by `ImageRecordIter`.

    Parameters
    ----------
    path_imgrec : path-like, default "./data/imgrec.rec"
    data_shape : tuple of int
        (channels, height, width).
    batch_size : int
    path_imglist : path-like, optional
        List of labels by record number, instead of those in the records.
    label_width : int, default -1
        Number of labels per record; -1: any number.
    label_pad_width : int, default 0
        Number of labels that a row can hold; 0 and -1: the maximum of all records.
    label_pad_value : float, default -1
        Padding of rows.
    path_imgidx, preprocess_threads, prefetch_buffer, num_parts, part_index, shuffle, seed, \
seed_aug, round_batch, data_name, label_name
        As for `ImageRecordIter`.
    resize : int, default -1
        Length to resize the shorter side to, before other augmentations.
    max_random_hue, max_random_saturation, max_random_illumination, max_random_contrast
        Largest color changes, each with probability `random_hue_prob`,
        `random_saturation_prob`, `random_illumination_prob` or `random_contrast_prob`.
    rand_mirror_prob : float, default 0
        Probability of mirroring.
    rand_pad_prob : float, default 0
        Probability of placing an image in one that is up to `max_pad_scale` times as high and wide,
        filled with `fill_value`, 127.
    rand_crop_prob : float, default 0
        Probability of cropping, by one of `num_crop_sampler` samplers. Each of the following
        arguments takes one value, or one per sampler.
    min_crop_scales, max_crop_scales, min_crop_aspect_ratios, max_crop_aspect_ratios
        Limits of the size and aspect ratio of random crops.
    min_crop_overlaps, max_crop_overlaps
        Intersection over union of the crop and an object.
    min_crop_sample_coverages, max_crop_sample_coverages
        Share of the crop that an object covers.
    min_crop_object_coverages, max_crop_object_coverages
        Share of an object inside the crop. At least one object must satisfy all constraints.
    max_crop_trials : int, default 25
        Number of rejected crops after which the next sampler is tried.
    crop_emit_mode : {'center', 'overlap'}, default 'center'
        Keep objects whose center is in the crop, or more than `emit_overlap_thresh`, 0.3, of their
        area; crops without objects are rejected.
    resize_mode : {'force', 'shrink', 'fit'}, default 'force'
        Resize to `data_shape`, or keep the aspect ratio and only shrink, or fit into it; the rest
        of a row is then 0.
    inter_method : int, default 1
        Interpolation: 0 nearest, 1 bilinear, 2 cubic, 3 area, 4 Lanczos, 9 by size, 10 random.
    mean_img, mean_r, mean_g, mean_b, mean_a, std_r, std_g, std_b, std_a, scale
        Values are ``(byte - mean) / std * scale``; a deviation of 0, the default, is ignored.

    Raises
    ------
    AttributeValueError, DTypeError
        An argument is of the wrong type or out of range, or labels exceed `label_pad_width`.
    FileNotFoundError
        The record file, its index or the list is missing.

    Examples
    --------
    >>> import pathlib, tempfile, numpy
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
        arguments = dict(
            settings, path_imgrec=path_imgrec, data_shape=data_shape, batch_size=batch_size
        )
        scaling = {name: arguments.pop(name) for name in [*arguments] if name in _SCALING}
        reading, geometry, cropping, colors = build_settings(
            owner, arguments, Reading, DetectionGeometry, Cropping, DetectionColors
        )
        (normalization,) = build_settings(owner, scaling, Normalization)
        reading.check(owner)
        if reading.element_type != np.float32:
            raise DTypeError(f"{owner}: got dtype={reading.dtype!r}; expected float32")
        if colors.changes:
            reading.check_colors(
                owner,
                "random_hue_prob, random_saturation_prob, random_illumination_prob and "
                "random_contrast_prob",
            )
        width = int(label_width) if int(label_width) > 0 else -1
        source = LabelSource(width, path_imglist)
        offsets = record_offsets(reading)
        capacity = _label_capacity(owner, int(label_pad_width), source.widest(path_imgrec, offsets))
        mean = None
        if mean_img:
            more = {"path_imglist": path_imglist, "label_width": label_width}
            mean = mean_image(
                mean_img, reading.data_shape, lambda: _plain_iterator({**arguments, **more})
            )
        super().__init__(
            reading,
            offsets,
            (capacity + _PREFIX,),
            _Pipeline(
                geometry,
                cropping,
                colors,
                _replace_zero_deviations(normalization),
                source,
                float(label_pad_value),
                mean,
            ),
        )


def _replace_zero_deviations(normalization: Normalization) -> Normalization:
    """Return settings with deviations of 0 replaced by 1."""
    ones: dict[str, Any] = {name: 1.0 for name in _DEVIATIONS if getattr(normalization, name) <= 0}
    return replace(normalization, **ones)


def _label_capacity(owner: str, requested: int, widest: int) -> int:
    """Return the number of labels that a row can hold."""
    if 0 < requested < widest:
        raise AttributeValueError(
            f"{owner}: got label_pad_width={requested}, but a record has {widest} labels; increase "
            "it, or omit it to use the maximum"
        )
    return max(requested, widest)


@dataclass(frozen=True)
class _Pipeline:
    """Processing of one decoded image and its labels."""

    geometry: DetectionGeometry
    cropping: Cropping
    colors: DetectionColors
    normalization: Normalization
    labels: LabelSource
    pad_value: float
    mean: np.ndarray | None

    def __call__(
        self, image: np.ndarray, header: HEADER, data: np.ndarray, label: np.ndarray, rng: Random
    ) -> None:
        boxes = Boxes.from_labels(self.labels(header))
        image = self.geometry.scale(image, rng)
        if self.colors.changes:
            image = self.colors(image, rng)
        steps: tuple[Callable[..., tuple[np.ndarray, Boxes]], ...] = (
            self.geometry.mirror,
            self.geometry.pad,
            self.cropping,
        )
        for step in steps:
            image, boxes = step(image, boxes, rng)
        image = self.geometry.fit(image, data.shape[1], data.shape[2], rng)
        self._write_image(image, data, rng)
        labels = boxes.to_labels()
        label[:] = self.pad_value
        label[:_PREFIX] = data.shape[0], *image.shape[:2], len(labels)
        label[_PREFIX : _PREFIX + len(labels)] = labels

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


def _plain_iterator(arguments: Mapping[str, Any]) -> ImageDetRecordIter:
    """Return an iterator over all images, resized without augmentation."""
    read = {field.name for field in fields(Reading)} | {"path_imglist", "label_width"}
    kept = {name: value for name, value in arguments.items() if name in read}
    return ImageDetRecordIter(**{**kept, "shuffle": False, "round_batch": False})
