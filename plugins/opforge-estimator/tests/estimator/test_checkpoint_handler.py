import pytest

from opforge import gluon, metric, nd
from opforge.gluon.contrib.estimator import CheckpointHandler, EpochEnd


def names(folder, kind):
    return sorted(path.name.removesuffix(kind) for path in folder.glob(f"*{kind}"))


def slope(made):
    return made.net.slope.data().asscalar()


def test_checkpoints_of_epochs(estimator, data, tmp_path):
    made = estimator()
    handler = CheckpointHandler(str(tmp_path / "new"), max_checkpoints=2)
    made.fit(data(), epochs=3, event_handlers=[handler])
    kept = ["model-epoch1batch8.", "model-epoch2batch12."]
    assert names(tmp_path / "new", "params") == names(tmp_path / "new", "states") == kept
    saved = nd.load(str(tmp_path / "new" / "model-epoch2batch12.params"))
    assert saved["slope"].asscalar() == slope(made)
    assert "symbol file) is not saved" in made.log.getvalue()


def test_checkpoints_of_batches_and_the_graph(estimator, line, data, tmp_path):
    net = line()
    net.hybridize()
    made = estimator(net)
    handler = CheckpointHandler(str(tmp_path), "run", epoch_period=None, batch_period=2, verbose=1)
    made.fit(data(), batches=5, event_handlers=[handler])
    assert names(tmp_path, ".params") == ["run-epoch0batch1", "run-epoch0batch3"]
    assert "trained total 2 batches, saving model at" in made.log.getvalue()
    loaded = gluon.SymbolBlock.imports(str(tmp_path / "run-symbol.json"), ["data"])
    assert [name for name in loaded.collect_params() if name.endswith("slope")]


@pytest.mark.parametrize("kind", ["epochs", "batches"])
def test_a_resumed_training_gives_the_same_numbers(estimator, data, tmp_path, kind):
    whole, part = (6, 2) if kind == "epochs" else (12, 8)
    period = {"epoch_period": 1} if kind == "epochs" else {"epoch_period": None, "batch_period": 4}
    straight = estimator()
    straight.fit(data(), **{kind: whole})
    first = estimator()
    first.fit(data(), **{kind: part}, event_handlers=CheckpointHandler(str(tmp_path), **period))
    assert slope(first) != slope(straight)
    second = estimator()
    again = CheckpointHandler(str(tmp_path), **period, resume_from_checkpoint=True)
    second.fit(data(), **{kind: whole}, event_handlers=[again])
    assert slope(second) == slope(straight)
    assert second.max_epoch == (4 if kind == "epochs" else None)
    assert "Checkpoint resumed from epoch 1" in second.log.getvalue()
    last = "model-epoch5batch24" if kind == "epochs" else "model-epoch2batch11"
    assert (tmp_path / f"{last}.states").exists()
    with pytest.raises(ValueError, match=f"already has the {whole} {kind}"):
        estimator().fit(data(), **{kind: whole}, event_handlers=[again])


def test_a_training_without_checkpoint_begins(estimator, data, tmp_path):
    made = estimator()
    handler = CheckpointHandler(str(tmp_path), resume_from_checkpoint=True)
    made.fit(data(2), epochs=1, event_handlers=[handler])
    assert "training from scratch for 1 epochs" in made.log.getvalue()
    assert names(tmp_path, ".params") == ["model-epoch0batch1"]


@pytest.mark.parametrize(
    ("fit", "periods"),
    [
        ({"epochs": 1}, {"batch_period": 1}),
        ({"epochs": 1}, {"epoch_period": None, "batch_period": 1}),
        ({"batches": 1}, {}),
        ({"batches": 1}, {"batch_period": 1}),
    ],
)
def test_resuming_needs_one_kind_of_period(estimator, data, tmp_path, fit, periods):
    handler = CheckpointHandler(str(tmp_path), resume_from_checkpoint=True, **periods)
    with pytest.raises(AssertionError, match=r"needs a (epoch|batch)_period and .*=None, got"):
        estimator().fit(data(2), **fit, event_handlers=[handler])


def test_the_best_model_stays(estimator, data, tmp_path):
    class Given(EpochEnd):
        """Sets slope and loss of each epoch."""

        priority = -500
        values = iter([3.0, 1.0, 2.0])

        def epoch_end(self, estimator, *args, **kwargs):
            value = next(self.values)
            estimator.net.slope.set_data(nd.array([value]))
            (shown,) = estimator.train_metrics
            shown.reset()
            shown.update(None, [nd.array([value])])

    made = estimator(train_metrics=metric.Loss())
    handler = CheckpointHandler(
        str(tmp_path), monitor=made.train_metrics[0], save_best=True, max_checkpoints=1, verbose=1
    )
    made.fit(data(2), epochs=3, event_handlers=[handler, Given()])
    best = nd.load(str(tmp_path / "model-best.params"))
    assert best["slope"].asscalar() == handler.best == 1
    assert names(tmp_path, ".params") == ["model-best", "model-epoch2batch3"]
    log = made.log.getvalue()
    assert "training loss improved from 3.00000 to 1.00000, updating best model" in log
    assert "training loss did not improve from 1.00000" in log


def test_a_monitor_without_value_is_a_warning(estimator, data, tmp_path):
    made = estimator()
    handler = CheckpointHandler(str(tmp_path), monitor=made.val_metrics[0], save_best=True)
    with pytest.warns(RuntimeWarning, match="validation mae has no value"):
        made.fit(data(2), epochs=1, event_handlers=[handler])
    assert not (tmp_path / "model-best.params").exists()


def test_the_best_by_what(tmp_path):
    with pytest.raises(ValueError, match=r"CheckpointHandler\(save_best=True\): got monitor=None"):
        CheckpointHandler(str(tmp_path), save_best=True)
