"""Classify the rows of a table with a network in a pipeline of scikit-learn.

python examples/comparison/opforge_table.py
"""

import data
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from opforge.sklearn import NetClassifier

x_train, x_test, y_train, y_test = data.table()
model = make_pipeline(
    StandardScaler(),
    NetClassifier(
        hidden_sizes=(128, 64), batch_size=128, epochs=10, validation_fraction=0.1,
        random_state=0, verbose=1,
    ),
)  # fmt: skip
with data.timed():
    model.fit(x_train, y_train)
print(f"test accuracy: {model.score(x_test, y_test):.4f}")
