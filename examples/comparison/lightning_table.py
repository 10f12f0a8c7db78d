"""Classify the rows of a table with Lightning."""

import data
import lightning as L
import torch
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split
from torchmetrics.classification import MulticlassAccuracy


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(54, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 7)
        )
        self.loss = nn.CrossEntropyLoss()
        self.accuracy = MulticlassAccuracy(num_classes=7, average="micro")

    def training_step(self, batch):
        x, y = batch
        loss = self.loss(self.net(x), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch):
        x, y = batch
        self.accuracy(self.net(x), y)
        self.log("accuracy", self.accuracy, prog_bar=True)

    test_step = validation_step

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.001)


def dataset(x, y):
    return TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(y))


L.seed_everything(0)
x_train, x_test, y_train, y_test = data.table()
scaler = StandardScaler().fit(x_train)
train, validation = random_split(dataset(scaler.transform(x_train), y_train), [0.9, 0.1])
test = DataLoader(dataset(scaler.transform(x_test), y_test), batch_size=256)

model = Classifier()
trainer = L.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False)
with data.timed():
    trainer.fit(
        model,
        DataLoader(train, batch_size=128, shuffle=True),
        DataLoader(validation, batch_size=256),
    )
(scores,) = trainer.test(model, test, verbose=False)
print(f"test accuracy: {scores['accuracy']:.4f}")
