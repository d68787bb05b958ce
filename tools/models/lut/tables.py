"""OTTT, OP-LUT, SP-LUT (boolean and arithmetic), role switching, multi-output combining."""
from common import *
from itertools import product


def share_xor(x, k): a = rng.getrandbits(k); return a, x ^ a

# ---- OTTT offline by GMW on a circuit (here: ideal AND count) + online


def ottt(T, delta, sigma, x0, x1):
    N = 1 << delta
    r = rng.randrange(N)
    s = rng.randrange(N)
    T0 = [rng.getrandbits(sigma) for _ in range(N)]
    T1 = [T[r ^ s ^ i] ^ T0[i] for i in range(N)]
    u, v = x0 ^ r, x1 ^ s
    return T0[u ^ v], T1[u ^ v]


def op_lut(net, P0, P1, T, delta, sigma):
    N = 1 << delta
    r = rng.randrange(N)
    T0 = [rng.getrandbits(sigma) for _ in range(N)]
    # 1-of-N OT from 1-of-N random OT with random choice s: N messages of N*sigma bits
    pads = [[rng.getrandbits(sigma) for _ in range(N)] for _ in range(N)]
    s = rng.randrange(N)
    msg = [[T[r ^ c ^ i] ^ T0[i] ^ pads[c][i] for i in range(N)] for c in range(N)]
    P0.send(P1, N * N * sigma, msg)
    m = P1.recv()
    T1 = [m[s][i] ^ pads[s][i] for i in range(N)]
    return (T0, r), (T1, s)


def sp_prep(N, sigma):
    m = [rng.getrandbits(sigma) for _ in range(N)]
    s = rng.randrange(N)
    return m, (s, m[s])


def sp_online(net, snd, rcv, T, delta, sigma, xs, xr, prep):
    """snd holds pads m, rcv holds (s, m_s). boolean index"""
    m, (s, ms) = prep
    N = 1 << delta
    rcv.send(snd, delta, s ^ xr)
    u = snd.recv()
    z = rng.getrandbits(sigma)
    snd.send(rcv, N * sigma, [T[i ^ xs] ^ m[i ^ u] ^ z for i in range(N)])
    V = rcv.recv()
    return z, V[xr] ^ ms


def sp_online_arith(T, n, l, xs, xr, prep):
    m, (s, ms) = prep
    M = (1 << l) - 1
    u = (s - xr) % n
    z = rng.getrandbits(l)
    V = [(T[(i + xs) % n] + m[(i + u) % n] - z) & M for i in range(n)]
    return z, (V[xr] - ms) & M


for delta, sigma in ((1, 1), (2, 1), (3, 2), (4, 3), (5, 8)):
    N = 1 << delta
    T = [rng.getrandbits(sigma) for _ in range(N)]
    for x in range(N):
        for x0 in range(N):
            x1 = x ^ x0
            a, b = ottt(T, delta, sigma, x0, x1)
            assert a ^ b == T[x]
            net = Net()
            P0, P1 = Party('P0', net), Party('P1', net)
            a, b = sp_online(net, P0, P1, T, delta, sigma, x0, x1, sp_prep(N, sigma))
            assert a ^ b == T[x]
            assert net.total('prep') == delta + N * sigma and net.rounds['prep'] == 2
            xa = (x - x0) % N
            a, b = sp_online_arith(T, N, sigma, x0, xa, sp_prep(N, sigma))
            assert (a + b) & ((1 << sigma) - 1) == T[x]
    net = Net()
    P0, P1 = Party('P0', net), Party('P1', net)
    (T0, r), (T1, s) = op_lut(net, P0, P1, T, delta, sigma)
    for x0, x1 in product(range(N), repeat=2):
        u = x0 ^ r ^ x1 ^ s
        assert T0[u] ^ T1[u] == T[x0 ^ x1]
    # additive variant of OP-LUT
    n = N
    l = sigma
    M = (1 << l) - 1
    r = rng.randrange(n)
    s = rng.randrange(n)
    T0 = [rng.getrandbits(l) for _ in range(n)]
    T1 = [(T[(i - r - s) % n] - T0[i]) & M for i in range(n)]
    for x0, x1 in product(range(n), repeat=2):
        u = (x0 + r + x1 + s) % n
        assert (T0[u] + T1[u]) & M == T[(x0 + x1) % n]
