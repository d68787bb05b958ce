"""sqrt, 1/sqrt, 1/x, ln of every positive number of a format of 32 bits, exp of all, division: bills, detection of
the leading one on shares (exhaustive on 8 bits, dense on 32), mantissas by 2048 lines with short payloads."""
from common import *

# --- the leading one -----------------------------------------------------------------------------------------


def leading(x0, x1, n, w):
    """From one-hots of the digits of both shares' sums: tables for either carry in, XOR outputs; then ANDs.
    Returns the one-hot of the top digit that is not 0 and the place of its leading one."""
    D = n // w
    m = (1 << w) - 1
    S = [((x0 >> w * i) & m) + ((x1 >> w * i) & m) for i in range(D)]    # what the one-hot and its carry know
    g = [s >> w for s in S]
    p = [(s & m) == m for s in S]
    c = np.zeros_like(x0)
    nz, pos = [], []
    place = np.array([max(v.bit_length() - 1, 0) for v in range(m + 1)])
    for i in range(D):
        d = np.where(c == 0, S[i] & m, (S[i] + 1) & m)                # two readings, chosen by the carry
        nz.append(d != 0)
        pos.append(place[d])
        c = g[i] | (p[i] & c)
    free = np.ones_like(x0, dtype=bool)
    out = np.zeros_like(x0)
    for i in reversed(range(D)):
        out = out + (free & nz[i]) * (w * i + pos[i])
        free = free & ~nz[i]
    return out, free


def detection(n=32, w=4):
    D = n // w
    one = doubling(w, w + 1) * D
    op = opening(w) * D
    nodes = D // 2 * lg(D)
    levels = lg(D)
    carries = Bill(2 * nodes, 0, 4 * (D - 1) + 6 * (nodes - D + 1), levels)
    fix = ands(1 + lg(w)) * (D - 1)
    pre = Bill(2 * nodes, 0, 4 * nodes, levels)
    pos = ands(lg(w)) * D
    return one + op + carries + fix + pre + pos

# --- mantissas: lines on 2 * pieces, index of 12 bits with the leading one ---------------------------------------


def mantissa(f, Z, top, hi, fr=24, g=3, low=13, R=26):
    """Z in [1, hi) with `top` bits behind the point in a ring of 25 bits: index 12, u 13 bits."""
    n = 1 << low
    step = 2.0**(low - top)
    i = np.arange(4096)
    x = i * step
    ok = (x >= 1 - 1.5 * step) & (x < hi)
    x = np.where(ok, x, 1)
    t = np.linspace(0, 2, 17)[None]
    xs = np.maximum(x[:, None] + t * step, 2.0**-top)
    v = f(xs)
    sl = (v[:, -1] - v[:, 0]) / (2 * step)
    gap = v - sl[:, None] * t * step
    d = (gap.max(1) + gap.min(1)) / 2
    cutb = low + 3
    L = R + cutb
    M = (1 << L) - 1
    p0 = cutb - g
    K = np.rint(sl * 2.0**(fr + cutb - top)).astype(np.int64)
    lost = (1 - 2.0**-g) + (0.5 * low + 1) * 2.0**-g
    D = np.rint((d * 2.0**fr + lost) * 2.0**cutb).astype(np.int64)
    u0 = rng.integers(0, n, Z.shape)
    u1 = (Z - u0) & (n - 1)
    H = ((Z - u0 - u1) >> low) & 4095
    acc = np.zeros_like(Z)
    dd0 = rng.integers(0, M, Z.shape)
    kk0 = rng.integers(0, M, Z.shape)
    for dd, kk, a, b in ((dd0, kk0, u0, u1), ((D[H] - dd0) & M, (K[H] - kk0) & M, u1, u0)):
        acc += ((dd + kk * a) & M) >> p0
        for j in range(low):
            acc += (b >> j & 1) * (((kk << j) & M) >> p0)
    m = (1 << R + g) - 1
    acc &= m
    a0 = rng.integers(0, m + 1, Z.shape)
    a1 = (acc - a0) & m
    return ((a0 >> g) + (a1 >> g)) & ((1 << R) - 1)


