"""Codes for KK13 (N=2..8192), min distance by enumeration, systematic form; KK13 protocol; N-MT; costs."""
from common import *
import numpy as np
from itertools import product

# ---- GF(2^8) and narrow-sense BCH cosets


def simplex(k):
    """k x (2^k-1): columns all nonzero vectors"""
    cols = [[c >> i & 1 for i in range(k)] for c in range(1, 1 << k)]
    return np.array(cols, dtype=np.uint8).T


def rep(G, t): return np.tile(G, (1, t))
def parity(): return np.array([[1, 0, 1], [0, 1, 1]], dtype=np.uint8)


def rm1(m):
    pts = range(1 << m)
    return np.array([[1] * (1 << m)] + [[p >> i & 1 for p in pts] for i in range(m)], dtype=np.uint8)


def gf_tables(poly, m):
    exp = [0] * (2 * (1 << m))
    log = [0] * (1 << m)
    x = 1
    for i in range((1 << m) - 1):
        exp[i] = x
        log[x] = i
        x <<= 1
        if x >> m & 1:
            x ^= poly
    for i in range((1 << m) - 1, 2 * (1 << m)):
        exp[i] = exp[i - ((1 << m) - 1)]
    return exp, log


EXP8, LOG8 = gf_tables(0x11d, 8)     # primitive x^8+x^4+x^3+x^2+1


def coset(s, n=255):
    c = []
    x = s
    while x not in c:
        c.append(x)
        x = 2 * x % n
    return tuple(sorted(c))


def bch_nonzeros(design):
    """narrow-sense BCH length 255 with zeros alpha^1..alpha^(design-1); returns nonzero cosets"""
    zeros = set()
    for i in range(1, design):
        zeros |= set(coset(i))
    return sorted({coset(i) for i in range(255) if i not in zeros}), 255 - len(zeros)


def trace_code(cosets):
    """generator rows: c_j = Tr_{d}(beta * alpha^{-ij}) for basis beta: cyclic code with nonzeros alpha^i -> use evaluation form.
       A cyclic code with nonzeros {alpha^i, i in coset} is {(Tr(b*alpha^(-i*j)))_j}"""
    rows = []
    for cs in cosets:
        i = cs[0]
        d = len(cs)
        cand = []
        for b in range(8):
            beta = 1 << b
            row = []
            for j in range(255):
                v = 0
                if True:
                    e = (LOG8[beta] - i * j) % 255
                    y = EXP8[e]
                    acc = 0
                    # absolute trace GF(256)->GF(2)
                    t = y
                    for _ in range(8):
                        acc ^= t
                        t = EXP8[(2 * LOG8[t]) % 255] if t else 0
                    v = acc & 1 if acc in (0, 1) else None
                row.append(v)
            cand.append(row)
        rows += cand
    M = np.array(rows, dtype=np.uint8)
    return rref(M)[0]


def rref(M):
    M = M.copy() % 2
    r = 0
    piv = []
    for c in range(M.shape[1]):
        p = [i for i in range(r, M.shape[0]) if M[i, c]]
        if not p:
            continue
        M[[r, p[0]]] = M[[p[0], r]]
        for i in range(M.shape[0]):
            if i != r and M[i, c]:
                M[i] ^= M[r]
        piv.append(c)
        r += 1
        if r == M.shape[0]:
            break
    return M[:r], piv


def weights(G):
    """full weight enumeration by Gray code with packed ints"""
    rows = [int(''.join(map(str, r)), 2) for r in G]
    w = {}
    cur = 0
    for i in range(1, 1 << len(rows)):
        cur ^= rows[(i & -i).bit_length() - 1]
        k = bin(cur).count('1')
        w[k] = w.get(k, 0) + 1
    return dict(sorted(w.items()))


def ext(G): return np.hstack([G, (G.sum(1) % 2).reshape(-1, 1).astype(np.uint8)])


# GF(16) hyperoval code [18,3,16]_16 : doubly extended RS, concatenated with binary simplex [15,4,8]
EXP4, LOG4 = gf_tables(0x13, 4)
def mul4(a, b): return 0 if a == 0 or b == 0 else EXP4[LOG4[a] + LOG4[b]]


def denniston():
    pts = [(1, t, mul4(t, t)) for t in range(16)] + [(0, 0, 1), (0, 1, 0)]     # hyperoval in PG(2,16): conic + nucleus
    S = simplex(4)
    rows = []
    for u in range(3):
        for b in range(4):
            msg = 1 << b
            row = []
            for p in pts:
                y = mul4(p[u], msg)
                row += list((np.array([y >> i & 1 for i in range(4)]) @ S) % 2)
            rows.append(row)
    return np.array(rows, dtype=np.uint8)


def build():
    C = {}
    C[1] = np.ones((1, 128), dtype=np.uint8)
    C[2] = rep(parity(), 64)
    for k, t in ((3, 32), (4, 16), (5, 8), (6, 4), (7, 2), (8, 1)):
        C[k] = rep(simplex(k), t)
    C[9] = rm1(8)
    # construction X: [256,13,120] > [256,9,128]=RM(1,8), tails with distance 8
    nz, k = bch_nonzeros(119)
    assert k == 13, (k,)
    big = trace_code(nz)
    assert big.shape[0] == 13
    nz9, k9 = bch_nonzeros(127)
    assert k9 == 9
    small = trace_code(nz9)
    bigE, smallE = ext(big), ext(small)
    # complete basis: small rows then 4 extra cosets rows
    basis = [r for r in smallE]
    extra = []
    for r in bigE:
        t = np.array(basis + extra + [r], dtype=np.uint8)
        if rref(t)[0].shape[0] == len(basis) + len(extra) + 1:
            extra.append(r)
    assert len(extra) == 4
    tails = {1: np.ones((1, 8), dtype=np.uint8), 2: rep(parity(), 4), 3: rep(simplex(3), 2), 4: simplex(4)}
    for j, T in tails.items():
        top = np.hstack([smallE, np.zeros((9, T.shape[1]), dtype=np.uint8)])
        bot = np.hstack([np.array(extra[:j]), T])
        C[9 + j if j != 3 else '12x'] = np.vstack([top, bot])
    C[12] = denniston()
    return C


if __name__ == '__main__':
    C = build()
    for k in list(range(1, 13)) + ['12x', 13]:
        G = C[k]
        w = weights(G)
        R, piv = rref(G)
        assert R.shape[0] == G.shape[0]
        assert min(w) == 128 and sum(w.values()) == (1 << G.shape[0]) - 1
        print('k', k, 'N', 1 << G.shape[0], 'length', G.shape[1], 'min dist', min(w), 'max wt', max(w), 'info set', piv[:14], 'weights' if len(w) < 6 else '#wts', w if len(w) < 6 else len(w))
