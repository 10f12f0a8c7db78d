"""Tag the words of sentences with fastai."""

import data
import torch
from fastai.text.all import CrossEntropyLossFlat, DataLoaders, Learner, set_seed
from torch import nn
from torch.utils.data import TensorDataset


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(data.WORDS, 32, padding_idx=0)
        self.lstm = nn.LSTM(32, 64, batch_first=True, bidirectional=True)
        self.scores = nn.Linear(128, 3)

    def forward(self, x):
        return self.scores(self.lstm(self.embedding(x))[0])


def accuracy(scores, y):
    is_word = y != data.PADDING
    return (scores.argmax(-1) == y)[is_word].float().mean()


set_seed(0)
x_train, x_test, y_train, y_test = map(torch.tensor, data.sentences())
loaders = DataLoaders.from_dsets(
    TensorDataset(x_train, y_train), TensorDataset(x_test, y_test), bs=64, num_workers=0
)
learner = Learner(
    loaders, Tagger(), loss_func=CrossEntropyLossFlat(ignore_index=data.PADDING), metrics=accuracy
)
with data.timed():
    learner.fit_one_cycle(5, 0.005)
print(f"test accuracy: {learner.validate()[1]:.4f}")