def normal(x, even):
    j = np.floor(np.log2(x)).astype(np.int64)
    j = j & ~1 if even else j
    sh = (30 if even else 31) - j
    return (x << sh), j


def local_cut(x, by):
    r = rng.integers(0, 1 << by, x.shape) if by else 0 * x
    return ((x - r) >> by) + (r >> by)                                 # floor or one less


def signed(v, R=26): return np.where(v >> R - 1 & 1, v - (1 << R), v)


def evaluate(name, x, F):
    """x: integers of a number with F behind the point"""
    v = x / 2.0**F
    even = name in ('sqrt', 'rsqrt')
    Z, j = normal(x, even)
    Zc = local_cut(Z, 7)                       # 25 bits
    top, hi = (23, 4) if even else (24, 2)
    f = {'sqrt': np.sqrt, 'rsqrt': lambda z: 1 / np.sqrt(z), 'reciprocal': lambda z: 1 / z, 'ln': np.log}[name]
    R = 27 if name == 'sqrt' else 26                                   # sqrt reaches 2
    m = signed(mantissa(f, Zc, top, hi, R=R), R)
    e = j - F
    if name == 'ln':
        C = np.rint(e * np.log(2) * 2.0**24).astype(np.int64)
        y = local_cut(m + C, 24 - F)
        want = np.log(v) * 2.0**F
    else:
        h = {'sqrt': e >> 1, 'rsqrt': -(e >> 1), 'reciprocal': -e}[name]
        y = np.array([0] * len(x))
        sh = h + F - 24
        up = m << np.maximum(sh, 0)
        dn = np.maximum(-sh, 0)
        r = rng.integers(0, 1 << 31, x.shape) & ((1 << dn) - 1)
        y = ((up + (1 << dn) // 2 - r) >> dn) + (r >> dn)
        want = {'sqrt': np.sqrt(v), 'rsqrt': 1 / np.sqrt(v), 'reciprocal': 1 / v}[name] * 2.0**F
    err = np.abs(y - want)
    rel = err / np.maximum(np.abs(want), 1e-9)
    return err, rel, want


mant = tree(12) + opening(12) + lines(14, 29)


def functions(w=4, F=16):
    d = detection(32, w)
    def stage(ring, k): return mux(ring) * k

    def stages(ring, k):
        b = mux(ring) * k
        b.rounds = k
        return b
    out = {}
    back = stages(29, 2) + ext(29, 54) + stages(54, 3)
    out['reciprocal (x > 0)'] = d + stages(32, 5) + mant + back
    root = d + stages(32, 4) + mant + ext(26, 47) + stages(47, 4)
    out['sqrt'] = root
    out['rsqrt'] = root
    out['ln'] = d + stages(32, 5) + mant + (reading([26]) | b2a(26) * 2)
    sign = best(compare, 31) + mux(32)
    out['signed: + absolute value, sign'] = sign + mux(32)
    prod = ext(32, 58) + Bill(2 * 26, 0, 2 * 26 + 2 * (58 * 26 - 325), 1) + mux(32)
    out['division, signed by signed'] = sign + d + stages(32, 5) + mant + prod + ext(50, 62) + stages(62, 5) + mux(32)
    # exp: t = x log2 e; 6 bits of index; two factors of 22 bits; results of 32 bits
    B = 23
    P = 34 + 3
    clampb = b2a(32 - 21) + best(compare, 8) + best(order, 10) + mux(21, 1)
    out['exp'] = ext(32, 56) + clampb + doubling(6) + opening(6) + lines(B, P)
    return out


def expo(x, F, B=23, g=3):
    """2^t, t = x log2 e with 24 bits behind the point: a table of powers times what each party computes."""
    fr = F
    fT = F + 2
    R = 34
    cutb = fT + 2 * B - fr
    w = R + cutb
    M = (1 << w) - 1
    p0 = cutb - g
    worst = 0
    top = 0
    for v in x:
        v = int(v)
        c = round(np.log2(np.e) * 2**30)
        t = v * c                  # scale F + 30, cut locally to 24
        r = int(rng.integers(0, 1 << F + 6))
        t = ((t - r) >> F + 6) + (r >> F + 6)
        t += 18 << 24
        assert 0 <= t < 1 << 30
        u0 = int(rng.integers(0, 1 << 24))
        u1 = (t - u0) % (1 << 24)
        i = (t - u0 - u1) >> 24
        T = round(2.0**(i - 18) * 2**fT) if i < 63 else 0
        m = [round(2.0**(u / 2**24 - 1) * 2**B) for u in (u0, u1)]               # 2^(u-1), in [1/2, 1): 4 comes back in T
        z0 = int.from_bytes(rng.bytes(16), 'little') & M
        z = [z0, (4 * T - z0) & M]
        acc = 0
        for p in (0, 1):
            y = z[p] * m[p] & M
            n = (1 << B) - m[1 - p]
            acc += (y << B & M) >> p0
            for j in range(B):
                acc -= (n >> j & 1) * ((y << j & M) >> p0)
        acc = (acc - B // 2 + (4 << g)) & ((1 << R + g) - 1)
        a0 = int(rng.integers(0, 1 << R + g))
        a1 = (acc - a0) & ((1 << R + g) - 1)
        y = (((a0 >> g) + (a1 >> g) + 1) & ((1 << R) - 1)) - 4
        want = np.exp(v / 2.0**F) * 2**F
        worst = max(worst, abs(y - want) / max(1, want * 2.0**-22))
    return worst


if __name__ == '__main__':
    for F in (12, 16):
        e = expo(rng.integers(int(-11 * 2**F), int(min(10.3, (31 - F) * np.log(2)) * 2**F), 5000), F)
        assert e < 2.6
        print('exp, F =', F, 'max error in max(ulp, 2^-22 relative): %.2f' % e)
    a, b = np.meshgrid(np.arange(256), np.arange(256))
    a, b = a.ravel(), b.ravel()
    x = (a + b) & 255
    for w in (2, 4):
        j, zero = leading(a, b, 8, w)
        assert (zero == (x == 0)).all()
        assert (j[x > 0] == np.floor(np.log2(x[x > 0]))).all()
    x = np.concatenate([2**rng.integers(0, 31, 200000) + rng.integers(-2, 3, 200000), rng.integers(1, 1 << 31, 200000)])
    x = x[(x > 0) & (x < 1 << 31)]
    a = rng.integers(0, 1 << 32, x.shape)
    b = (x - a) & 0xffffffff
    for w in (4, 8):
        j, zero = leading(a, b, 32, w)
        assert (j == np.floor(np.log2(x))).all() and not zero.any()
    print('leading one: all 8-bit share pairs, dense 32-bit: ok')
    for F in (12, 16, 20):
        xs = np.unique(np.concatenate([np.arange(1, 1 << 16), (2.0**rng.uniform(0, 31, 400000)).astype(np.int64),
                                       (1 << np.arange(31)), (1 << np.arange(2, 31)) - 1]))
        xs = xs[(xs > 0) & (xs < 1 << 31)]
        for name in ('sqrt', 'rsqrt', 'reciprocal', 'ln'):
            err, rel, want = evaluate(name, xs, F)
            fits = np.abs(want) < 2.0**31
            err, rel, want = err[fits], rel[fits], want[fits]
            mixed = (err / np.maximum(1, np.abs(want) * 2.0**-22)).max()
            assert mixed < 2.5
            print(f'F={F} {name:10s} max {err.max():9.2f} ulp; where the result is below 2^24 units {err[np.abs(want) < 2**24].max():.2f} ulp;'
                  f' in units of max(ulp, 2^-22 relative) {mixed:.2f}')
    for w in (4, 8):
        print(f'digits of {w} bits: detection', detection(32, w), '| mantissa', mant)
        for k, v in functions(w).items():
            print(f'   {k:32s}', v)
