"""Log likelihood of Hawkes processes in NumPy, with its gradients.

The state of each mark follows a linear recurrence over its events. It is computed by recursive
doubling: after k steps each event has the contributions of the 2**k last ones.
"""

from typing import Any

import numpy as np

__all__ = ["Events", "Likelihood"]


def _scan(factors: Any, terms: Any, ranks: Any) -> Any:
    """Return x with ``x[i] = factors[i] * x[i - 1] + terms[i]`` within each group.

    Parameters
    ----------
    factors, terms : numpy.ndarray, shape (events,)
    ranks : numpy.ndarray, shape (events,)
        Position of each element in its group; groups are contiguous, and their first factors are
        not read.
    """
    result, factors = terms.copy(), factors.copy()
    shift = 1
    while shift <= ranks.max(initial=0):
        reaches = ranks[shift:] >= shift
        # Not multiplied by 0, because NaN of one group must not reach another one.
        result[shift:] += np.where(reaches, factors[shift:] * result[:-shift], 0)
        factors[shift:] *= factors[:-shift]
        shift *= 2
    return result


class Events:
    """Valid events of a batch, grouped by sequence and mark.

    Parameters
    ----------
    lags : numpy.ndarray, shape (n, t)
    marks : numpy.ndarray, shape (n, t)
    valid_length : numpy.ndarray, shape (n,)
    n_marks : int

    Raises
    ------
    ValueError
        A mark is out of range, or a length exceeds t.
    """

    def __init__(self, lags: Any, marks: Any, valid_length: Any, n_marks: int) -> None:
        is_long = valid_length > lags.shape[1]
        if is_long.any():
            raise ValueError(
                f"'valid_length' has the length {valid_length[is_long][0]:g}; expected at most "
                f"{lags.shape[1]} because 'lags' has {lags.shape[1]} columns. Pass more lags and "
                "marks, or a smaller length"
            )
        is_valid = np.arange(lags.shape[1]) < valid_length[:, np.newaxis]
        rows, columns = np.nonzero(is_valid)
        marks = np.trunc(marks[rows, columns])
        outside = marks[~((marks >= 0) & (marks < n_marks))]
        if outside.size:
            raise ValueError(
                f"'marks' has the mark {outside[0]:g}; expected 0 to {n_marks - 1} because 'lda' "
                f"has {n_marks} columns. Pass a column of 'lda' for each mark"
            )
        marks = marks.astype(np.int64)
        groups = rows * n_marks + marks
        order = np.argsort(groups, kind="stable")
        self.rows, self.columns, self.marks, self.groups = (
            array[order] for array in (rows, columns, marks, groups)
        )
        lengths = np.bincount(groups, minlength=len(lags) * n_marks)
        starts = np.cumsum(lengths) - lengths
        #: Position of each event in its group, from the first and from the last event.
        self.ranks = np.arange(len(order)) - starts[self.groups]
        self.ranks_from_end = lengths[self.groups] - 1 - self.ranks
        self.is_first, self.is_last = self.ranks == 0, self.ranks_from_end == 0
        self.times = np.cumsum(np.where(is_valid, lags, 0), 1)[self.rows, self.columns]

    def preceding(self, values: Any, first: Any) -> Any:
        """Return the value of the previous event of the group, or that of `first`."""
        return np.where(self.is_first, first, np.roll(values, 1))

    def following(self, values: Any, last: Any) -> Any:
        """Return the value of the next event of the group, or that of `last`."""
        return np.where(self.is_last, last, np.roll(values, -1))


