"""Public interface of MXNet's ``contrib.text.embedding``: vectors of tokens."""

from .chosen import CompositeEmbedding as CompositeEmbedding
from .chosen import CustomEmbedding as CustomEmbedding
from .published import FastText as FastText
from .published import GloVe as GloVe
from .published import create as create
from .published import get_pretrained_file_names as get_pretrained_file_names
from .published import register as register
from .token_embedding import TokenEmbedding as _TokenEmbedding  # noqa: F401 -- programs use it

__all__ = [
    "CompositeEmbedding",
    "CustomEmbedding",
    "FastText",
    "GloVe",
    "create",
    "get_pretrained_file_names",
    "register",
]
