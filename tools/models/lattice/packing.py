"""Packing of k ciphertexts whose useful coefficients lie at multiples of k into one: trace by automorphisms and key
switching (digits of `alpha` primes, special modulus of `np_` primes).  Checks exactness, noise against the bound, end to end products."""
import math, sys
import numpy as np
import os
FULL = os.environ.get('MODELS') == 'full'      # the sizes that docs/spec quotes; smaller ones otherwise
from rlwe import *


def auto(n, x, g):
    """X -> X^g on the last axis of integers or residues (residues need `mod`)"""
    k = np.arange(n) * g % (2 * n)
    out = np.zeros_like(x)
    return k % n, k >= n


def tau(R, x, g):
    pos, neg = auto(R.n, x[0], g)
    y = np.zeros_like(x)
    P = R.P()
    y[..., pos] = np.where(neg, (P - x) % P, x)
    return y


def shift(R, x, s):
    """times X^s, s may be negative"""
    s %= 2 * R.n
    y = np.roll(x, s % R.n, axis=-1)
    P = R.P()
    y[..., :s % R.n] = (P - y[..., :s % R.n]) % P
    return y if s < R.n else (P - y) % P


class Keys:
    def __init__(s, own, spec, alpha, levels):
        R = own.R
        s.R, s.alpha = R, alpha
        s.big = Ring(R.n, R.ps + spec)
        s.np_ = len(spec)
        s.P = math.prod(spec)
        s.spec = Ring(R.n, spec) if spec else None
        s.groups = [list(range(i, min(i + alpha, R.L))) for i in range(0, R.L, alpha)]
        s.keys = {}
        B = Owner(s.big, own.rng)
        B.s = own.s
        B.S = s.big.fwd(s.big.lift(own.s))
        B.seed = 1 << 40
        for j in range(levels):
            g = R.n // (1 << j) + 1
            pos, neg = auto(R.n, own.s, g)
            ts = np.zeros_like(own.s)
            ts[pos] = np.where(neg, -own.s, own.s)
            T = s.big.fwd(s.big.lift(ts))
            ks = []
            for G in s.groups:
                z, _ = B.zero()
                for i in G:
                    z[0, i] = (z[0, i] + T[i] * U(s.P % R.ps[i])) % U(R.ps[i])
                ks.append(z)
            s.keys[g] = ks
        s.bytes = levels * len(s.groups) * s.big.L * R.n * 30 // 8
        s.count = 0

    def switch(s, c, g):
        """(c0,c1) in coefficient form under tau(s) -> under s"""
        R = s.R
        s.count += 1
        acc = None
        for G, key in zip(s.groups, s.keys[g]):
            sub = Ring.__new__(Ring)
            sub.n = R.n
            sub.ps = [R.ps[i] for i in G]
            sub.q = math.prod(sub.ps)
            d = sub.crt(c[1][G]).astype(np.int64)
            D = s.big.fwd(s.big.lift(d))
            v = key * D % s.big.P()
            acc = v if acc is None else (acc + v) % s.big.P()
        k = s.big.inv(acc)
        if s.np_:
            low = s.spec.crt(k[:, R.L:]).astype(object)
            P = R.P()
            inv = np.array([pow(s.P, -1, p) for p in R.ps], dtype=U)[:, None]
            k = (k[:, :R.L] + P - R.lift(low)) % P * inv % P
        k[0] = (k[0] + c[0]) % R.P()
        return k


def pack(keys, cts):
    """cts: k of them, coefficient form.  Coefficient p k + i of the result = coefficient p k of ct i."""
    R = keys.R
    k = len(cts)
    P = R.P()
    f = np.array([pow(k, -1, p) for p in R.ps], dtype=U)[:, None]
    cts = [c * f % P for c in cts]
    for j in reversed(range(k.bit_length() - 1)):
        h = 1 << j
        g = R.n // h + 1
        nxt = []
        for i in range(h):
            A, Bx = cts[i], shift(R, cts[i + h], h)
            d = tau(R, (A + P - Bx) % P, g)
            nxt.append((A + Bx + keys.switch(d, g)) % P)
        cts = nxt
    return cts[0]


