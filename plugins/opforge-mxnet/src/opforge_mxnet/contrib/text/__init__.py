"""MXNet's ``contrib.text``: token counts, vocabularies, and embeddings from files."""

from . import embedding as embedding
from . import utils as utils
from . import vocab as vocab

__all__ = ["embedding", "utils", "vocab"]
