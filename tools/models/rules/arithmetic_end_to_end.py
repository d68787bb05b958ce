"""AR with k lanes, every COT built from RCOT strings, CW obtained only by the two opened shares; bits, RCOT counted; both t-bit one-hot and arithmetic payload read from the same tree."""
import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent.parent / 'lut'))
from common import *
from generators import Setup, tree, doubling


def cot(su, snd, xs, b, w, tag):
    """payload vector xs (Z_2^w each), receiver choice b; one RCOT, disjoint slices; returns (share_snd, share_rcv)"""
    P = su.P
    rcv = 1 - snd
    D = su.D[snd]
    q, (c, t) = rcot(su.net, D)
    M = (1 << w) - 1
    d = b ^ c
    P[rcv].send(P[snd], 1, d)
    P[snd].recv()
    def S(s, i): return (H(s, tag, w * len(xs)) >> (w * i)) & M
    X = [[S(q, i) for i in range(len(xs))], [S(q ^ D, i) for i in range(len(xs))]]
    m = [(x + X[d][i] - X[1 ^ d][i]) & M for i, x in enumerate(xs)]
    P[snd].send(P[rcv], w * len(xs), m)
    P[rcv].recv()
    return [-X[d][i] & M for i in range(len(xs))], [(S(t, i) + b * m[i]) & M for i in range(len(xs))]


def ar(delta, l):
    su = Setup()
    k = 128 // l
    dl = k.bit_length() - 1
    M = (1 << l) - 1
    eb, lo, _ = doubling(su, dl) if dl else ([1, 0], [0, 0], None)
    e = [[0] * k, [0] * k]
    for j in range(1, k):
        b = [eb[p] >> j & 1 for p in (0, 1)]
        g, h = cot(su, 0, [b[0]], b[1], l - 1, ('b2a', j))
        e[0][j] = (b[0] - 2 * g[0]) & M
        e[1][j] = (b[1] - 2 * h[0]) & M
    e[0][0] = (1 - sum(e[0][1:])) & M
    e[1][0] = -sum(e[1][1:]) & M
    nodes, hi, _ = tree(su, delta - dl)
    conv = [[[H(x, 'cv') >> (l * j) & M for j in range(k)] for x in nodes[p]] for p in (0, 1)]
    A = [[sum(c[j] for c in conv[p]) & M for j in range(k)] for p in (0, 1)]
    T = [sum(x & 1 for x in nodes[p]) for p in (0, 1)]
    be = [T[0] >> 1 & 1, (-T[1]) >> 1 & 1]
    z = [[(e[0][j] - A[0][j]) & M for j in range(k)], [(e[1][j] + A[1][j]) & M for j in range(k)]]
    u = [[(-v if be[p] else v) & M for v in z[p]] for p in (0, 1)]
    s01 = cot(su, 0, [v & (M >> 1) for v in u[0]], be[1], l - 1, 'm0')
    s10 = cot(su, 1, [v & (M >> 1) for v in u[1]], be[0], l - 1, 'm1')
    o = [[(u[0][j] - 2 * s01[0][j] - 2 * s10[1][j]) & M for j in range(k)], [(u[1][j] - 2 * s10[0][j] - 2 * s01[1][j]) & M for j in range(k)]]
    swap(su.P[0], su.P[1], k * l, o[0], o[1])
    CW = [(o[0][j] + o[1][j]) & M for j in range(k)]
    out = []
    for p in (0, 1):
        out.append([((1 - 2 * p) * (c[j] + (CW[j] if x & 1 else 0))) & M for x, c in zip(nodes[p], conv[p]) for j in range(k)])
    s = (hi[0] ^ hi[1]) * k + (lo[0] ^ lo[1])
    assert [(a + b) & M for a, b in zip(*out)] == [int(i == s) for i in range(1 << delta)]
    tb = [[x & 1 for x in nodes[p]] for p in (0, 1)]
    assert [a ^ b for a, b in zip(*tb)] == [int(i == hi[0] ^ hi[1]) for i in range(1 << (delta - dl))]
    # low bit of o_p is not rerandomised but o_0 = CW - o_1
    return su.net.total('prep'), su.net.rot, k, dl


for l in (64, 32, 16, 8):
    for delta in (5, 8):
        for _ in range(3):
            b, r, k, dl = ar(delta, l)
        form = 256 * (delta - dl) + 4 * k * l - (2 * k - 2) + (k - 1) * l + 2 * (k - dl - 1)
        assert b == form
        print('l', l, 'delta', delta, 'k', k, 'bits', b, 'corrected formula', form, 'spec 256(d-dk)+4kl+(k-1)l', 256 * (delta - dl) + 4 * k * l + (k - 1) * l, 'RCOT', r, '(spec 2d+2+(k-1) =', 2 * delta + 2 + k - 1, ')')
