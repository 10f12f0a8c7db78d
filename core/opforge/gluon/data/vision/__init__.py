"""Image data sets and their transforms."""

from . import transforms as transforms
from .datasets import MNIST as MNIST
from .datasets import FashionMNIST as FashionMNIST

__all__ = ["MNIST", "FashionMNIST", "transforms"]
