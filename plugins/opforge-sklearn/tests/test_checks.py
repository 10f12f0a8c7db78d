"""scikit-learn's checks of estimators."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from opforge.sklearn import NetClassifier, NetRegressor

#: Batches with all samples, so that weights of the samples are equivalent to repetitions.
QUICK = {"hidden_sizes": (16,), "learning_rate": 0.05, "batch_size": 100}
FAILED = {
    "check_sample_weight_equivalence_on_dense_data": (
        "results of weights and of repetitions differ in the rounding of float32; "
        "test_weights.py compares them within its precision"
    )
}


@parametrize_with_checks(
    [NetClassifier(epochs=20, **QUICK), NetRegressor(epochs=50, **QUICK)],
    expected_failed_checks=lambda estimator: FAILED,
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)
