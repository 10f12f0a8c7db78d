"""Proposal and MultiProposal: the regions in which a network supposes objects."""

from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, Floats

from .declaring import Dims, WithoutGradient, expect_shape, may_be


class MultiProposal(WithoutGradient):
    """Return the best regions of each image: rows (image, xmin, ymin, xmax, ymax) in pixels.

    Anchors of all ratios and scales around each pixel of the map are moved by the predictions,
    cut off where the image ends, sorted, and of those that overlap the best ones are kept.

    Examples
    --------
    >>> from opforge import nd
    >>> sizes = {"scales": (2,), "ratios": (1,), "rpn_min_size": 1, "rpn_post_nms_top_n": 1}
    >>> info = nd.array([[32, 32, 1]])
    >>> scores, moves = nd.ones((1, 2, 2, 2)), nd.zeros((1, 4, 2, 2))
    >>> nd.contrib.MultiProposal(scores, moves, info, **sizes).asnumpy().tolist()
    [[0.0, 0.0, 0.0, 23.0, 23.0]]
    """

    name = "_contrib_MultiProposal"
    category = "vision"
    arguments = ("cls_prob", "bbox_pred", "im_info")
    argument_docs = {
        "cls_prob": "(batch, 2 * anchors, height, width): scores without and with an object",
        "bbox_pred": "(batch, 4 * anchors, height, width): how anchors are to be moved",
        "im_info": "(batch, 3): height, width and scale of each image",
    }
    outputs = ("output", "score")
    rpn_pre_nms_top_n = Attribute(
        int, default=6000, doc="How many of the best are looked at; 0 and less: all."
    )
    rpn_post_nms_top_n = Attribute(
        int,
        default=300,
        ge=0,
        doc="How many are returned of an image; repeated if there are fewer.",
    )
    threshold = Attribute(float, default=0.7, doc="Overlap above which a region goes.")
    rpn_min_size = Attribute(
        int, default=16, doc="Shortest side, times the scale; regions that are smaller come last."
    )
    scales = Attribute(Floats, default=(4.0, 8.0, 16.0, 32.0), doc="Of anchors, in strides.")
    ratios = Attribute(Floats, default=(0.5, 1.0, 2.0), doc="Heights of anchors over widths.")
    feature_stride = Attribute(int, default=16, ge=1, doc="Pixels of the image for one of the map.")
    output_score = Attribute(bool, default=False, doc="Whether the scores are an output.")
    iou_loss = Attribute(bool, default=False, doc="Whether the predictions move the corners.")

    @property
    def num_visible_outputs(self) -> int:
        """The scores are for the caller where `output_score` says so."""
        return 1 + self.output_score

    def infer_shape(self, in_shape: Any) -> Any:
        """Return as many rows for each image as are wanted."""
        scores: Dims
        scores, moves, info = map(tuple, in_shape)
        count = len(self.scales) * len(self.ratios)
        fits = len(scores) == 4 and may_be(scores[1], 2 * count)
        expected = f"(batch, {2 * count}, height, width) for {count} anchors: scales times ratios"
        expect_shape(self, "cls_prob", scores, expected, fits)
        if not scores:
            return in_shape, [None, None], []
        batch, _, height, width = scores
        rows = self.images(batch) * self.rpn_post_nms_top_n
        inputs = [(batch, 2 * count, height, width), (batch, 4 * count, height, width), (batch, 3)]
        for name, shape, wanted in zip(self.arguments, (scores, moves, info), inputs, strict=True):
            fits = len(shape) == len(wanted) and all(
                0 in (a, b) or a == b for a, b in zip(shape, wanted, strict=True)
            )
            expect_shape(self, name, shape, f"{wanted}, as cls_prob has it", fits)
        return inputs, [(rows, 5), (rows, 1)], []

    def images(self, batch: int) -> int:
        """Return how many images of a batch have regions."""
        return batch


class Proposal(MultiProposal):
    """Return the best regions of an image: rows (0, xmin, ymin, xmax, ymax) in pixels.

    As `MultiProposal`, for a batch of one.
    """

    name = "_contrib_Proposal"
    category = "vision"

    def images(self, batch: int) -> int:
        """Reject several images, as MXNet does."""
        if batch > 1:
            raise AttributeValueError(
                f"operator '{self.name}': cls_prob has {batch} images, expected one; use "
                "MultiProposal"
            )
        return 1


OPERATORS = (MultiProposal, Proposal)
