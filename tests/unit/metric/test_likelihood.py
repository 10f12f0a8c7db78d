import math

import pytest

from opforge import metric, nd

LABEL = nd.array([0, 1])
PROBABILITIES = nd.array([[0.25, 0.75], [0.5, 0.5]])


@pytest.mark.parametrize(("name", "shown"), [("ce", "cross-entropy"), ("nll_loss", "nll-loss")])
def test_cross_entropy(name, shown):
    made = metric.create(name)
    made.update(LABEL, PROBABILITIES)
    assert made.get() == (shown, pytest.approx(math.log(8) / 2))
    with pytest.raises(AssertionError, match="1 labels do not match"):
        made.update([nd.array([1])], [PROBABILITIES])


def test_perplexity():
    made = metric.Perplexity()
    made.update(LABEL, PROBABILITIES)
    assert made.get() == ("perplexity", pytest.approx(8**0.5))
    made = metric.Perplexity(ignore_label=0)
    made.update(LABEL, PROBABILITIES)
    assert made.get()[1] == pytest.approx(2)
    with pytest.raises(AssertionError, match="shape mismatch"):
        made.update([nd.array([1])], [PROBABILITIES])


def test_loss():
    made = metric.Loss()
    made.update(None, [nd.array([1, 2]), nd.array([6])])
    assert made.get() == ("loss", 3.0)
    made.update(None, nd.array([7]))
    assert made.get_global() == ("loss", 4.0)


def test_perplexity_takes_the_nearest_class_for_labels_out_of_range():
    pred = nd.array([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]])
    made = metric.Perplexity(ignore_label=None)
    with pytest.warns(UserWarning, match="label -1 is not one of the 3 classes"):
        made.update([nd.array([-1, 3])], [pred])
    assert made.get()[1] == pytest.approx(2)
    made = metric.Perplexity(ignore_label=-1)
    made.update([nd.array([-1, 2])], [pred])
    assert made.get()[1] == pytest.approx(2)
