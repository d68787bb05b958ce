"""Attacks on LPN that look for an error-free set of samples, on dense and on sparse codes.

`lpn_estimate.py` explains the notation, the tags [P] and [C] and the limits.
"""
import math

import numpy as np

OMEGA = 2.8         # exponent of linear algebra used in this literature
WEIGHT = 10         # ones in each row of A
L2 = math.log2
INF = float("inf")


def lbin(n, r):
    """log2 of binomial(n, r); real arguments allowed."""
    if r < 0 or r > n:
        return -INF
    return (math.lgamma(n + 1) - math.lgamma(r + 1) - math.lgamma(n - r + 1)) / math.log(2)


def ladd(*xs):
    """log2 of a sum of powers of two."""
    m = max(xs)
    if m in (-INF, INF):
        return m
    return m + L2(sum(2.0 ** (x - m) for x in xs))


def truncate(N, k, t):
    """Makes t divide N and keeps the redundancy N - k, as the public scripts do."""
    b = N // t
    return b * t, k - (N - b * t), b


# ---------------------------------------------------------------- attacks on noise of known weight

def gauss(N, k, t):
    """[P] Pooled Gauss: min(k, N-k)^2.8 per trial."""
    return OMEGA * L2(min(k, N - k)) - (lbin(N - k, t) - lbin(N, t))


def gauss_regular(N, k, t):
    """[C] Pooled Gauss with k-t positions spread over the blocks: the t block parities are free equations."""
    N, k, _ = truncate(N, k, t)
    kp = k - t
    return OMEGA * L2(kp) - t * L2(1 - kp / N) if kp > 0 else 0.0


def sd_dual(N, k, t):
    """[P] Statistical decoding with parity checks of weight k+1."""
    if N - k - t <= 0:
        return INF
    return L2(k + 1) + 2 * t * L2((N - t + 1) / (N - k - t))


def sd2_dual(N, k, t):
    """[P] Statistical decoding 2.0: guess s bits, decode the rest."""
    return sd_dual(N, k - math.floor(gauss(N, k, t)), t)


