"""Public interface of MXNet's ``contrib.text.utils``: counting of tokens."""

from ..counting import count_tokens_from_str as count_tokens_from_str

__all__ = ["count_tokens_from_str"]
