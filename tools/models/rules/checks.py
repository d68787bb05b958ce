"""ST end to end with the real half-tree PPRF, free first level; bit formula; tight MUX low bit; RCOT single-use; bit-count table; birthday collision experiment for DT with small kappa"""
import sys, io, contextlib
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent.parent / 'lut'))
with contextlib.redirect_stdout(io.StringIO()):
    from rotation import pprf_halftree
    import generators as t8
from common import *
import math
from collections import Counter


def shl(v, k, n, grp):
    M = (1 << n) - 1
    k %= n
    if grp == 'cyc':
        return ((v << k) | (v >> (n - k))) & M if k else v
    o = 0
    for i in range(n):
        if v >> i & 1:
            o |= 1 << (i ^ k)
    return o


def unsh(v, k, n, grp): return shl(v, (-k) % n if grp == 'cyc' else k, n, grp)


def ST(delta, digits, grp):
    n = 1 << delta
    net = Net()
    C = Party('C', net)
    S = Party('S', net)
    D = rng.getrandbits(128) | 1
    s0 = rng.randrange(n)
    v = 1 << s0
    y = 0
    alpha = 0
    Rj = 1
    for w in digits:
        m = 1 << w
        leaves, pl, a = pprf_halftree(C, S, net, m, D)
        def G(x): return H(x, 'leaf', n)
        r = A = 0
        for i in range(m):
            g = G(leaves[i])
            r ^= g
            A ^= unsh(g, i * Rj, n, grp)
        msg = v ^ A
        C.send(S, n, msg)
        S.recv()
        rS = aS = 0
        for i in range(m):
            if i != a:
                g = G(pl[i])
                rS ^= g
                aS ^= unsh(g, i * Rj, n, grp)
        y = shl(y ^ msg ^ aS, a * Rj, n, grp) ^ rS
        v = r
        alpha = (alpha + a * Rj) % n if grp == 'cyc' else alpha ^ (a * Rj)
        Rj *= m
    s = (s0 + alpha) % n if grp == 'cyc' else s0 ^ alpha
    assert v ^ y == 1 << s
    k = len(digits)
    assert net.total('prep') == 128 * (delta - k) + k * n, (net.total('prep'))
    assert net.rot == delta and net.bits.get(('prep', 'S'), 0) == 0
    return net.total('prep'), alpha


for grp in ('cyc', 'xor'):
    for dg in ([1, 1], [2, 1], [1, 2], [2, 2], [1, 1, 1, 1], [3, 2], [2, 2, 2], [4, 4]):
        for _ in range(6):
            b, _a = ST(sum(dg), dg, grp)
print('ST end to end ok (both groups), bits = 128(delta-k)+kn, nothing P1->P0; n=256,k=2:', ST(8, [4, 4], 'cyc')[0])
# tight MUX: is the output share fresh?  low bit
n, l = 16, 16
same = 0
N = 400
for _ in range(N):
    T = [rng.getrandbits(l) for _ in range(n)]
    i = rng.randrange(n)
    E1 = rng.getrandbits(n)
    E0 = E1 ^ (1 << i)
    M = (1 << l) - 1
    z = [sum(T[j] for j in range(n) if E0 >> j & 1) & M, -sum(T[j] for j in range(n) if E1 >> j & 1) & M]
    w = [bin(E0).count('1'), bin(E1).count('1')]
    beta = [w[0] >> 1 & 1, (-w[1]) >> 1 & 1]
    u = [(z[p] if not beta[p] else -z[p]) & M for p in (0, 1)]
    M1 = M >> 1
    g0 = rng.getrandbits(l - 1)
    h1 = (beta[1] * (u[0] & M1) - g0) & M1
    g1 = rng.getrandbits(l - 1)
    h0 = (beta[0] * (u[1] & M1) - g1) & M1
    y = [(u[0] - 2 * g0 - 2 * h0) & M, (u[1] - 2 * g1 - 2 * h1) & M]
    assert sum(y) & M == T[i]
    same += (y[0] & 1) == (z[0] & 1) and (y[1] & 1) == (z[1] & 1)
assert same == N
print('tight MUX: low bit of output share == low bit of un-rerandomised z in', same, 'of', N, '-> errata S8 ("fresh shares") is false for the low bit; same for B2A (low bit = Boolean share) and trunc (low l-f bits)')
# birthday: same hash key for all trees, kappa small; probability that two on-path queries of the whole run coincide with different bits -> Delta
import random
R = random.Random(3)


