"""Tag the words of sentences with Lightning."""

import data
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics.classification import MulticlassAccuracy


class Tagger(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(data.WORDS, 32, padding_idx=0)
        self.lstm = nn.LSTM(32, 64, batch_first=True, bidirectional=True)
        self.scores = nn.Linear(128, 3)
        self.loss = nn.CrossEntropyLoss(ignore_index=data.PADDING)
        self.accuracy = MulticlassAccuracy(3, average="micro", ignore_index=data.PADDING)

    def forward(self, x):
        return self.scores(self.lstm(self.embedding(x))[0]).transpose(1, 2)

    def training_step(self, batch):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch):
        x, y = batch
        self.accuracy(self(x), y)
        self.log("accuracy", self.accuracy, prog_bar=True)

    test_step = validation_step

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.005)


L.seed_everything(0)
x_train, x_test, y_train, y_test = map(torch.tensor, data.sentences())
train = DataLoader(TensorDataset(x_train, y_train), batch_size=64, shuffle=True)
test = DataLoader(TensorDataset(x_test, y_test), batch_size=256)

model = Tagger()
trainer = L.Trainer(max_epochs=5, accelerator="cpu", logger=False, enable_checkpointing=False)
with data.timed():
    trainer.fit(model, train, test)
(scores,) = trainer.test(model, test, verbose=False)
print(f"test accuracy: {scores['accuracy']:.4f}")
