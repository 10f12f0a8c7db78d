"""Models with the names and the computations of torchvision's, in as few lines as possible."""

import torch
from torch import nn


def conv(before, after, kernel, stride=1, groups=1):
    return nn.Conv2d(before, after, kernel, stride, kernel // 2, groups=groups, bias=False)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, before, width, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(before, width, 3, stride), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = conv(width, width, 3), nn.BatchNorm2d(width)

    def body(self, x):
        return self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))

    def forward(self, x):
        return (self.body(x) + (self.downsample(x) if hasattr(self, "downsample") else x)).relu()


class Bottleneck(BasicBlock):
    expansion = 4

    def __init__(self, before, width, stride):
        nn.Module.__init__(self)
        self.conv1, self.bn1 = conv(before, width, 1), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = conv(width, width, 3, stride), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = conv(width, 4 * width, 1), nn.BatchNorm2d(4 * width)

    def body(self, x):
        return self.bn3(self.conv3(super().body(x).relu()))


class ResNet(nn.Module):
    def __init__(self, block, layers):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
        before = 64
        for stage, count in enumerate(layers):
            width, blocks = 64 * 2**stage, []
            for index in range(count):
                stride = 2 if stage and not index else 1
                blocks.append(block(before, width, stride))
                after = width * block.expansion
                if stride != 1 or before != after:
                    shortcut = nn.Sequential(conv(before, after, 1, stride), nn.BatchNorm2d(after))
                    blocks[-1].downsample = shortcut
                before = after
            setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(before, 1000)

    def forward(self, x):
        x = nn.functional.max_pool2d(self.bn1(self.conv1(x)).relu(), 3, 2, 1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean((2, 3)))


class Features(nn.Module):
    """Features, whose result is flattened, and a classifier."""

    def __init__(self, features, classifier):
        super().__init__()
        self.features, self.classifier = features, classifier

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def dense(before, dropout_first):
    layers = [nn.Linear(before, 4096), nn.ReLU(), nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU()]
    layers.insert(0 if dropout_first else len(layers), nn.Dropout())
    return nn.Sequential(*layers, nn.Linear(4096, 1000))


def vgg(widths, norm):
    layers, before = [], 3
    for width in widths:
        if width == "M":
            layers.append(nn.MaxPool2d(2))
            continue
        layers.append(nn.Conv2d(before, width, 3, padding=1))
        layers += [nn.BatchNorm2d(width), nn.ReLU()] if norm else [nn.ReLU()]
        before = width
    return Features(nn.Sequential(*layers), dense(512 * 49, False))


def alexnet():
    def layer(before, after, kernel, stride=1, padding=1):
        return [nn.Conv2d(before, after, kernel, stride, padding), nn.ReLU()]

    features = nn.Sequential(
        *layer(3, 64, 11, 4, 2),
        nn.MaxPool2d(3, 2),
        *layer(64, 192, 5, 1, 2),
        nn.MaxPool2d(3, 2),
        *layer(192, 384, 3),
        *layer(384, 256, 3),
        *layer(256, 256, 3),
        nn.MaxPool2d(3, 2),
    )
    return Features(features, dense(256 * 36, True))


class Fire(nn.Module):
    def __init__(self, before, squeeze, expand):
        super().__init__()
        self.squeeze = nn.Conv2d(before, squeeze, 1)
        self.expand1x1 = nn.Conv2d(squeeze, expand, 1)
        self.expand3x3 = nn.Conv2d(squeeze, expand, 3, padding=1)

    def forward(self, x):
        x = self.squeeze(x).relu()
        return torch.cat([self.expand1x1(x).relu(), self.expand3x3(x).relu()], 1)


def squeezenet(version):
    def pool():
        return nn.MaxPool2d(3, 2, ceil_mode=True)

    fires = [Fire(*row) for row in ((128, 32, 128), (256, 48, 192), (384, 48, 192))]
    fires += [Fire(384, 64, 256), Fire(512, 64, 256)]
    small = Fire(128, 16, 64)
    if version == "1_0":
        first = [nn.Conv2d(3, 96, 7, 2), nn.ReLU(), pool(), Fire(96, 16, 64), small]
        rest = [Fire(128, 32, 128), pool(), Fire(256, 32, 128), *fires[1:4], pool(), fires[4]]
    else:
        first = [nn.Conv2d(3, 64, 3, 2), nn.ReLU(), pool(), Fire(64, 16, 64), small, pool()]
        rest = [fires[0], Fire(256, 32, 128), pool(), *fires[1:]]
    head = [nn.Dropout(), nn.Conv2d(512, 1000, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1)]
    model = Features(nn.Sequential(*first, *rest), nn.Sequential(*head))
    model.forward = lambda x: model.classifier(model.features(x)).flatten(1)
    return model