def birthday(kap, Q, trials=400):
    hit = 0
    for _ in range(trials):
        seen = {}
        ok = 0
        for _ in range(Q):
            x = R.getrandbits(kap)
            b = R.getrandbits(1)
            if x in seen and seen[x] != b:
                ok = 1
                break
            seen.setdefault(x, b)
        hit += ok
    return hit / trials


for kap, Q in ((16, 64), (16, 128), (20, 256)):
    assert abs(birthday(kap, Q) - Q * Q / 2**(kap + 2)) < .03
    print('kappa', kap, 'Q', Q, 'Delta revealed by node collision', birthday(kap, Q), 'predicted Q^2/2^(kappa+2) =', Q * Q / 2**(kap + 2))
# actual DT trees, kappa-bit hash, count repeated on-path nodes across trees with W counter vs W constant per batch


def dt_paths(kap, trees, d1, reset):
    Mk = (1 << kap) - 1
    fn = {}
    def h(x): return fn.setdefault(x, R.getrandbits(kap))
    D0 = R.getrandbits(kap) | 1
    D1 = R.getrandbits(kap) & ~1
    D = D0 ^ D1
    seen = {}
    hits = 0
    for W in range(trees):
        w = ((W % reset) << 1) & Mk
        x0, x1 = D0 ^ w, D1 ^ w
        for j in range(d1):
            s = R.getrandbits(1)
            if x1 in seen and seen[x1] != s:
                hits += 1
            seen.setdefault(x1, s)
            cw = h(x0) ^ h(x1) ^ (0 if s else D)
            L0 = h(x0) ^ (cw if x0 & 1 else 0)
            L1 = h(x1) ^ (cw if x1 & 1 else 0)
            x0, x1 = (L0 ^ x0, L1 ^ x1) if s else (L0, L1)
            assert x0 ^ x1 == D
    return hits


assert dt_paths(32, 2000, 5, 1 << 30) == 0 and dt_paths(32, 2000, 5, 1000) > 500
print('real half-tree paths, kappa=32, 2000 trees x 5 levels, W unique: Delta-revealing collisions', dt_paths(32, 2000, 5, 1 << 30), ' W reset every 1000 trees:', dt_paths(32, 2000, 5, 1000))
# bit counts
c = .6
def Dbits(d): n = 1 << d; return 2 * (n - d - 1)


print('n  D bool total | D arith total(+lift) | DT bool | DT arith | AR l=64 (k=1 / k=2)')
for d in (4, 6, 8, 10, 12, 16):
    n = 1 << d
    A = d * (d - 1) // 2
    Db = Dbits(d) + 2 * c * (d - 1) + 2 * d
    Da = Db + A + 2 * c + 2 + 2 * c + 126
    r = [n, round(Db), round(Da)]
    if d > 7:
        d1 = d - 7
        T = Dbits(7) + 256 * d1 + 256 + 2 * c * (d - 1) + 2 * d
        r += [round(T), round(T + A + 2 * c + 2 + 2 * c + 126)]
    else:
        r += ['-', '-']
    ar = [256 * (d - dk) + 4 * k * 64 - (2 * k - 2) + (k - 1) * 64 + Dbits(dk) + A + c * (2 * d + 2 + k - 1) + 2 * d for k, dk in ((1, 0), (2, 1))]
    r += [round(x) for x in ar]
    print(*r)
print('DT n=65536: prep bits w/o RCOT', Dbits(7) + 256 * 9 + 256, '+RCOT', Dbits(7) + 256 * 9 + 256 + c * 30, '; with lift +RCOT', Dbits(7) + 256 * 9 + 256 + 120 + c * 32)
for q, name in ((2**43, 'one key, 2^40 calls x 8'), (2**45, 'one key, 2^40 DT(65536) calls x 32'), (2**25, 'rekey every 2^20 calls x 32')):
    print(name, '2pq/2^126 with p=2^64: 2^%.1f, p=2^80: 2^%.1f ; q^2/2^127: 2^%.1f' % (1 + 64 + math.log2(q) - 126, 1 + 80 + math.log2(q) - 126, 2 * math.log2(q) - 127))
