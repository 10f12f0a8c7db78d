"""Perplexities of the language model examples in MXNet and opforge, from the same parameters.

MXNet runs the examples' own sources; its transformer uses MXNet's attention operators.
"""

from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

#: Name -> program, its arguments, and the tolerance of a batch's perplexity. Adam's steps have the
#: size of the rate however small a gradient is: the biases of a transformer's keys, on which no
#: result depends, follow rounding errors.
TRAININGS = {
    "lstm": ("word_language_model", ["--model", "lstm", "--layers", "2"], 1e-4),
    "transformer": ("word_language_model", ["--model", "transformer", "--layers", "2"], 1e-3),
    "bucketing": ("bucketing_language_model", ["--layers", "2"], 1e-3),
}


def text(monkeypatch):
    """Return the beginning of the examples' text; MXNet's Python ships another edition."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from word_language_model import read_words

    return " ".join(read_words(None)[:20_000])


@pytest.mark.parametrize("name", TRAININGS)
def test_perplexities_fall_as_in_mxnet(oracle, by_name, tmp_path, monkeypatch, name):
    program, options, rtol = TRAININGS[name]
    (tmp_path / "text").write_text(text(monkeypatch))
    wanted = oracle(program, [*options, "--units", "32", "--epochs", "2"])
    found = by_name(program, [*options, "--units", "32", "--epochs", "2"])
    np.testing.assert_allclose(found, wanted, rtol=rtol)
    assert found[-1] < 0.5 * found[0]
