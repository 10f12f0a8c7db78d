"""Sequences of different lengths in one array: masks, last elements, reversal, CTC.

A plugin of opforge; nothing is imported before one of its operators or losses is used.
"""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from . import ctc, lengths, places

    return [*lengths.OPERATORS, ctc.CTCLoss, ctc.CTCPrediction, *places.OPERATORS]


@hookimpl
def opforge_things() -> dict[str, dict[str, object]]:
    """Return the loss of gluon."""
    from .loss import CTCLoss

    return {"loss": {"CTCLoss": CTCLoss}}
