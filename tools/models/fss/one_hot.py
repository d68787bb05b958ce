"""Constructions beyond the paper: one-hot vectors from half-trees, comparison, rotation, splines, trigonometry."""
from common import *
import itertools, math
from keygen import ccmp_local, dpf_gen, tree_level
def pi(x): return FIX.encrypt(x)
def sig(x): l, r = x >> 64, x & ((1 << 64) - 1); return ((l ^ r) << 64) | l


cnt = {"H": 0}


def ccr(x, tw=0):
    cnt["H"] += 1
    y = sig(x ^ tw)
    return pi(y) ^ y

# ---------- C1: half-tree XOR one-hot, random alpha bits = COT choice bits, global Delta, 1 opening per level


class COT:
    """ideal correlated OT with global Delta_b per party: receiver choice c, K_recv = K_send ^ c*Delta"""
    def __init__(s): s.D = [rng.getrandbits(128) & ~1, rng.getrandbits(128) | 1]   # lsb(D0^D1)=1

    def get(s, sender, c):
        K = rng.getrandbits(128)
        return K, K ^ (s.D[sender] if c else 0)


def onehot_halftree(cot, n, net, nonce, nu=0):
    """returns abits (xor-shared, MSB first), per party list of leaf words (ints of 2^nu bits) ; alpha low nu bits via AND tree"""
    d = n - nu
    D = cot.D
    a = [[rng.getrandbits(1), rng.getrandbits(1)] for _ in range(n)]
    aD = []                                # shares of alpha_i*Delta : local + 2 COTs each
    for i in range(d):
        s0, r0 = cot.get(0, a[i][1])
        s1, r1 = cot.get(1, a[i][0])      # P0 sends Delta_0 with P1's choice, and vice versa
        aD.append([(D[0] if a[i][0] else 0) ^ s0 ^ r1, (D[1] if a[i][1] else 0) ^ s1 ^ r0])
        assert aD[-1][0] ^ aD[-1][1] == ((D[0] ^ D[1]) if a[i][0] ^ a[i][1] else 0)
    R = H(b"crs", nonce, 128) & ~1         # public per-tree offset: roots differ by Delta, never reused
    lev = [[D[0] ^ R], [D[1] ^ R]]
    opened = []
    for i in range(d):
        hs = [[ccr(s) for s in lev[b]] for b in (0, 1)]
        sh = [0, 0]
        for b in (0, 1):
            for h in hs[b]:
                sh[b] ^= h
            sh[b] ^= aD[i][b] ^ D[b]        # (1 xor alpha_i) * Delta
        cw = open_xor(net, sh, 128)
        opened.append(cw)
        lev = [[y for s, h in zip(lev[b], hs[b]) for y in (h ^ (cw if s & 1 else 0), h ^ s ^ (cw if s & 1 else 0))] for b in (0, 1)]
    if nu == 0:
        return a, [[s & 1 for s in lev[b]] for b in (0, 1)], opened
    e = onehot_andtree(net, a[d:])          # 2^nu xor-shared bits (packed)
    W = 1 << nu
    ws = [[ccr(s, 1 << 127 | 2) & ((1 << W) - 1) for s in lev[b]] for b in (0, 1)]
    cwl = [e[0], e[1]]
    for b in (0, 1):
        for w in ws[b]:
            cwl[b] ^= w
    cwl = open_xor(net, cwl, W)
    out = [[((w ^ (cwl if s & 1 else 0)) >> j) & 1 for s, w in zip(lev[b], ws[b]) for j in range(W)] for b in (0, 1)]
    return a, out, opened


def onehot_andtree(net, bits):
    """xor-shared bits MSB first -> packed one-hot (int, bit j = 1{value=j}); 2^n-n-1 ANDs, ceil(log2 n) rounds"""
    n = len(bits)
    if n == 1:
        b = bits[0]
        return [(1 ^ b[0]) | (b[0] << 1), b[1] | (b[1] << 1)]
    h = n // 2
    A, B = onehot_andtree(None, bits[:h]), onehot_andtree(None, bits[h:])
    na, nb = 1 << h, 1 << (n - h)
    out = [0, 0]
    for i in range(na):
        for j in range(nb):   # in a real run only (na-1)(nb-1) ANDs, last row/column by xor of the others
            v = share_bit((((A[0] ^ A[1]) >> i) & 1) & (((B[0] ^ B[1]) >> j) & 1))
            for p in (0, 1):
                out[p] |= v[p] << (i * nb + j)
    return out


