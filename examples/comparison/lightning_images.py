"""Classify images with Lightning and torchvision's augmentation."""

import data
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchmetrics.classification import MulticlassAccuracy
from torchvision.transforms import v2


class Images(Dataset):
    def __init__(self, x, y, transform):
        self.x, self.y, self.transform = x, y, transform

    def __len__(self):
        return len(self.y)

    def __getitem__(self, index):
        return self.transform(self.x[index]), self.y[index]


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        layers, channels_in = [], 3
        for channels in (32, 64, 128):
            layers += [nn.Conv2d(channels_in, channels, 3, padding=1, bias=False)]
            layers += [nn.BatchNorm2d(channels), nn.ReLU(), nn.MaxPool2d(2)]
            channels_in = channels
        self.net = nn.Sequential(
            *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10)
        )
        self.loss = nn.CrossEntropyLoss()
        self.accuracy = MulticlassAccuracy(num_classes=10, average="micro")

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


L.seed_everything(0)
x_train, x_test, y_train, y_test = data.images()
to_tensor = [v2.ToImage(), v2.ToDtype(torch.float32, scale=True)]
augment = v2.Compose(
    [v2.ToImage(), v2.RandomCrop(32, padding=4), v2.RandomHorizontalFlip(), *to_tensor[1:]]
)
train = DataLoader(Images(x_train, y_train, augment), batch_size=64, shuffle=True)
test = DataLoader(Images(x_test, y_test, v2.Compose(to_tensor)), batch_size=256)

model = Classifier()
trainer = L.Trainer(max_epochs=5, accelerator="cpu", logger=False, enable_checkpointing=False)
with data.timed():
    trainer.fit(model, train, test)
(scores,) = trainer.test(model, test, verbose=False)
print(f"test accuracy: {scores['accuracy']:.4f}")
