"""AR with lanes: leaves carry k=128/l arithmetic entries; payload = shared arithmetic one-hot of the low bits. Ideal COT for the MUX/B2A parts, bits counted."""
from common import *
from generators import Setup, tree, doubling, BLK, Hc


def ar_lanes(delta, l):
    su = Setup()
    k = 128 // l
    dl = k.bit_length() - 1
    M = (1 << l) - 1
    BLK[0] = 0
    # low one-hot: boolean (doubling) then B2A of k-1 entries by COT_{l-1}; entry 0 = 1 - rest
    eb, lo, _ = doubling(su, dl) if dl else ([1, 0], [0, 0], None)
    bits = (k - 1) * (l - 1 + 1)
    rc = k - 1
    e = [[0] * k, [0] * k]
    for j in range(1, k):
        b = [eb[p] >> j & 1 for p in (0, 1)]
        g = rng.getrandbits(l) & (M >> 1)
        h = (b[0] * b[1] - g) & (M >> 1)
        e[0][j] = (b[0] - 2 * g) & M
        e[1][j] = (b[1] - 2 * h) & M
    e[0][0] = (1 - sum(e[0][1:])) & M
    e[1][0] = (-sum(e[1][1:])) & M
    d1 = delta - dl
    nodes, hi, _ = tree(su, d1)
    conv = [[[Hc(x, 'cv', 128) >> (l * j) & M for j in range(k)] for x in nodes[p]] for p in (0, 1)]
    A = [[sum(c[j] for c in conv[p]) & M for j in range(k)] for p in (0, 1)]
    T = [sum(x & 1 for x in nodes[p]) for p in (0, 1)]
    beta = [T[0] >> 1 & 1, (-T[1]) >> 1 & 1]
    z = [[(e[0][j] - A[0][j]) & M for j in range(k)], [(e[1][j] + A[1][j]) & M for j in range(k)]]
    tau = -1 if beta[0] ^ beta[1] else 1
    CW = [(tau * (z[0][j] + z[1][j])) & M for j in range(k)]       # MUX: k(l-1) bits each way + 1 choice bit each, then open k*l bits each way
    bits += 2 * k * (l - 1) + 2 + 2 * k * l
    rc += 2
    out = []
    for p in (0, 1):
        v = []
        for x, c in zip(nodes[p], conv[p]):
            v += [((1 if p == 0 else -1) * (c[j] + (CW[j] if x & 1 else 0))) & M for j in range(k)]
        out.append(v)
    s = (hi[0] ^ hi[1]) * k + (lo[0] ^ lo[1])
    assert [(a + b) & M for a, b in zip(*out)] == [int(i == s) for i in range(1 << delta)]
    return su.net.total('prep') + bits, su.net.rot + rc, BLK[0] / 2


for l in (64, 32, 16, 8):
    for delta in (5, 8, 10):
        k, e = 128 // l, (128 // l).bit_length() - 1
        assert ar_lanes(delta, l)[0] == 256 * (delta - e) + 4 * k * l - 2 * k + 2 + (k - 1) * l + 2 * (k - e - 1)
        print('l', l, 'delta', delta, 'prep bits %d rcot %d blocks/party %.1f  (online 2*delta bits, 1 round)' % ar_lanes(delta, l))
