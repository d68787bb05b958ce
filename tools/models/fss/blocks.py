"""Algorithms 5-12 and 15, exhaustive over shares for small sizes, with ideal FSS shares."""
from common import *
import itertools


class FSS:
    """ideal 2-party shares of a function f: [2^l] -> Z_2^k (what a correct key pair evaluates to)"""
    def __init__(s, f, ell, k): s.f, s.ell, s.k, s.seed = f, ell, k, rng.getrandbits(128)

    def ev(s, b, x):
        x %= 1 << s.ell
        y0 = H(b"pad" + bytes([x & 255, x >> 8 & 255]), s.seed, s.k)
        return y0 if b == 0 else (s.f(x) - y0) % (1 << s.k)


def DPF(a, beta, ell, k): a %= 1 << ell; return FSS(lambda x: beta if x == a else 0, ell, k)
def DCF(a, beta, ell, k): return FSS(lambda x: beta if x < a else 0, ell, k)

# ---- Alg 5 EQ


def test_eq():
    for ell in (1, 2, 3):
        L = 1 << ell
        for alpha in range(L):
            for r in range(L):
                key = DPF(alpha + r, 3, ell, 4)
                for x in range(L):
                    X = (x + r) % L
                    assert (key.ev(0, X) + key.ev(1, X)) % 16 == (3 if x == alpha else 0)
    print("Alg5 EQ ok (all alpha,r,x l<=3)")

# ---- Alg 6 CMP


def cmp_gate(alpha, r, x, ell, beta, k, g):
    L = 1 << ell
    A = (alpha + r) % L
    X = (x + r) % L
    K0, K1 = DCF(r, -beta % (1 << k), ell, k), DCF(A, beta, ell, k)
    return (K0.ev(0, X) + K0.ev(1, X) + K1.ev(0, X) + K1.ev(1, X) + g * beta) % (1 << k)


def test_cmp():
    bad_lit = tot = 0
    for ell in (1, 2, 3, 4):
        L = 1 << ell
        for alpha, r, x in itertools.product(range(L), repeat=3):
            A = (alpha + r) % L
            want = 5 if x < alpha else 0
            g = int(A < r)                         # = overflow of alpha+r
            assert g == int(alpha + r >= L)
            assert cmp_gate(alpha, r, x, ell, 5, 4, g) == want
            tot += 1
            bad_lit += cmp_gate(alpha, r, x, ell, 5, 4, int(r < A)) != want   # MILL(r, r+alpha) read literally
    assert bad_lit > tot / 2
    print(f"Alg6 CMP ok with g = 1{{(alpha+r mod 2^l) < r}}, all alpha,r,x l<=4; literal MILL(r, r+alpha)=1{{r<r+alpha}} wrong in {bad_lit}/{tot}")
    # overflow bit from additive shares of r and alpha (both shared): w_sum - w_r - w_a + c0 + c1 (repo) -- 3 private-input wraps
    for ell in (1, 2, 3):
        L = 1 << ell
        for r0, r1, a0, a1 in itertools.product(range(L), repeat=4):
            wr, wa = int(r0 + r1 >= L), int(a0 + a1 >= L)
            s0, s1 = (r0 + a0) % L, (r1 + a1) % L
            c0, c1 = (r0 + a0) // L, (r1 + a1) // L
            ov = int((s0 + s1) % L < (r0 + r1) % L)
            assert ov == int(s0 + s1 >= L) - wr - wa + c0 + c1
    # public alpha: only r is shared: ov = 1{r >= 2^l - alpha}
    print("     overflow of two shared summands = wrap(sum) - wrap(r) - wrap(alpha) + local carries: ok all shares l<=3 (needs 3 private-input comparisons, not 1)")
    # one-key public-interval test: alpha public => DCF key on random r; no overflow bit, no second key
    for ell in (1, 2, 3, 4):
        L = 1 << ell
        for rho in range(L):
            def pre(e): return int(rho < e)              # prefix function of the one-hot at rho, e in [0,L]
            for x in range(L):
                d = (x - rho) % L                      # opened
                for p in range(L + 1):
                    for q in range(p, L + 1):
                        if q - p == 0:
                            v = 0
                        elif q - p == L:
                            v = 1
                        else:
                            a, b = (p - d) % L, (q - d) % L
                            v = pre(b) - pre(a) if a < b else 1 - pre(a) + pre(b)
                        assert v == int(p <= x < q)
    print("     public thresholds: one key at random rho, opened d = x-rho, 1{p<=x<q} from 2 prefix queries, wrap is public: ok all rho,x,p,q l<=4")

