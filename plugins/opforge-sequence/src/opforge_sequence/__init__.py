"""Operators on batches of sequences of different lengths: masking, last steps, reversal, CTC.

A plugin of opforge; nothing is imported before one of its operators or losses is used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from . import ctc, lengths, positions

    return [*lengths.OPERATORS, ctc.CTCLoss, ctc.CTCPrediction, *positions.OPERATORS]


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the gluon loss, and the translations of operators to ONNX."""
    from .loss import CTCLoss
    from .onnx import RULES

    return {"loss": {"CTCLoss": CTCLoss}, "rule": RULES}
