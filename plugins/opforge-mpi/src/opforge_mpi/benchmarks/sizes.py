"""Sizes of the networks for both libraries; imports nothing, as PyTorch's program reads it."""

#: Units of the perceptron's layers, and samples in a batch.
PERCEPTRON = (784, 1024, 1024, 10)
SAMPLES = 256

#: Channels and stride of each residual block of ResNet-18; 32x32 images in a batch; classes.
RESIDUALS = ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1))
IMAGES = 16
CLASSES = 10

#: The language model: vocabulary size, units of a layer, time steps, sentences in a batch.
WORDS = 10_000
UNITS = 256
STEPS = 35
SENTENCES = 20

#: Training steps per round, chosen for a similar duration of all networks.
STEPS_OF = {"perceptron": 40, "resnet": 4, "language_model": 8}
