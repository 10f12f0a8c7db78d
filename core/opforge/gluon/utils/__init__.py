"""Public face of MXNet's `gluon.utils`: splitting of batches and clipping of gradients."""

from ..clipping import clip_global_norm as clip_global_norm
from ..splitting import split_and_load as split_and_load
from ..splitting import split_data as split_data

__all__ = ["clip_global_norm", "split_and_load", "split_data"]