class DenseLayer(nn.Module):
    def __init__(self, before, growth):
        super().__init__()
        self.norm1, self.conv1 = nn.BatchNorm2d(before), conv(before, 4 * growth, 1)
        self.norm2, self.conv2 = nn.BatchNorm2d(4 * growth), conv(4 * growth, growth, 3)

    def forward(self, x):
        y = self.conv2(self.norm2(self.conv1(self.norm1(x).relu())).relu())
        return torch.cat([x, y], 1)


class Transition(nn.Module):
    def __init__(self, before):
        super().__init__()
        self.norm, self.conv = nn.BatchNorm2d(before), conv(before, before // 2, 1)

    def forward(self, x):
        return nn.functional.avg_pool2d(self.conv(self.norm(x).relu()), 2)


def densenet(layers, growth=32, before=64):
    features = nn.Sequential()
    features.conv0, features.norm0 = nn.Conv2d(3, before, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
    features.relu0, features.pool0 = nn.ReLU(), nn.MaxPool2d(3, 2, 1)
    for stage, count in enumerate(layers, 1):
        block = nn.Sequential()
        for index in range(count):
            block.add_module(f"denselayer{index + 1}", DenseLayer(before, growth))
            before += growth
        features.add_module(f"denseblock{stage}", block)
        if stage < len(layers):
            features.add_module(f"transition{stage}", Transition(before))
            before //= 2
    features.norm5 = nn.BatchNorm2d(before)
    model = Features(features, nn.Linear(before, 1000))
    model.forward = lambda x: model.classifier(model.features(x).relu().mean((2, 3)))
    return model


class InvertedResidual(nn.Module):
    def __init__(self, before, after, stride, expand):
        super().__init__()
        width, self.is_added = before * expand, stride == 1 and before == after
        steps = [norm_relu6(before, width, 1)] if expand > 1 else []
        steps += [norm_relu6(width, width, 3, stride, width), conv(width, after, 1)]
        self.conv = nn.Sequential(*steps, nn.BatchNorm2d(after))

    def forward(self, x):
        return x + self.conv(x) if self.is_added else self.conv(x)


def norm_relu6(before, after, kernel, stride=1, groups=1):
    layer = conv(before, after, kernel, stride, groups)
    return nn.Sequential(layer, nn.BatchNorm2d(after), nn.ReLU6())


def mobilenet_v2():
    layers, before = [norm_relu6(3, 32, 3, 2)], 32
    settings = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1)]
    for expand, after, count, stride in [*settings, (6, 160, 3, 2), (6, 320, 1, 1)]:
        for index in range(count):
            layers.append(InvertedResidual(before, after, 1 if index else stride, expand))
            before = after
    layers += [norm_relu6(320, 1280, 1), nn.AdaptiveAvgPool2d(1)]
    features = nn.Sequential(*layers[:-1])
    model = Features(features, nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, 1000)))
    model.forward = lambda x: model.classifier(model.features(x).mean((2, 3)))
    return model


VGG11 = [64, "M", 128, "M", 256, 256, "M", 512, 512, "M", 512, 512, "M"]
MODELS = {
    "alexnet": alexnet,
    "densenet121": lambda: densenet((6, 12, 24, 16)),
    "mobilenet_v2": mobilenet_v2,
    "resnet18": lambda: ResNet(BasicBlock, (2, 2, 2, 2)),
    "resnet50": lambda: ResNet(Bottleneck, (3, 4, 6, 3)),
    "squeezenet1_0": lambda: squeezenet("1_0"),
    "squeezenet1_1": lambda: squeezenet("1_1"),
    "vgg11": lambda: vgg(VGG11, False),
    "vgg11_bn": lambda: vgg(VGG11, True),
}
