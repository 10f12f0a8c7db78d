"""Classify the rows of a table with fastai."""

import data
import pandas as pd
from fastai.tabular.all import (
    CategoryBlock,
    Normalize,
    RandomSplitter,
    TabularDataLoaders,
    accuracy,
    range_of,
    set_seed,
    tabular_learner,
)

set_seed(0)
x_train, x_test, y_train, y_test = data.table()
train = pd.DataFrame(x_train).add_prefix("x").assign(y=y_train)
test = pd.DataFrame(x_test).add_prefix("x").assign(y=y_test)
loaders = TabularDataLoaders.from_df(
    train, y_names="y", y_block=CategoryBlock(), procs=[Normalize],
    cont_names=list(train.columns[:-1]), splits=RandomSplitter(0.1)(range_of(train)), bs=128,
)  # fmt: skip
learner = tabular_learner(loaders, layers=[128, 64], metrics=accuracy)
with data.timed():
    learner.fit_one_cycle(10)
_, score = learner.validate(dl=loaders.test_dl(test, with_labels=True))
print(f"test accuracy: {score:.4f}")
