"""Private inference of whole models: one party has a model, the other one inputs, and results are shares.

    model = ht.nn.from_sklearn(estimator).calibrate(X)          # at the owner
    net = ht.nn.share(p, model, owner=0)                        # at the other party: ht.nn.share(p, None, owner=0)
    y = net(net.input(rows, owner=1))                           # at party 1; here net.input(None, owner=1, shape=len(rows))
    net.labels(p.open(y, to=1))

Public are the layers, their order and shapes, widths, and ranges as powers of two. Private are the numbers of the layers,
and inputs and results.
"""

from .model import Model
from .net import Net, share
from .report import Report, Row
from .sklearn import from_sklearn

__all__ = ["Model", "Net", "Report", "Row", "from_sklearn", "share"]
