"""New generators of a shared random unit vector (one-hot), verified:
 D  : doubling with vector COTs                     (2(n-delta-1) bits, delta-1 rounds)
 DT : doubling to n2, then half-tree (Doerner-shelat) tree of n1 leaves with SHARED payload e_lo
 A  : additive lift of the XOR-shared offset inside the same OTs
 AR : half-tree with arithmetic payload over Z_{2^l}: one-round arithmetic LUT, no MUX
 ST : staged rotation (digits) -- k messages in one, k*n bits, sum_j m_j*n PRG bits
"""
from common import *
import common, math
BLK = [0]


def Hc(x, tw, nb):
    BLK[0] += (nb + 127) // 128
    return H(x, tw, nb)


class Setup:
    def __init__(self):
        self.net = Net()
        self.P = [Party('P0', self.net), Party('P1', self.net)]
        self.D = [rng.getrandbits(128) | 1, rng.getrandbits(128) & ~1]
        self.ctr = 0

    def bit(self):
        """one RCOT in each direction -> XOR-shared random bit with COT data"""
        q0, (b1, t1) = rcot(self.net, self.D[0])
        q1, (b0, t0) = rcot(self.net, self.D[1])
        self.ctr += 1
        return dict(b=[b0, b1], q=[q0, q1], t=[t0, t1], id=self.ctr)


def share_sDelta(su, B):
    # P0: b0*D0 ^ q0 ^ t0 ; P1: b1*D1 ^ t1 ^ q1
    return [(su.D[p] if B['b'][p] else 0) ^ B['q'][p] ^ B['t'][p] for p in (0, 1)]


def doubling(su, delta, lift=None):
    """returns e=[int,int] XOR shares of one-hot of length 2^delta (bit i = entry i), bits list b[j], additive shares of s mod 2^lift"""
    P0, P1 = su.P
    w = lift or 0
    add = [0, 0]
    bitsB = []
    b0 = [rng.getrandbits(1), rng.getrandbits(1)] if not w or w == 1 else None
    m = 1
    e = [1, 0]      # one-hot of length 1: entry 0 = 1
    svals = [0, 0]
    for j in range(delta):
        wid = max(0, w - j - 1)              # additive lift needs b0*b1 mod 2^(w-j-1)
        if j == 0 and wid == 0:
            b = [rng.getrandbits(1), rng.getrandbits(1)]
            se = [b[0], b[1]]
            prod = [0, 0]
        else:
            B = su.bit()
            b = B['b']
            nb = (m - 1)                  # last entry comes from the sum relation
            msk = (1 << nb) - 1
            # direction P0->P1 (sender P0, choice b1): payload e0[0..m-2], plus arithmetic b0 (wid bits)
            x0, x1 = Hc(B['q'][0], ('d', B['id']), nb + wid), Hc(B['q'][0] ^ su.D[0], ('d', B['id']), nb + wid)
            cv = (x0 ^ x1 ^ e[0]) & msk
            ca = ((x0 >> nb) - (x1 >> nb) + b[0]) % (1 << wid) if wid else 0
            P0.send(P1, nb + wid, (cv, ca))
            y0, y1 = Hc(B['q'][1], ('e', B['id']), nb), Hc(B['q'][1] ^ su.D[1], ('e', B['id']), nb)
            P1.send(P0, nb, ((y0 ^ y1 ^ e[1]) & msk))
            c = P1.recv()
            c2 = P0.recv()
            g = Hc(B['t'][1], ('d', B['id']), nb + wid)
            r1 = (g & msk) ^ (c[0] if b[1] else 0)
            pa1 = ((g >> nb) + b[1] * c[1]) % (1 << wid) if wid else 0
            pa0 = (-(x0 >> nb)) % (1 << wid) if wid else 0
            prod = [pa0, pa1]
            g0 = Hc(B['t'][0], ('e', B['id']), nb)
            r0 = (g0 & msk) ^ (c2 if b[0] else 0)
            se = [0, 0]
            se[0] = ((e[0] & msk) if b[0] else 0) ^ (x0 & msk) ^ r0
            se[1] = ((e[1] & msk) if b[1] else 0) ^ (y0 & msk) ^ r1
            for p in (0, 1):           # last entry: sum of (s*e) = s
                par = bin(se[p]).count('1') & 1
                se[p] |= ((par ^ b[p]) << (m - 1))
        if w:
            for p in (0, 1):
                add[p] = (add[p] + ((b[p] - 2 * prod[p]) << j)) % (1 << w)
        for p in (0, 1):
            e[p] = (e[p] ^ se[p]) | (se[p] << m)
            svals[p] |= b[p] << j
        m *= 2
    return e, svals, add