print('OTTT / OP-LUT / SP-LUT exhaustive ok (xor and additive index)')

# additive, n not a power of two, SP-LUT and OP-LUT work with any n
for n in (3, 5, 6, 7, 12):
    T = [rng.getrandbits(8) for _ in range(n)]
    for x0, x1 in product(range(n), repeat=2):
        a, b = sp_online_arith(T, n, 8, x0, x1, sp_prep(n, 8))
        assert (a + b) & 255 == T[(x0 + x1) % n]
print('SP-LUT arithmetic any n ok')

# ---- role switching: chain of D LUTs, D+1 messages


def sp_chain(D, delta, switch):
    N = 1 << delta
    tabs = [[rng.getrandbits(delta) for _ in range(N)] for _ in range(D)]
    x = rng.randrange(N)
    expect = x
    for T in tabs:
        expect = T[expect]
    net = Net()
    P = [Party('P0', net), Party('P1', net)]
    sh = list(share_xor(x, delta))
    preps = [sp_prep(N, delta) for _ in range(D)]
    if not switch:
        for d in range(D):
            a, b = sp_online(net, P[0], P[1], tabs[d], delta, delta, sh[0], sh[1], preps[d])
            sh = [a, b]
    else:
        # layer d: receiver = d+1 mod 2, sender = d mod 2. message u of layer d+1 rides with V of layer d
        rcv, snd = 1, 0
        m, (s, ms) = preps[0]
        P[rcv].send(P[snd], delta, s ^ sh[rcv])
        u = P[snd].recv()
        for d in range(D):
            m, (s, ms) = preps[d]
            z = rng.getrandbits(delta)
            V = [tabs[d][i ^ sh[snd]] ^ m[i ^ u] ^ z for i in range(N)]
            nb = N * delta
            nxt = None
            if d + 1 < D:               # old sender becomes receiver of the next layer; its new share is z (known at once)
                m2, (s2, ms2) = preps[d + 1]
                nxt = s2 ^ z
                nb += delta
            P[snd].send(P[rcv], nb, (V, nxt))
            V, nxt = P[rcv].recv()
            new = [0, 0]
            new[snd] = z
            new[rcv] = V[sh[rcv]] ^ ms
            sh = new
            u = nxt
            rcv, snd = snd, rcv
    assert sh[0] ^ sh[1] == expect
    return net.rounds['prep'], net.total('prep')


for D in (1, 2, 3, 5, 8):
    for _ in range(30):
        r0, b0 = sp_chain(D, 4, False)
        r1, b1 = sp_chain(D, 4, True)
        assert (r0, r1) == (2 * D, D + 1) and b0 == b1
print('role switching: 2D -> D+1 messages, same bits, ok')

# ---- multi-output combining


def cost_sp(delta, sigma):  # bits, KK13 codes
    code = {1: 128, 2: 192, 3: 224, 4: 240, 5: 248, 6: 252, 7: 254, 8: 255, 9: 256, 10: 264, 11: 268, 12: 270}[delta]
    return code - delta + delta + (1 << delta) * sigma


assert (cost_sp(3, 1) + cost_sp(4, 1), cost_sp(5, 2)) == (488, 312)
print('combine 3-in and 4-in sharing 2 inputs:', cost_sp(3, 1) + cost_sp(4, 1), '->', cost_sp(5, 2))
assert (8 * cost_sp(8, 1), cost_sp(8, 8)) == (4088, 2303)
print('8-in 8-out: separate', 8 * cost_sp(8, 1), 'combined', cost_sp(8, 8))
