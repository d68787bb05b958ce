"""Truncation variants (exhaustive, small l), carry-free segment/digit split, spline functions, GELU, softmax."""
import random, math
import numpy as np
rng = random.Random(7)

# ---------- truncation ----------


def sgn(v, l): return v - (1 << l) if v >> (l - 1) & 1 else v


def trunc_local(x0, x1, l, f):            # SecureML
    M = (1 << l) - 1
    y0 = x0 >> f
    y1 = (-((-x1 & M) >> f)) & M
    return (y0 + y1) & M


def trunc_safe(x0, x1, l, f):             # |x|<2^(l-2): offset, wrap=m0 OR m1 by one COT of f bits
    M = (1 << l) - 1
    off = 1 << (l - 2)
    a = (x0 + off) & M
    m0, m1 = a >> (l - 1), x1 >> (l - 1)
    p = m0 & m1                             # product, shared mod 2^f by one COT (f-bit payload)
    w = (m0 + m1 - p)
    return ((a >> f) + (x1 >> f) - (w << (l - f)) - (off >> f)) & M


def trunc_exact(x0, x1, l, f):
    M = (1 << l) - 1
    mf = (1 << f) - 1
    off = 1 << (l - 2)
    a = (x0 + off) & M
    c = int((a & mf) + (x1 & mf) > mf)
    return (trunc_safe(x0, x1, l, f) + c) & M

# ---------- carry-free split ----------


def split(x, lbits, t, k):
    """x in [0,2^(t+k)); shares mod 2^(t+k). returns idx' (mod 2^k), u' in [0,2^(t+1))"""
    N = 1 << (t + k)
    x0 = rng.randrange(N)
    x1 = (x - x0) % N
    i = ((x0 >> t) + (x1 >> t)) % (1 << k)
    u = (x0 & ((1 << t) - 1)) + (x1 & ((1 << t) - 1))
    assert ((i << t) + u) % N == x
    return i, u


def fit(fun, a, b, deg, pts=64):
    """near-minimax: Chebyshev interpolation, returns coefs in v=(x-a)/(b-a) in [0,1]"""
    k = np.arange(deg + 1)
    nodes = (1 - np.cos((2 * k + 1) * np.pi / (2 * (deg + 1)))) / 2
    V = np.vander(nodes, deg + 1, increasing=True)
    y = np.array([fun(a + (b - a) * t) for t in nodes])
    return np.linalg.solve(V, y)


def spline(name, fun, lo, width_log2, F, mode, deg=3, n=256, fc=None, ntest=60000, l=64, seed=1):
    """domain [lo, lo+2^width_log2), x scale F. mode exact: segment width h; lazy: fit on [i h,(i+2)h)"""
    r = random.Random(seed)
    t = width_log2 + F - 8
    h = 2.0**width_log2 / n
    fc = fc or F + 2
    tu = t + (1 if mode == 'lazy' else 0)
    coefs = []
    for i in range(n):
        a = lo + i * h
        b = a + (2 * h if mode == 'lazy' else h)
        c = fit(fun, a, b, deg)
        coefs.append([int(round(ci * 2**fc)) for ci in c])
    maxe = 0
    mag = 0
    N = 1 << (t + 8)
    for _ in range(ntest):
        X = r.randrange(1 << t if mode == 'lazy' else 0, N)      # lazy: first segment reserved (idx'=-1 wraps)
        x0 = r.randrange(N)
        x1 = (X - x0) % N
        if mode == 'lazy':
            i = ((x0 >> t) + (x1 >> t)) % n
            u = (x0 & ((1 << t) - 1)) + (x1 & ((1 << t) - 1))
        else:
            i = X >> t
            u = X & ((1 << t) - 1)
        c = coefs[i]
        acc = sum(c[k] * (u**k) << ((deg - k) * tu) for k in range(deg + 1))
        mag = max(mag, abs(acc))
        sh = fc + deg * tu - F
        y = (acc >> sh) - r.randrange(2)                         # one safe truncation, -1 ulp error
        x = lo + X / 2**F
        maxe = max(maxe, abs(y / 2**F - fun(x)))
    assert mag < 1 << (l - 2), (name, mag.bit_length())
    cb = max(abs(c) for cc in coefs for c in cc).bit_length() + 1
    return maxe * 2**F, mag.bit_length(), cb, t, sh
