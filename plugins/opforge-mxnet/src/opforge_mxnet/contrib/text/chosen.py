"""`CustomEmbedding` of a user's file, and `CompositeEmbedding` of other embeddings."""

import os
from collections.abc import Callable, Sequence
from typing import Any

from opforge import ndarray as nd
from opforge.ndarray import NDArray

from .token_embedding import TokenEmbedding
from .vocab import Vocabulary

__all__ = ["CompositeEmbedding", "CustomEmbedding"]


class CustomEmbedding(TokenEmbedding):
    r"""Embedding from a file with one line per token: the token followed by its vector.

    Parameters
    ----------
    pretrained_file_path : path-like
    elem_delim : str, default " "
        Delimiter of the elements of a line.
    encoding : str, default "utf8"
    init_unknown_vec : callable, default nd.zeros
        Gives the unknown token's vector, from ``shape=``, if the file has none.
    vocabulary : Vocabulary, optional
        Keep only its tokens.
    **kwargs
        Of `Vocabulary`.

    Raises
    ------
    ValueError
        The file does not exist.
    VectorFileError
        A line is not a vector; the message has its number. It is also an `AssertionError`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("one 1 0\ntwo 2 0\n")
    ...     file.flush()
    ...     words = CustomEmbedding(file.name)
    >>> words.get_vecs_by_tokens(["two", "three"]).asnumpy().tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """

    def __init__(
        self,
        pretrained_file_path: str | os.PathLike[str],
        elem_delim: str = " ",
        encoding: str = "utf8",
        init_unknown_vec: Callable[..., NDArray] = nd.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._load_embedding(pretrained_file_path, elem_delim, init_unknown_vec, encoding)
        self._build_embedding_for_vocabulary(vocabulary)


class CompositeEmbedding(TokenEmbedding):
    """Concatenation of several embeddings for the tokens of a vocabulary.

    Parameters
    ----------
    vocabulary : Vocabulary
    token_embeddings : embedding or list of embeddings

    Raises
    ------
    AssertionError
        An argument has the wrong type.
    """

    def __init__(
        self, vocabulary: Vocabulary, token_embeddings: TokenEmbedding | Sequence[TokenEmbedding]
    ) -> None:
        parts = (
            [token_embeddings]
            if isinstance(token_embeddings, TokenEmbedding)
            else list(token_embeddings)
        )
        for part in parts:
            assert isinstance(part, TokenEmbedding), (
                f"CompositeEmbedding: token_embeddings has {type(part).__name__}, expected "
                "embeddings, as CustomEmbedding and GloVe"
            )
        self._take_vectors(vocabulary, parts)
