"""WikiText-2 and WikiText-103: Wikipedia articles for language models."""

import os
import zipfile
from collections import Counter
from pathlib import Path
from typing import ClassVar

import numpy as np

from opforge import ndarray as nd
from opforge.base.errors import OpforgeError
from opforge.base.unpacking import extract_zip
from opforge.gluon.data import Dataset
from opforge.gluon.downloading import fetch, home_folder, repository_url
from opforge.ndarray import NDArray

from ....contrib.text.utils import count_tokens_from_str
from ....contrib.text.vocab import Vocabulary

__all__ = ["WikiText2", "WikiText103"]

_END = "<eos>"
_FILES = {
    "train": "wiki.train.tokens",
    "validation": "wiki.valid.tokens",
    "test": "wiki.test.tokens",
}


class _WikiText(Dataset):
    _folder: ClassVar[str]
    _sha1: ClassVar[str]

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        segment: str = "train",
        vocab: Vocabulary | None = None,
        seq_len: int = 35,
    ) -> None:
        if segment not in _FILES:
            raise ValueError(
                f"{type(self).__name__}: got segment={segment!r}, expected one of {list(_FILES)}"
            )
        folder = home_folder("datasets", self._folder) if root is None else Path(root)
        content = self._file(folder.expanduser(), segment).read_text(encoding="utf8")
        self._counter = count_tokens_from_str(content)
        self._vocab = vocab or Vocabulary(counter=self._counter, reserved_tokens=[_END])
        lines = [line.split() for line in content.splitlines()]
        tokens = [token for line in lines if line for token in [*line, _END]]
        indices = np.array(self._vocab.to_indices(tokens), np.int32)
        size = (len(indices) - 1) // seq_len * seq_len
        if size <= 0:
            raise ValueError(
                f"{type(self).__name__}: {folder} has {len(indices)} tokens, expected more than "
                f"seq_len={seq_len}"
            )
        self._data, self._label = (
            nd.array(indices[start : start + size].reshape(-1, seq_len), dtype="int32")
            for start in (0, 1)
        )

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary that was passed, or that of the segment."""
        return self._vocab

    @property
    def frequencies(self) -> "Counter[str]":
        """Number of occurrences of each token in the segment."""
        return self._counter

    def __getitem__(self, idx: int) -> tuple[NDArray, NDArray]:
        return self._data[idx], self._label[idx]

    def __len__(self) -> int:
        return len(self._label)

    def _file(self, root: Path, segment: str) -> Path:
        name, packed = _FILES[segment], root / f"{self._folder}-v1.zip"
        candidates = (root / name, root / self._folder / name)
        for candidate in candidates:
            if candidate.exists():
                return candidate
        if not packed.exists():
            url = repository_url(f"gluon/dataset/{self._folder}", packed.name)
            advice = f", or pass root=FOLDER with a folder that has {name}"
            fetch(url, packed, self._sha1, advice=advice)
        try:
            extract_zip(packed, root)
        except zipfile.BadZipFile as error:
            raise OpforgeError(
                f"cannot extract {packed}: {error}; delete it to have it downloaded again"
            ) from error
        for candidate in candidates:
            if candidate.exists():
                return candidate
        raise OpforgeError(f"{packed} has no file {name}; replace it with the right archive")


class WikiText2(_WikiText):
    """Two million words of Wikipedia, in sequences of word indices.

    A sample is a sequence and the sequence of the words that follow, both int32 of shape
    ``(seq_len,)``. Each line ends with the token ``<eos>``.

    Parameters
    ----------
    root : path-like, default ``~/.opforge/datasets/wikitext-2``
        Folder with ``wiki.train.tokens``, ``wiki.valid.tokens`` and ``wiki.test.tokens``, or with
        the archive, which is downloaded if all are missing.
    segment : {"train", "validation", "test"}, default "train"
    vocab : contrib.text.vocab.Vocabulary, optional
        Default: the words of the segment.
    seq_len : int, default 35
        Words of a sample, regardless of lines; an incomplete sample at the end is left out.

    Raises
    ------
    OpforgeError
        A file is missing and cannot be downloaded, or the archive is damaged.
    ValueError
        `segment` is unknown, or the file is shorter than a sequence.
    """

    _folder = "wikitext-2"
    _sha1 = "3c914d17d80b1459be871a5039ac23e752a53cbe"


class WikiText103(_WikiText):
    """A hundred million words of Wikipedia; parameters and samples as of `WikiText2`."""

    _folder = "wikitext-103"
    _sha1 = "0aec09a7537b58d4bb65362fee27650eeaba625a"
