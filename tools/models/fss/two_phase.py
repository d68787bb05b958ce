"""A comparison key in two phases; views of the half-tree's key generation; truncation with a slack bit; equality with a secret; costs."""
from common import *
import collections, os
import keygen as A
import one_hot as C
FULL = os.environ.get('MODELS') == 'full'      # the sizes that docs/spec quotes; smaller ones otherwise


def uniform():
    n, N = 3, 30000 if FULL else 2000
    worst = 0
    D0, nonce = rng.getrandbits(128) & ~1, 77
    for alpha in range(8) if FULL else (0, 5):
        cntr = collections.Counter()
        for _ in range(N):
            D = [D0, rng.getrandbits(128) | 1]
            R = H(b"crs", nonce, 128) & ~1
            lev = [[D[0] ^ R], [D[1] ^ R]]
            ops = []
            for i in range(n):
                a = (alpha >> (n - 1 - i)) & 1
                cw = 0 if a else D[0] ^ D[1]
                for b in (0, 1):
                    for s in lev[b]:
                        cw ^= C.ccr(s)
                ops.append((cw >> 3) & 3)
                lev = [[y for s in lev[b] for y in (C.ccr(s) ^ (cw if s & 1 else 0), C.ccr(s) ^ s ^ (cw if s & 1 else 0))] for b in (0, 1)]
            cntr[tuple(ops)] += 1
        chi = sum((cntr[c] - N / 64) ** 2 / (N / 64) for c in cntr) + (64 - len(cntr)) * N / 64
        worst = max(worst, chi)
    assert worst < 120
    print(f"half-tree CWs given P0's root: chi^2 over 64 cells, worst of 8 alphas {worst:.1f} (dof 63, 99.9% = 104)")


def trunc():
    for ell in (5, 6, 7):
        L = 1 << ell
        for s in range(1, ell - 1):
            for x in range(-(L >> 2), L >> 2):
                for r in range(L):
                    xp = x + (L >> 2)
                    X = (xp + r) % L
                    wrap = (r >> (ell - 1)) & 1 & (1 - (X >> (ell - 1)))
                    y = (X >> s) - (r >> s) - int(X % (1 << s) < r % (1 << s)) + (wrap << (ell - s)) - (L >> 2 >> s)
                    assert y % L == (x >> s) % L
    print("full-width signed truncation, |x|<2^{l-2}: wrap = r_msb & ~X_msb (linear in shares) + one s-bit prefix query: exact, ok all x,r,s l<=7")


def eqsecret():
    n = 4
    N = 16
    for alpha in range(N):
        for rho in range(N):
            r = (rho - alpha) % N           # share-wise local
            for x in range(N):
                assert int((x + r) % N == rho) == int(x == alpha)
    print("EQ with SECRET alpha: key at random rho, r := rho - alpha (local): no bit decomposition: ok")


def table():
    def nand(n): return 0 if n <= 1 else 2 ** n - n - 1
    print("domain nu | rounds(levels+leaf) | open B/dir | AND B/dir | mask B | hashes/party | COT total")
    for n, nus in ((4, (0, 4)), (5, (0, 5)), (8, (0, 4, 5, 8)), (10, (0, 4, 5, 7)), (12, (0, 4, 7)), (16, (0, 4, 5, 7)), (18, (4, 7)), (20, (4, 7)), (24, (7,))):
        for nu in nus:
            d = n - nu
            rounds = d + (1 if nu and d else 0) if d else (n - 1).bit_length()
            op = d * 16 + ((1 << nu) / 8 if nu and d else 0)
            an = nand(nu) * 2 / 8
            mask = n * (n - 1) / 2 / 8
            hs = ((1 << d) - 1 + (1 << d if nu else 0)) if d else 0
            cot = 2 * d + 2 * nand(nu) + n - 1
            print(f"{n:3d} {nu} | {rounds:2d} | {op:6.1f} | {an:5.1f} | {mask:4.1f} | {hs} | {cot}")


def dcf_two_phase():
    """DCF keygen where the whole comparison part is deferred until after the tree (V stays shared): 3 batched steps instead of per-level work"""
    k = 16
    mod = 1 << k
    for ell in (1, 2, 4):
        for alpha in range(1 << ell):
            ab = [share_bit((alpha >> (ell - 1 - i)) & 1) for i in range(ell)]
            beta = rng.getrandbits(k)
            bs = share_ar(beta, k)
            roots, CW, _, _ = A.dpf_gen(None, ab, [0, 0], ell, 1, leaf="bit")        # phase 1: tree only
            lev = [[(roots[b], b)] for b in (0, 1)]
            sums = []
            tsum = []
            for i in range(ell):
                Vs = [[0, 0], [0, 0]]
                for b in (0, 1):
                    for s, _ in lev[b]:
                        Vs[0][b] += conv(b"vL", s, k)
                        Vs[1][b] += conv(b"vR", s, k)
                sums.append(Vs)
                tsum.append([sum(t for _, t in lev[b]) for b in (0, 1)])
                lev = [A.tree_level(lev[b], CW[i]) for b in (0, 1)]
            sums_leaf = [sum(conv(b"leaf", s, k) for s, _ in lev[b]) for b in (0, 1)]
            tleaf = [sum(t for _, t in lev[b]) for b in (0, 1)]
            # batch 1: phi_i (and eta_i) for all levels
            phi = [F_MUXA(None, [-v[0][0] % mod, v[0][1] % mod], [-v[1][0] % mod, v[1][1] % mod], [ab[i][0], ab[i][1] ^ 1], k) for i, v in enumerate(sums)]
            eta = [F_MUXA(None, [0, 0], bs, ab[i], k) for i in range(ell)]
            # local: V_i chain ; batch 2: sign MUX ; batch 3: open
            V = [0, 0]
            out = []
            for i in range(ell):
                base = [(phi[i][b] - V[b] + eta[i][b]) % mod for b in (0, 1)]
                g = A.ccmp_local(*tsum[i])
                out.append(open_ar(None, F_MUXA(None, base, [-x % mod for x in base], g, k), k))
                V = [((1, -1)[b] * (sums[i][0][b] + sums[i][1][b]) + 2 * phi[i][b] + eta[i][b]) % mod for b in (0, 1)]
            base = [(-sums_leaf[0] - V[0]) % mod, (sums_leaf[1] - V[1]) % mod]
            W = open_ar(None, F_MUXA(None, base, [-x % mod for x in base], A.ccmp_local(*tleaf), k), k)
            KCW = [c + (o,) for c, o in zip(CW, out)]
            for x in range(1 << ell):
                y = (A.dcf_eval(0, roots[0], KCW, W, x, ell, k) + A.dcf_eval(1, roots[1], KCW, W, x, ell, k)) % mod
                assert y == (beta if x < alpha else 0)
    print("DCF in two phases (tree, then 3 batched steps for all V_CW): ok all alpha,x")


def local_tr():
    for l, t in ((3, 3), (2, 4), (4, 2)):
        K = l + t
        M = 1 << K
        for a in range(M):
            for b in range(M):
                v = (a + b) % M
                o = ((a >> t) - ((-b % M) >> t)) % (1 << l)
                assert o in ((v >> t) % (1 << l), ((v >> t) + 1) % (1 << l))
    print("local truncate-and-reduce: floor or floor+1 for ALL shares")


if __name__ == "__main__":
    trunc()
    eqsecret()
    table()
    uniform()
    dcf_two_phase()
    local_tr()
