"""Share-level run of the corrected Alg 12/13/16 (ideal gates on shares) for all inputs; checks every ring width of fss-spec."""
from common import *
import math
import os
FULL = os.environ.get('MODELS') == 'full'      # the sizes that docs/spec quotes; smaller ones otherwise
PI = math.pi
def rs(v, k): return share_ar(v % (1 << k), k)
def low(sh, k): return [v % (1 << k) for v in sh]                 # local reduction to a smaller ring
def val(sh, k): return (sh[0] + sh[1]) % (1 << k)
def sgn(v, k): return v - (1 << k) if v >> (k - 1) else v
def mul(x, y, k): return rs(val(x, k) * val(y, k), k)             # ideal Beaver, fresh shares
def ctn(x, n, knots, k): v = val(x, n); return [rs(int(knots[i] <= v < knots[i + 1]), k) for i in range(len(knots) - 1)]
def digits(x, n, m): v = val(x, n); return rs(v & ((1 << m) - 1), m), rs(v >> m, n - m)
def lut(x, n, T, k): return rs(T[val(x, n)], k)
def tr(x, k, s): return rs(val(x, k) >> s, k - s)                 # exact floor, result mod 2^{k-s}
def addc(x, c, k): return [(x[0] + c) % (1 << k), x[1]]


TAB = {"sin": ([1, 1, -1, -1], [1, -1, 1, -1], [0, 1, -1, 2]), "cos": ([1, -1, -1, 1], [1, -1, 1, -1], [0, 1, -1, 2])}


def sine_shares(name, x, ell, s, m, guard, mode="lut", segs=8):
    """x: shares in Z_2^ell.  returns shares in Z_2^ell of f(pi x / 2^s) at scale s"""
    P = s + 1
    x1 = low(x, P)                                      # 1. local: x mod 2 (no ModPow2)
    h = 1 << (s - 1)
    v = ctn(x1, P, [0, h, 2 * h, 3 * h, 4 * h], max(ell, P))       # 2. quadrant, one opening
    a, b, c = TAB[name]
    def lin(co, k): return [sum(co[i] * v[i][p] for i in range(4)) % (1 << k) for p in (0, 1)]
    ma, mb, mc = lin(a, ell), lin(b, P), lin([t << s for t in c], P)
    y = [(u + w) % (1 << P) for u, w in zip(mul(mb, x1, P), mc)]   # 3. y = b x + c in Z_2^{s+1}; value in [0, 2^{s-1}]
    assert 0 <= val(y, P) <= h
    y = low(y, s)                                                  # 4. s bits (NOT s-1: y may equal 2^{s-1})
    g = s + guard
    if mode == "lut":
        lo, hi = digits(y, s, m)
        K = ell + 2 * g - s
        def tb(f, n, st): return [int(round(f(PI * (j << st) / (1 << s)) * (1 << g))) % (1 << K) for j in range(1 << n)]
        sl, cl = lut(lo, m, tb(math.sin, m, 0), K), lut(lo, m, tb(math.cos, m, 0), K)
        sh, ch = lut(hi, s - m, tb(math.sin, s - m, m), K), lut(hi, s - m, tb(math.cos, s - m, m), K)
        p, q = (mul(sh, cl, K), mul(ch, sl, K)) if name == "sin" else (mul(ch, cl, K), [-t for t in mul(sh, sl, K)])
        z = [(p[i] + q[i]) % (1 << K) for i in (0, 1)]
        out = tr(addc(z, 1 << (2 * g - s - 1), K), K, 2 * g - s)   # one rounding truncation, K - (2g-s) = ell bits
    else:
        # spline degree 2, top log2(segs) bits of the (s-1)-bit range (+1 piece for y = 2^{s-1})
        sb = segs.bit_length() - 1
        sh_ = s - 1 - sb
        f = {"sin": math.sin, "cos": math.cos}[name]
        K = ell + g + s                                            # coefficients at scale g, products at g+2s -> TR by g+s
        # common scale: a0<<2s, a1<<s, a2 ; TR by (g+2s-s)
        K = ell + g + s
        co = []
        for k in range(segs + 1):
            l0, l1 = (k << sh_) / (1 << s), ((k + 1) << sh_) / (1 << s)
            ts = [(l0 + l1) / 2 + (l1 - l0) / 2 * math.cos(PI * (2 * i + 1) / 6) for i in range(3)]
            import numpy as np
            co.append([int(round(t * (1 << g))) for t in np.polyfit(ts, [f(PI * t) for t in ts], 2)[::-1]])
        top = rs(val(y, s) >> sh_, s - sh_)                        # TR of y to its top bits
        r = rng.getrandbits(K)
        X = None
        ye = rs(val(y, s), K)                                      # y extended to Z_2^K (or: r sampled in K bits and only s opened, see spec)
        X = (val(ye, K) + r) % (1 << K)
        tabs = []
        for j in range(3):
            T = [sum(co[k][mm] * math.comb(mm, j) * pow(-r, mm - j) << (s * (2 - mm)) for mm in range(j, 3)) % (1 << K) for k in range(segs + 1)] + [0] * ((1 << (s - sh_)) - segs - 1)
            tabs.append(lut(top, s - sh_, T, K))                   # PRIVATE table (coefficients shifted by r)
        z = [sum(tabs[j][p] * pow(X, j, 1 << K) for j in range(3)) % (1 << K) for p in (0, 1)]
        out = tr(addc(z, 1 << (g + s - 1), K), K, g + s)
    assert max(map(lambda t: t.bit_length(), out)) <= ell
    return mul(ma, out, ell)                                       # 5. sign


def run(name, ell, s, m, guard, mode, reps, segs=8):
    tot = mx = n = 0
    for x in range(1 << ell) if ell <= 8 else [rng.getrandbits(ell) for _ in range(3000 if FULL else 300)] + [1 << (s - 1), 3 << (s - 1), 0, 1 << s]:
        for _ in range(reps):
            y = sgn(val(sine_shares(name, rs(x, ell), ell, s, m, guard, mode, segs), ell), ell)
            t = {"sin": math.sin, "cos": math.cos}[name](PI * sgn(x, ell) / (1 << s))
            e = abs(y - round(t * (1 << s)))
            tot += e
            mx = max(mx, e)
            n += 1
    assert mx <= 1 and tot / n < .05
    print(f"{name} l={ell} s={s} {mode} guard {guard}: avg {tot/n:.4f} ulp, max {mx}")


if __name__ == "__main__":
    for name in ("sin", "cos"):
        run(name, 8, 5, 2, 6, "lut", 4)
        run(name, 16, 9, 4, 6, "lut", 1)
        run(name, 8, 5, 2, 6, "spline", 2)
        run(name, 16, 9, 4, 8, "spline", 1, segs=16)
