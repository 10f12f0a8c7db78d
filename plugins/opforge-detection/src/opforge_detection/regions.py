"""Operators that make a small image of each box on an image; C computes them."""

from typing import Any, ClassVar

import numpy as np

from opforge.plugin_api import Attribute, Shape, ShapeError

from .declaring import Detector, Dims, expect_shape, may_be

ROIS_DOC = "(boxes, 5): image, left, top, right, bottom; a negative image leaves a box out"


class Regions(Detector):
    """Base class of operators on regions: images and boxes of one floating type."""

    category = "pooling"
    arguments: ClassVar[tuple[str, ...]] = ("data", "rois")
    argument_docs = {"data": "(n, channels, height, width), floating", "rois": ROIS_DOC}
    saves: tuple[str, ...] = ("rois",)
    #: Numbers of a box.
    columns = 5

    def expect_regions(self, in_shape: Any) -> list[Dims]:
        """Return the shapes of images and boxes, or raise the error that says what is wrong."""
        data, rois = (tuple(shape) for shape in in_shape[:2])
        expect_shape(self, "data", data, "(n, channels, height, width)", len(data) == 4)
        fits = len(rois) == 2 and may_be(rois[1], self.columns)
        expect_shape(self, "rois", rois, f"(boxes, {self.columns})", fits)
        return [data, (rois[0], self.columns) if rois else ()]


