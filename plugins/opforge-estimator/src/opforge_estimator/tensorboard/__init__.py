"""`opforge.tensorboard`: files of scalars, histograms, images and graphs for TensorBoard.

It needs the package tensorboard, but neither TensorFlow nor PyTorch.
"""

from .writer import SummaryWriter as SummaryWriter

__all__ = ["SummaryWriter"]
