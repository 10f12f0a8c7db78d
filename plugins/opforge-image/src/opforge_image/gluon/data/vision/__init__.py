"""Image data sets and their transforms; plugins provide more, such as data sets of image files."""

from opforge.plugin_api import plugin_attributes as _plugin_attributes

from . import transforms as transforms
from .cifar import CIFAR10 as CIFAR10
from .cifar import CIFAR100 as CIFAR100
from .datasets import MNIST as MNIST
from .datasets import FashionMNIST as FashionMNIST

__all__ = ["CIFAR10", "CIFAR100", "MNIST", "FashionMNIST", "transforms"]

__getattr__, __dir__ = _plugin_attributes(__name__, "dataset", __all__)
