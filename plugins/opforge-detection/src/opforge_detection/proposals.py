"""Operators Proposal and MultiProposal, which return regions that may contain objects."""

from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, Floats

from .base import Dims, ZeroGradientOperator, expect_shape, may_equal


class MultiProposal(ZeroGradientOperator):
    """Return the best regions of each image: rows (image, xmin, ymin, xmax, ymax) in pixels.

    Anchors of all ratios and scales around each pixel of the map are shifted and scaled by the
    predictions, clipped to the image, sorted by score and reduced by non-maximum suppression.

    Examples
    --------
    >>> from opforge import nd
    >>> sizes = {"scales": (2,), "ratios": (1,), "rpn_min_size": 1, "rpn_post_nms_top_n": 1}
    >>> info = nd.array([[32, 32, 1]])
    >>> scores, offsets = nd.ones((1, 2, 2, 2)), nd.zeros((1, 4, 2, 2))
    >>> nd.contrib.MultiProposal(scores, offsets, info, **sizes).asnumpy().tolist()
    [[0.0, 0.0, 0.0, 23.0, 23.0]]
    """

    name = "_contrib_MultiProposal"
    category = "vision"
    arguments = ("cls_prob", "bbox_pred", "im_info")
    argument_docs = {
        "cls_prob": "(batch, 2 * anchors, height, width): scores without and with an object",
        "bbox_pred": "(batch, 4 * anchors, height, width): predicted offsets of anchors",
        "im_info": "(batch, 3): height, width and scale of each image",
    }
    outputs = ("output", "score")
    rpn_pre_nms_top_n = Attribute(
        int, default=6000, doc="Number of top regions before suppression; 0 or less: all."
    )
    rpn_post_nms_top_n = Attribute(
        int,
        default=300,
        ge=0,
        doc="Number of regions returned per image; repeated if there are fewer.",
    )
    threshold = Attribute(float, default=0.7, doc="Overlap above which a region is suppressed.")
    rpn_min_size = Attribute(
        int, default=16, doc="Minimum side, times the image's scale; smaller regions come last."
    )
    scales = Attribute(Floats, default=(4.0, 8.0, 16.0, 32.0), doc="Scales of anchors, in strides.")
    ratios = Attribute(
        Floats, default=(0.5, 1.0, 2.0), doc="Aspect ratios of anchors: heights over widths."
    )
    feature_stride = Attribute(
        int, default=16, ge=1, doc="Pixels of the image per pixel of the map."
    )
    output_score = Attribute(bool, default=False, doc="Whether to return the scores.")
    iou_loss = Attribute(bool, default=False, doc="Whether predictions are offsets of the corners.")

    @property
    def num_visible_outputs(self) -> int:
        """Number of visible outputs: 2 with `output_score`, otherwise 1."""
        return 1 + self.output_score

    def infer_shape(self, in_shape: Any) -> Any:
        """Return `rpn_post_nms_top_n` rows per image."""
        scores: Dims
        scores, offsets, info = map(tuple, in_shape)
        count = len(self.scales) * len(self.ratios)
        fits = len(scores) == 4 and may_equal(scores[1], 2 * count)
        expected = f"(batch, {2 * count}, height, width) for {count} anchors, scales times ratios"
        expect_shape(self, "cls_prob", scores, expected, fits)
        if not scores:
            return in_shape, [None, None], []
        batch, _, height, width = scores
        rows = self.images(batch) * self.rpn_post_nms_top_n
        inputs = [(batch, 2 * count, height, width), (batch, 4 * count, height, width), (batch, 3)]
        shapes = (scores, offsets, info)
        for name, shape, full in zip(self.arguments, shapes, inputs, strict=True):
            fits = len(shape) == len(full) and all(
                0 in (a, b) or a == b for a, b in zip(shape, full, strict=True)
            )
            expect_shape(self, name, shape, f"{full} because of the shape of cls_prob", fits)
        return inputs, [(rows, 5), (rows, 1)], []

    def images(self, batch: int) -> int:
        """Return the number of images in a batch."""
        return batch


class Proposal(MultiProposal):
    """Return the best regions of an image: rows (0, xmin, ymin, xmax, ymax) in pixels.

    Like `MultiProposal` for a batch of one image.

    Examples
    --------
    >>> from opforge import nd
    >>> scores = nd.random.uniform(shape=(1, 2 * 3, 4, 4))  # background and object, 3 anchors
    >>> shifts = nd.zeros((1, 4 * 3, 4, 4))
    >>> size = nd.array([[64, 64, 1]])  # height, width, scale
    >>> rois = nd.contrib.Proposal(
    ...     scores, shifts, size, scales=(2,), rpn_post_nms_top_n=5, rpn_min_size=1
    ... )
    >>> rois.shape
    (5, 5)
    """

    name = "_contrib_Proposal"
    category = "vision"

    def images(self, batch: int) -> int:
        """Return 1, or raise if there are several images, as MXNet does."""
        if batch > 1:
            raise AttributeValueError(
                f"operator '{self.name}': cls_prob has {batch} images; expected one; use "
                "MultiProposal"
            )
        return 1
