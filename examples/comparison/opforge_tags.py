"""Tag the words of sentences with a bidirectional LSTM.

python examples/comparison/opforge_tags.py
"""

import data

import opforge as mx
from opforge import gluon
from opforge.gluon import nn, rnn
from opforge.gluon.contrib.estimator import Estimator, ProgressBarHandler

mx.random.seed(0)
x_train, x_test, y_train, y_test = data.sentences()
net = nn.HybridSequential(
    nn.Embedding(data.WORDS, 32),
    rnn.LSTM(64, layout="NTC", bidirectional=True),
    nn.Dense(3, flatten=False),
)
net.initialize(mx.init.Xavier())
net.hybridize()
estimator = Estimator(
    net,
    gluon.loss.SoftmaxCrossEntropyLoss(ignore_label=data.PADDING),
    mx.metric.Accuracy(axis=-1, ignore_label=data.PADDING),
    trainer=gluon.Trainer(net, "adam", {"learning_rate": 0.005}),
)
with data.timed():
    estimator.fit(
        x_train, y_train, epochs=5, batch_size=64, validation_data=(x_test, y_test),
        event_handlers=ProgressBarHandler(),
    )  # fmt: skip
scores = estimator.evaluate((x_test, y_test))
print(f"test accuracy: {scores['val_accuracy']:.4f}")
