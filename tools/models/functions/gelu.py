"""GELU/SiLU of l-bit numbers, F behind the point: bills and a share-level simulation of the residual's lines.
GELU = a x - r, a = 1 from the piece of 0 on, r >= 0 small and 0 far away. See functions-beyond 1."""
import os
from common import *
from math import erf, sqrt, pi
FULL = os.environ.get('MODELS') == 'full'      # the sizes that docs/spec quotes; smaller ones otherwise
def gelu(x): return 0.5 * x * (1 + np.tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))
def silu(x): return x / (1 + np.exp(-x))


def sim(f, l, F, w, k, q, g, drop=0, down=0, splits=48 if FULL else 8, fold=False):
    """domain 2^w wide; 2^k lines; carry from the top q bits of the low part; g guard bits; drop: low bits of u
    that are not multiplied; down: results F-down behind the point. Every number near the domain. Errors in 2^-F."""
    s = w + F - k
    half = 1 << w + F - 1
    unit = 2.0**-F
    far = 1 << s
    R = 0
    n = 1 << s
    lo = -(1 << F - 3) if fold else -half        # fold: y = |x| or a little below 0
    def res(y): return -f(-np.abs(y)) if not fold else -f(-y)      # r = a x - f(x), continued as f there
    ent = np.arange(1 << k)
    start = (lo + (ent << s)) * unit
    hi = (1 + 2.0**-q) if q else 2.0
    t = np.linspace(0, hi, 65)
    xs = start[:, None] + t[None] * n * unit
    a = (start >= 0)[:, None] if not fold else None
    r = (np.where(a, xs, 0) - f(xs)) if not fold else -f(-xs)
    sl = (r[:, -1] - r[:, 0]) / (hi * n * unit)
    gap = r - sl[:, None] * t[None] * n * unit
    d = (gap.max(1) + gap.min(1)) / 2
    cutb = s + 2 - drop + 2                     # bits of a slope; value at F-down+cutb behind the point
    K = np.rint(sl * 2.0**(cutb - down + drop)).astype(np.int64)
    lost = (1 - 2.0**-g) + (0.5 * (s - drop) + 1 + (0.5 if q else 0)) * 2.0**-g   # what the cuts lose on average
    D = np.rint((d / unit * 2.0**-down + lost) * 2.0**cutb).astype(np.int64)
    more = int(np.ceil(-r.min() / unit * 2.0**-down)) + 3
    top = r.max() / unit * 2.0**-down + 3
    R = int(np.ceil(np.log2(top + more))) + 1
    L = R + cutb
    p0 = cutb - g
    M = (1 << L) - 1
    X = np.arange(lo - 2 * n, lo + 2 * half + 2 * n, dtype=np.int64) if not fold else \
        np.arange(lo + (n >> q), lo + (1 << k + s), dtype=np.int64)   # so that no index is negative
    Y = X - lo
    worst = 0.0
    big = 0
    for it in range(splits):
        if it == 0:
            u0 = np.minimum(Y & (n - 1), n - 1)
        elif it == 1:
            u0 = np.full_like(Y, n - 1)
        else:
            u0 = rng.integers(0, n, Y.shape)
        u1 = (Y - u0) & (n - 1)
        H = (Y - u0 - u1) >> s
        c = ((u0 >> s - q) + (u1 >> s - q)) >> q if q else 0 * u0
        H = H + c
        inside = (H >= 0) & (H < 1 << k)
        i = np.where(inside, H, 0)
        v = [u >> drop for u in (u0, u1)]
        mid = ((1 << drop) - 1)   # the mean of what is dropped of both
        z = rng.integers(0, M, (2,) + Y.shape, dtype=np.int64)
        d0 = z[0]
        d1 = (D[i] + ((K[i] * mid) >> drop) - d0) & M
        k0 = z[1]
        k1 = (K[i] - k0) & M
        acc = np.zeros_like(Y)
        for dd, kk, own, oth in ((d0, k0, v[0], v[1]), (d1, k1, v[1], v[0])):
            acc += ((dd + kk * own) & M) >> p0
            for j in range(s - drop):
                acc += (oth >> j & 1) * (((kk << j) & M) >> p0)
            # c n: bit c_o times (1-2c_p) k n, with c_p = 0 here by the other's share being c
            if q:
                acc -= (c if own is v[0] else c) * (((kk << s - drop) & M) >> p0)
        m = (1 << R + g) - 1
        acc = (acc + (more << g)) & m  # so that it is not negative
        a0 = rng.integers(0, m + 1, Y.shape)
        a1 = (acc - a0) & m
        y = ((a0 >> g) + (a1 >> g)) & ((1 << R) - 1)
        assert (y[inside] < 1 << R - 1).all(), (y[inside].max(), R)
        y = np.where(inside, (y - more) << down, 0)
        big = max(big, y.max())
        x = X * unit
        if fold:
            got = -y * unit
            want = f(-x)
            e = np.abs(got - want) / unit
        else:
            a = np.where(inside, H >= 1 << k - 1, H >= 1 << k)
            e = np.abs(np.where(a, X, 0) - y - f(x) / unit)
        worst = max(worst, e.max())
    return worst, R


