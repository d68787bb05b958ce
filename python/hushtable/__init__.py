"""Two parties look things up together without showing what they looked up.

Each party holds a share of every number; functions of shares give shares; `Party.open` alone shows values.

    import hushtable as ht

    def party(p):                                  # runs as both parties
        s = p.share([0.5 if p.role == 0 else 0.25], range=(-8, 8))
        return p.open(ht.sigmoid(s))

    ht.run_pair(party)                             # (array([0.6796875]), array([0.6796875]))

Between two machines: `with ht.listen("0.0.0.0:7000", identity="bank.id") as p:` and `ht.connect(...)`.
Security is semi-honest, with 128 bits. The network and malformed messages are treated as hostile.
"""

from . import circuits, nn
from ._hushtable import __version__
from .arithmetic import argmax, clip, inside, maximum, minimum, where
from .arithmetic import largest as max
from .bits import BitShare
from .circuit import Circuit, compile, to_bits
from .columns import fraction_bits, read_column, write_column
from .cost import Cost, Phase
from .embedding import Embedding
from .errors import (
    ForkedError,
    HandshakeError,
    HushtableError,
    IdentityError,
    IoError,
    ParamError,
    PeerError,
    RoundingWarning,
    ShapeError,
    SpentError,
    StoreError,
)
from .functions import (
    Function,
    How,
    acos,
    asin,
    atan,
    card,
    cos,
    cos2pi,
    cospi,
    erf,
    exp,
    functions,
    gelu,
    identity,
    layer_norm,
    ln,
    log10,
    reciprocal,
    rsqrt,
    sigmoid,
    silu,
    sin,
    sin2pi,
    sinpi,
    softmax,
    softplus,
    sqrt,
    tan,
    tan2pi,
    tanh,
    tanpi,
)
from .joining import concatenate, stack
from .joins import Joined, join, psi
from .party import Party
from .plan import Prediction, Predictions, plan
from .prepared import Like, Need, Prepared, count, prepare
from .private import Found, PrivateTable
from .session import (
    Link,
    connect,
    identity_fingerprint,
    identity_new,
    identity_peers,
    identity_rotate,
    identity_trust,
    identity_untrust,
    listen,
    run_pair,
)
from .share import Share
from .statistics import Groups, Statistics
from .store import Store
from .tables import Table, lookup, lookup_shared, protocols

__all__ = [
    "BitShare",
    "Circuit",
    "Cost",
    "Embedding",
    "ForkedError",
    "Found",
    "Function",
    "Groups",
    "HandshakeError",
    "How",
    "HushtableError",
    "IdentityError",
    "IoError",
    "Joined",
    "Like",
    "Link",
    "Need",
    "ParamError",
    "Party",
    "PeerError",
    "RoundingWarning",
    "Phase",
    "Prediction",
    "Predictions",
    "Prepared",
    "PrivateTable",
    "ShapeError",
    "Share",
    "SpentError",
    "Statistics",
    "Store",
    "StoreError",
    "Table",
    "acos",
    "argmax",
    "asin",
    "atan",
    "card",
    "circuits",
    "compile",
    "clip",
    "concatenate",
    "connect",
    "cos",
    "cos2pi",
    "cospi",
    "count",
    "erf",
    "exp",
    "fraction_bits",
    "functions",
    "gelu",
    "identity",
    "identity_fingerprint",
    "identity_new",
    "identity_peers",
    "identity_rotate",
    "identity_trust",
    "identity_untrust",
    "inside",
    "join",
    "listen",
    "layer_norm",
    "ln",
    "log10",
    "lookup",
    "lookup_shared",
    "max",
    "maximum",
    "minimum",
    "nn",
    "plan",
    "prepare",
    "protocols",
    "psi",
    "read_column",
    "reciprocal",
    "rsqrt",
    "run_pair",
    "sigmoid",
    "silu",
    "sin",
    "sin2pi",
    "sinpi",
    "softmax",
    "softplus",
    "sqrt",
    "stack",
    "tan",
    "tan2pi",
    "tanh",
    "tanpi",
    "to_bits",
    "where",
    "write_column",
    "__version__",
]
