"""`ImageDetIter`: batches of augmented images with boxes."""

import logging
from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np

from opforge.plugin_api import DataDesc, OpforgeError

from ._augmentation import _MEAN, _STD
from ._detection_augmentation import CreateDetAugmenter
from ._image_iter import ImageIter

__all__ = ["ImageDetIter"]

#: Minimum elements of a box: class, left, top, right and bottom.
_LEAST_WIDTH = 5


class ImageDetIter(ImageIter):
    """Read, augment and batch images with boxes.

    The label of an image is a row of numbers: the length of the header (2 or more), the length of a
    box (5 or more), the rest of the header, then the boxes: class; left, top, right and bottom
    relative to the image's size; and optional further elements. Labels of a batch have shape
    (batch, maximum number of boxes, length of a box) and are padded with -1.

    Parameters
    ----------
    batch_size, data_shape, path_imgrec, path_imglist, path_root, path_imgidx, shuffle
        As for `ImageIter`.
    part_index, num_parts, imglist, data_name, label_name, last_batch_handle
        As for `ImageIter`.
    aug_list : list of DetAugmenter, optional
        Default: the result of `CreateDetAugmenter` for `data_shape` and `kwargs`.
    allow_outside_root : bool, default False
        As for `ImageIter`.
    **kwargs
        Arguments of `CreateDetAugmenter`.
    """

    def __init__(
        self,
        batch_size: int,
        data_shape: tuple[int, int, int],
        path_imgrec: Any = None,
        path_imglist: Any = None,
        path_root: Any = None,
        path_imgidx: Any = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: list[Any] | None = None,
        imglist: list[Any] | None = None,
        data_name: str = "data",
        label_name: str = "label",
        last_batch_handle: str = "pad",
        *,
        allow_outside_root: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            batch_size,
            data_shape,
            path_imgrec=path_imgrec,
            path_imglist=path_imglist,
            path_root=path_root,
            path_imgidx=path_imgidx,
            shuffle=shuffle,
            part_index=part_index,
            num_parts=num_parts,
            aug_list=[],
            imglist=imglist,
            data_name=data_name,
            label_name=label_name,
            last_batch_handle=last_batch_handle,
            allow_outside_root=allow_outside_root,
        )
        self.auglist = CreateDetAugmenter(data_shape, **kwargs) if aug_list is None else aug_list
        self.label_shape = self._largest_label()
        self._describe_labels()

    def _describe_labels(self) -> None:
        name = self.provide_label[0].name
        self.provide_label = [DataDesc(name, (self.batch_size, *self.label_shape))]

    def _largest_label(self) -> tuple[int, int]:
        """Return the maximum number of boxes and the length of a box, after reading all labels."""
        count, width = 0, _LEAST_WIDTH
        self.reset()
        while True:
            try:
                label = self._parse_label(self.next_sample()[0])
            except StopIteration:
                break
            count, width = max(count, len(label)), label.shape[1]
        self.reset()
        return count, width

    def _check_label(self, label: Any) -> None:
        """Accept labels of any length; `_parse_label` checks them."""

    def _parse_label(self, label: Any) -> np.ndarray:
        """Return the boxes of a label that have an area.

        Raises
        ------
        OpforgeError
            The label is malformed or has no box with an area.
        """
        raw = np.asarray(label, np.float32).ravel()
        if raw.size < 2 + _LEAST_WIDTH:
            raise OpforgeError(
                f"{self._last_read()}: a label has {raw.size} numbers; expected at least 7"
            )
        if not np.isfinite(raw).all():
            raise OpforgeError(f"{self._last_read()}: a label has numbers that are not finite")
        header, width = int(raw[0]), int(raw[1])
        if header < 2 or width < _LEAST_WIDTH or (raw.size - header) % width:
            raise OpforgeError(
                f"{self._last_read()}: a label of {raw.size} numbers has a header of "
                f"{header} and boxes of {width} numbers; expected a header of at least 2 and a "
                f"whole number of boxes of at least {_LEAST_WIDTH}"
            )
        boxes = raw[header:].reshape(-1, width)
        found = boxes[(boxes[:, 3] > boxes[:, 1]) & (boxes[:, 4] > boxes[:, 2])]
        if not len(found):
            raise OpforgeError(f"{self._last_read()}: a label has no box with an area")
        return found

    def _new_batch(self) -> tuple[np.ndarray, np.ndarray]:
        data, labels = super()._new_batch()
        labels[...] = -1
        return data, labels

    def _put(self, image: Any, label: Any, data: np.ndarray, labels: np.ndarray) -> None:
        """Augment an image and its boxes and write both to their rows."""
        self.check_valid_image([image])
        image, boxes = self.augmentation_transform(image, self._parse_label(label))
        self._check_boxes(boxes)
        data[...] = self.postprocess_data(image).asnumpy()
        labels[0, : len(boxes)] = boxes
        labels[0, len(boxes) :] = -1

    def _check_boxes(self, boxes: Any) -> None:
        valid = (boxes[:, 0] >= 0) & (boxes[:, 3] > boxes[:, 1]) & (boxes[:, 4] > boxes[:, 2])
        if not valid.any():
            raise RuntimeError("no box of an image is valid")

    def augmentation_transform(self, data: Any, label: Any = None) -> Any:
        """Return the augmented image and its boxes."""
        for augmenter in self.auglist:
            data, label = augmenter(data, label)
        return data, label

    def reshape(self, data_shape: Any = None, label_shape: Any = None) -> None:
        """Change the shape of batches.

        Parameters
        ----------
        data_shape : (3, int, int), optional
        label_shape : (int, int), optional
            Number of boxes, which cannot decrease, and length of a box.
        """
        if data_shape is not None:
            self.check_data_shape(data_shape)
            self.data_shape = tuple(data_shape)
            name = self.provide_data[0].name
            self.provide_data = [DataDesc(name, (self.batch_size, *self.data_shape))]
        if label_shape is not None:
            self.check_label_shape(label_shape)
            self.label_shape = tuple(label_shape)
            self._describe_labels()

    def check_label_shape(self, label_shape: Any) -> None:
        """Raise if a shape of labels has fewer boxes or another length of boxes."""
        if len(label_shape) != 2:
            raise ValueError(
                f"ImageDetIter: label_shape is {tuple(label_shape)}; expected length 2: number of "
                "boxes, length of a box"
            )
        boxes, width = self.label_shape
        if label_shape[0] < boxes or label_shape[1] != width:
            raise ValueError(
                f"ImageDetIter: label_shape is {tuple(label_shape)}; expected at least {boxes} "
                f"boxes of {width} numbers"
            )

    def sync_label_shape(self, it: "ImageDetIter", verbose: bool = False) -> "ImageDetIter":
        """Set the label shapes of this and another iterator to the larger one.

        Parameters
        ----------
        it : ImageDetIter
        verbose : bool, default False
            Whether to log the shape.

        Returns
        -------
        ImageDetIter
            The other iterator.
        """
        if not isinstance(it, ImageDetIter):
            raise TypeError(f"sync_label_shape: it is {type(it).__name__}; expected ImageDetIter")
        shape = max(self.label_shape[0], it.label_shape[0]), self.label_shape[1]
        self.reshape(None, shape)
        it.reshape(None, shape)
        if verbose:
            logging.info("labels have the shape %s", shape)
        return it

    def draw_next(
        self,
        color: Any = None,
        thickness: int = 2,
        mean: Any = None,
        std: Any = None,
        clip: bool = True,
        waitKey: int | None = None,
        window_name: str = "draw_next",
        id2labels: Any = None,
    ) -> Iterator[np.ndarray]:
        """Yield the images of the epoch with their boxes drawn.

        Parameters
        ----------
        color : (int, int, int), optional
            Color of boxes, red first; random by default.
        thickness : int, default 2
        mean, std : numpy.ndarray or True, optional
            Mean and deviation that augmenters applied, to be undone; True: ImageNet's.
        clip : bool, default True
            Whether to clip to [0, 255].
        waitKey : int, optional
            Show each image in a window for this many milliseconds, if OpenCV supports windows.
        window_name : str
        id2labels : dict of int to str, optional
            Names of classes, which are written next to the boxes.

        Returns
        -------
        iterator of numpy.ndarray, shape (height, width, 3), uint8, blue first
        """
        mean = np.array(_MEAN) if mean is True else mean
        std = np.array(_STD) if std is True else std
        while True:
            try:
                label, encoded = self.next_sample()
            except StopIteration:
                return
            image, boxes = self.augmentation_transform(
                self.imdecode(encoded), self._parse_label(label)
            )
            shown = image.asnumpy() * (1 if std is None else std) + (0 if mean is None else mean)
            shown = (shown.clip(0, 255) if clip else shown).astype(np.uint8)
            shown = np.ascontiguousarray(shown[:, :, ::-1])
            for box in boxes:
                _draw(shown, box, color, thickness, id2labels or {})
            if waitKey is not None:
                cv2.imshow(window_name, shown)
                cv2.waitKey(waitKey)
            yield shown


def _draw(image: np.ndarray, box: Any, color: Any, thickness: int, names: Any) -> None:
    """Draw a box and the name of its class."""
    height, width = image.shape[:2]
    corners = (box[1:5] * (width, height, width, height)).astype(int).tolist()
    if corners[0] < 0:
        return
    shade = color[::-1] if color else (np.random.rand(3) * 255).tolist()
    cv2.rectangle(image, tuple(corners[:2]), tuple(corners[2:]), shade, thickness)
    if int(box[0]) in names:
        position = (corners[0] + 5, corners[1] + 15)
        font, white = cv2.FONT_HERSHEY_SIMPLEX, (255, 255, 255)
        cv2.putText(image, str(names[int(box[0])]), position, font, 0.5, white, 1)
