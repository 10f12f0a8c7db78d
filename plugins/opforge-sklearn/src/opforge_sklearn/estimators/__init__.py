"""scikit-learn estimators that train Gluon networks with `gluon.contrib.estimator.Estimator`."""

from .classifier import NetClassifier as NetClassifier
from .regressor import NetRegressor as NetRegressor

__all__ = ["NetClassifier", "NetRegressor"]
