"""Operators that pool regions of images; C computes them."""

from typing import Any, ClassVar

from opforge.plugin_api import Attribute, Shape, ShapeError

from .base import DetectionOperator, Dims, expect_shape, may_equal

ROIS_DOC = "(boxes, 5): image, left, top, right, bottom; a negative image skips a box"


class Regions(DetectionOperator):
    """Base class of operators on regions: images and boxes."""

    category = "pooling"
    arguments: ClassVar[tuple[str, ...]] = ("data", "rois")
    argument_docs = {"data": "(n, channels, height, width), floating", "rois": ROIS_DOC}
    saves: tuple[str, ...] = ("rois",)
    #: Number of elements of a box.
    columns = 5

    def expect_regions(self, in_shape: Any) -> list[Dims]:
        """Return the shapes of images and boxes, or raise if they are invalid."""
        data, rois = (tuple(shape) for shape in in_shape[:2])
        expect_shape(self, "data", data, "(n, channels, height, width)", len(data) == 4)
        fits = len(rois) == 2 and may_equal(rois[1], self.columns)
        expect_shape(self, "rois", rois, f"(boxes, {self.columns})", fits)
        return [data, (rois[0], self.columns) if rois else ()]


class PooledRegions(Regions):
    """Base class of operators with a height and width of the result."""

    pooled_size = Attribute(Shape, ge=1, le=2147483647, doc="Height and width of the result.")
    spatial_scale = Attribute(
        float, ge=0, le=1, doc="Scale of `data` relative to the coordinates of boxes."
    )

    def channels_of(self, data: Dims) -> int:
        """Return the number of channels of the result."""
        return data[1]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of one pooled image per box."""
        data, rois = self.expect_regions(in_shape)
        outputs = len(self.list_outputs())
        if len(self.pooled_size) != 2:
            raise ShapeError(
                f"operator '{self.name}': pooled_size is {self.pooled_size}; expected two numbers: "
                "(height, width)"
            )
        if not data or not rois:
            return [data, rois], [None] * outputs, []
        out = (rois[0], self.channels_of(data), *self.pooled_size)
        return [data, rois], [out] * outputs, []


class ROIPooling(PooledRegions):
    """Return the maximum of each bin of each box, whose corners are rounded to pixels.

    Examples
    --------
    >>> from opforge import nd
    >>> x, box = nd.arange(16).reshape((1, 1, 4, 4)), nd.array([[0, 0, 0, 2, 2]])
    >>> nd.ROIPooling(x, box, pooled_size=(2, 2), spatial_scale=1).asnumpy().tolist()
    [[[[5.0, 6.0], [9.0, 10.0]]]]
    """

    name = "ROIPooling"
    output_dtypes = {"maxidx": "int32"}
    num_visible_outputs = 1
    saves = ("rois", "maxidx")

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs; `maxidx` is the position of the maximum in its image."""
        return ["output", "maxidx"]


