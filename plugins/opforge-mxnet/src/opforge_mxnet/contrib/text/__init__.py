"""Words as numbers, MXNet's ``contrib.text``: counts, vocabularies, and vectors from files."""

from . import embedding as embedding
from . import utils as utils
from . import vocab as vocab

__all__ = ["embedding", "utils", "vocab"]