# ---- Alg 7 TR


def test_tr():
    bad = tot = 0
    for ell, s in ((3, 1), (4, 2), (5, 2), (5, 4), (6, 3)):
        L, S = 1 << ell, 1 << s
        k = ell - s
        for x0, x1 in itertools.product(range(L), repeat=2):
            x = (x0 + x1) % L
            v = (x0 % S) + (x1 % S)
            c = int(v < S)                            # CMP_{s+1}(v, 2^s)
            assert ((x0 >> s) + (x1 >> s) + (1 - c)) % (1 << k) == (x >> s)
            tot += 1
            bad += ((x0 >> s) + (x1 >> s) + c) % (1 << k) != (x >> s)
    assert bad == tot
    print(f"Alg7 TR ok with y = u + (1-c); literal y = u + c wrong in {bad}/{tot}")
    # cheaper TR: s-bit prefix key only.  r = rlow (s bits) + 2^s rtop(1 bit); Z=v0+v1+r mod 2^{s+1} opened
    for s in (1, 2, 3, 4):
        S = 1 << s
        for v0, v1 in itertools.product(range(S), repeat=2):
            for r in range(2 * S):
                Z = (v0 + v1 + r) % (2 * S)
                carry = (Z >> s) ^ (r >> s) ^ int(Z % S < r % S)
                assert carry == int(v0 + v1 >= S)
    print("     TR/wrap with ONE s-bit key: wrap = Z_top ^ r_top ^ 1{Z_low < r_low}: ok all shares s<=4")
    for ell, s in ((4, 2), (5, 3)):
        L, S = 1 << ell, 1 << s
        for x in range(L):
            for r in range(L):
                X = (x + r) % L
                assert ((X >> s) - (r >> s) - int(X % S < r % S)) % (1 << (ell - s)) == x >> s
    print("     TR from fully opened X=x+r: y = (X>>s) - (r>>s) - 1{X_low<r_low} mod 2^{l-s}: ok")

# ---- Alg 15 ModPow2, Alg 8 containment


def test_mod_ctn():
    for s in (1, 2, 3):
        for v in range(2 << s):
            c = int(v < (1 << s))
            assert (v - (1 << s) * (1 - c)) == v % (1 << s)
    print("Alg15 ModPow2 ok (z = 1-c, '>=').  Over Z_{2^s} the reduction is local (drop bits of each share): needs no protocol")
    ell = 4
    L = 1 << ell
    for knots in ([0, 3, 7, 8, L], [0, 4, 8, 12, L], [0, 1, L], [0, 15, L]):
        K = len(knots) - 1
        bad = 0
        for x in range(L):
            c = [int(x < d) for d in knots]           # c[0]=0, c[K]=1
            v = [c[i + 1] - c[i] for i in range(K)]   # LINEAR, no multiplication
            assert v == [int(knots[i] <= x < knots[i + 1]) for i in range(K)]
            lit = [c[0]] + [c[i] * (1 - c[i + 1]) for i in range(1, K - 1)] + [1 - c[2 if K > 1 else 1]]
            bad += lit[:K] != v
        assert bad >= L // 2
        print(f"Alg8 knots {knots}: v[i]=c[i+1]-c[i] (no MUL) ok; literal indices wrong on {bad}/{L} inputs")

# ---- Alg 9 digit decomposition


