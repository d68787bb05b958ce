"""Attacks on the lattice specification: an estimate of the primal attack, exact flooding distance with encode(-r) in it, the switch
in 128-bit words, counters shared by keys and ciphertexts, what either party sees of the offline form (exhaustive)."""
import math, sys
from collections import Counter
import numpy as np
from rlwe import *


def beta_primal(n, logq, sd, var_s):
    """least block size of the primal attack (unique shortest vector, secret scaled to the error, any number of samples)"""
    nu = sd / math.sqrt(var_s)

    def ok(b):
        ld = math.log2((math.pi * b)**(1 / b) * b / (2 * math.pi * math.e)) / (2 * (b - 1))
        m = max(1, min(4 * n, int(math.sqrt(n * (logq - math.log2(nu)) / ld)) - n))
        d = m + n + 1
        return math.log2(sd) + .5 * math.log2(b) <= ld * (2 * b - d - 1) + (m * logq + n * math.log2(nu)) / d, d
    lo, hi = 50, 3000
    while lo < hi:
        mid = (lo + hi) // 2
        if ok(mid)[0]:
            hi = mid
        else:
            lo = mid + 1
    return lo, ok(lo)[1]


def security():
    for n, lim in ((4096, 106), (8192, 180), (8192, 210), (8192, 214), (16384, 430)):
        b, d = beta_primal(n, lim, 3.19, 2 / 3)
        f = b - b * math.log(4 / 3) / math.log(b / (2 * math.pi * math.e))
        assert abs(b - {(4096, 106): 341, (8192, 180): 429, (8192, 210): 343, (8192, 214): 334, (16384, 430): 330}[n, lim]) <= 2
        print(f"n={n} log q={lim}: block {b}, dimension {d}; 2^{.292*b:.0f} core, 2^{.292*b+16.4+math.log2(8*d):.0f} sieves of all blocks, 2^{.29613*f+20.39+math.log2(5.46*d):.0f} with free dimensions")


