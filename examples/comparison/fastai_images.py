"""Classify images with fastai."""

import data
import numpy as np
from fastai.vision.all import (
    CategoryBlock,
    ConvLayer,
    CropPad,
    DataBlock,
    Flip,
    ImageBlock,
    IndexSplitter,
    ItemGetter,
    Learner,
    RandomCrop,
    accuracy,
    nn,
    set_seed,
)

set_seed(0)
x_train, x_test, y_train, y_test = data.images()
samples = [*zip(x_train, y_train), *zip(x_test, y_test)]
loaders = DataBlock(
    blocks=(ImageBlock, CategoryBlock),
    getters=[ItemGetter(0), ItemGetter(1)],
    splitter=IndexSplitter(np.arange(len(x_train), len(samples))),
    item_tfms=[CropPad(40), RandomCrop(32)],
    batch_tfms=Flip(),
).dataloaders(samples, bs=64, num_workers=0)

layers = []
for channels_in, channels in ((3, 32), (32, 64), (64, 128)):
    layers += [ConvLayer(channels_in, channels), nn.MaxPool2d(2)]
net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10))
learner = Learner(loaders, net, metrics=accuracy)
with data.timed():
    learner.fit_one_cycle(5)
print(f"test accuracy: {learner.validate()[1]:.4f}")
