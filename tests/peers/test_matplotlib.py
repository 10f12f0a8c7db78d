"""Matplotlib draws the same for arrays as for NumPy's."""

import io

import numpy as np
import pytest

from opforge import nd

matplotlib = pytest.importorskip("matplotlib", reason="a peer: pip install matplotlib")
figures = pytest.importorskip("matplotlib.figure")

LINE = np.array([1.0, 4.0, 2.0, 8.0], "float32")
PICTURE = np.arange(12, dtype="float32").reshape(3, 4)

DRAWN = {
    "plot": (lambda axes, x, p: axes.plot(x)),
    "plot of two": (lambda axes, x, p: axes.plot(x, x * x)),
    "points": (lambda axes, x, p: axes.scatter(x, x, c=x)),
    "between": (lambda axes, x, p: axes.fill_between(x, x - 1, x + 1)),
    "errors": (lambda axes, x, p: axes.errorbar(x, x, yerr=x)),
    "hist": (lambda axes, x, p: axes.hist(x, bins=3)),
    "hist of columns": (lambda axes, x, p: axes.hist(p, bins=3)),
    "boxes": (lambda axes, x, p: axes.boxplot(p)),
    "imshow": (lambda axes, x, p: axes.imshow(p)),
    "mesh": (lambda axes, x, p: axes.pcolormesh(p)),
    "contours": (lambda axes, x, p: axes.contourf(p)),
    "limits": (lambda axes, x, p: axes.set_xlim(x[0], x[1])),
}


def drawn(call, line, picture):
    """Return the pixels of a drawing."""
    figure = figures.Figure(figsize=(2, 2), dpi=50)
    call(figure.subplots(), line, picture)
    content = io.BytesIO()
    figure.savefig(content, format="raw")
    return np.frombuffer(content.getvalue(), np.uint8)


@pytest.mark.parametrize("what", DRAWN)
def test_the_picture_is_the_same(what):
    call = DRAWN[what]
    found, wanted = drawn(call, nd.array(LINE), nd.array(PICTURE)), drawn(call, LINE, PICTURE)
    np.testing.assert_array_equal(found, wanted)
    assert len(np.unique(found)) > 1


def test_a_histogram_counts_all_elements_at_once():
    counts, edges, _ = figures.Figure().subplots().hist(nd.array(LINE), bins=nd.array([0, 3, 9]))
    assert (counts.tolist(), edges.tolist()) == ([2, 2], [0, 3, 9])