def tree(su, d1, lift_from=None, w=0):
    """half-tree DPF with XOR-shared random path; returns leaves per party, path shares, additive lift shares (bits weight given)"""
    P0, P1 = su.P
    su.ctr += 1
    W = su.ctr << 8
    nodes = [[su.D[0] ^ W], [su.D[1] ^ W]]
    sv = [0, 0]
    add = [0, 0]
    for lev in range(d1):
        B = su.bit()
        b = B['b']
        h = [[Hc(x, 'ht', 128) for x in nodes[p]] for p in (0, 1)]
        sd = share_sDelta(su, B)
        m = []
        for p in (0, 1):
            a = 0
            for x in h[p]:
                a ^= x
            m.append(a ^ su.D[p] ^ sd[p])
        pos = None
        prod = [0, 0]
        wid = 0
        if w:
            j = lift_from + d1 - 1 - lev          # weight of this bit in s
            wid = max(0, w - j - 1)
            if wid:
                x0, x1 = Hc(B['q'][0], ('l', B['id']), wid), Hc(B['q'][0] ^ su.D[0], ('l', B['id']), wid)
                ca = (x0 - x1 + b[0]) % (1 << wid)
                prod = [-x0 % (1 << wid), (Hc(B['t'][1], ('l', B['id']), wid) + b[1] * ca) % (1 << wid)]
            for p in (0, 1):
                add[p] = (add[p] + ((b[p] - 2 * prod[p]) << j)) % (1 << w)
        P0.send(P1, 128 + wid, m[0])
        P1.send(P0, 128, m[1])
        P0.recv()
        P1.recv()
        CW = m[0] ^ m[1]
        for p in (0, 1):
            nx = []
            for x, hh in zip(nodes[p], h[p]):
                t = x & 1
                L = hh ^ (CW if t else 0)
                nx += [L, L ^ x]
            # right child = left ^ parent must also carry CW: H(x)^x^t*CW
            nodes[p] = nx
            sv[p] = (sv[p] << 1) | b[p]
    s = sv[0] ^ sv[1]
    for i, (x, y) in enumerate(zip(*nodes)):
        assert (x ^ y) == ((su.D[0] ^ su.D[1]) if i == s else 0)
    return nodes, sv, add


def doubling_tree(su, delta, d2, lift=False):
    """one-hot of length 2^delta = tree(d1) x doubling(d2)"""
    d1 = delta - d2
    n2 = 1 << d2
    w = delta if lift else 0
    e, lo, addl = doubling(su, d2, w if lift else None)
    if d1 == 0:
        return e, lo, addl
    nodes, hi, addh = tree(su, d1, d2, w)
    P0, P1 = su.P
    G = [[Hc(x, 'leaf', n2) for x in nodes[p]] for p in (0, 1)]
    m = []
    for p in (0, 1):
        a = e[p]
        for g in G[p]:
            a ^= g
        m.append(a)
    P0.send(P1, n2, m[0])
    P1.send(P0, n2, m[1])
    P0.recv()
    P1.recv()
    CW = m[0] ^ m[1]
    out = [0, 0]
    for p in (0, 1):
        for i, (x, g) in enumerate(zip(nodes[p], G[p])):
            out[p] |= (g ^ (CW if x & 1 else 0)) << (i * n2)
    return out, [hi[p] << d2 | lo[p] for p in (0, 1)], [(addl[p] + addh[p]) % (1 << delta) for p in (0, 1)]


def arith_onehot(su, delta, l):
    """arithmetic one-hot shares over Z_{2^l}; XOR-shared s and additive s"""
    M = (1 << l) - 1
    P0, P1 = su.P
    nodes, sv, add = tree(su, delta, 0, delta)
    A = []
    T = []
    conv = [[Hc(x, 'cv', l) for x in nodes[p]] for p in (0, 1)]
    for p in (0, 1):
        A.append(sum(conv[p]) & M)
        T.append(sum(x & 1 for x in nodes[p]))
    su_ = [(T[0]) & 3, (-T[1]) & 3]
    beta = [su_[0] >> 1 & 1, su_[1] >> 1 & 1]     # beta0^beta1=1 iff T0-T1=-1
    # CW = tau*(1-A0+A1): z0=1-A0, z1=A1 ; tau=tau0*tau1 ; one (l-1)-bit COT each way (+1 choice bit each)
    z = [(1 - A[0]) & M, A[1] & M]
    u = [(z[p] if not beta[p] else -z[p]) & M for p in (0, 1)]
    su.net.rot += 2
    swap(P0, P1, 1, 0, 0)
    M1 = M >> 1
    pr = [rng.getrandbits(l) & M1, rng.getrandbits(l) & M1]     # ideal COT shares
    o = [(u[0] - 2 * pr[0] - 2 * ((u[1] * beta[0] - pr[1]) & M1)) & M, (u[1] - 2 * pr[1] - 2 * ((u[0] * beta[1] - pr[0]) & M1)) & M]
    swap(P0, P1, l - 1, 0, 0)
    swap(P0, P1, l, o[0], o[1])
    CW = (o[0] + o[1]) & M
    y = [[(c + (CW if x & 1 else 0)) & M for c, x in zip(conv[0], nodes[0])], [-(c + (CW if x & 1 else 0)) & M for c, x in zip(conv[1], nodes[1])]]
    return y, sv, add