def sig(x): return 1 / (1 + math.exp(-x))

# ---------- GELU, l=37 f=12 ----------


def gelu(x): return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# ---------- softmax: exp(-t/2^F), t in [0,2^16) two redundant digits ----------
F = 12
fe = 15
Elo = [round(math.exp(-v / 2**F) * 2**fe) for v in range(511 + 1)]
Ehi = {}
for k in range(512):
    u = k if k < 511 else -1
    Ehi[k] = min(round(math.exp(-u * 256 / 2**F) * 2**fe), (1 << 17) - 1) if u < 256 + 256 else 0
# reciprocal of sum in [1,256] by one 8-bit table on linear index, vs normalised mantissa index, +1 Newton
def rel(fn, xs): return max(abs(fn(x) * x - 1) for x in xs)
def lin(x): return 1 / (math.floor(x) + .5)
def norm(x): e = math.floor(math.log2(x)); m = x / 2**e; i = math.floor((m - 1) * 256); return 1 / ((1 + (i + .5) / 256)) / 2**e
def nr(x): y = norm(x); return y * (2 - x * y)
def lin_nr(x): y = lin(x); y = y * (2 - x * y); return y


def softmax_test(d, F=12, fe=15, trials=300):
    worst = 0
    for _ in range(trials):
        z = np.array([rng.gauss(0, 3) for _ in range(d)])
        X = np.round(z * 2**F).astype(int)
        T = X.max() - X
        e = []
        for t in T:
            if t >= 1 << 16:
                e.append(0)
                continue
            N = 1 << 17
            t0 = rng.randrange(N)
            t1 = (int(t) - t0) % N
            hi = ((t0 >> 8) + (t1 >> 8)) % 512
            lo = (t0 & 255) + (t1 & 255)
            e.append(((Ehi[hi] * Elo[lo]) >> fe) - rng.randrange(2))
        s = sum(e)
        y = nr(s / 2**fe)
        Y = round(y * 2**20)     # reciprocal scale 20
        out = [max(0, (int(v) * Y >> (fe + 20 - F)) - rng.randrange(2)) / 2**F for v in e]
        ref = np.exp(z - z.max())
        ref /= ref.sum()
        worst = max(worst, np.abs(np.array(out) - ref).max())
    return worst