class PooledRegions(Regions):
    """Base class of operators with a number of bins per box, down and across."""

    pooled_size = Attribute(Shape, ge=1, le=2147483647, doc="Height and width of a result.")
    spatial_scale = Attribute(
        float, ge=0, le=1, doc="Size of `data` over that of the image in which boxes are given."
    )

    def channels_of(self, data: Dims) -> int:
        """Return the number of channels of a result."""
        return data[1]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return an image of the wanted size for each box."""
        data, rois = self.expect_regions(in_shape)
        outputs = len(self.list_outputs())
        if len(self.pooled_size) != 2:
            raise ShapeError(
                f"operator '{self.name}': pooled_size is {self.pooled_size}, expected two numbers: "
                "(height, width)"
            )
        if not data or not rois:
            return [data, rois], [None] * outputs, []
        out = (rois[0], self.channels_of(data), *self.pooled_size)
        return [data, rois], [out] * outputs, []


class ROIPooling(PooledRegions):
    """Keep the largest pixel of each bin of each box, whose corners are rounded to pixels.

    Examples
    --------
    >>> from opforge import nd
    >>> x, box = nd.arange(16).reshape((1, 1, 4, 4)), nd.array([[0, 0, 0, 2, 2]])
    >>> nd.ROIPooling(x, box, pooled_size=(2, 2), spatial_scale=1).asnumpy().tolist()
    [[[[5.0, 6.0], [9.0, 10.0]]]]
    """

    name = "ROIPooling"
    num_visible_outputs = 1
    saves = ("rois", "maxidx")

    def list_outputs(self) -> list[str]:
        """Return the names; the second says where in its image the largest pixel is."""
        return ["output", "maxidx"]

    def infer_type(self, in_type: Any) -> Any:
        """Places are int32."""
        types, (dtype, _), states = super().infer_type(in_type)
        return types, [dtype, np.int32], states


class ROIAlign(PooledRegions):
    """Average samples of each bin of each box, between pixels linearly.

    Examples
    --------
    >>> from opforge import nd
    >>> x, box = nd.arange(16).reshape((1, 1, 4, 4)), nd.array([[0, 0, 0, 2, 2]])
    >>> y = nd.contrib.ROIAlign(x, box, pooled_size=(2, 2), spatial_scale=1, sample_ratio=1)
    >>> y.asnumpy().tolist()
    [[[[2.5, 3.5], [6.5, 7.5]]]]
    """

    name = "_contrib_ROIAlign"
    sample_ratio = Attribute(
        int, default=-1, le=65536, doc="Samples along each axis of a bin; else one for each pixel."
    )
    position_sensitive = Attribute(
        bool, default=False, doc="Whether each bin has channels of its own."
    )
    aligned = Attribute(
        bool, default=False, doc="Whether the middle of pixels, not their corner, is at integers."
    )

    def channels_of(self, data: Dims) -> int:
        """Divide the channels among the bins where each has its own."""
        if not self.position_sensitive:
            return data[1]
        bins = self.pooled_size[0] * self.pooled_size[1]
        if data[1] % bins:
            raise ShapeError(
                f"operator '{self.name}': data has {data[1]} channels, expected a multiple of "
                f"{bins}, the number of bins, with position_sensitive=True"
            )
        return int(data[1] // bins)


class RROIAlign(PooledRegions):
    """Average samples of each bin of each box, boxes being turned around their middle."""

    name = "_contrib_RROIAlign"
    columns = 6
    argument_docs = {
        "data": "(n, channels, height, width), floating",
        "rois": "(boxes, 6): image, middle across and down, width, height, angle in degrees",
    }
    sampling_ratio = Attribute(
        int, default=-1, le=1024, doc="Samples along each axis of a bin; else one for each pixel."
    )


class PartRegions(Regions):
    """Base class of operators in which each bin has channels of its own."""

    spatial_scale = Attribute(
        float, ge=0, le=1, doc="Size of `data` over that of the image in which boxes are given."
    )
    output_dim = Attribute(int, ge=1, le=2147483647, doc="Channels of a result.")

    def expect_parts(self, in_shape: Any, parts: int, pooled: int) -> tuple[list[Dims], Any]:
        """Return the shapes of images and boxes, and of the result if it is known."""
        data, rois = self.expect_regions(in_shape)
        channels = self.output_dim * parts * parts
        if data and 0 < data[1] < channels:
            raise ShapeError(
                f"operator '{self.name}': data has {data[1]} channels, expected {channels}: "
                f"output_dim={self.output_dim} for each of {parts} x {parts} parts"
            )
        out = (rois[0], self.output_dim, pooled, pooled) if data and rois else None
        return [data, rois], out


class PSROIPooling(PartRegions):
    """Average the pixels of each bin of each box, in channels that are the bin's own."""

    name = "_contrib_PSROIPooling"
    pooled_size = Attribute(int, ge=1, le=2147483647, doc="Height and width of a result.")
    group_size = Attribute(
        int, default=0, ge=0, le=2147483647, doc="Parts along each axis; as many as bins if 0."
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return an image of the wanted size for each box."""
        parts = self.group_size or self.pooled_size
        shapes, out = self.expect_parts(in_shape, parts, self.pooled_size)
        return shapes, [out], []


class DeformablePSROIPooling(PartRegions):
    """Average samples of each bin of each box, in channels of its own; `trans` moves bins."""

    name = "_contrib_DeformablePSROIPooling"
    arguments = ("data", "rois", "trans")
    argument_docs = {
        "data": "(n, channels, height, width), floating",
        "rois": ROIS_DOC,
        "trans": "(boxes, 2 * classes, part_size, part_size): to the right, then down",
    }
    saves = ("inputs",)
    group_size = Attribute(int, ge=1, le=2147483647, doc="Parts along each axis.")
    pooled_size = Attribute(int, ge=1, le=2147483647, doc="Height and width of a result.")
    part_size = Attribute(
        int,
        default=0,
        ge=0,
        le=2147483647,
        doc="Moves along each axis of a box; as many as bins if 0.",
    )
    sample_per_part = Attribute(
        int, default=1, ge=1, le=65536, doc="Samples along each axis of a bin."
    )
    trans_std = Attribute(float, default=0.0, ge=0, le=1, doc="Factor of the moves.")
    no_trans = Attribute(bool, default=False, doc="Whether nothing moves; there is no `trans`.")

    def list_arguments(self) -> list[str]:
        """Return the names; without moves there are no numbers for them."""
        return ["data", "rois"] if self.no_trans else ["data", "rois", "trans"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return an image of the wanted size for each box."""
        shapes, out = self.expect_parts(in_shape, self.group_size, self.pooled_size)
        if self.no_trans:
            return shapes, [out], []
        trans, boxes = tuple(in_shape[2]), shapes[1][0] if shapes[1] else 0
        moves = self.part_size or self.pooled_size
        expected = (
            f"({boxes or 'boxes'}, 2 * classes, {moves}, {moves}), classes dividing output_dim"
        )
        fits = (
            len(trans) == 4
            and may_be(trans[0], boxes)
            and trans[1] % 2 == 0
            and (not trans[1] or self.output_dim % (trans[1] // 2) == 0)
            and all(may_be(length, moves) for length in trans[2:])
        )
        expect_shape(self, "trans", trans, f"{expected}, {self.output_dim}", fits)
        if trans:
            trans = (trans[0] or boxes, trans[1], moves, moves)
        return [*shapes, trans], [out], []


OPERATORS = (ROIPooling, ROIAlign, RROIAlign, PSROIPooling, DeformablePSROIPooling)
