"""Classify images with a convolutional network and augmentation.

python examples/comparison/opforge_images.py
"""

import data

import opforge as mx
from opforge import gluon
from opforge.gluon import nn
from opforge.gluon.contrib.estimator import Estimator, ProgressBarHandler
from opforge.gluon.data.vision import transforms

mx.random.seed(0)
x_train, x_test, y_train, y_test = data.images()
augment = transforms.Compose(
    [transforms.RandomCrop(32, pad=4), transforms.RandomFlipLeftRight(), transforms.ToTensor()]
)
train = gluon.data.ArrayDataset(x_train, y_train).transform_first(augment)
test = gluon.data.ArrayDataset(x_test, y_test).transform_first(transforms.ToTensor())

net = nn.HybridSequential()
for channels in (32, 64, 128):
    net.add(nn.Conv2D(channels, 3, padding=1, use_bias=False))
    net.add(nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(2))
net.add(nn.GlobalAvgPool2D(), nn.Dense(10))
net.initialize(mx.init.Xavier())
net.hybridize()

estimator = Estimator(
    net,
    gluon.loss.SoftmaxCrossEntropyLoss(),
    mx.metric.Accuracy(),
    trainer=gluon.Trainer(net, "adam", {"learning_rate": 0.001}),
)
with data.timed():
    estimator.fit(train, test, epochs=5, batch_size=64, event_handlers=ProgressBarHandler())
predictions = estimator.predict(test).argmax(axis=1).asnumpy()
print(f"test accuracy: {(predictions == y_test).mean():.4f}")
