"""Private inference of whole models: one party has a model, the other one inputs, and results are shares.

    model = ht.nn.from_sklearn(estimator).calibrate(X)          # at the owner
    net = ht.nn.share(p, model, owner=0)                        # at the other party: ht.nn.share(p, None, owner=0)
    y = net(net.input(rows, owner=1))                           # at party 1; here net.input(None, owner=1, shape=len(rows))
    net.labels(p.open(y, to=1))

Rows may have some columns of one party and some of the other: see `Net.input`. Shares made elsewhere go by way of `Net.adapt`.

Public are the layers, their order, shapes and constants, widths, ranges as powers of two, labels, and names of features.
Private are all other numbers of the layers, and inputs and results.
"""

from . import estimators, forests
from .inputs import Inputs
from .model import Model
from .net import Net, PreparedNet, share
from .onnx import from_onnx
from .report import Report, Row
from .sklearn import from_sklearn
from .torch import from_torch

assert estimators and forests  # which enter what they import

__all__ = ["Inputs", "Model", "Net", "PreparedNet", "Report", "Row", "from_onnx", "from_sklearn", "from_torch", "share"]
