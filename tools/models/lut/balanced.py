"""one-hot by balanced outer products (log2(delta) rounds): counts bits, RCOTs"""
from common import *


def outer(u, v, cnt, fresh):
    """u,v: [list,list] XOR shares of one-hots (n1,n2). returns shares of u (x) v, index hi*n2+lo.
       choice bits = shares of u[1..n1-1]; payload = shares of v[1..n2-1]; row/col 0 follow from the sum relations."""
    n1, n2 = len(u[0]), len(v[0])
    w = n2 - 1
    out = [[[0] * n2 for _ in range(n1)] for _ in (0, 1)]
    for i in range(1, n1):
        for a, b in ((0, 1), (1, 0)):          # sender a payload v_a, receiver b choice u_b[i]
            cnt['rcot'] += 1
            cnt['bits'] += w + (0 if fresh else 1)
            for j in range(1, n2):
                r = rng.getrandbits(1)
                out[a][i][j] ^= r
                out[b][i][j] ^= r ^ (u[b][i] & v[a][j])
        for p in (0, 1):
            for j in range(1, n2):
                out[p][i][j] ^= u[p][i] & v[p][j]
            s = 0
            for j in range(1, n2):
                s ^= out[p][i][j]
            out[p][i][0] = u[p][i] ^ s
    for p in (0, 1):
        for j in range(n2):
            s = 0
            for i in range(1, n1):
                s ^= out[p][i][j]
            out[p][0][j] = v[p][j] ^ s
    return [[x for row in out[p] for x in row] for p in (0, 1)]


def gen(delta, cnt):
    if delta == 1:
        b = [rng.getrandbits(1), rng.getrandbits(1)]
        return [[1 ^ b[0], b[0]], [b[1], b[1]]], b[0] ^ b[1], 0
    h = delta // 2
    u, s1, r1 = gen(delta - h, cnt)
    v, s2, r2 = gen(h, cnt)
    return outer(u, v, cnt, delta - h == 1), s1 << h | s2, 1 + max(r1, r2)


for delta in range(1, 11):
    cnt = {'rcot': 0, 'bits': 0}
    e, s, r = gen(delta, cnt)
    assert [a ^ b for a, b in zip(*e)] == [int(i == s) for i in range(1 << delta)]
    n = 1 << delta
    assert r == (delta - 1).bit_length() and (delta != 8 or cnt == {"rcot": 50, "bits": 536})
    print('delta', delta, 'balanced: bits', cnt['bits'], 'rcot', cnt['rcot'], 'rounds', r, '| doubling: bits', 2 * (n - delta - 1), 'rcot', 2 * (delta - 1), 'rounds', delta - 1, '| FLUTE+ ANDs', n - delta - 1, '=', round(5.2 * (n - delta - 1), 1), 'bits rcot', 2 * (n - delta - 1))
