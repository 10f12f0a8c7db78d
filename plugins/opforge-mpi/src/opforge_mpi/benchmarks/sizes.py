"""Sizes of the networks, the same for both libraries. It imports nothing: PyTorch reads it too."""

#: Units of the layers of the perceptron, and how many samples a batch has.
PERCEPTRON = (784, 1024, 1024, 10)
SAMPLES = 256

#: Channels and stride of each residual block of ResNet-18; pictures of 32x32 in a batch; classes.
RESIDUALS = ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1))
PICTURES = 16
CLASSES = 10

#: The language model: words, units of a layer, steps in time, sentences in a batch.
WORDS = 10_000
UNITS = 256
STEPS = 35
SENTENCES = 20

#: Training steps of one round, about as long for each network.
STEPS_OF = {"perceptron": 40, "resnet": 4, "language_model": 8}