def digdec(x0, x1, ell, d, literal=False, last=None):
    c = -(-ell // d)
    D = 1 << d
    p = [[(xb >> (d * i)) % D for i in range(c)] for xb in (x0, x1)]
    u = 0
    z = [(p[0][0] + p[1][0]) % D]
    muls = 0
    for i in range(1, c):
        lt = int(p[0][i - 1] + p[1][i - 1] < D)
        w = lt if literal else 1 - lt      # (d+1)-bit CMP of the integer sum
        e = int((p[0][i - 1] + p[1][i - 1]) % D == D - 1)                          # d-bit EQ on the sum mod 2^d
        if i > 1:
            muls += 1
        u = (u * e + w)
        assert literal or u in (0, 1)
        z.append((p[0][i] + p[1][i] + u) % D)
    return z, muls


def test_digdec():
    for ell, d in ((4, 2), (6, 2), (6, 3), (5, 2), (8, 4)):
        L = 1 << ell
        bad = 0
        for x0 in range(L):
            for x1 in range(L):
                z, muls = digdec(x0, x1, ell, d)
                x = (x0 + x1) % L
                c = -(-ell // d)
                for i in range(c):
                    got = z[i]
                    if i == c - 1 and ell % d:
                        got %= 1 << (ell % d)
                    assert got == (x >> (d * i)) % (1 << min(d, ell - d * i)), (x0, x1, z)
                bad += digdec(x0, x1, ell, d, True)[0] != z
        assert bad == L * L
        print(f"Alg9 DigDec l={ell} d={d}: ok with w=1-CMP, EQ in d bits, CMP in d+1 bits; {muls} real MULs of c-1={c-1} (first is 0*e); literal polarity wrong {bad}/{L*L}")
    # masked variant: one opening of X=x+r, borrow chain from per-digit lt/eq of r
    for ell, d in ((6, 2), (6, 3), (8, 4)):
        L, D = 1 << ell, 1 << d
        for x in range(L):
            for r in range(L):
                X = (x + r) % L
                bor = 0
                for i in range(ell // d):
                    Xi, ri = (X >> d * i) % D, (r >> d * i) % D
                    assert (Xi - ri - bor) % D == (x >> d * i) % D
                    bor = int(Xi < ri) ^ (int(Xi == ri) & bor)
    print("     DigDec from one opened X = x+r: digit_i = X_i - r_i - borrow_i; borrow from lt/eq of the SAME one-hot of r_i: ok")

# ---- Alg 10/11 LUTs


def test_lut():
    n, k = 4, 6
    N = 1 << n
    T = [rng.getrandbits(k) for _ in range(N)]
    for r in range(N):
        key = DPF(r, 1, n, k)
        z = [[key.ev(b, i) for i in range(N)] for b in (0, 1)]
        for x in range(N):
            sh = (x - r) % N
            y = [sum(z[b][(i - sh) % N] * T[i] for i in range(N)) for b in (0, 1)]
            assert sum(y) % (1 << k) == T[x]
            yy = [sum(z[b][j] * T[(j + sh) % N] for j in range(N)) for b in (0, 1)]   # same thing, no shift copy
            assert yy == y
    for r in range(N):
        keys = [DPF(i + r, T[i], n, k) for i in range(N)]
        for x in range(N):
            X = (x + r) % N
            assert sum(keys[i].ev(0, X) + keys[i].ev(1, X) for i in range(N)) % (1 << k) == T[x]
    # XOR one-hot + sign: y = eps*(A0-A1)
    for r in range(N):
        t0 = rng.getrandbits(N)
        t1 = t0 ^ (1 << r)
        eps = bin(t0).count("1") - bin(t1).count("1")
        assert abs(eps) == 1
        for x in range(N):
            sh = (x - r) % N
            A = [sum(((tb >> j) & 1) * T[(j + sh) % N] for j in range(N)) for tb in (t0, t1)]
            assert eps * (A[0] - A[1]) == T[x]
    print("Alg10 pub LUT: z'[i]=z[i-(x-r)] ok; Alg11 pri LUT ok; binary one-hot lookup: T[x] = eps*(A0-A1), eps=|t0|-|t1| additively shared for free: ok")

# ---- Alg 12 spline with shifted coefficients


def test_spline():
    import math
    k = 40
    mod = 1 << k
    for _ in range(2000):
        a = [rng.getrandbits(k) for _ in range(4)]
        r = rng.getrandbits(k)
        x = rng.getrandbits(k)
        X = (x + r) % mod
        ah = [sum(a[m] * math.comb(m, j) * pow(-r, m - j) for m in range(j, 4)) % mod for j in range(4)]
        assert sum(ah[j] * pow(X, j) for j in range(4)) % mod == sum(a[j] * pow(x, j) for j in range(4)) % mod
    # the repo's non-fixed-point branch for degree 2: b-2ar ok ; c + a r^2 - b r ok ; cleartext ref uses c + r^2 (missing a and -b r)
    print("Alg12: a^_j = sum_{m>=j} C(m,j) (-r)^{m-j} a_m, y = sum a^_j X^j exact mod 2^k (degree 3, 2000 random); needs shares of r,r^2,..,r^d only (d-1 MUL), coefficients are public")


if __name__ == "__main__":
    test_eq()
    test_cmp()
    test_tr()
    test_mod_ctn()
    test_digdec()
    test_lut()
    test_spline()