class Likelihood:
    """Log likelihood of a batch, its gradients, and the states at the end.

    Parameters
    ----------
    inputs : sequence of numpy.ndarray
        Inputs of the operator, in float64.
    """

    def __init__(self, *inputs: Any) -> None:
        self.lda, self.alpha, self.beta, state, lags, marks, valid_length, max_time = inputs
        self.shape = self.lda.shape
        self.n_lags = lags.shape[1]
        self.events = events = Events(lags, marks, valid_length, self.shape[1])
        beta, initial = self.beta[events.marks], state.ravel()[events.groups]
        #: Time since the previous event of the group, and the decay of its state.
        self.gap = events.times - events.preceding(events.times, 0)
        self.decay = np.exp(-beta * self.gap)
        after = _scan(
            self.decay, np.where(events.is_first, 1 + self.decay * initial, 1), events.ranks
        )
        #: State before each event, without the decay, and after the last events.
        self.before = events.preceding(after, initial)
        self.after = self._with(events.is_last, after, state)
        self.background = self.lda[events.rows, events.marks]
        self.excitation = self.alpha[events.marks] * self.before
        self.intensity = self.background + beta * self.excitation * self.decay
        #: Time from the last event of each group to the end, and the decay.
        last = self._with(events.is_last, events.times, np.zeros(self.shape))
        self.rest = max_time[:, np.newaxis] - last
        self.rest_decay = np.exp(-self.beta * self.rest)

    def _with(self, chosen: Any, values: Any, others: Any) -> Any:
        """Return `others`, shape (n, marks), with the values of the chosen events."""
        result = others.ravel().copy()
        result[self.events.groups[chosen]] = values[chosen]
        return result.reshape(self.shape)

    def results(self) -> tuple[Any, Any]:
        """Return the log likelihood of each sequence, and the states at the end."""
        expected = self.background * self.gap + self.excitation * (1 - self.decay)
        terms = np.log(self.intensity) - expected
        rest = self.lda * self.rest + self.alpha * self.after * (1 - self.rest_decay)
        total = np.bincount(self.events.rows, terms, len(self.lda)) - rest.sum(1)
        return total, self.rest_decay * self.after

    def gradients(self, of_total: Any, of_state: Any) -> list[Any]:
        """Return the gradients of lda, alpha, beta, state, lags and max_time."""
        events, mark = self.events, self.events.marks
        alpha, beta = self.alpha[mark], self.beta[mark]
        # The end.
        weight = of_total[:, np.newaxis]
        grow = 1 - self.rest_decay
        g_decay = (weight * self.alpha + of_state) * self.after
        g_lda = -weight * self.rest
        g_alpha = -weight * self.after * grow
        g_beta = -g_decay * self.rest * self.rest_decay
        g_rest = -weight * self.lda - g_decay * self.beta * self.rest_decay
        g_after = of_state * self.rest_decay - weight * self.alpha * grow
        # The events; `slope` is the derivative of the logarithm.
        weight = of_total[events.rows]
        slope = weight / self.intensity
        grow = 1 - self.decay
        g_before = alpha * (slope * beta * self.decay - weight * grow)
        of_end = g_after.ravel()[events.groups]
        terms = g_before + np.where(events.is_last, self.decay * of_end, 0)
        total = _scan(self.decay[::-1], terms[::-1], events.ranks_from_end[::-1])[::-1]
        g_next = events.following(total, of_end)
        g_decay = self.excitation * (slope * beta + weight) + g_next * self.before
        g_gap = -weight * self.background - g_decay * beta * self.decay
        excited = self.before * self.decay
        for grad, terms in (
            (g_lda, slope - weight * self.gap),
            (g_alpha, slope * beta * excited - weight * self.before * grow),
            (g_beta, slope * alpha * excited - g_decay * self.gap * self.decay),
        ):
            grad += np.bincount(events.groups, terms, grad.size).reshape(self.shape)
        return [
            g_lda,
            g_alpha.sum(0),
            g_beta.sum(0),
            self._with(events.is_first, total, g_after),
            self._lag_gradients(g_gap, g_rest),
            g_rest.sum(1),
        ]

    def _lag_gradients(self, g_gap: Any, g_rest: Any) -> Any:
        """Return the gradients of lags from those of the gaps: each lag shifts all later events."""
        events = self.events
        lags = np.zeros((len(g_rest), self.n_lags))
        g_times = g_gap - events.following(g_gap, g_rest.ravel()[events.groups])
        lags[events.rows, events.columns] = g_times
        return lags[:, ::-1].cumsum(1)[:, ::-1]
