"""FLUTE direct expansion, FLUTE+ zeta transform (index convention), GMW AND, AND counts/rounds, masked-wire (original FLUTE) form."""
from common import *


def mt(net):
    a0, a1, b0, b1, c0 = [rng.getrandbits(1) for _ in range(5)]
    return (a0, b0, c0), (a1, b1, c0 ^ ((a0 ^ a1) & (b0 ^ b1)))


def gmw_and(net, C, S, x, y):
    """x=(xC,xS); 2 bits each way"""
    (a0, b0, c0), (a1, b1, c1) = mt(net)
    net.mts = getattr(net, 'mts', 0) + 1
    d0, e0, d1, e1 = x[0] ^ a0, y[0] ^ b0, x[1] ^ a1, y[1] ^ b1
    swap(C, S, 2, (d0, e0), (d1, e1))
    d, e = d0 ^ d1, e0 ^ e1
    return (c0 ^ (d & b0) ^ (e & a0) ^ (d & e), c1 ^ (d & b1) ^ (e & a1))


def subset_products(net, C, S, alpha, delta, balanced=True):
    """prod[S] = AND_{j in S} alpha_j for all non-empty S"""
    n = 1 << delta
    prod = {1 << j: alpha[j] for j in range(delta)}
    depth = {1 << j: 0 for j in range(delta)}
    for m in sorted(range(1, n), key=lambda v: (bin(v).count('1'), v)):
        if m in prod:
            continue
        if balanced:
            bits = [j for j in range(delta) if m >> j & 1]
            h = len(bits) // 2
            a = sum(1 << j for j in bits[:h])
            b = m ^ a
        else:
            a = m & -m
            b = m ^ a
        prod[m] = gmw_and(net, C, S, prod[a], prod[b])
        depth[m] = 1 + max(depth[a], depth[b])
    return prod, max(depth.values())


def zeta(s, delta, variant):
    n = 1 << delta
    s = list(s)
    for j in range(delta):
        for i in range(n):
            if i >> j & 1:
                k = i - (1 << j) if variant == 'right' else i + (1 << j)
                if k >= n:
                    return None
                s[i] = s[i] ^ s[k]
    return s


for delta in range(1, 7):
    n = 1 << delta
    for alpha_v in range(n):
        net = Net()
        C, S = Party('C', net), Party('S', net)
        al = []
        for j in range(delta):
            c = rng.getrandbits(1)
            al.append((c, (alpha_v >> j & 1) ^ c))
        prod, dep = subset_products(net, C, S, al, delta)
        assert getattr(net, 'mts', 0) == n - delta - 1
        Cs = [0] * n
        Ss = [0] * n
        for i in range(n):
            Q = (n - 1) ^ i
            if Q == 0:
                Cs[i], Ss[i] = 1, 0
            else:
                Cs[i], Ss[i] = prod[Q]
        zC, zS = zeta(Cs, delta, 'right'), zeta(Ss, delta, 'right')
        v = [a ^ b for a, b in zip(zC, zS)]
        assert v == [int(i == (n - 1) ^ alpha_v) for i in range(n)]     # one-hot at the COMPLEMENT of alpha
        # online
        T = [rng.getrandbits(5) for _ in range(n)]
        for x in range(n):
            m = x ^ alpha_v
            mb = m ^ (n - 1)
            y = 0
            for i in range(n):
                if v[i ^ mb]:
                    y ^= T[i]
            assert y == T[x]
            # direct FLUTE expansion: product over inputs of (1^i_j^m_j^alpha_j)
            for w in (0, n - 1, x):
                p = 1
                for j in range(delta):
                    p &= 1 ^ (w >> j & 1) ^ (m >> j & 1) ^ (alpha_v >> j & 1)
                assert p == int(w == x)
        # simplified convention: Cs[i] = prod[i], s_0 = 1 ; superset (Moebius) transform gives one-hot at alpha
        A = [0] * n
        B = [0] * n
        for i in range(n):
            if i == 0:
                A[i], B[i] = 1, 0
            else:
                A[i], B[i] = prod[i]
        for j in range(delta):
            for i in range(n):
                if not i >> j & 1:
                    A[i] ^= A[i | 1 << j]
                    B[i] ^= B[i | 1 << j]
        assert [a ^ b for a, b in zip(A, B)] == [int(i == alpha_v) for i in range(n)]
    print('delta', delta, 'ANDs', n - delta - 1, 'AND-depth balanced', dep, 'ok; paper step2 (i+2^j):', zeta(list(range(n)), delta, 'paper'))

# masked-wire form as in the original FLUTE: inputs have public m=x^lambda; output y = m_y ^ lambda_y : 1 bit per output per party
for delta in (2, 3, 4):
    n = 1 << delta
    for _ in range(50):
        lam = rng.randrange(n)
        x = rng.randrange(n)
        T = [rng.getrandbits(3) for _ in range(n)]
        hC = [rng.getrandbits(1) for _ in range(n)]
        hS = [h ^ int(i == lam) for i, h in enumerate(hC)]
        m = x ^ lam
        lyC, lyS = rng.getrandbits(3), rng.getrandbits(3)
        yC = lyC
        yS = lyS
        for i in range(n):
            if hC[i ^ m]:
                yC ^= T[i]
            if hS[i ^ m]:
                yS ^= T[i]
        my = yC ^ yS
        assert my ^ lyC ^ lyS == T[x]
print('masked-wire LUT ok (opens l bits/party of output instead of log n of input)')
