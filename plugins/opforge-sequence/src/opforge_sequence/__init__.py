"""Operators on batches of sequences of different lengths: masking, last steps, reversal, CTC.

A plugin of opforge; nothing is imported before one of its operators or losses is used.
"""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from . import ctc, lengths, positions

    return [*lengths.OPERATORS, ctc.CTCLoss, ctc.CTCPrediction, *positions.OPERATORS]


@hookimpl
def opforge_contributions() -> dict[str, dict[str, object]]:
    """Return the gluon loss."""
    from .loss import CTCLoss

    return {"loss": {"CTCLoss": CTCLoss}}