def bound(R, keys, k):
    D = max(math.prod(R.ps[i] for i in G) for G in keys.groups)
    dn = len(keys.groups)
    var = dn * R.n * (D / 2)**2 * 10.5 / keys.P**2 + (.25 * (R.n * 2 / 3 + 1) if keys.np_ else 0)
    return math.sqrt(sum(4**j for j in range(k.bit_length() - 1)) * var)


if __name__ == "__main__":
    n = 8192
    ps = primes(8)
    R2 = Ring(n, ps[:3])
    # (l, b, limbs, special primes, alpha, k tile, outputs' tile)
    for l, b, L, sp, al, mw, kw, K in ((37, 15, 4, 2, 2, 16, 64, 128), (37, 37, 5, 2, 2, 64, 16, 32), (37, 37, 5, 0, 1, 128, 8, 8)) if FULL else ((37, 37, 5, 0, 1, 128, 8, 8),):
        rng = np.random.default_rng(3)
        R = Ring(n, ps[:L])
        own = Owner(R, rng)
        pk, _ = own.zero()
        t = 1 << l
        nw = n // (mw * kw)
        T = K // kw
        lv = kw.bit_length() - 1
        keys = Keys(own, ps[L:L + sp], al, lv)
        N = kw * nw                       # one packed response: mw rows, kw tiles of nw columns
        A = words(rng, l, mw * K).reshape(mw, K)
        W = (wide(rng, b, K * N) - (1 << (b - 1))).reshape(K, N)
        W[:, 0] = -(1 << (b - 1))
        A[0] = t // 2

        def enc_poly(t_):   # A tile: A[i,kap] at i*kw*nw + kw-1-kap
            m = np.zeros(n, dtype=object)
            idx = (np.arange(mw)[:, None] * kw * nw + kw - 1 - np.arange(kw)[None, :])
            m[idx] = A[:, t_ * kw:(t_ + 1) * kw]
            return m
        cts = [own.encrypt(enc_poly(i), l)[0] for i in range(T)]
        outs = []
        for jt in range(kw):
            acc = np.zeros_like(cts[0])
            for i in range(T):
                w = np.zeros(n, dtype=object)
                sub = W[i * kw:(i + 1) * kw, jt * nw:(jt + 1) * nw]
                w[:kw * nw] = sub.T.reshape(-1)
                pr = R.fwd(R.lift(w), skip=(n // (kw * nw)).bit_length() - 1)
                acc = (acc + cts[i] * pr) % R.P()
            outs.append(shift(R, R.inv(acc), -(kw - 1)))
        packed = pack(keys, outs)
        def S(c): return R.crt((c[0] + R.inv(R.fwd(c[1]) * own.S % R.P())) % R.P())
        want = np.zeros(n, dtype=object)
        for i, o in enumerate(outs):
            want[i::kw] = S(o)[::kw]
        d = S(packed) - want
        d = np.where(d > R.q // 2, d - R.q, np.where(d < -(R.q // 2), d + R.q, d)).astype(float)
        sd = d.std()
        pf = np.stack([R.fwd(c) for c in packed])
        c0, c1, r = respond(R, pf, pk, l, rng)
        got = (open_response(own, R2, c0, c1, l) + r) % t
        ref = A.dot(W) % t
        out = np.zeros_like(ref)
        p = np.arange(n)
        i = p // (kw * nw)
        j = p % (kw * nw) // kw
        tile = p % kw
        out[i, tile * nw + j] = got
        assert (out == ref).all()
        assert sd <= 1.3 * bound(R, keys, kw)
        print(f"l={l} b={b}: {mw}x{K} times {K}x{N} in one packed response exact; {keys.count} key switches; key bytes (seeded) {keys.bytes}; packing noise std 2^{math.log2(sd):.1f}, bound 2^{math.log2(bound(R,keys,kw)):.1f}; product std bound 2^{math.log2(3.279*2**(b-1)*math.sqrt(K*nw)):.1f}; special primes {sp}")
