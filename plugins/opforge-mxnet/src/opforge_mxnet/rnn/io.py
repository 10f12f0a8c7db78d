"""Encoding of sentences, and `BucketSentenceIter`, batches of sentences of similar length."""

import bisect
import logging
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.io import DataBatch, DataDesc, DataIter

__all__ = ["BucketSentenceIter", "encode_sentences"]


def encode_sentences(
    sentences: Sequence[Sequence[str]],
    vocab: dict[str, int] | None = None,
    invalid_label: int = -1,
    invalid_key: str = "\n",
    start_label: int = 0,
    unknown_token: str | None = None,
) -> tuple[list[list[int]], dict[str, int]]:
    r"""Encode the words of sentences as integers; return them and the vocabulary.

    Parameters
    ----------
    sentences : list of list of str
    vocab : dict of str to int, optional
        Index of each word; default: a new vocabulary of all words.
    invalid_label : int, default -1
        Index of `invalid_key` in a new vocabulary; no word gets it.
    invalid_key : str, default a line's end
    start_label : int, default 0
        First index for new words.
    unknown_token : str, optional
        Replaces all words that a given `vocab` lacks, and is added to it.

    Raises
    ------
    AssertionError
        A word is not in the given `vocab`, and there is no `unknown_token`.

    Examples
    --------
    >>> encode_sentences([["a", "b"], ["b"]])
    ([[0, 1], [1]], {'\n': -1, 'a': 0, 'b': 1})
    """
    is_new = vocab is None
    known = {invalid_key: invalid_label} if vocab is None else vocab
    next_label = start_label
    encoded = []
    for sentence in sentences:
        row = []
        for word in sentence:
            if word not in known and not is_new:
                assert unknown_token, f"Unknown token {word}"
                word = unknown_token
            if word not in known:
                next_label += next_label == invalid_label
                known[word] = next_label
                next_label += 1
            row.append(known[word])
        encoded.append(row)
    return encoded, known


class BucketSentenceIter(DataIter):
    """Iterator over batches of sentences of similar length; labels are the next words.

    The order depends on the random generators of Python and NumPy, as in MXNet.

    Parameters
    ----------
    sentences : list of list of int
        As `encode_sentences` returns them.
    batch_size : int
    buckets : list of int, optional
        Lengths to which sentences are padded; default: all lengths with enough sentences for a
        batch.
    invalid_label : int, default -1
        Padding value.
    data_name, label_name : str
    dtype : str, default "float32"
    layout : {"NT", "TN"}
        Order of batch and time.

    Raises
    ------
    ValueError
        The layout is invalid, or no bucket has a sentence.
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[int]],
        batch_size: int,
        buckets: Sequence[int] | None = None,
        invalid_label: int = -1,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: Any = "float32",
        layout: str = "NT",
    ) -> None:
        super().__init__(batch_size)
        if layout not in ("NT", "TN"):
            raise ValueError(
                f"Invalid layout {layout}: Must by NT (batch major) or TN (time major)"
            )
        self.data_name = data_name
        self.label_name = label_name
        self.dtype = dtype
        self.invalid_label = invalid_label
        self.layout = layout
        self.major_axis = layout.find("N")
        self._fill(sentences, sorted(buckets or _frequent_lengths(sentences, batch_size)))
        self.default_bucket_key = max(self.buckets)
        self.provide_data = [self._described(data_name, self.default_bucket_key)]
        self.provide_label = [self._described(label_name, self.default_bucket_key)]
        self.idx = [
            (bucket, first)
            for bucket, rows in enumerate(self.data)
            for first in range(0, len(rows) - batch_size + 1, batch_size)
        ]
        self.reset()

    def _fill(self, sentences: Sequence[Sequence[int]], buckets: list[int]) -> None:
        """Assign each sentence to the smallest bucket that fits it."""
        rows: list[list[Any]] = [[] for _ in buckets]
        n_discarded = 0
        for sentence in sentences:
            at = bisect.bisect_left(buckets, len(sentence))
            if at == len(buckets):
                n_discarded += 1
                continue
            row = np.full((buckets[at],), self.invalid_label, dtype=self.dtype)
            row[: len(sentence)] = sentence
            rows[at].append(row)
        if n_discarded:
            logging.warning("discarded %d sentences longer than the largest bucket.", n_discarded)
        self.buckets = [size for size, found in zip(buckets, rows, strict=True) if found]
        self.data = [np.asarray(found, dtype=self.dtype) for found in rows if found]
        if not self.buckets:
            raise ValueError(
                f"BucketSentenceIter: {len(sentences)} sentences and buckets {buckets}: none holds "
                "a sentence. Pass buckets=[...] with lengths up to that of the longest sentence, "
                "or a smaller batch_size"
            )

    def _described(self, name: str, length: int) -> DataDesc:
        shape = (self.batch_size, length)
        shape = shape[::-1] if self.major_axis else shape
        return DataDesc(name, shape, np.dtype(self.dtype).type, self.layout)

    def reset(self) -> None:
        """Shuffle sentences and batches and restart."""
        self.curr_idx = 0
        random.shuffle(self.idx)
        self.nddata, self.ndlabel = [], []
        for rows in self.data:
            np.random.shuffle(rows)
            labels = np.full_like(rows, self.invalid_label)
            labels[:, :-1] = rows[:, 1:]
            self.nddata.append(nd.array(rows, dtype=self.dtype))
            self.ndlabel.append(nd.array(labels, dtype=self.dtype))

    def next(self) -> DataBatch:
        """Return the next batch; its `bucket_key` is the length.

        Raises
        ------
        StopIteration
        No batches are left.
        """
        if self.curr_idx == len(self.idx):
            raise StopIteration
        bucket, first = self.idx[self.curr_idx]
        self.curr_idx += 1
        data, label = (
            arrays[bucket][first : first + self.batch_size]
            for arrays in (self.nddata, self.ndlabel)
        )
        if self.major_axis == 1:
            data, label = data.T, label.T
        length = self.buckets[bucket]
        return DataBatch(
            [data],
            [label],
            pad=0,
            bucket_key=length,
            provide_data=[self._described(self.data_name, length)],
            provide_label=[self._described(self.label_name, length)],
        )


def _frequent_lengths(sentences: Sequence[Sequence[int]], batch_size: int) -> list[int]:
    """Return the lengths that have enough sentences for a batch."""
    counts = np.bincount([len(sentence) for sentence in sentences])
    return [length for length, count in enumerate(counts) if count >= batch_size]
