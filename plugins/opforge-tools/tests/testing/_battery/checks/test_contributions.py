"""Other kinds of contributions in the battery: what is right passes, each fault is found."""

import sys
from types import ModuleType

import pytest
from opforge_tools.testing._battery.checks.contributions import check_contribution

from opforge import exporter, init, io, lr_scheduler, metric, nd, optimizer, subgraph
from opforge.gluon.data import Dataset
from opforge.kvstore import KVStoreBase
from opforge.op.registry import registry
from opforge.op.registry.table import TABLES


class Stays(optimizer.Optimizer):
    """Never moves."""

    def update(self, index, weight, grad, state):
        """Do nothing."""


class Forgets(optimizer.Optimizer):
    """Keeps its momentum where no file has it."""

    _kept = None

    def __getstate__(self):
        return {key: value for key, value in super().__getstate__().items() if key != "_kept"}

    def update(self, index, weight, grad, state):
        """Take longer steps each time, of one state outside of `state`."""
        self._kept = {} if self._kept is None else self._kept
        self._kept[index] = self._kept.get(index, 0) + 1
        weight[:] = weight - self._kept[index] * grad


class Half(init.Initializer):
    """Fills a half."""

    def _init_weight(self, desc, arr):
        arr[: len(arr) // 2] = 1


class Keeps(metric.EvalMetric):
    """Is never reset."""

    def __init__(self):
        self._n = 0
        super().__init__("keeps")

    def update(self, labels, preds):
        """Count calls."""
        self._n += 1
        self.sum_metric, self.num_inst = self._n, 1


class Twice(KVStoreBase):
    """Sums twice."""

    def broadcast(self, key, value, out, priority=0):
        """Copy."""
        for array in out:
            array[:] = value

    def pushpull(self, key, value, out=None, priority=0):
        """Double."""
        for array in value if out is None else out:
            array[:] = 2 * sum(value[1:], value[0])


class Negative(lr_scheduler.LRScheduler):
    """Falls below 0."""

    def __call__(self, num_update):
        """Return the rate."""
        return 0.1 - num_update


class Short(Dataset):
    """Promises more than it has."""

    def __len__(self):
        return 3

    def __getitem__(self, index):
        """Return one of two."""
        return (1, 2)[index]


class Reads(io.DataIter):
    """Reads a file."""

    def __init__(self, path="./rows"):
        super().__init__()
        with open(path) as file:
            self._rows = file.readlines()


class Ends(io.DataIter):
    """Is empty after the first epoch."""

    provide_data, provide_label = [io.DataDesc("data", (2,))], []
    left = 2

    def next(self):
        """Return one of two batches."""
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        return io.DataBatch([nd.ones((2,))])


class Wide(Ends):
    """Has other batches than it says."""

    provide_data = [io.DataDesc("data", (3,))]


class Silent(exporter.Exporter):
    """Writes nothing."""

    def export(self, symbol, params, path):
        """Touch the file."""
        open(path, "w").close()


class Spoils(exporter.Exporter):
    """Scales the parameters in place."""

    def export(self, symbol, params, path):
        """Write their names."""
        for array in params.values():
            array[:] = array + 1
        with open(path, "w") as file:
            file.write(" ".join(params))


class Doubles(subgraph.SubgraphBackend):
    """Doubles results."""

    def supports(self, node):
        """Return True for fully connected layers."""
        return node.operator == "FullyConnected"

    def replace(self, subgraph):
        """Return twice the results."""
        return subgraph.symbol * 2


class Needs(optimizer.SGD):
    """Cannot be made without an argument."""

    def __init__(self, needed):
        super().__init__()


#: A module that opforge has itself, and one that does not say what it has.
HIDDEN, BARE = (ModuleType(name, "Of no use.") for name in ("metric", "bare"))
HIDDEN.__all__ = []
FAULTS = [
    ("optimizer", Stays, "step", "leave"),
    ("optimizer", Forgets, "saved states", "after saving and loading states"),
    ("initializer", Half, "fills", "are unchanged or not finite"),
    ("metric", Keeps, "reset", "after reset()"),
    ("kvstore", Twice, "sums", "pushpull of 1 times [1, 2] gives [2.0, 4.0]"),
    ("scheduler", Negative, "rates", "the rates are"),
    ("dataset", Short, "samples", "IndexError"),
    ("iterator", Ends, "batches", "the first epoch has 2 batches, after reset() 0"),
    ("iterator", Wide, "batches", "data of shapes [(2,)]; provide_data has [(3,)]"),
    ("exporter", Silent, "writes", "wrote nothing"),
    ("backend", Doubles, "results", "fc_output is [[7.0, 7.0]]; expected [[3.5, 3.5]]"),
    ("exporter", Spoils, "writes", "export changes fc_weight"),
]


@pytest.fixture
def report(monkeypatch):
    """Return a function that registers a contribution and returns its report."""

    def make(noun, contribution):
        monkeypatch.setattr(TABLES[noun], "_table", {})
        registry.register_contribution(
            noun, "acme_contribution", contribution, "acme", "1", "plugin"
        )
        return check_contribution(noun, TABLES[noun].entries()[0])

    return make


@pytest.mark.parametrize(("noun", "contribution", "check", "words"), FAULTS)
def test_a_fault_is_found(report, noun, contribution, check, words):
    found = report(noun, contribution)
    assert (found.subject, found.kind) == ("acme_contribution", noun)
    messages = {outcome.check: outcome.message for outcome in found.failures}
    assert words in messages[check]


@pytest.mark.parametrize(
    ("noun", "contribution"),
    [
        ("optimizer", optimizer.Adam),
        ("optimizer", optimizer.NAG),
        ("initializer", init.Xavier),
        ("metric", metric.Accuracy),
        ("metric", metric.MSE),
    ],
)
def test_opforges_own_pass(report, noun, contribution):
    found = report(noun, contribution)
    assert found.passed and {outcome.status for outcome in found.outcomes} == {"passed"}


def test_unreachable_modules_fail(monkeypatch):
    monkeypatch.setattr(TABLES["module"], "_table", {})
    for name, module in (("metric", HIDDEN), ("acme_bare", BARE)):
        registry.register_contribution("module", name, module, "acme", "1", "plugin")
    monkeypatch.setitem(sys.modules, "opforge.acme_bare", BARE)
    bare, hidden = (check_contribution("module", entry) for entry in TABLES["module"].entries())
    assert "opforge.metric is opforge.metric, which takes precedence" in str(hidden)
    assert "bare has no __all__" in str(bare)
    BARE.__all__ = ["gone"]
    assert "['gone']" in str(check_contribution("module", TABLES["module"].entries()[0]))


def test_contributions_with_required_arguments_are_skipped(report):
    found = report("optimizer", Needs)
    assert found.status_of("step") == "skipped"
    assert "requires needed" in str(found)


def test_iterators_over_missing_files_are_skipped(report, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = report("iterator", Reads)
    assert found.status_of("batches") == "skipped"
    assert "its constructor reads ./rows, which is missing" in " ".join(str(found).split())


def test_only_some_checks(monkeypatch):
    monkeypatch.setattr(TABLES["kvstore"], "_table", {})
    registry.register_contribution("kvstore", "acme_contribution", Twice, "acme", "1", "plugin")
    (entry,) = TABLES["kvstore"].entries()
    assert check_contribution("kvstore", entry, only="nothing").outcomes == ()
    found = check_contribution("kvstore", entry, only="acme_contribution/doc")
    assert found.passed and found.ran == 1


def short_gradient(prop, F, out_grad):
    """Lacks two parameters."""


def full_gradient(prop, F, out_grad, in_data, out_data):
    """Return the gradient of the output."""
    return out_grad


@pytest.mark.parametrize(
    ("name", "rule", "words"),
    [
        ("gradient", full_gradient, "the name is 'gradient', expected KIND:OPERATOR"),
        ("gradient:relu", short_gradient, "too many positional arguments"),
        ("gradient:relu", full_gradient, ""),
        ("listing:relu", short_gradient, ""),
    ],
)
def test_rules_have_names_and_parameters_of_their_kind(monkeypatch, name, rule, words):
    monkeypatch.setattr(TABLES["rule"], "_table", {})
    registry.register_contribution("rule", name, rule, "acme", "1", "plugin")
    found = check_contribution("rule", TABLES["rule"].entries()[0])
    assert found.passed == (not words) and words in str(found)
