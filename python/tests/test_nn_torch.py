"""Modules of PyTorch: as it evaluates them, and on shares. Only where PyTorch is installed."""

from __future__ import annotations

import math
import warnings

import hushtable as ht
import numpy as np
import pytest
from networks import holds, private, some

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
nn = torch.nn

pytestmark = pytest.mark.filterwarnings("ignore")


class RootMeanSquare(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(size) + 0.5)

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.gain


class Decoder(nn.Module):
    """A causal block over token ids, as small language models have it."""

    def __init__(self, norm, size=16, heads=2, tokens=8, words=30):
        super().__init__()
        self.heads, self.words, self.places = heads, nn.Embedding(words, size), nn.Parameter(torch.randn(tokens, size) * 0.1)
        self.first, self.second, self.last = norm(size), norm(size), norm(size)
        self.three, self.mixed = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.up, self.down, self.out = nn.Linear(size, 4 * size), nn.Linear(4 * size, size), nn.Linear(size, words, bias=False)
        self.register_buffer("seen", torch.tril(torch.ones(tokens, tokens)).bool())

    def forward(self, ids):
        x = self.words(ids) + self.places
        rows, tokens, size = x.shape
        parts = self.three(self.first(x)).split(size, dim=2)
        q, k, v = (part.view(rows, tokens, self.heads, size // self.heads).transpose(1, 2) for part in parts)
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(size // self.heads)
        chances = scores.masked_fill(~self.seen, float("-inf")).softmax(-1)
        x = x + self.mixed((chances @ v).transpose(1, 2).reshape(rows, tokens, size))
        x = x + self.down(nn.functional.gelu(self.up(self.second(x))))
        return self.out(self.last(x))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.out = nn.Embedding(50, 16), nn.Linear(16, 3)
        self.layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, activation="gelu")

    def forward(self, ids):
        return self.out(self.layer(self.words(ids)).mean(1))


class Images(nn.Module):
    """Patches of an image and a token for its class, as vision transformers have them."""

    def __init__(self, size=16):
        super().__init__()
        self.patches, self.head = nn.Conv2d(1, size, 4, 4), nn.Linear(size, 3)
        self.token, self.places = nn.Parameter(torch.randn(1, 1, size)), nn.Parameter(torch.randn(1, 5, size) * 0.1)
        self.layer = nn.TransformerEncoderLayer(size, 2, 32, batch_first=True, norm_first=True, activation="gelu")

    def forward(self, x):
        patches = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.size(0), -1, -1), patches], 1) + self.places
        return self.head(self.layer(x)[:, 0])


class Residual(nn.Module):
    """Convolutions with a shortcut."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.short = nn.Conv2d(2, 6, 3, 2, 1, bias=False), nn.Conv2d(6, 6, 3, 1, 1), nn.Conv2d(2, 6, 1, 2)
        self.one, self.two, self.head = nn.BatchNorm2d(6), nn.BatchNorm2d(6), nn.Linear(6, 4)

    def forward(self, x):
        x = torch.relu(self.two(self.second(torch.relu(self.one(self.first(x))))) + self.short(x))
        return self.head(nn.functional.adaptive_avg_pool2d(x, 1).flatten(1))


def perceptron():
    return nn.Sequential(
        nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 16), nn.SiLU(), nn.LayerNorm(16), nn.Dropout(0.5), nn.Linear(16, 3)
    )


def convolutional():
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 8, 3), nn.ReLU(),
        nn.AvgPool2d(2), nn.Flatten(), nn.Linear(8, 10), nn.Softmax(-1),
    )  # fmt: skip


RNG = np.random.default_rng(4)
MODULES = {
    "perceptron": (perceptron, RNG.normal(size=(1000, 8)).astype(np.float32)),
    "convolutional": (convolutional, RNG.normal(size=(1000, 1, 8, 8)).astype(np.float32)),
    "encoder": (Encoder, RNG.integers(0, 50, (1000, 6))),
    "images": (Images, RNG.normal(size=(1000, 1, 8, 8)).astype(np.float32)),
    "residual": (Residual, RNG.normal(size=(1000, 2, 9, 9)).astype(np.float32)),
    "decoder": (lambda: Decoder(nn.LayerNorm), RNG.integers(0, 30, (1000, 8))),
    "decoder rms": (lambda: Decoder(RootMeanSquare), RNG.integers(0, 30, (1000, 8))),
}


@pytest.mark.parametrize("name", MODULES)
def test_modules_are_as_pytorch_has_them_and_on_shares_too(name):
    torch.manual_seed(7)
    make, x = MODULES[name]
    module = make()
    module.train()
    model = ht.nn.from_torch(module, torch.from_numpy(x[:3]))
    assert module.training, "left as it was"
    module.eval()
    with torch.no_grad():
        want = module(torch.from_numpy(x)).numpy()
    assert np.abs(model.plain(x) - want).max() <= 1e-5
    model.calibrate(x)
    x = some(x, 100)
    holds(model, x)
    off = np.abs(private(model, x)[0] - model.plain(x)).max()
    assert off <= 8 * max(model.report().seen, 2.0**-12), "no worst case, but as on the examples"


@pytest.mark.parametrize("how", ({}, {"eps": 1e-3}, {"elementwise_affine": False}))
def test_norms_of_pytorch_by_the_root_mean_square(how):
    torch.manual_seed(1)
    module = nn.Sequential(nn.Linear(6, 10), nn.RMSNorm(10, **how), nn.SiLU(), nn.Linear(10, 3))
    x = RNG.normal(size=(200, 6)).astype(np.float32)
    model = ht.nn.from_torch(module, torch.from_numpy(x[:3])).calibrate(x)
    assert "rms_norm" in [node.layer.op for node in model.graph.nodes]
    assert np.abs(model.plain(x) - module(torch.from_numpy(x)).detach().numpy()).max() <= 1e-5
    assert np.abs(private(model, x)[0] - model.plain(x)).max() <= 0.01


def test_several_inputs_and_what_cannot_be_exported():
    class Both(nn.Module):
        def forward(self, a, b):
            return torch.tanh(a) * b

    a, b = RNG.normal(size=(2, 50, 4)).astype(np.float32)
    model = ht.nn.from_torch(Both(), (torch.from_numpy(a), torch.from_numpy(b))).calibrate(a, b)
    assert np.abs(model.plain(a, b) - np.tanh(a) * b).max() <= 1e-5
    holds(model, a, b)
    with pytest.raises(ht.ShapeError, match="inputs of 4 and 5 rows"):
        model.plain(a[:5], b[:4])
    with pytest.raises(ht.ParamError, match="Both cannot be exported to ONNX"):
        ht.nn.from_torch(Both(), torch.from_numpy(a))
    class Fixed(nn.Module):
        def forward(self, x):
            return torch.cat([torch.ones(1, 2).expand(len(x), -1), x], 1)

    with pytest.raises(ht.ShapeError, match=r"Concat.*may have fixed the number of rows"):
        ht.nn.from_torch(Fixed(), torch.from_numpy(a))
    with pytest.raises(TypeError, match="a torch.nn.Module is expected, got function"):
        ht.nn.from_torch(lambda x: x, torch.from_numpy(a))
    with pytest.raises(ht.ParamError, match=r"node .*LSTM"):
        ht.nn.from_torch(nn.LSTM(4, 3), torch.zeros((2, 5, 4)))
