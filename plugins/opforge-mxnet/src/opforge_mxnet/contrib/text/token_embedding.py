"""`TokenEmbedding`: a vocabulary whose tokens have vectors; base of all embeddings.

Row i of `idx_to_vec` is the vector of the token with index i. Programs derive from it under MXNet's
name, `embedding._TokenEmbedding`, and call the methods with underscores.
"""

import logging
import os
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from opforge import ndarray as nd
from opforge.ndarray import NDArray

from .pretrained_files import expect_name, local_file
from .vector_file import read_vectors
from .vocab import UNKNOWN, Vocabulary

__all__ = ["TokenEmbedding"]


class TokenEmbedding(Vocabulary):
    """Vocabulary with a vector for each token.

    Parameters
    ----------
    **kwargs
        Arguments of `Vocabulary`, usually ``unknown_token``.
    """

    #: Pretrained files of this embedding with their SHA-1 digests; None: unknown.
    pretrained_file_name_sha1: ClassVar[Mapping[str, str | None]] = {}

    _vec_len: int = 0
    _idx_to_vec: Any = None

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    @property
    def vec_len(self) -> int:
        """Length of each vector."""
        return self._vec_len

    @property
    def idx_to_vec(self) -> NDArray:
        """Vectors, of shape (tokens, vec_len)."""
        return self._idx_to_vec

    # -- vectors of tokens --------------------------------------------------------------------

    def get_vecs_by_tokens(self, tokens: Any, lower_case_backup: bool = False) -> NDArray:
        """Return the vector of a token, or those of a list of tokens.

        Parameters
        ----------
        tokens : str or list of str
        lower_case_backup : bool, default False
            Look up a missing token in lower case.

        Returns
        -------
        NDArray of shape (vec_len,), or (len(tokens), vec_len)
            Missing tokens have the unknown token's vector.
        """
        every = tokens if isinstance(tokens, list) else [tokens]
        if lower_case_backup:
            every = [token if token in self._token_to_idx else token.lower() for token in every]
        vectors = nd.take(self._idx_to_vec, nd.array(self.to_indices(every), dtype="int64"))
        return vectors if isinstance(tokens, list) else vectors[0]

    def update_token_vectors(self, tokens: Any, new_vectors: NDArray) -> None:
        """Replace the vectors of tokens.

        Parameters
        ----------
        tokens : str or list of str
        new_vectors : NDArray of shape (len(tokens), vec_len)
            The shape may be (vec_len,) for a single token.

        Raises
        ------
        ValueError
            A token is missing; the unknown token can only be changed by its name.
        AssertionError
            `new_vectors` has the wrong shape.
        """
        every = tokens if isinstance(tokens, list) else [tokens]
        assert isinstance(new_vectors, NDArray), (
            f"update_token_vectors: new_vectors is {type(new_vectors).__name__}, expected an "
            "NDArray"
        )
        expected = len(every), self._vec_len
        fits = new_vectors.shape == expected or expected == (1, *new_vectors.shape)
        assert fits, (
            f"update_token_vectors: new_vectors has shape {new_vectors.shape}, expected "
            f"{expected}: a vector for each token"
        )
        for token in every:
            if token not in self._token_to_idx:
                raise ValueError(
                    f"Token {token} is unknown. To update the embedding vector for an unknown "
                    f"token, please specify it explicitly as the `unknown_token` "
                    f"{self._unknown_token} in `tokens`. This is to avoid unintended updates."
                )
        self._idx_to_vec[nd.array(self.to_indices(every), dtype="int64")] = new_vectors.reshape(
            expected
        )

    # -- loading ------------------------------------------------------------------------------

    def _load_embedding(
        self,
        pretrained_file_path: str | os.PathLike[str],
        elem_delim: str,
        init_unknown_vec: Callable[..., NDArray],
        encoding: str = "utf8",
    ) -> None:
        """Add the tokens of a file, with their vectors.

        The unknown token and reserved ones that are not in the file get
        ``init_unknown_vec(shape=vec_len)``.
        """
        logging.info("Loading pre-trained token embedding vectors from %s", pretrained_file_path)
        known = len(self)
        found: dict[int, array[float]] = {}  # of tokens that already exist
        new = array("f")
        for token, vector in read_vectors(pretrained_file_path, elem_delim, encoding):
            self._vec_len = len(vector)
            if token in self._token_to_idx:
                found[self._token_to_idx[token]] = vector
            else:
                self._add(token)
                new.extend(vector)
        rows = np.empty((len(self), self._vec_len), np.float32)
        rows[:known] = init_unknown_vec(shape=self._vec_len).asnumpy()
        for at, vector in found.items():
            rows[at] = vector
        rows[known:] = np.frombuffer(new, np.float32).reshape(-1, self._vec_len)
        self._idx_to_vec = nd.array(rows)

    def _build_embedding_for_vocabulary(self, vocabulary: Vocabulary | None) -> None:
        """Keep only the tokens of a vocabulary."""
        if vocabulary is not None:
            self._take_vectors(vocabulary, [self])

    def _take_vectors(self, vocabulary: Vocabulary, embeddings: "Sequence[TokenEmbedding]") -> None:
        """Take over a vocabulary, with the concatenated vectors of embeddings."""
        assert isinstance(vocabulary, Vocabulary), (
            f"vocabulary is {type(vocabulary).__name__}, expected a contrib.text.vocab.Vocabulary"
        )
        tokens = vocabulary.idx_to_token
        # The unknown token of each embedding may have another name.
        parts = [
            nd.concat(
                embedding.idx_to_vec[UNKNOWN : UNKNOWN + 1],
                embedding.get_vecs_by_tokens(tokens[1:]),
                dim=0,
            )
            if len(tokens) > 1
            else embedding.idx_to_vec[UNKNOWN : UNKNOWN + 1].copy()
            for embedding in embeddings
        ]
        self._idx_to_vec = nd.concat(*parts, dim=1)
        self._vec_len = self._idx_to_vec.shape[1]
        self._idx_to_token = list(tokens)
        self._token_to_idx = dict(vocabulary.token_to_idx)
        self._unknown_token = vocabulary.unknown_token
        reserved = vocabulary.reserved_tokens
        self._reserved_tokens = None if reserved is None else list(reserved)

    # -- files that others have made ----------------------------------------------------------

    @classmethod
    def _check_pretrained_file_names(cls, pretrained_file_name: str) -> None:
        """Raise a `KeyError` unless the embedding has a file with this name."""
        expect_name(cls.__name__.lower(), pretrained_file_name, cls.pretrained_file_name_sha1)

    @classmethod
    def _get_download_file_name(cls, pretrained_file_name: str) -> str:
        """Return the name of the published file or archive that contains a file."""
        return pretrained_file_name

    @classmethod
    def _get_pretrained_file(
        cls,
        embedding_root: str | os.PathLike[str] | None,
        pretrained_file_name: str,
        download: bool = False,
    ) -> str:
        """Return the path of a file; extract it or, if requested, download it first."""
        return local_file(
            embedding_root,
            cls.__name__.lower(),
            pretrained_file_name,
            cls._get_download_file_name(pretrained_file_name),
            cls.pretrained_file_name_sha1.get(pretrained_file_name),
            download,
        )
