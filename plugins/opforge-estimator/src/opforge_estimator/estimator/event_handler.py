"""Event handlers of an Estimator, under MXNet's module name."""

from .averaging import AveragingHandler as AveragingHandler
from .checkpoint_handler import CheckpointHandler as CheckpointHandler
from .csv_handler import CSVHandler as CSVHandler
from .events import BatchBegin as BatchBegin
from .events import BatchEnd as BatchEnd
from .events import EpochBegin as EpochBegin
from .events import EpochEnd as EpochEnd
from .events import EventHandler as EventHandler
from .events import TrainBegin as TrainBegin
from .events import TrainEnd as TrainEnd
from .gradient_update import GradientUpdateHandler as GradientUpdateHandler
from .logging_handler import LoggingHandler as LoggingHandler
from .lr_range_test import LRRangeTestHandler as LRRangeTestHandler
from .measuring import MetricHandler as MetricHandler
from .measuring import ValidationHandler as ValidationHandler
from .profile_handler import ProfileHandler as ProfileHandler
from .progress_bar import ProgressBarHandler as ProgressBarHandler
from .stopping import EarlyStoppingHandler as EarlyStoppingHandler
from .stopping import StoppingHandler as StoppingHandler
from .tensorboard_handler import TensorBoardHandler as TensorBoardHandler

__all__ = [
    "AveragingHandler",
    "BatchBegin",
    "BatchEnd",
    "CSVHandler",
    "CheckpointHandler",
    "EarlyStoppingHandler",
    "EpochBegin",
    "EpochEnd",
    "EventHandler",
    "GradientUpdateHandler",
    "LRRangeTestHandler",
    "LoggingHandler",
    "MetricHandler",
    "ProfileHandler",
    "ProgressBarHandler",
    "StoppingHandler",
    "TensorBoardHandler",
    "TrainBegin",
    "TrainEnd",
    "ValidationHandler",
]