class ROIAlign(PooledRegions):
    """Return the average of bilinear samples in each bin of each box.

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
        int, default=-1, le=65536, doc="Samples along each axis of a bin; 0 or less: one per pixel."
    )
    position_sensitive = Attribute(
        bool, default=False, doc="Whether each bin reads separate channels."
    )
    aligned = Attribute(
        bool, default=False, doc="Whether integer coordinates are centers, not corners, of pixels."
    )

    def channels_of(self, data: Dims) -> int:
        """Return the number of channels, divided among the bins if `position_sensitive`."""
        if not self.position_sensitive:
            return data[1]
        bins = self.pooled_size[0] * self.pooled_size[1]
        if data[1] % bins:
            raise ShapeError(
                f"operator '{self.name}': data has {data[1]} channels; expected a multiple of "
                f"{bins}, the number of bins, with position_sensitive=True"
            )
        return int(data[1] // bins)


class RROIAlign(PooledRegions):
    """Return the average of bilinear samples in each bin of each rotated box.

    Examples
    --------
    >>> from opforge import nd
    >>> data = nd.ones((1, 2, 8, 8))
    >>> boxes = nd.array([[0, 4, 4, 4, 2, 30]])  # image, center x and y, width, height, degrees
    >>> nd.contrib.RROIAlign(data, boxes, pooled_size=(2, 2), spatial_scale=1).shape
    (1, 2, 2, 2)
    """

    name = "_contrib_RROIAlign"
    columns = 6
    argument_docs = {
        "data": "(n, channels, height, width), floating",
        "rois": "(boxes, 6): image, center x and y, width, height, angle in degrees",
    }
    sampling_ratio = Attribute(
        int, default=-1, le=1024, doc="Samples along each axis of a bin; 0 or less: one per pixel."
    )


class PartRegions(Regions):
    """Base class of position-sensitive operators, in which each bin reads separate channels."""

    spatial_scale = Attribute(
        float, ge=0, le=1, doc="Scale of `data` relative to the coordinates of boxes."
    )
    output_dim = Attribute(int, ge=1, le=2147483647, doc="Channels of the result.")

    def expect_parts(self, in_shape: Any, parts: int, pooled: int) -> tuple[list[Dims], Any]:
        """Return the shapes of images and boxes, and that of the result if known."""
        data, rois = self.expect_regions(in_shape)
        channels = self.output_dim * parts * parts
        if data and 0 < data[1] < channels:
            raise ShapeError(
                f"operator '{self.name}': data has {data[1]} channels; expected {channels}: "
                f"output_dim={self.output_dim} for each of {parts} x {parts} parts"
            )
        out = (rois[0], self.output_dim, pooled, pooled) if data and rois else None
        return [data, rois], out


class PSROIPooling(PartRegions):
    """Return the average of each bin of each box over the bin's channels.

    Examples
    --------
    >>> from opforge import nd
    >>> data = nd.ones((1, 3 * 2 * 2, 8, 8))
    >>> boxes = nd.array([[0, 0, 0, 4, 4]])
    >>> nd.contrib.PSROIPooling(
    ...     data, boxes, spatial_scale=1, output_dim=3, pooled_size=2
    ... ).shape
    (1, 3, 2, 2)
    """

    name = "_contrib_PSROIPooling"
    pooled_size = Attribute(int, ge=1, le=2147483647, doc="Height and width of the result.")
    group_size = Attribute(
        int, default=0, ge=0, le=2147483647, doc="Parts along each axis; 0: pooled_size."
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of one pooled image per box."""
        parts = self.group_size or self.pooled_size
        shapes, out = self.expect_parts(in_shape, parts, self.pooled_size)
        return shapes, [out], []


class DeformablePSROIPooling(PartRegions):
    """Return the average of samples in each bin, shifted by `trans`, over the bin's channels.

    Examples
    --------
    >>> from opforge import nd
    >>> data = nd.ones((1, 3 * 2 * 2, 8, 8))
    >>> boxes = nd.array([[0, 0, 0, 4, 4]])
    >>> pooled = nd.contrib.DeformablePSROIPooling(
    ...     data, boxes, spatial_scale=1, output_dim=3, group_size=2, pooled_size=2, no_trans=True
    ... )
    >>> pooled.shape
    (1, 3, 2, 2)
    """

    name = "_contrib_DeformablePSROIPooling"
    arguments = ("data", "rois", "trans")
    argument_docs = {
        "data": "(n, channels, height, width), floating",
        "rois": ROIS_DOC,
        "trans": "(boxes, 2 * classes, part_size, part_size): x offsets, then y offsets",
    }
    saves = ("inputs",)
    group_size = Attribute(int, ge=1, le=2147483647, doc="Parts along each axis.")
    pooled_size = Attribute(int, ge=1, le=2147483647, doc="Height and width of the result.")
    part_size = Attribute(
        int,
        default=0,
        ge=0,
        le=2147483647,
        doc="Offsets along each axis of a box; 0: pooled_size.",
    )
    sample_per_part = Attribute(
        int, default=1, ge=1, le=65536, doc="Samples along each axis of a bin."
    )
    trans_std = Attribute(float, default=0.0, ge=0, le=1, doc="Factor of the offsets.")
    no_trans = Attribute(bool, default=False, doc="Whether to omit `trans` and its offsets.")

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs, without `trans` if `no_trans`."""
        return ["data", "rois"] if self.no_trans else ["data", "rois", "trans"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of one pooled image per box."""
        shapes, out = self.expect_parts(in_shape, self.group_size, self.pooled_size)
        if self.no_trans:
            return shapes, [out], []
        trans, boxes = tuple(in_shape[2]), shapes[1][0] if shapes[1] else 0
        size = self.part_size or self.pooled_size
        expected = f"({boxes or 'boxes'}, 2 * classes, {size}, {size}), classes dividing output_dim"
        fits = (
            len(trans) == 4
            and may_equal(trans[0], boxes)
            and trans[1] % 2 == 0
            and (not trans[1] or self.output_dim % (trans[1] // 2) == 0)
            and all(may_equal(length, size) for length in trans[2:])
        )
        expect_shape(self, "trans", trans, f"{expected}={self.output_dim}", fits)
        if trans:
            trans = (trans[0] or boxes, trans[1], size, size)
        return [*shapes, trans], [out], []
