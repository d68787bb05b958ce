"""Algorithms 13 and 16 and the applications: exhaustive fixed-point accuracy (plaintext model of the share protocol's arithmetic)."""
import numpy as np, math
PI = math.pi


def ref(f, s):
    xs = np.arange(2 << s)
    return xs, np.array([f(PI * x / (1 << s)) for x in xs])


def ulp(y, t, s): return np.abs(y - np.rint(t * (1 << s)))


TAB = {"sin": ([1, 1, -1, -1], [1, -1, 1, -1], [0, 1, -1, 2]), "cos": ([1, -1, -1, 1], [1, -1, 1, -1], [0, 1, -1, 2])}


def fold(name, s):
    a, b, c = (np.array(v) for v in TAB[name])
    xs = np.arange(2 << s)
    q = xs >> (s - 1)
    return a[q], b[q] * xs + c[q] * (1 << s)


def rnd(v, sh): return (v + (1 << (sh - 1))) >> sh


def paper_lut(name, s, edge_bits, guard=0, rounding=False):
    """2 digits of (s-1)/2 bits on folded argument, tables at scale s+guard, each product truncated separately (as the public code)."""
    a, y = fold(name, s)
    y = y & ((1 << edge_bits) - 1)
    m = (s - 1) // 2
    g = s + guard
    lo, hi = y & ((1 << m) - 1), y >> m
    def S(v, f): return np.rint(f(PI * v / (1 << s)) * (1 << g)).astype(np.int64)
    sh, ch = S(hi << m, np.sin), S(hi << m, np.cos)
    sl, cl = S(lo, np.sin), S(lo, np.cos)
    T = (lambda v: rnd(v, g + guard)) if rounding else (lambda v: v >> (g + guard))
    r = T(sh * cl) + T(ch * sl) if name == "sin" else T(ch * cl) - T(sh * sl)
    return a * r


def full_circle(name, s, guard=6):
    """no folding: x mod 2^{s+1} = hi||lo, hi covers the whole period; ONE rounding truncation at the end"""
    x = np.arange(2 << s)
    m = (s + 1) // 2
    g = s + guard
    lo, hi = x & ((1 << m) - 1), x >> m
    def S(v, f): return np.rint(f(PI * v / (1 << s)) * (1 << g)).astype(np.int64)
    sh, ch, sl, cl = S(hi << m, np.sin), S(hi << m, np.cos), S(lo, np.sin), S(lo, np.cos)
    p = sh * cl + ch * sl if name == "sin" else ch * cl - sh * sl
    return rnd(p, 2 * g - s)