def staged(delta, digits):
    """digits: list of bit widths (low to high) summing to delta. one-hot at sC + alpha mod n, single message C->S"""
    n = 1 << delta
    M = (1 << n) - 1
    def rotl(v, k): return ((v << (k % n)) | (v >> (n - (k % n)))) & M if k % n else v     # int: bit i -> i+k = right-rotation of the list
    def rotr(v, k): return rotl(v, -k % n)
    blocks = 0
    bits = 0
    rots = 0
    sC = rng.randrange(n)
    v = 1 << sC
    y = 0
    alpha = 0
    R = 1
    for w in digits:
        m = 1 << w
        leaves = [rng.getrandbits(128) for _ in range(m)]
        a_d = rng.randrange(m)
        d = [Hc(x, 'st', n) for x in leaves]
        blocks += m * ((n + 127) // 128) + m
        r = a = 0
        for i in range(m):
            r ^= d[i]
            a ^= rotr(d[i], i * R)
        rS = aS = 0
        for i in range(m):
            if i != a_d:
                rS ^= d[i]
                aS ^= rotr(d[i], i * R)
        msg = v ^ a
        bits += n + 128 * w
        rots += w
        c = rotl(aS, a_d * R) ^ rS
        y = rotl(y, a_d * R) ^ rotl(msg, a_d * R) ^ c
        v = r
        alpha += a_d * R
        R *= m
    assert v ^ y == 1 << ((sC + alpha) % n)
    return bits, rots, blocks


if __name__ == '__main__':
    for delta in range(1, 10):
        for _ in range(40):
            su = Setup()
            e, s, _ = doubling(su, delta)
            assert e[0] ^ e[1] == 1 << (s[0] ^ s[1])
            assert su.net.total('prep') == 2 * ((1 << delta) - delta - 1)
            su = Setup()
            e, s, add = doubling(su, delta, delta)
            assert e[0] ^ e[1] == 1 << (s[0] ^ s[1]) and (add[0] + add[1]) % (1 << delta) == s[0] ^ s[1]
            assert su.net.total('prep') == 2 * ((1 << delta) - delta - 1) + delta * (delta - 1) // 2
    print('D and A ok; bits 2(n-delta-1), lift + delta(delta-1)/2')
    for delta, d2 in ((4, 2), (5, 3), (8, 5), (9, 7), (10, 7)):
        for _ in range(5):
            su = Setup()
            e, s, add = doubling_tree(su, delta, d2, True)
            assert e[0] ^ e[1] == 1 << (s[0] ^ s[1]) and (add[0] + add[1]) % (1 << delta) == s[0] ^ s[1]
    print('DT ok')
    for delta, l in ((2, 8), (4, 16), (6, 64), (8, 64)):
        for _ in range(5):
            su = Setup()
            y, s, add = arith_onehot(su, delta, l)
            tot = [(a + b) & ((1 << l) - 1) for a, b in zip(*y)]
            assert tot == [int(i == s[0] ^ s[1]) for i in range(1 << delta)] and (add[0] + add[1]) % (1 << delta) == s[0] ^ s[1]
    print('AR ok')
    print('delta | D bits rOT rounds blocks | DT(d2=7) | AR(l=64) | staged k=2')
    for delta in (4, 5, 6, 7, 8, 9, 10, 12, 14, 16):
        row = []
        if delta <= 10:
            su = Setup()
            BLK[0] = 0
            doubling(su, delta, delta)
            row.append(('D+A', su.net.total('prep'), su.net.rot, su.net.rounds['prep'], BLK[0] / 2))
        if delta > 7:
            su = Setup()
            BLK[0] = 0
            doubling_tree(su, delta, 7, True)
            row.append(('DT+A', su.net.total('prep'), su.net.rot, su.net.rounds['prep'], BLK[0] / 2))
        if delta <= 10:
            su = Setup()
            BLK[0] = 0
            arith_onehot(su, delta, 64)
            row.append(('AR64', su.net.total('prep'), su.net.rot, su.net.rounds['prep'], BLK[0] / 2))
        if delta <= 12:
            k2 = [delta // 2, delta - delta // 2]
            b, r, bl = staged(delta, k2)
            row.append(('ST2', b, r, 1, bl))
            b, r, bl = staged(delta, [delta]) if delta <= 9 else (128 * delta + (1 << delta), delta, (1 << delta) * (1 + (1 << delta) // 128))
            row.append(('ROTL', b, r, 1, bl))
        print(delta, row)
