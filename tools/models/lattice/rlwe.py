"""RLWE for two-party products: RNS of 30-bit primes, plaintext modulus 2^l, seeded secret-key encryption,
plaintext times ciphertext, one audited response (zero + mask + flood + switch), decryption to a share.
Arithmetic is that of the specification; the random number generator is NOT cryptographic."""
import numpy as np
import os
FULL = os.environ.get('MODELS') == 'full'      # the sizes that docs/spec quotes; smaller ones otherwise
U = np.uint64


def is_prime(p):
    d, s = p - 1, 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for b in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        if p % b == 0:
            return p == b
        x = pow(b, d, p)
        if x in (1, p - 1):
            continue
        for _ in range(s - 1):
            x = x * x % p
            if x == p - 1:
                break
        else:
            return False
    return True


def primes(count, bits=30, step=16384):
    out = []
    p = (1 << bits) - step + 1
    while len(out) < count:
        if is_prime(p):
            out.append(p)
        p -= step
    return out


class Ntt:
    """negacyclic transform mod p, natural order in, bit-reversed out; last axis"""
    def __init__(s, n, p):
        s.n, s.p = n, p
        g = 2
        while pow(g, (p - 1) // 2, p) == 1:
            g += 1
        psi = pow(g, (p - 1) // (2 * n), p)
        assert pow(psi, n, p) == p - 1
        lg = n.bit_length() - 1
        rev = [int(format(i, f'0{lg}b')[::-1], 2) for i in range(n)]
        pw = [1] * n
        iw = [1] * n
        ip = pow(psi, -1, p)
        for i in range(1, n):
            pw[i] = pw[i - 1] * psi % p
            iw[i] = iw[i - 1] * ip % p
        s.f = np.array([pw[r] for r in rev], dtype=U)
        s.b = np.array([iw[r] for r in rev], dtype=U)
        s.ni = U(pow(n, -1, p))
        s.P = U(p)

    def fwd(s, a, skip=0):
        """skip: first layers left out for polynomials of degree < n/2^skip (each block starts as a copy)"""
        a = a.astype(U) % s.P
        sh = a.shape
        m, t = 1, s.n
        if skip:
            t = s.n >> skip
            m = 1 << skip
            a = np.ascontiguousarray(np.broadcast_to(a[..., None, :t], sh[:-1] + (m, t)))
        while m < s.n:
            t //= 2
            x = a.reshape(sh[:-1] + (m, 2, t))
            v = x[..., 1, :] * s.f[m:2 * m, None] % s.P
            u = x[..., 0, :]
            a = np.stack([(u + v) % s.P, (u + s.P - v) % s.P], axis=-2)
            m *= 2
        return a.reshape(sh)

    def inv(s, a):
        sh = a.shape
        m, t = s.n, 1
        while m > 1:
            m //= 2
            x = a.reshape(sh[:-1] + (m, 2, t))
            u, v = x[..., 0, :], x[..., 1, :]
            a = np.stack([(u + v) % s.P, (u + s.P - v) % s.P * s.b[m:2 * m, None] % s.P], axis=-2)
            t *= 2
        return a.reshape(sh) * s.ni % s.P


class Ring:
    def __init__(s, n, ps): s.n, s.ps = n, ps; s.L = len(ps); s.ntt = [Ntt(n, p) for p in ps]; s.q = 1; [setattr(s, 'q', s.q * p) for p in ps]
    def fwd(s, x, skip=0): return np.stack([t.fwd(x[..., i, :], skip) for i, t in enumerate(s.ntt)], axis=-2)
    def inv(s, x): return np.stack([t.inv(x[..., i, :]) for i, t in enumerate(s.ntt)], axis=-2)
    def P(s): return np.array(s.ps, dtype=U)[:, None]

    def lift(s, v):
        """signed integers (int64 or Python's) -> residues"""
        v = np.asarray(v)
        return np.stack([np.asarray(v % p, dtype=U) for p in s.ps], axis=-2)

    def crt(s, x):
        """centred integers"""
        tot = np.zeros(x.shape[:-2] + (s.n,), dtype=object)
        for i, p in enumerate(s.ps):
            h = s.q // p
            tot = tot + (x[..., i, :].astype(object) * pow(h, -1, p) % p) * h
        tot = tot % s.q
        return np.where(tot > s.q // 2, tot - s.q, tot)

    def uniform(s, rng): return np.stack([rng.integers(0, p, s.n, dtype=U) for p in s.ps])


def cbd(rng, n, eta=21): return rng.binomial(eta, .5, n).astype(np.int64) - rng.binomial(eta, .5, n)
def ternary(rng, n): return rng.integers(-1, 2, n)
def words(rng, l, n): return np.array([int(a) | (int(b) << 32) for a, b in zip(rng.integers(0, 1 << 32, n), rng.integers(0, 1 << 32, n))], dtype=object) % (1 << l)


def wide(rng, bits, n):
    w = np.zeros(n, dtype=object)
    for i in range(0, bits, 32):
        w = w + (rng.integers(0, 1 << 32, n).astype(object) << i)
    return w % (1 << bits)


def encode(R, m, l, rng=None):
    """q m / 2^l, rounded: up with probability rho/2^l (mean zero), or to the nearest without rng.  Only l-bit words and 30-bit residues."""
    t = 1 << l
    rho = (R.q % t) * m % t
    up = (wide(rng, l, len(m)) < rho) if rng is not None else (2 * rho >= t)
    v = np.where(up, t - rho, -rho)          # = 2^l x - q m with x the encoded integer
    return np.stack([np.asarray(v * pow(t, -1, p) % p, dtype=U) for p in R.ps])


class Owner:
    def __init__(s, R, rng): s.R, s.rng = R, rng; s.s = ternary(rng, R.n); s.S = R.fwd(R.lift(s.s)); s.seed = 0

    def zero(s, e=None):
        """(b,a), transformed, with b = -a s + e; a comes from a seed and a counter that never repeats"""
        s.seed += 1
        a = s.R.uniform(np.random.default_rng([7, s.seed]))
        e = cbd(s.rng, s.R.n) if e is None else e
        return np.stack([(s.R.fwd(s.R.lift(e)) + (s.R.P() - a) * s.S) % s.R.P(), a]), e

    def encrypt(s, m, l, dither=True):
        z, e = s.zero()
        z[0] = (z[0] + s.R.fwd(encode(s.R, m, l, s.rng if dither else None))) % s.R.P()
        return z, e

    def phase(s, ct): return s.R.crt(s.R.inv((ct[0] + ct[1] * s.S) % s.R.P()))


def flood_bits(q, l): return ((q >> l) // 4).bit_length() - 1      # B = 2^beta <= q/2^l/4


C1 = 11
C0 = 3                                               # bits beyond l that the response keeps of c1, c0


def respond(R, ct, pk, l, rng, zero=True, flood=True, mask=True):
    """THE audited function.  ct, pk transformed.  Returns (c0 mod 2^(l+3), c1 mod 2^(l+11)) and the evaluator's share"""
    n = R.n
    r = words(rng, l, n) if mask else np.zeros(n, dtype=object)
    c = ct
    if zero:
        u = R.fwd(R.lift(cbd(rng, n)))
        c = (c + pk * u) % R.P()
    c = R.inv(c)
    if zero:
        c = (c + np.stack([R.lift(cbd(rng, n)), R.lift(cbd(rng, n))])) % R.P()
    if flood:
        beta = flood_bits(R.q, l)
        f = wide(rng, beta + 1, n) - (1 << beta)
        c[0] = (c[0] + R.lift(f)) % R.P()
    c[0] = (c[0] + encode(R, (-r) % (1 << l), l)) % R.P()
    k1 = l + C1
    k0 = l + C0
    return switch(R, c[0], k0), switch(R, c[1], k1), r


def switch(R, x, k):
    """round(2^k x / q) mod 2^k by fixed point with 64 more bits: sum of [x_i (q/q_i)^-1]_{q_i} 2^k/q_i; off by at most one unit, rarely"""
    acc = np.zeros(R.n, dtype=object)
    for i, p in enumerate(R.ps):
        acc = acc + (x[i].astype(object) * pow(R.q // p, -1, p) % p) * ((1 << (k + 64)) // p)
    return ((acc + (1 << 63)) >> 64) % (1 << k)


def mulmod2k(R2, a, s, k):
    """a s mod X^n+1, mod 2^k, exactly, by enough primes"""
    half = np.where(a >= 1 << (k - 1), a - (1 << k), a)
    return R2.crt(R2.inv(R2.fwd(R2.lift(half)) * R2.fwd(R2.lift(s)) % R2.P())) % (1 << k)


def open_response(own, R2, c0, c1, l):
    k = l + C1
    ph = ((c0 << (C1 - C0)) + mulmod2k(R2, c1, own.s, k)) % (1 << k)
    return ((ph + (1 << (C1 - 1))) >> C1) % (1 << l)


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    n = 8192
    ps = primes(8)
    R2 = Ring(n, ps[:3])
    # pruned transform equals the full one
    T = R2.ntt[0]
    a = np.zeros(n, dtype=U)
    a[:64] = rng.integers(0, ps[0], 64)
    assert (T.fwd(a) == T.fwd(a, 7)).all()
    assert (T.inv(T.fwd(a)) == a).all()
    for l, b, L, nnz in ((8, 8, 4, 64), (16, 12, 4, 768), (32, 16, 4, 1024), (37, 15, 4, 3072), (37, 37, 5, 128), (48, 16, 5, 1024), (64, 16, 5, 1024), (64, 64, 7, 1024)) if FULL else ((8, 8, 4, 64), (37, 15, 4, 3072), (64, 64, 7, 1024)):
        R = Ring(n, ps[:L])
        own = Owner(R, rng)
        pk, _ = own.zero()
        t = 1 << l
        worst = 0.
        ratio = []
        # exact encode against big integers, nearest
        m = words(rng, l, n)
        x = R.crt(encode(R, m, l))
        d = (x * t - R.q * m) % (R.q * t)
        d = np.where(d > R.q * t // 2, d - R.q * t, d)
        assert all(abs(v) * 2 <= t for v in d)
        for kind in ("random", "ends", "ends+"):
            m = words(rng, l, n) if kind == "random" else np.array([t - 1 if v else t // 2 for v in rng.integers(0, 2, n)], dtype=object)
            if kind == "ends+":
                m = np.full(n, t // 2 - 1, dtype=object)
            w = np.zeros(n, dtype=object)
            lo = -(1 << (b - 1))
            w[:nnz] = [int(v) for v in (wide(rng, b, nnz) + lo)] if kind == "random" else lo
            ct, _ = own.encrypt(m, l)
            W = R.fwd(R.lift(w))
            prod = ct * W % R.P()
            # the plaintext product, exactly, over enough primes
            Q = Ring(n, primes(((l + b + 14) // 30) + 2))
            mm = np.where(m >= t // 2, m - t, m)
            ref = Q.crt(Q.inv(Q.fwd(Q.lift(mm)) * Q.fwd(Q.lift(w)) % Q.P())) % t
            ph = own.phase(prod)
            E = ph * t - R.q * np.where(ref >= t // 2, ref - t, ref)
            E = E % (R.q * t)
            E = np.where(E > R.q * t // 2, E - R.q * t, E)
            E = np.array([float(v) / t for v in E])
            l1 = float(sum(abs(v) for v in w))
            l2 = float(sum(v * v for v in w))**.5
            worst = max(worst, abs(E).max() / (22 * l1))
            ratio.append(E.std() / (10.75**.5 * l2))
            c0, c1, r = respond(R, prod, pk, l, rng)
            got = open_response(own, R2, c0, c1, l)
            assert ((got + r) % t == ref).all(), (l, b, kind)
        print(f"l={l:2d} b={b:2d} limbs={L}: 3 x 8192 coefficients exact; noise/worst-case bound <= {worst:.4f}; std/proven std " + " ".join(f"{v:.3f}" for v in ratio) + f"; flood 2^{flood_bits(R.q,l)}")
