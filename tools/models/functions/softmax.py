"""Softmax of rows: bills, and a share-level simulation of the exponential and of the last product with short payloads."""
from common import *
l = 37


def equal(bits, w, method):
    e = sum((splut(v) if method == 'L' else Bill(v, (v - 1) * 2**v + 1, 2 * v, 1) for v in cut(bits, w)), Bill())
    m = -(-bits // w)
    e.rounds = 2 if method == 'L' else 1
    return e + Bill(2 * (m - 1), 0, 4 * (m - 1), lg(m))


def today(d=256, F=12, goal='total'):
    c = {}
    c['max'] = (best(compare, l - F + 3, goal) + mux(l - F + 4)) * ((d - 1) / d)
    c['far'] = best(compare, l - F - 3, goal) + mux(F + 5)
    c['exp'] = doubling(6) + opening(6) + reading([3 * F + 18]) + Bill(2 * F + 4, 0, 2 * F + 4 + (F + 2) * (4 * F + 27 - F), 1) + ext(F + 11, 3 * F - 2)
    w = 2 * F + 8
    c['product'] = Bill(2 * w / d, 0, 2 * w / d + w * (w + 1), 1)
    c['out'] = ext(F + 2, l)
    c['row'] = Bill(0, 0, 10500 / d, 13)
    return c


def bill(goal, *, r, F, cf, fr, B, g, gp, fy, Fo, k=5, d=256):
    """r: |x| < 2^r units of 2^-12; cf: bits behind the point of the maximum; fr, B: of exponentials and of factors;
    fy: of the reciprocal; Fo: of results; g, gp: guard bits of either product."""
    c = {}
    ring = r + 2 - 12 + cf
    c['max'] = (best(compare, ring - 1, goal) + mux(ring)) * ((d - 1) / d)
    v = r + 2 - 12 - 4                                       # bits of t above 16
    eq = best(equal, v, goal)
    c['far'] = b2a(v) + eq
    R = fr + 2
    c['one-hot'] = doubling(k, k + 1)
    c['open'] = opening(k)
    c['exp'] = lines(B, R + g)                               # B-1 bits of a factor, and the sign
    c['held'] = mux(R)
    c['ext'] = ext(R, max(fr + 9, fr + fy + 2))
    Ro = Fo + 2
    c['product'] = Bill(2 * (fy + 3) / d, 0, 2 * (fy + 3) / d + 2 * (fy + 3) * (Ro + gp) + 2 * (Ro + gp), 1)  # and the wrap of the reciprocal
    c['out'] = ext(Ro, l)
    c['row'] = Bill(0, 0, 7000 / d, 13)
    return c, sum(c.values(), Bill())


def expo(t, F, fr, B, g):
    """e^-t for t >= 1/2 in units of 2^-F, halves looked up; 0 from 16 or a half more on; shares in the ring of fr + 2 bits."""
    half = F - 1
    n = 1 << half
    fT = fr + 4
    cutb = fT + 2 * B - fr
    R = fr + 2
    w = R + cutb
    p0 = cutb - g
    U = np.uint64
    T = np.rint(np.exp(-np.arange(32) / 2) * 2**fT).astype(U)
    u0 = rng.integers(0, n, t.shape)
    u1 = (t - u0) & (n - 1)
    i = (t - u0 - u1) >> half
    far = i >= 32
    assert (i >= 0).all()
    i = np.where(far, 0, i)
    m = [np.rint(np.exp(-u / 2**F) * 2**B).astype(U) for u in (u0, u1)]
    M = U((1 << w) - 1)
    z0 = rng.integers(0, 1 << 63, t.shape).astype(U) & M
    z = [z0, (T[i] - z0) & M]
    acc = np.zeros(t.shape, dtype=U)
    for p in (0, 1):
        y = z[p] * m[p] & M
        c = U(1 << B) - m[1 - p]
        acc = acc + ((y << U(B) & M) >> U(p0))
        for j in range(B - 1):
            acc = acc - (c >> U(j) & U(1)) * ((y << U(j) & M) >> U(p0))
    ring = U((1 << R + g) - 1)
    ones = (1 << B) - np.rint(np.exp(-np.arange(n) / 2**F) * 2**B).astype(np.int64)
    lost = U(round(np.mean([(ones >> j & 1).mean() for j in range(B - 1)]) * (B - 1)))   # floors, on average; and those of the cut
    acc = (acc - lost + U(2 << g)) & ring
    a0 = rng.integers(0, 1 << R + g, t.shape).astype(U)
    a1 = (acc - a0) & ring
    y = ((a0 >> U(g)) + (a1 >> U(g)) + U(1)) & U((1 << R) - 1)
    return np.where(far, 0, y.astype(np.int64) - 2)


def scale_product(e, y, fr, fy, Fo, g):
    """e y with Fo behind the point: y = y_0 + y_1 - 2^(fy+3) wrap, its bits chosen by each; payloads of Fo + 2 + g bits."""
    Ro = Fo + 2
    cutb = fr + fy - Fo
    L = Ro + cutb
    p0 = cutb - g
    M = (1 << L) - 1
    wy = fy + 3
    y0 = rng.integers(0, 1 << wy, y.shape)
    y1 = (y - y0) & ((1 << wy) - 1)
    wrap = (y0 + y1 - y) >> wy
    e0 = rng.integers(0, 1 << L, e.shape)
    e1 = (e - e0) & M
    acc = np.zeros(e.shape, dtype=np.int64)
    for ep, own, oth in ((e0, y0, y1), (e1, y1, y0)):
        def o(v): return v[:, None]
        acc += ((ep * o(own)) & M) >> p0
        for j in range(wy):
            acc += (o(oth) >> j & 1) * (((ep << j) & M) >> p0)
        acc -= o(wrap) * (((ep << wy) & M) >> p0)
    m = (1 << Ro + g) - 1
    acc = (acc + round(0.25 * 2 * wy + 1) + (2 << g)) & m
    a0 = rng.integers(0, m + 1, e.shape)
    a1 = (acc - a0) & m
    return (((a0 >> g) + (a1 >> g) + 1) & ((1 << Ro) - 1)) - 2


def run(X, F, cf, fr, B, g, gp, fy, Fo):
    """end to end; X in units of 2^-12"""
    sh = 12 - cf
    u = rng.integers(0, 1 << 20, X.shape)
    H = ((X - u) >> sh) + (u >> sh)                           # floor or one less
    Mx = H.max(1, keepdims=True)
    t = ((Mx + 2) << sh) + 2048 - X   # more than 1/2, so that no index is negative
    down = 12 - F
    t = t >> down if not down else ((t - u) >> down) + (u >> down) + 1
    e = expo(t, F, fr, B, g)
    S = e.sum(1) / 2**fr
    y = np.rint((1 / S) * 2**fy).astype(np.int64)
    assert (S > 0.1).all() and (y < 1 << fy + 3).all(), S.min()
    out = scale_product(e, y, fr, fy, Fo, gp) / 2**Fo
    z = X / 2.0**12
    ref = np.exp(z - z.max(1, keepdims=True))
    ref /= ref.sum(1, keepdims=True)
    return (np.abs(out - ref)).max()


if __name__ == '__main__':
    for goal in ('total', 'bytes'):
        c = today(goal=goal)
        print('today', goal, sum(c.values(), Bill()), {k: round(v.bits) for k, v in c.items()})
    fine = dict(F=12, cf=2, fr=18, B=14, g=3, gp=4, fy=15, Fo=12)
    coarse = dict(F=10, cf=2, fr=14, B=10, g=3, gp=3, fy=11, Fo=10)
    for name, o in (('2 ulp', fine), ('2^-8', coarse)):
        worst = 0
        for d in (2, 3, 16, 128, 256):
            for sc in (0.0, 0.5, 1, 2, 5):
                X = np.rint(rng.normal(0, sc, (200 if d < 64 else 60, d)) * 4096).astype(np.int64)
                worst = max(worst, run(X, **o))
            X = np.full((50, d), -40960) - rng.integers(0, 99, (50, d))
            X[:, 0] = 0
            worst = max(worst, run(X, **o))
            X = np.zeros((50, d), dtype=np.int64)
            X[:, d // 2:] -= 3000
            X += rng.integers(0, 4096, (50, 1))
            worst = max(worst, run(X, **o))
        assert worst * 4096 < 2 if name == '2 ulp' else worst * 256 < 1.2
        print(name, f'error {worst*4096:.2f} of 2^-12 = {worst*256:.2f} of 2^-8')
        for rr, what in ((34, 'all'), (20, '< 256'), (18, '< 64'), (16, '< 16')):
            for goal in ('bytes', 'total'):
                c, t = bill(goal, r=rr, **o)
                print(f'   |x| {what:6s} {goal:6s}', t, {k: round(v.bits) for k, v in c.items()} if goal == 'bytes' else '')
