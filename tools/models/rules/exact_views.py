"""Exact enumeration: D + additive lift, n=4 (delta=2): P1's and P0's complete views incl. the opened index message, as exact distributions
for every pair of input shares, both index groups; plus joint with the table-output share. Pads = uniform bits (ideal hash)."""
import itertools
from collections import Counter


def run(bits, i0, i1, group):
    it = iter(bits)
    def nx(): return next(it)
    n = 4
    b00, b10 = nx(), nx()             # level 0 choice bits: P0's, P1's
    # lift at j=0: 1-bit product b0*b1 mod 2, sender P0, choice b10
    X = [nx(), nx()]
    ca = (X[0] - X[1] + b00) & 1
    pr1 = (X[b10] + b10 * ca) & 1
    pr0 = (-X[0]) & 1
    assert (pr0 + pr1) & 1 == b00 & b10
    e0 = [1 ^ b00, b00]
    e1 = [b10, b10]
    b01, b11 = nx(), nx()
    x = [nx(), nx()]
    y = [nx(), nx()]
    cv = x[0] ^ x[1] ^ e0[0]
    cw = y[0] ^ y[1] ^ e1[0]
    r1 = x[b11] ^ (b11 & cv)
    r0 = y[b01] ^ (b01 & cw)
    se0 = [(b01 & e0[0]) ^ x[0] ^ r0]
    se1 = [(b11 & e1[0]) ^ y[0] ^ r1]
    se0.append(b01 ^ se0[0])
    se1.append(b11 ^ se1[0])
    B0 = [e0[k] ^ se0[k] for k in (0, 1)] + se0
    B1 = [e1[k] ^ se1[k] for k in (0, 1)] + se1
    s0 = b00 | b01 << 1
    s1 = b10 | b11 << 1
    s = s0 ^ s1
    assert [p ^ q for p, q in zip(B0, B1)] == [int(k == s) for k in range(4)]
    add0 = (b00 - 2 * pr0 + (b01 << 1)) % 4
    add1 = (b10 - 2 * pr1 + (b11 << 1)) % 4
    assert (add0 + add1) % 4 == s
    if group == 'xor':
        m0, m1 = i0 ^ s0, i1 ^ s1
        m = m0 ^ m1
    else:
        m0, m1 = (i0 - add0) % 4, (i1 - add1) % 4
        m = (m0 + m1) % 4
    v1 = (b10, b11, X[b10], ca, x[b11], cv, y[0], y[1], m0)
    v0 = (b00, b01, X[0], X[1], x[0], x[1], y[b01], cw, m1)
    return v0, v1, tuple(B0), tuple(B1), s0, s1


for group in ('xor', 'cyc'):
    base = [None, None]
    ok = [True, True]
    Bdist = [Counter(), Counter()]
    for i0 in range(4):
        for i1 in range(4):
            C = [Counter(), Counter()]
            for bits in itertools.product((0, 1), repeat=10):
                v0, v1, B0, B1, s0, s1 = run(bits, i0, i1, group)
                C[0][v0] += 1
                C[1][v1] += 1
                Bdist[0][(s0, B0)] += 1
                Bdist[1][(s1, B1)] += 1
            # view of P1 must depend on i1 only via nothing (m1 is its own): compare over i0
            for p, own in ((0, i0), (1, i1)):
                # views do not contain own input: distribution must be identical for all (i0,i1)
                if base[p] is None:
                    base[p] = C[p]
                ok[p] &= base[p] == C[p]
    assert ok == [True, True]
    print(group, 'view of P0 identical for all 16 share pairs:', ok[0], ' P1:', ok[1], ' distinct (s,B) pairs P0/P1:', len(Bdist[0]), len(Bdist[1]), '(uniform would be 64)')
# structure of B_p in D: linear relations
import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent.parent / 'lut'))
from generators import *
for delta in (2, 3, 5, 8):
    rel = par = 0
    N = 60
    beta_eq = 0
    for _ in range(N):
        su = Setup()
        e, s, _ = doubling(su, delta, delta)
        n = 1 << delta
        ok = True
        for p in (0, 1):
            ok &= (bin(e[p]).count('1') & 1) == (1 if p == 0 else 0)
            for j in range(delta):
                f = sum((e[p] >> k) & 1 for k in range(n) if k >> j & 1) & 1
                ok &= f == (s[p] >> j) & 1
        rel += ok
    assert rel == N
    print('delta', delta, 'D: B_p determines s_p (delta linear relations) and parity(B_0)=1, parity(B_1)=0 in', rel, 'of', N)
for delta, d2 in ((4, 2), (8, 5)):
    c = Counter()
    N = 200
    hit = 0
    for _ in range(N):
        su = Setup()
        e, s, _ = doubling_tree(su, delta, d2)
        n = 1 << delta
        hit += all((sum((e[p] >> k) & 1 for k in range(n) if k >> j & 1) & 1) == (s[p] >> j) & 1 for p in (0, 1) for j in range(delta))
    assert hit < N / 5
    print('DT delta', delta, 'relations hold in', hit, 'of', N, '(random)')
# tight MUX: LSB of y_p equals LSB of z_p