def flooding():
    """t, q tiny: exact distance of what the owner sees of one coefficient (rounding of encode(-r) included) from that with noise 0"""
    worst = 0
    for q, l, B in ((2**16 + 1, 4, 512), (61 * 67 * 59, 5, 1024)):
        t = 1 << l
        def near(r): return (2 * q * r + t) // (2 * t)
        for y in range(t):
            for E in (-3, 0, 5):
                def view(E, exact):
                    c = Counter()
                    for r in range(t):
                        base = (((2 * q * y + t) // (2 * t)) - near(r) if not exact else near((y - r) % t)) + E * (not exact)
                        for f in range(-B, B):
                            c[(base + f) % q] += 1
                    return c
                a, b = view(E, False), view(0, True)
                d = sum(abs(a[k] - b[k]) for k in a | b) / 2 / (2 * B * t)
                worst = max(worst, d - (abs(E) + 1) / (2 * B))
                assert d <= (abs(E) + 1.5) / (2 * B)
    print(f"flooding: exact distance exceeds (|E|+1)/(2B) by at most {worst:.2g}; with |E|/(2B) alone it is not covered (equality is reached)")


def switching():
    """words of 128 bits: 128-k bits behind the point, not 64; and two words for k+64 above 128"""
    rng = np.random.default_rng(4)
    n = 4096
    for l, L in ((37, 4), (64, 5), (64, 7)):
        ps = primes(8)[:L]
        q = math.prod(ps)
        for k in (l + 3, l + 11):
            g = 128 - k
            consts = [(1 << 128) // p for p in ps]
            inv = [pow(q // p, -1, p) for p in ps]
            off = 0
            big = 0.
            for _ in range(n):
                x = int.from_bytes(rng.bytes(32), "little") % q
                acc = sum((x % p) * i % p * c for p, i, c in zip(ps, inv, consts)) & ((1 << 128) - 1)
                got = ((acc + (1 << (g - 1))) >> g) % (1 << k)
                want = ((x * 2 << k) + q) // (2 * q) % (1 << k)
                off += got != want
                big = max(big, abs(((acc << 0) - ((x << 128) // q) + (1 << 127)) % (1 << 128) - (1 << 127)) / 2**g)
            print(f"switch l={l} limbs={L} k={k}: {g} bits behind the point, {off} of {n} off by one, error {big:.2g} of a unit, bound {L*2.0**(30-g):.2g}")


def offline(l=5, f=2):
    """all values and coins: P0 sees x1 - r, P1 sees c; both independent of what the other holds"""
    t = 1 << l
    F = 1 << f
    seen = {}
    for y0 in range(t):
        m0 = ((y0 + (1 << (l - 2))) % t) >> (l - 1)
        for m1 in (0, 1):
            seen[y0, m1] = Counter(((k1 if m1 else k0), (1 - m0 + k0 - k1) % F) for k0 in range(F) for k1 in range(F))
    assert all(seen[y, m] == seen[0, m] for y in range(t) for m in (0, 1))
    bad = set()
    for y1 in range(t):
        for X in range(-(t >> 2), t >> 2):
            y0 = (X - y1) % t
            a = (y0 + (1 << (l - 2))) % t
            m0, m1 = a >> (l - 1), y1 >> (l - 1)
            for k0 in range(F):
                for k1 in range(F):
                    c = (1 - m0 + k0 - k1) % F
                    w0 = (m0 - k0) % F
                    w1 = ((k1 if m1 else k0) + m1 * c) % F
                    z = ((a >> f) - (w0 << (l - f)) - (1 << (l - 2 - f)) + (y1 >> f) - (w1 << (l - f))) % t
                    z = z - t if z >= t // 2 else z
                    bad.add((X >> f) - z)
    print("offline: P1's message uniform for all shares of P0; product's truncation, all values, shares and coins: floor less", sorted(bad))
    assert bad <= {0, 1}


def counters():
    """the same counter for a key and a ciphertext (two counters that start anew): the key's P tau(s) is read off"""
    n = 1024
    ps = primes(6)
    rng = np.random.default_rng(2)
    R = Ring(n, ps[:4])
    big = Ring(n, ps)
    own = Owner(R, rng)
    B = Owner(big, rng)
    B.s = own.s
    B.S = big.fwd(big.lift(own.s))
    P = ps[4] * ps[5]
    z, _ = B.zero()
    S = B.S[:4]
    z = z[:, :4]
    z[0] = (z[0] + S * np.array([P % p for p in ps[:4]], dtype=U)[:, None]) % R.P()
    l = 37                     # a ciphertext of known plaintext (a share of 0) gives s at once
    ct2 = B.__class__(R, rng)
    ct2.s = own.s
    ct2.S = own.S
    y, _ = ct2.encrypt(np.zeros(n, dtype=object), l)
    d = R.crt(R.inv((z[0] + R.P() - y[0]) % R.P()))
    s = np.array([round(int(v) / P) for v in d])
    s = np.where(np.abs(s) > 1, 0, s)
    assert (s == own.s).all()
    print("counter shared by a packing key and a ciphertext of 0: secret key read exactly:", bool((s == own.s).all()))


def rule():
    """(l, b, limbs) of the table with the corrected noise (one more for encode(-r), 10.5, c0's rounding in packing)"""
    from costs import params
    for l, b, L in ((37, 17, 4), (37, 37, 5), (40, 14, 4), (40, 40, 5), (48, 36, 5), (48, 48, 6), (64, 20, 5), (64, 50, 6), (64, 64, 7)):
        p = params(l, b, 1024, 2**18, 64)
        q = params(l, b + 1, 1024, 2**18, 64) if b < l else None
        assert p[0] == L and (q is None or q[0] > L), (l, b, p, q)
        print(f"l={l} b={b}: {p[0]}+{p[1]} limbs, {p[3]:.1f} bits to spare")


if __name__ == "__main__":
    security()
    flooding()
    switching()
    offline()
    counters()
    rule()