def spline(name, s, segs=16, cs=None, guard=0, rounding=True, nodes="cheb"):
    """degree-2 on [0,0.5] with segs pieces, coefficients at scale cs; exact integer evaluation, ONE truncation"""
    cs = cs or s
    a, y = fold(name, s)
    f = {"sin": np.sin, "cos": np.cos}[name]
    w = (1 << (s - 1)) // segs
    out = np.zeros(len(y), dtype=np.int64)
    for k in range(segs + 1):
        lo, hi = k * w / (1 << s), (k + 1) * w / (1 << s)
        t = (lo + hi) / 2 + (hi - lo) / 2 * np.cos(PI * (2 * np.arange(3) + 1) / 6)
        co = np.polyfit(t, f(PI * t), 2)[::-1]
        A = [int(round(co[j] * (1 << cs))) for j in range(3)]
        sel = (y // w) == k
        x = y[sel].astype(np.int64)
        v = A[0] * (1 << (2 * s)) + A[1] * (1 << s) * x + A[2] * x * x
        sh = cs + s
        out[sel] = rnd(v, sh) if rounding else v >> sh
    return a * out


def main():
    for s in (5, 9):
        for name, f in (("sin", math.sin), ("cos", math.cos)):
            xs, t = ref(f, s)
            e1 = ulp(paper_lut(name, s, s - 1), t, s)
            e2 = ulp(paper_lut(name, s, s), t, s)
            e3 = ulp(full_circle(name, s), t, s)
            e4 = ulp(np.rint(t * (1 << s)), t, s)
            assert e1.max() == 1 << s and e2.max() <= 2 and e3.max() <= 1 and e4.max() == 0
            print(f"s={s} {name}: code-like LUT, s-1-bit argument: avg {e1.mean():.3f} max {e1.max():.0f} (#>4ulp: {(e1>4).sum()} of {len(e1)}); "
                  f"s-bit argument: avg {e2.mean():.3f} max {e2.max():.0f}; full-circle 2-digit, guard 6, 1 rounding: avg {e3.mean():.3f} max {e3.max():.0f}; direct (s+1)-bit table: {e4.max():.0f}")
            for cs in (s, s + 4, s + 8):
                e5 = ulp(spline(name, s, cs=cs, rounding=(cs > s)), t, s)
                print(f"      spline d=2 u=16 coef scale {cs}{' floor' if cs==s else ' round'}: avg {e5.mean():.3f} max {e5.max():.0f}")
        # tan on [0,0.5): representable part
        y = np.arange(1 << (s - 1))
        tv = np.tan(PI * y / (1 << s)) * (1 << s)
        for ell in (8, 16, 18):
            print(f"   tan s={s} l={ell}: table entries not representable in signed l bits: {(np.rint(tv) >= 1 << (ell-1)).sum()} of {len(y)}")
    # apps
    rng = np.random.default_rng(1)
    s = 9
    def cosr(z): return np.rint(np.cos(PI * z / 512) * 512).astype(np.int64)
    n = 1 << 16
    xa, xb, ya, yb = (rng.integers(0, 1024, n) for _ in range(4))
    true = np.sin(PI * (xa - xb) / 1024) ** 2 + np.cos(PI * xa / 512) * np.cos(PI * xb / 512) * np.sin(PI * (ya - yb) / 1024) ** 2
    # cosine-only identity: delta = 1/2 [1 - cos(xa-xb)] + 1/4 [cos(xa-xb)+cos(xa+xb)] [1 - cos(ya-yb)]
    for g in (0, 6):
        def C(z): return np.rint(np.cos(PI * z / 512) * (1 << (9 + g))).astype(np.int64)
        one = 1 << (9 + g)
        cm, cp, cy = C(xa - xb), C(xa + xb), C(ya - yb)
        v = 2 * one * (one - cm) + (cm + cp) * (one - cy)             # scale 2(9+g), times 4
        d = (v + (1 << (2 * (9 + g) + 2 - 9 - 1))) >> (2 * (9 + g) + 2 - 9)
        e = np.abs(d - np.rint(true * 512))
        print(f"proximity delta via cos-only identity, table guard {g}: avg {e.mean():.3f} ulp max {e.max():.0f}; one ciphertext product, no halving")
    R = 6371
    print(f"   resolution: smallest nonzero delta at s=9 is 2^-9 -> distance {2*R*math.asin(math.sqrt(2**-9)):.0f} km; s=16: {2*R*math.asin(math.sqrt(2**-16)):.0f} km; s=24: {2*R*math.asin(math.sqrt(2**-24)):.1f} km; s=30: {2*R*math.asin(math.sqrt(2**-30)):.2f} km")
    lh = np.abs(true - (np.sin(PI * (xa - xb) / 1024)**2 + np.cos(PI * xa / 512) * np.cos(PI * xb / 512) * np.sin(PI * (ya - yb) / 1024)**2)).max()
    assert lh == 0
    # haversine sanity: tan^-1 form = asin form, lat x = pi*x rad
    D = 2 * R * math.atan(math.sqrt(.3 / .7))
    assert abs(D - 2 * R * math.asin(math.sqrt(.3))) < 1e-9


main()