def nands(n): return 0 if n == 1 else nands(n // 2) + nands(n - n // 2) + ((1 << n // 2) - 1) * ((1 << (n - n // 2)) - 1)
def val(a): return int("".join(str(x[0] ^ x[1]) for x in a), 2)


def test_halftree():
    cot = COT()
    ctr = 0
    for n in (1, 2, 3, 5, 7):
        for nu in (0, 1, 3):
            if nu >= n:
                continue
            for _ in range(6):
                net = Net()
                ctr += 1
                cnt["H"] = 0
                a, out, _ = onehot_halftree(cot, n, net, ctr, nu)
                al = val(a)
                assert [x ^ y for x, y in zip(*out)] == [int(i == al) for i in range(1 << n)]
                assert net.log["open"][0] == n - nu + (nu > 0)
                assert cnt["H"] == 2 * ((1 << (n - nu)) - 1 + ((1 << (n - nu)) if nu else 0))
    assert all(nands(n) == 2 ** n - n - 1 for n in range(1, 11))
    print("C1 half-tree one-hot: global Delta shared by many trees, random alpha = COT choice bits, n-nu(+1) openings of 128 bits, 2^(n-nu)-1 hashes/party (+2^(n-nu) when nu>0): ok; AND-tree = 2^n-n-1 ANDs ok")

# ---------- C2: DPF key IS a comparison key: prefix parity of control bits; internal control bits give O(n) evaluation


def test_prefix():
    for n in (1, 2, 3, 5):
        for alpha in range(1 << n):
            ab = [share_bit((alpha >> (n - 1 - i)) & 1) for i in range(n)]
            roots, CW, _, lev = dpf_gen(None, ab, [0, 0], n, 1, leaf="bit")
            for e in range(1 << n):          # share of 1{alpha < e}
                y = [0, 0]
                for b in (0, 1):
                    s, t = roots[b], b
                    for i in range(n):
                        ch = tree_level([(s, t)], CW[i])
                        bit = (e >> (n - 1 - i)) & 1
                        if bit:
                            y[b] ^= ch[0][1]
                        s, t = ch[bit]
                assert y[0] ^ y[1] == int(alpha < e)
                z = [sum(t for _, t in lev[b][:e]) & 1 for b in (0, 1)]
                assert z[0] ^ z[1] == int(alpha < e)
    print("C2 DPF control bits as comparison key (no V_CW): 1{alpha<e} = xor of left-sibling control bits along e; ok all alpha,e n<=5")

# ---------- C2b: arithmetic payload on every level (iDPF) with ALL final correction words computed in one batched step after the tree


def test_idpf():
    k = 16
    mod = 1 << k
    for n in (1, 2, 4):
        for alpha in range(1 << n):
            ab = [share_bit((alpha >> (n - 1 - i)) & 1) for i in range(n)]
            beta = rng.getrandbits(k)
            bs = share_ar(beta, k)
            roots, CW, _, _ = dpf_gen(None, ab, [0, 0], n, 1, leaf="bit")
            lev = [[(roots[b], b)] for b in (0, 1)]
            W = []
            for i in range(n):
                lev = [tree_level(lev[b], CW[i]) for b in (0, 1)]
                w = [sum(conv(b"idpf", s, k) for s, _ in lev[b]) for b in (0, 1)]
                g = ccmp_local(sum(t for _, t in lev[0]), sum(t for _, t in lev[1]))
                base = [(bs[0] - w[0]) % mod, (bs[1] + w[1]) % mod]
                W.append(open_ar(None, F_MUXA(None, base, [-v % mod for v in base], g, k), k))
            for e in range(1 << n):
                y = 0
                for b in (0, 1):
                    s, t = roots[b], b
                    for i in range(n):
                        ch = tree_level([(s, t)], CW[i])
                        bit = (e >> (n - 1 - i)) & 1
                        if bit:
                            o = conv(b"idpf", ch[0][0], k) + ch[0][1] * W[i]
                            y += -o if b else o
                        s, t = ch[bit]
                assert y % mod == (beta if alpha < e else 0)
    print("C2b arithmetic-output comparison: n-level DPF + n final words (all MUX/open in ONE batch, not per level): ok")

# ---------- C3: rotation by a punctured-PRF: rotate P0's vector by P1's secret r1


def rotate(v, r): n = len(v); return [v[(j - r) % n] for j in range(n)]     # out[j]=v[j-r]


def rot_correlation(n, k, r1):
    """P1 (r1) learns all leaves but the r1-th (n OTs / 1 GGM tree). P0: (a,b). P1: Delta = b - rot_{r1}(a)"""
    N = 1 << n
    mod = 1 << k
    leaf = [[rng.getrandbits(k) for _ in range(N)] for _ in range(N)]        # leaf j expands to N words (PRG of one seed)
    a = [sum(leaf[j][i] for j in range(N)) % mod for i in range(N)]
    b = [0] * N
    for j in range(N):
        rj = rotate(leaf[j], j)
        for i in range(N):
            b[i] = (b[i] + rj[i]) % mod
    Dl = [0] * N                                                              # P1's computation, without leaf[r1]
    for j in range(N):
        if j == r1:
            continue
        rj, rr = rotate(leaf[j], j), rotate(leaf[j], r1)
        for i in range(N):
            Dl[i] = (Dl[i] + rj[i] - rr[i]) % mod
    return a, b, Dl


def private_rotate(vec, r1, n, k):
    """P0 holds vec, P1 holds r1 -> additive shares of rot_{r1}(vec); P0 sends one message of N*k bits"""
    N, mod = 1 << n, 1 << k
    a, b, Dl = rot_correlation(n, k, r1)
    msg = [(v + x) % mod for v, x in zip(vec, a)]
    s1 = [(x + y) % mod for x, y in zip(rotate(msg, r1), Dl)]
    return [(-x) % mod for x in b], s1


def test_rotation():
    for n, k in ((1, 5), (2, 8), (3, 16), (4, 1)):
        N, mod = 1 << n, 1 << k
        for r0, r1 in itertools.product(range(N), repeat=2):
            # (i) one-hot at r0+r1 mod N, directly with arithmetic-shared index and arithmetic-shared output
            s0, s1 = private_rotate([int(j == r0) for j in range(N)], r1, n, k)
            assert [(x + y) % mod for x, y in zip(s0, s1)] == [int(j == (r0 + r1) % N) for j in range(N)]
            # (ii) public table pre-rotated: shares of U[X]=T[X-r]; online: open X=x+r, read ONE entry
            T = [rng.getrandbits(k) for _ in range(N)]
            s0, s1 = private_rotate(rotate(T, r0), r1, n, k)
            for x in range(N):
                X = (x + r0 + r1) % N
                assert (s0[X] + s1[X]) % mod == T[x]
            # (iii) secret-shared table: each party's share rotated by the other's r; 2 rotations in parallel
            T0 = [rng.getrandbits(k) for _ in range(N)]
            T1 = [(t - u) % mod for t, u in zip(T, T0)]
            p0, p1 = private_rotate(rotate(T0, r0), r1, n, k)       # P0's share, P0 pre-rotates by r0
            q1, q0 = private_rotate(rotate(T1, r1), r0, n, k)       # roles swapped
            for x in range(N):
                X = (x + r0 + r1) % N
                assert (p0[X] + p1[X] + q0[X] + q1[X]) % mod == T[x]
    print("C3 PPRF rotation: constant-round one-hot / pre-rotated public table / secret-shared table (2 parallel rotations), arithmetic index, no bit decomposition, no CCMP: ok all r0,r1 n<=4")

# ---------- C4: K-ary tree, one opening per level: CW_c = S_c ^ [e_digit[c]]*R, R precomputed


def test_kary():
    for kap, L in ((1, 4), (2, 3), (3, 2), (4, 1)):
        K = 1 << kap
        for _ in range(10):
            dig = [rng.randrange(K) for _ in range(L)]
            Rs = [rng.getrandbits(128) for _ in range(L)]
            eR = [[share_xor(Rs[l] if c == dig[l] else 0, 128) for c in range(K)] for l in range(L)]      # precomputed
            e1 = [[share_bit(int(c == dig[l])) for c in range(K)] for l in range(L)]
            lev = [[(rng.getrandbits(128), b)] for b in (0, 1)]
            for l in range(L):
                ch = [[[H(b"k%d" % c, s, 129) for c in range(K)] for s, _ in lev[b]] for b in (0, 1)]
                CW = []
                for c in range(K):
                    S = [0, 0]
                    for b in (0, 1):
                        for x in ch[b]:
                            S[b] ^= x[c]
                    CW.append((S[0] ^ S[1]) ^ ((eR[l][c][0] ^ eR[l][c][1]) | (e1[l][c][0] ^ e1[l][c][1]) << 128))
                lev = [[((x[c] ^ (CW[c] if t else 0)) & M128, ((x[c] ^ (CW[c] if t else 0)) >> 128) & 1) for (s, t), x in zip(lev[b], ch[b]) for c in range(K)] for b in (0, 1)]
            al = 0
            for d in dig:
                al = al * K + d
            for i in range(K ** L):
                assert lev[0][i][1] ^ lev[1][i][1] == int(i == al) and ((lev[0][i][0] == lev[1][i][0]) == (i != al))
    print("C4 K-ary GGM, plain PRG, R precomputed: one opening of K*(lambda+1) bits per level, depth n/kappa: ok")

# ---------- C5: wide comparison by digits (one-hots of the mask digits)


def test_wide():
    rnd = random.Random(5)
    for ell, d in ((32, 8), (64, 8), (16, 4), (32, 16)):
        c, D, L = ell // d, 1 << d, 1 << ell
        for _ in range(4000):
            r = rnd.randrange(L)
            e = rnd.choice([rnd.randrange(L), r, (r + 1) % L, (r - 1) % L, (r & ~((1 << (d * (c // 2))) - 1)) | rnd.randrange(1 << (d * (c // 2)))])
            lt = [int((r >> d * i) % D < (e >> d * i) % D) for i in range(c)]     # prefix parity of one-hot r_i at e_i
            eq = [int((r >> d * i) % D == (e >> d * i) % D) for i in range(c)]    # one-hot bit at e_i
            nodes = list(zip(lt, eq))
            while len(nodes) > 1:
                nodes = [(nodes[j + 1][0] ^ (nodes[j + 1][1] & nodes[j][0]), nodes[j + 1][1] & nodes[j][1]) for j in range(0, len(nodes), 2)]
            assert nodes[0] == (int(r < e), int(r == e))
            # msb / sign test: x = X - r ; msb(x) = X_top ^ r_top ^ 1{X_low < r_low}
            x = rnd.randrange(L)
            X = (x + r) % L
            M = L >> 1
            assert (x >> (ell - 1)) == (X >> (ell - 1)) ^ (r >> (ell - 1)) ^ int(X % M < r % M)
    print("C5 32/64-bit comparison by digits: lt/eq from one-hots, log2(c) AND levels; sign test needs one prefix query on l-1 bits: ok")

# ---------- C6: 1-round spline / piecewise polynomial: payload (1, rho, rho^2), public endpoints (Grotto style), cyclic wrap handled by one extra public endpoint


def test_spline1():
    n, k = 6, 40
    N, mod = 1 << n, 1 << k
    rnd = random.Random(3)
    knots = [0, 10, 16, 33, 50, N]
    co = [[rnd.randrange(mod) for _ in range(3)] for _ in range(5)]
    for rho in range(N):
        def pre(e): return [pow(rho, j) if rho < e else 0 for j in range(3)]       # prefix sums of payload vector (each additively shared)
        for x in range(N):
            d = (x - rho) % N
            y = 0
            for (p, q), c in zip(zip(knots, knots[1:]), co):
                # rho in [p-d, q-d) mod N; split at N-d (above it x = rho+d-N)
                for (u, v, off) in ((p - d, q - d, d), (p - d + N, q - d + N, d - N)):
                    u, v = max(u, 0), min(v, N)
                    if off == d:
                        v = min(v, N - d)
                    else:
                        u = max(u, N - d)
                    if u >= v:
                        continue
                    P = [b - a for a, b in zip(pre(u), pre(v))]
                    # c0 + c1 (rho+off) + c2 (rho+off)^2
                    y += (c[0] + c[1] * off + c[2] * off * off) * P[0] + (c[1] + 2 * c[2] * off) * P[1] + c[2] * P[2]
            seg = max(i for i in range(5) if knots[i] <= x)
            assert y % mod == (co[seg][0] + co[seg][1] * x + co[seg][2] * x * x) % mod
    print("C6 one-round piecewise quadratic: iDPF payload (1,rho,rho^2), one opening d=x-rho, u+1 prefix queries: ok all rho,x")

# ---------- C7: sine without any comparison: (a) signed-lo two-digit LUT, (b) angle-addition correlation


def test_sin():
    s = 9
    N = 2 << s
    m = 5
    g = 6
    F = 1 << (s + g)
    worst = 0
    sq = 0
    n = 0
    def tabs(z): return int(round(math.sin(math.pi * z / (1 << s)) * F))
    def tabc(z): return int(round(math.cos(math.pi * z / (1 << s)) * F))
    rnd = random.Random(1)
    for _ in range(20000):
        x, r = rnd.randrange(N), rnd.randrange(N)
        X = (x + r) % N
        lo, hi = (X & 31) - (r & 31), ((X >> m) - (r >> m)) << m            # signed lo digit: no borrow
        v = tabs(hi) * tabc(lo) + tabc(hi) * tabs(lo)
        y = (v + (1 << (s + 2 * g - 1))) >> (s + 2 * g)
        e = abs(y - round(math.sin(math.pi * x / 512) * 512))
        worst = max(worst, e)
        sq += e
        n += 1
    assert worst <= 1 and sq / n < .01
    print(f"C7a sine: X=x+r opened, hi'=X_hi-r_hi, lo'=X_lo-r_lo SIGNED (no borrow/compare): avg {sq/n:.4f} ulp max {worst}")
    # (b) y = sin(X)*[cos r] - cos(X)*[sin r], shares of cos r, sin r from 4 private products; local truncation in Z_2^64
    k = 64
    mod = 1 << k
    gb = 20
    G = 1 << gb
    worst = tot = 0
    n = 0
    for _ in range(20000):
        r0, r1 = rnd.randrange(N), rnd.randrange(N)
        x = rnd.randrange(N)
        X = (x + r0 + r1) % N
        c = [int(round(math.cos(math.pi * t / 512) * G)) for t in (r0, r1)]
        sn = [int(round(math.sin(math.pi * t / 512) * G)) for t in (r0, r1)]
        cr = share_ar(c[0] * c[1] - sn[0] * sn[1], k)
        sr = share_ar(sn[0] * c[1] + c[0] * sn[1], k)      # scale 2gb, 4 OLE
        SX, CX = int(round(math.sin(math.pi * X / 512) * (1 << 16))), int(round(math.cos(math.pi * X / 512) * (1 << 16)))
        y = [(SX * cr[b] - CX * sr[b]) % mod for b in (0, 1)]
        sh = 2 * gb + 16 - s
        t0 = y[0] >> sh
        t1 = -(((-y[1]) % mod) >> sh)
        out = (t0 + t1) % (1 << (k - sh))
        out -= (1 << (k - sh)) if out >> (k - sh - 1) else 0
        e = abs(out - round(math.sin(math.pi * x / 512) * 512))
        worst = max(worst, e)
        tot += e
        n += 1
    assert worst <= 1 and tot / n < .3
    print(f"C7b sine by angle addition: ONE round, no FSS key; offline = 4 private products; local truncation: avg {tot/n:.4f} ulp max {worst}")
    # (c) proximity delta as a linear combination of cosines: 1 round, no multiplication
    for _ in range(2000):
        xa, xb, ya, yb = (rnd.random() * 2 for _ in range(4))
        def C(z): return math.cos(math.pi * z)
        u, v, w = xa - xb, xa + xb, ya - yb
        lin = .5 - .25 * C(u) + .25 * C(v) - .125 * (C(u + w) + C(u - w) + C(v + w) + C(v - w))
        ref = math.sin(math.pi * u / 2) ** 2 + C(xa) * C(xb) * math.sin(math.pi * w / 2) ** 2
        assert abs(lin - ref) < 1e-12
    print("C7c proximity: delta = 1/2 - cos(u)/4 + cos(v)/4 - [cos(u+w)+cos(u-w)+cos(v+w)+cos(v-w)]/8, u=xa-xb, v=xa+xb, w=ya-yb: LINEAR in cosines -> 1 round: ok")

# ---------- C8: arithmetic share of a mask from xor-shared bits; lookup with sign


def test_misc():
    for ell in (4, 8):
        for _ in range(200):
            a = [[rng.getrandbits(1), rng.getrandbits(1)] for _ in range(ell)]     # LSB first here
            r = sum((x[0] ^ x[1]) << i for i, x in enumerate(a))
            mod = 1 << ell
            sh = [0, 0]
            for i, (u, v) in enumerate(a):
                p = share_ar(u * v, ell)          # one COT with (ell-i-1)-bit message suffices (2^{i+1} p)
                sh[0] += (u << i) - (p[0] << (i + 1))
                sh[1] += (v << i) - (p[1] << (i + 1))
            assert (sh[0] + sh[1]) % mod == r
    # top bit needs no COT (2^{l} p = 0): total message bits sum_{i<l-1} (l-i-1) = l(l-1)/2
    print("C8 arithmetic mask from random xor-shared bits: l-1 COTs, l(l-1)/2 message bits, 1 round (replaces bit decomposition): ok")


if __name__ == "__main__":
    test_halftree()
    test_prefix()
    test_idpf()
    test_rotation()
    test_kary()
    test_wide()
    test_spline1()
    test_sin()
    test_misc()
