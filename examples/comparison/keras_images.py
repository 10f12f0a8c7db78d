"""Classify images with Keras and its augmentation layers."""

import data
import keras
from keras import layers

keras.utils.set_random_seed(0)
x_train, x_test, y_train, y_test = data.images()
model = keras.Sequential()
model.add(layers.ZeroPadding2D(4))
model.add(layers.RandomCrop(32, 32))
model.add(layers.RandomFlip("horizontal"))
model.add(layers.Rescaling(1 / 255))
for channels in (32, 64, 128):
    model.add(layers.Conv2D(channels, 3, padding="same", use_bias=False))
    model.add(layers.BatchNormalization())
    model.add(layers.ReLU())
    model.add(layers.MaxPooling2D(2))
model.add(layers.GlobalAveragePooling2D())
model.add(layers.Dense(10))
model.compile(
    optimizer=keras.optimizers.Adam(0.001),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
with data.timed():
    model.fit(x_train, y_train, batch_size=64, epochs=5, validation_data=(x_test, y_test))
_, accuracy = model.evaluate(x_test, y_test, verbose=0)
print(f"test accuracy: {accuracy:.4f}")
