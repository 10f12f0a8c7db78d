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

#: Class, left, top, right and bottom.
_LEAST_WIDTH = 5


class ImageDetIter(ImageIter):
    """Read, augment and batch images with boxes.

    An image's label is a row of numbers: how many of them come before the boxes (2 or more), how
    many each box has (5 or more), what else comes before, then the boxes: class, left, top, right
    and bottom as parts of the image, and what else they have. A batch's labels have the shape
    (batch, most boxes of an image, numbers of a box), with -1 where there is no box.

    Parameters
    ----------
    batch_size, data_shape, path_imgrec, path_imglist, path_root, path_imgidx, shuffle
        As for `ImageIter`.
    part_index, num_parts, imglist, data_name, label_name, last_batch_handle
        As for `ImageIter`.
    aug_list : list of DetAugmenter, optional
        By default what `CreateDetAugmenter` makes of `data_shape` and `kwargs`.
    allow_outside_root : bool, default False
        As for `ImageIter`.
    **kwargs
        For `CreateDetAugmenter`.
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
        """Return the most boxes of an image, and how many numbers each has; reads all labels."""
        most, width = 0, _LEAST_WIDTH
        self.reset()
        while True:
            try:
                label = self._parse_label(self.next_sample()[0])
            except StopIteration:
                break
            most, width = max(most, len(label)), label.shape[1]
        self.reset()
        return most, width

    def _check_label(self, label: Any) -> None:
        """Accept labels of any length; `_parse_label` checks them."""

    def _parse_label(self, label: Any) -> np.ndarray:
        """Return the boxes of a label that have an area.

        Raises
        ------
        OpforgeError
            The numbers are no label, or it has no such box.
        """
        raw = np.asarray(label, np.float32).ravel()
        if raw.size < 2 + _LEAST_WIDTH:
            raise OpforgeError(
                f"{self._last_read()}: a label has {raw.size} numbers, expected at least 7"
            )
        if not np.isfinite(raw).all():
            raise OpforgeError(f"{self._last_read()}: a label has numbers that are not finite")
        header, width = int(raw[0]), int(raw[1])
        if header < 2 or width < _LEAST_WIDTH or (raw.size - header) % width:
            raise OpforgeError(
                f"{self._last_read()}: a label of {raw.size} numbers says that {header} stand "
                f"before boxes of {width} "
                "numbers, which does not fit"
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
        """Augment an image with its boxes and write both into their rows."""
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
        """Return an image and its boxes as the augmenters make them."""
        for augmenter in self.auglist:
            data, label = augmenter(data, label)
        return data, label

    def reshape(self, data_shape: Any = None, label_shape: Any = None) -> None:
        """Give batches another shape.

        Parameters
        ----------
        data_shape : (3, int, int), optional
        label_shape : (int, int), optional
            Boxes, and numbers of each; there may be more boxes than there were, not fewer.
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
        """Reject a shape of labels that has fewer boxes, or boxes of other numbers."""
        if len(label_shape) != 2:
            raise ValueError(
                f"ImageDetIter: label_shape is {tuple(label_shape)}, expected length 2: boxes, and "
                "the numbers of each"
            )
        boxes, width = self.label_shape
        if label_shape[0] < boxes or label_shape[1] != width:
            raise ValueError(
                f"ImageDetIter: label_shape is {tuple(label_shape)}, expected at least {boxes} "
                f"boxes of {width} numbers"
            )

    def sync_label_shape(self, it: "ImageDetIter", verbose: bool = False) -> "ImageDetIter":
        """Give this iterator and another one labels of one shape, the larger one.

        Parameters
        ----------
        it : ImageDetIter
        verbose : bool, default False
            Log the shape.

        Returns
        -------
        ImageDetIter
            The other one.
        """
        if not isinstance(it, ImageDetIter):
            raise TypeError(f"sync_label_shape: it is {type(it).__name__}, expected ImageDetIter")
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
        """Give the images of the epoch with their boxes drawn.

        Parameters
        ----------
        color : (int, int, int), optional
            Of boxes, red first; at random if not given.
        thickness : int, default 2
        mean, std : numpy.ndarray or True, optional
            What augmenters have subtracted, and divided by; True: ImageNet's.
        clip : bool, default True
            Keep to [0, 255].
        waitKey : int, optional
            Show each in a window for so many milliseconds, where OpenCV has windows.
        window_name : str
        id2labels : dict of int to str, optional
            Names of classes, which are written beside the boxes.

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
    """Draw one box, and the name of its class."""
    height, width = image.shape[:2]
    corners = (box[1:5] * (width, height, width, height)).astype(int).tolist()
    if corners[0] < 0:
        return
    shade = color[::-1] if color else (np.random.rand(3) * 255).tolist()
    cv2.rectangle(image, tuple(corners[:2]), tuple(corners[2:]), shade, thickness)
    if int(box[0]) in names:
        place = (corners[0] + 5, corners[1] + 15)
        font, white = cv2.FONT_HERSHEY_SIMPLEX, (255, 255, 255)
        cv2.putText(image, str(names[int(box[0])]), place, font, 0.5, white, 1)
