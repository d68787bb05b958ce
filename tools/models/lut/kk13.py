"""KK13 protocol with systematic code (choice bits sampled), chosen-message variant, N-MT triples, cost tables."""
from common import *
import numpy as np
from kk13_codes import build, rref
CODES = build()
LEN = {1: 128, 2: 192, 3: 224, 4: 240, 5: 248, 6: 252, 7: 254, 8: 255, 9: 256, 10: 264, 11: 268, 12: 270, 13: 271}


def systematic(G):
    R, piv = rref(G)
    rest = [c for c in range(G.shape[1]) if c not in piv]
    return R[:, piv + rest]            # column permutation is public; distance unchanged


SYS = {k: systematic(CODES[k]) for k in range(1, 13)}


def codeword(k, v):
    G = SYS[k]
    bits = np.array([v >> i & 1 for i in range(k)], dtype=np.uint8)   # bit i of v sits in column i
    return (bits @ G) % 2


def kk13(net, k, m, random_choice=True, choices=None):
    """returns sender key matrix function key(j,v) and receiver (r_j, key_j). P_S sender, P_R receiver"""
    S, R = Party('S', net), Party('R', net)
    rho = LEN[k]
    G = SYS[k]
    s = np.array([rng.getrandbits(1) for _ in range(rho)], dtype=np.uint8)
    # base OTs: R is the sender of seeds k0,k1; S receives k_{s_i}
    k0 = [rng.getrandbits(128) for _ in range(rho)]
    k1 = [rng.getrandbits(128) for _ in range(rho)]
    def g(seed): return np.array([H(seed, 'col', m) >> j & 1 for j in range(m)], dtype=np.uint8)
    T = np.stack([g(x) for x in k0], 1)
    T1 = np.stack([g(x) for x in k1], 1)       # m x rho
    if random_choice:
        r = [sum(int(T[j, i] ^ T1[j, i]) << i for i in range(k)) for j in range(m)]
    else:
        r = choices
    Cm = np.stack([codeword(k, v) for v in r])
    U = T ^ T1 ^ Cm
    if random_choice:
        assert not U[:, :k].any()
    start = k if random_choice else 0
    R.send(S, (rho - start) * m, U[:, start:])
    Ur = S.recv()
    Ufull = np.hstack([np.zeros((m, start), dtype=np.uint8), Ur])
    Q = np.stack([(g(k1[i]) if s[i] else g(k0[i])) ^ (s[i] * Ufull[:, i]) for i in range(rho)], 1)
    assert (Q == (T ^ (Cm * s))).all()
    def pack(v): return int(''.join(map(str, v)), 2)
    def key(j, v, nb): return H(pack(Q[j] ^ (codeword(k, v) * s)), ('kk', j), nb)
    def wrong(j, v, nb): return H(pack(Q[j] ^ codeword(k, v)), ('kk', j), nb)
    def rkey(j, nb): return H(pack(T[j]), ('kk', j), nb)
    return r, key, rkey, wrong, S, R


for k in (1, 2, 4, 8, 9, 10, 11, 12):
    net = Net()
    r, key, rkey, wrong, S, R = kk13(net, k, 16)
    bad = 0
    for j in range(16):
        assert key(j, r[j], 32) == rkey(j, 32)
        bad += wrong(j, r[j], 32) == rkey(j, 32)
        for v in range(min(1 << k, 64)):
            if v != r[j]:
                assert key(j, v, 32) != rkey(j, 32)
    assert net.total("prep") / 16 == LEN[k] - k
    print('k', k, 'bits/OT', net.total('prep') / 16, 'formula', LEN[k] - k, '| paper step 5 H(j,q^gamma) matches receiver in', bad, 'of 16')

# ---- N-MT: t triples from one 1-out-of-4^t OT


def nmt(t, rom):
    """rom=True: random-OT trick, first message of every triple chosen as zero correction"""
    k = 2 * t
    m = 12
    net = Net()
    r, key, rkey, _, S, R = kk13(net, k, m)
    out = []
    for j in range(m):
        a0 = [rng.getrandbits(1) for _ in range(t)]
        b0 = [rng.getrandbits(1) for _ in range(t)]
        pads = [key(j, v, t) for v in range(1 << k)]
        def prod(v, i): return (a0[i] ^ (v >> (2 * i) & 1)) & (b0[i] ^ (v >> (2 * i + 1) & 1))
        if rom:  # c0 fixed so that message 0 equals its pad: c0_i = pad0_i ^ prod(0,i)
            c0 = [(pads[0] >> i & 1) ^ prod(0, i) for i in range(t)]
        else:
            c0 = [rng.getrandbits(1) for _ in range(t)]
        msgs = [sum((prod(v, i) ^ c0[i]) << i for i in range(t)) ^ pads[v] for v in range(1 << k)]
        if rom:
            assert msgs[0] == 0
        S.send(R, t * ((1 << k) - (1 if rom else 0)), msgs)
        M = R.recv()
        got = M[r[j]] ^ rkey(j, t)
        for i in range(t):
            a1, b1 = r[j] >> (2 * i) & 1, r[j] >> (2 * i + 1) & 1
            c1 = got >> i & 1
            assert (c0[i] ^ c1) == ((a0[i] ^ a1) & (b0[i] ^ b1))
    return net.total('prep') / (m * t)


for t in (1, 2, 3):
    assert nmt(t, True) == {1: 193, 2: 133, 3: 145}[t]
    print('N-MT t', t, 'N', 4**t, 'bits/triple paper-style', nmt(t, False), 'with random-message trick', nmt(t, True))
print('N-MT t 4 N 256, counted: paper-style', (255 - 8 + 256 * 4) / 4, 'with random-message trick', (255 - 8 + 255 * 4) / 4)