def main():
    l, f = 10, 3
    big = {}
    for X in range(-(1 << (l - 2)), 1 << (l - 2)):
        x = X & ((1 << l) - 1)
        fl = 0
        for x0 in range(1 << l):
            x1 = (x - x0) & ((1 << l) - 1)
            e = sgn(trunc_local(x0, x1, l, f), l) - (X >> f)
            if abs(e) > 1:
                fl += 1
            e2 = sgn(trunc_safe(x0, x1, l, f), l) - (X >> f)
            assert e2 in (0, -1)
            assert sgn(trunc_exact(x0, x1, l, f), l) == X >> f
        big[X] = fl / (1 << l)
    assert all(abs(big[X] - abs(X) / 1024) < 2e-3 for X in (1, 64, 255, -255))
    print('local truncation catastrophic prob at l=10: X=1:%.4f X=64:%.4f X=255:%.4f X=-255:%.4f (formula |X|/2^l: %.4f %.4f %.4f)' % (big[1], big[64], big[255], big[-255], 1 / 1024, 64 / 1024, 255 / 1024))
    print('safe truncation (1 COT of f bits): error in {-1,0} always, no wrap failure, exhaustive; exact version exhaustive ok')
    for _ in range(20000):
        split(rng.randrange(1 << 14), 0, 6, 8)
    print('carry-free split: idx\'*2^t+u\' = x mod 2^(t+k) always; u\' < 2^(t+1)')
    F = 16
    for name, fun, lo, w in (('sigmoid[-8,8)', sig, -8, 4), ('tanh[-4,4)', math.tanh, -4, 3), ('invsqrt[1/4,16.25)', lambda x: 1 / math.sqrt(x), .25, 4),
                             ('invsqrt[1,17)', lambda x: 1 / math.sqrt(x), 1, 4), ('log10[1/4,16.25)', lambda x: math.log10(x), .25, 4), ('sqrt[1/4,16.25)', math.sqrt, .25, 4),
                             ('invsqrt[1,4)', lambda x: 1 / math.sqrt(x), 1, 2)):
        for mode in ('exact', 'lazy'):
            e, mb, cb, t, sh = spline(name, fun, lo, w, F, mode)
            assert e < (9 if name == 'invsqrt[1/4,16.25)' else 3) and mb < 62
            print(f'{name:22s} {mode:5s} f=16 n=256 deg3: max err {e:8.2f} ulp(2^-16)  accumulator bits {mb} coef bits {cb} t={t} shift={sh}')
    for a, F in ((4, 12), (4, 16)):
        for mode in ('exact', 'lazy'):
            w = int(math.log2(2 * a))
            t = w + F - 8
            h = 2 * a / 256
            tab = []
            fc = F + 2
            tu = t + (mode == 'lazy')
            for i in range(256):
                A = -a + i * h
                B = A + (2 * h if mode == 'lazy' else h)
                c = fit(gelu, A, B, 1)
                tab.append([round(v * 2**fc) for v in c])
            me = 0
            edge = 0
            for X in range(-(a << F) + ((1 << t) if mode == 'lazy' else 0), a << F, 1 if F == 12 else 7):
                Y = X + (a << F)
                N = 1 << (t + 8)
                x0 = rng.randrange(N)
                x1 = (Y - x0) % N
                if mode == 'lazy':
                    i = ((x0 >> t) + (x1 >> t)) % 256
                    u = (x0 & ((1 << t) - 1)) + (x1 & ((1 << t) - 1))
                else:
                    i = Y >> t
                    u = Y & ((1 << t) - 1)
                acc = (tab[i][0] << tu) + tab[i][1] * u
                y = (acc >> (fc + tu - F)) - rng.randrange(2)
                me = max(me, abs(y / 2**F - gelu(X / 2**F)))
            assert me * 2**F < (3 if F == 12 else 14)
            print(f'GELU a={a} F={F} {mode}: max err {me*2**F:.2f} ulp = {me:.2e}; tail |gelu(-a)|={abs(gelu(-a)):.2e} a-gelu(a)={a-gelu(a):.2e}; acc bits {max(abs(v[0])<<tu for v in tab).bit_length()}')
    F = 12
    me = 0
    for T in range(0, 1 << 16):
        N = 1 << 17
        t0 = rng.randrange(N)
        t1 = (T - t0) % N
        hi = ((t0 >> 8) + (t1 >> 8)) % 512
        lo = (t0 & 255) + (t1 & 255)
        y = (Ehi[hi] * Elo[lo]) >> (2 * fe - fe)
        me = max(me, abs(y / 2**fe - math.exp(-T / 2**F)))
    assert me * 2**fe < 2
    print('exp by two redundant digits (512-entry tables, no carry protocol): max abs err %.2e = %.2f ulp(2^-%d); %.2f ulp(2^-12)' % (me, me * 2**fe, fe, me * 2**12))
    # exact digits, 2x256
    E2 = [round(math.exp(-v / 2**F) * 2**fe) for v in range(256)]
    E1 = [round(math.exp(-v * 256 / 2**F) * 2**fe) for v in range(256)]
    me = max(abs(((E1[T >> 8] * E2[T & 255]) >> fe) / 2**fe - math.exp(-T / 2**F)) for T in range(1 << 16))
    assert me * 2**fe < 2
    print('exp exact digits 2x256: max abs err %.2e' % me)
    # tail: t>=2^16 => exp(-16)
    print('exp(-16)=%.2e = %.4f ulp(2^-12)' % (math.exp(-16), math.exp(-16) * 4096))
    xs = [1 + 255 * i / 20000 for i in range(20001)]
    assert rel(lin, xs) > .3 and rel(norm, xs) < .002 and rel(nr, xs) < 4e-6
    print('reciprocal rel err: linear 8-bit index on [1,256]: %.3f ; +1 Newton %.3f; normalised 8-bit mantissa: %.5f ; +1 Newton: %.2e' % (rel(lin, xs), rel(lin_nr, xs), rel(norm, xs), rel(nr, xs)))
    print('softmax d=128 F=12 end to end max abs err (ulp 2^-12): %.2f' % (softmax_test(128) * 4096))


if __name__ == '__main__':
    main()