def stern(N, k, t):
    """[P] Stern/Dumer collision decoding, N ((N-k-l) N / log2(N-k-l) + 2 L0 + 2 S) per iteration."""
    best, all_ways, worse = INF, lbin(N, t), 0
    for p in range(0, min(t, 80), 2):
        here = INF
        base = int(2 * lbin(k // 2, p // 2)) // 2 if p else 0
        for l in range(max(0, base - 40), base + 90):
            if N - k - l < 2:
                break
            L0 = lbin((k + l) // 2, p // 2)
            S = 2 * L0 - l
            tg = L2(N - k - l) + L2(N) - L2(L2(N - k - l))
            pr = lbin(N - k - l, t - p) - all_ways + l + S
            if pr < 0:
                here = min(here, L2(N) + ladd(tg, 1 + L0, 1 + S) - pr)
        best = min(best, here)
        worse = worse + 1 if here > best + 4 else 0
        if worse > 4:
            break
    return best


def bjmm(N, k, t):
    """[P] Two-level BJMM."""
    best, all_ways = INF, lbin(N, t)
    for p2 in range(2, 26, 2):
        here = INF
        for e2 in range(0, min(p2, 6)):
            p1 = 2 * (p2 - e2)
            for e1 in range(0, min(p1, 6)):
                p = 2 * (p1 - e1)
                if 0 < p <= t:
                    here = min(here, bjmm_lists(N, k, t, p, p1, p2, e1, e2, all_ways))
        best = min(best, here)
        if here > best + 8:
            break
    return best


def bjmm_lists(N, k, t, p, p1, p2, e1, e2, all_ways):
    """The best l of BJMM for fixed weights."""
    best, lc = INF, lbin(k, p)
    for l in range(int(lc * 0.15) + 2, int(lc * 0.75) + 4, 2):
        K = k + l
        if N - K < 4:
            break
        S3 = lbin(K // 2, p2 // 2)
        mu2 = lbin(p2, e2) + lbin(K - p2, p2 - e2) - lbin(K, p2)
        mu1 = lbin(p1, e1) + lbin(K - p1, p1 - e1) - lbin(K, p1)
        r2 = min(max(int(mu2 + 4 * S3 - lbin(K, p1)), 0), l - 1)
        r1 = min(max(int(mu1 + 2 * lbin(K, p1) - lbin(K, p)) - r2, 0), l - r2 - 1)
        C3 = 2 * S3 - r2
        C2 = 2 * C3 - r1
        S1 = min(mu2 + C2, lbin(K, p1) - r1 - r2)
        C1 = 2 * S1 - (l - r1 - r2)
        S0 = min(mu1 + C1, lbin(K, p) - l)
        tg = L2(N - K) + L2(N) - L2(L2(N - K))
        pr = lbin(N - K, t - p) + l + S0 - all_ways
        if pr < 0:
            best = min(best, L2(N) + ladd(tg, 3 + S3, 2 + C3, 1 + C2, 1 + C1) - pr)
    return best


# ---------------------------------------------------------------- information-set decoding of regular noise

def es_perm(N, k, t):
    """[P] Esser-Santini, permutation: N (N-k')^2 per trial, k' = k-t."""
    N, k, _ = truncate(N, k, t)
    kp = k - t
    return L2(N) + 2 * L2(N - kp) - t * L2(1 - kp / N)


def pooled(kp, l, *lists):
    """[C] One iteration of a well-pooled attack: N >> k, so the code is punctured. Inverts one k' x k' matrix
    (k'^2.8), derives l+128 parity checks, handles list items of l+128 bits (128 more samples reject)."""
    w = L2(l + 128)
    return ladd(OMEGA * L2(kp), 2 * L2(kp) + w, w + ladd(*lists) if lists else 0.0)


def es_enum(N, k, t, pool=False):
    """[P] Esser-Santini, enumeration: N max((N-k')^2, 2 L, L^2/2^l). pool [C]: see `pooled`."""
    N, k, b = truncate(N, k, t)
    kp, best = k - t, INF
    if kp <= 2:
        return 0.0
    for p in range(0, min(40, 2 * (t // 2) + 2), 2):
        L0 = lbin(round(t / 2), p // 2) + (p / 2) * L2(kp / t)
        for l in range(max(0, int(L0 * 0.5)), int(L0 * 1.6) + 12):
            v = (kp + l) / t
            if v >= b:
                break
            pr = lbin(t // 2, p // 2) + lbin(t - t // 2, p // 2) + p * L2(v / b) + (t - p) * L2(1 - v / b)
            L = lbin(round(t / 2), p // 2) + (p / 2) * L2(v)
            col = 2 * L - l
            if pool:
                it = pooled(kp, l, 1 + L, col) if p else pooled(kp, l)
            else:
                it = L2(N) + max(2 * L2(N - kp), 1 + L, col)
            best = min(best, it - min(pr, 0))
    return best


def es_repr(N, k, t, pool=False):
    """[P] Esser-Santini, representations at depth 2. pool [C]: see `pooled`."""
    N, k, b = truncate(N, k, t)
    kp, best = k - t, INF
    if kp <= 2:
        return 0.0
    for p in range(0, 40, 4):
        for ex in range(0, 24, 2):
            px = p / 2 + ex
            if t / 2 < px:
                break
            lx = math.floor(2 * (lbin(p / 2, p / 4) + lbin(t / 2 - p / 2, ex / 2)))
            La = lbin(round(t / 2), px / 2) + (px / 2) * L2(kp)
            base = lbin(round(t / 2), px / 2)
            ways = lbin(t // 2, p // 2) + lbin(t - t // 2, p // 2)
            for l in range(max(0, int(La)), int(3 * La) + 4):
                v = (kp + l) / t
                if v >= b:
                    break
                L1 = base + (px / 2) * L2(v)
                Lx = 2 * L1 - lx
                Nx = 2 * Lx - (l - lx)
                pr = ways + p * L2(v / b) + (t - p) * L2(1 - v / b)
                if pool:
                    it = pooled(kp, l, 2 + L1, 1 + Lx, Nx)
                else:
                    it = L2(N) + max(2 * L2(N - kp), 2 + L1, 1 + Lx, Nx)
                best = min(best, it - min(pr, 0))
    return best


# ---------------------------------------------------------------- attacks on the sparsity of the code

def sigma_random(N, k):
    """Size, as a part of k, of a random set of columns that still carries 1.02 times as many rows."""
    return min(1.0, (1.02 * k / N) ** (1.0 / (WEIGHT - 1)))


def sigma_floor(N, k):
    """First-moment bound: with high probability no smaller set of columns carries as many rows."""
    r = N / k

    def entropy(x):
        return -x * L2(x) - (1 - x) * L2(1 - x)
    for x in np.linspace(0.02, 0.999, 4000):
        if entropy(x) + r * entropy(x / r) + WEIGHT * x * L2(x) >= 0:
            return float(x)
    return 1.0


def local_enum(N, k, t, sigma):
    """[C, checked on toy sizes] Keeps the rows supported in a set of sigma k columns and runs well-pooled
    enumeration on that smaller instance. A fresh random set is a fresh trial. The block parities are lost."""
    ks, b, best = sigma * k, N / t, INF
    for p in range(0, 16, 2):
        L0 = lbin(t // 2, p // 2) + (p / 2) * L2(ks / t)
        for l in range(max(0, int(L0 * 0.5)), int(L0 * 1.6) + 12):
            v = (ks + l) / t
            if v >= b:
                break
            pr = lbin(t // 2, p // 2) + lbin(t - t // 2, p // 2) + p * L2(v / b) + (t - p) * L2(1 - v / b)
            L = lbin(t // 2, p // 2) + (p / 2) * L2(v)
            it = pooled(ks, l, 1 + L, 2 * L - l) if p else pooled(ks, l)
            best = min(best, it - min(pr, 0))
    return best