def bill(l, F, w, k, q, g, R, drop=0, down=0, fold=False, goal='bytes', r=None):
    """l: ring; r: |x| < 2^r (units), so that a ring of r+2 bits serves until the end."""
    s = w + F - k
    small = l if r is None else min(l, r + 2)
    top = small - w - F                                     # bits of V
    P = R + g
    nums = 1 + (s - drop) + (1 if q else 0)                 # sign, u, carry
    v = max(top - 1, 1)
    out = ext(R, small - down) | mux(small)                 # then the ring of l
    last = ext(small, l)
    b = {}
    if not fold:
        if q:
            b['carry of u'] = splut(q) + b2a(k + 1)
        b['one-hot'] = tree(k, k + 1)
        b['open'] = opening(k)
        b['lines'] = lines(nums, P)
        b['sides'] = b2a(top) + best(order, v, goal)
        b['a, inside r'] = mux(R, 1)
    else:
        b['carry'] = best(compare, w + 1 + 4, goal)          # bits from 1/16 to the top of the domain
        b['sides'] = b2a(top) + best(order, v, goal) + ands(1)
        if q:
            b['carry of u'] = splut(q) + b2a(k)
        b['one-hot'] = tree(k)
        b['open'] = opening(k)
        b['lines'] = lines(nums, P)
        b['inside r'] = mux(R)
    b['out'] = out + last
    t = sum(b.values(), Bill())
    t.rounds -= 1              # the lines beside the sides
    return b, t


def check_carry(k=4):
    """The carry of L_0 + L_1 from the one-hot of rho, with shares of rho mod 2^(k+1): all cases."""
    n = 1 << k
    M = 2 * n - 1
    for rho in range(n):
        for r0 in range(2 * n):
            r1 = (rho - r0) & M
            l0, l1 = np.meshgrid(np.arange(n), np.arange(n))
            m0, m1 = (l0 - r0) & M, (l1 - r1) & M            # the low k bits are opened
            low = (m0 & n - 1) + (m1 & n - 1)
            d = low & n - 1
            t = (m0 >> k) ^ (m1 >> k) ^ (low >> k)            # top bits: local, and a public carry
            kappa = t ^ (d + rho >= n)                        # parity of the one-hot's entries from n - d on
            assert (kappa == (l0 + l1 >> k)).all()
    print('carry from the one-hot: all cases ok')


if __name__ == '__main__':
    check_carry()
    l = 37
    for goal in ('total', 'bytes'):      # as it is at present
        c = best(compare, l - 1, goal) * 2
        t = c + doubling(8) + opening(8) + reading([27, 27]) + Bill(14, 0, 14 + 7 * (54 - 7 + 1), 1) + mux(17) + ext(17, 37) + mux(37)
        print('today', goal, t, 'comparisons', c)
    g, u = gelu, silu
    forms = [('A carry-free, 256 lines', g, dict(F=12, w=3, k=8, q=0, g=5)),
             ('B 5-bit carry, 128 lines', g, dict(F=12, w=3, k=7, q=5, g=5)),
             ('C folded, 64 lines', g, dict(F=12, w=2, k=6, q=5, g=5, fold=True)),
             ('B 512 lines', u, dict(F=12, w=5, k=9, q=3, g=4)),
             ('C folded, 256 lines', u, dict(F=12, w=4, k=8, q=3, g=4, fold=True)),
             ('D 2^-8, 64 lines', g, dict(F=12, w=3, k=6, q=2, g=2, drop=3, down=2)),
             ('D 2^-8, 128 lines, no carry', g, dict(F=12, w=3, k=7, q=0, g=2, drop=3, down=2)),
             ('D 2^-8, 128 lines', u, dict(F=12, w=4, k=7, q=2, g=2, drop=3, down=2)),
             ('D 2^-8, 64 lines', u, dict(F=12, w=4, k=6, q=4, g=2, drop=3, down=2))]
    for name, f, o in forms:
        e, R = sim(f, l, **o)
        b, t = bill(l, R=R, **o)
        assert e < 2 or 'down' in o and e / 16 < 1.2, (name, e)
        print(f'{f.__name__} {name}: R={R}, error {e:.2f} of 2^-12, {e/16:.2f} of 2^-8')
        print('   in all         ', t)
        print('     ', {k: round(v.bits) for k, v in b.items()})
        for r in (19, 18):
            print(f'   |x| < {2**(r-12):3d}      ', bill(l, R=R, r=r, **o)[1])
        print('   least time     ', bill(l, R=R, goal='total', **o)[1])
