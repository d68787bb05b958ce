"""misc checks: end-to-end MSB via one-hot; sign folding; SP-LUT N-1 messages; first PPRF level free; leakage of unreduced index; MUX bits"""
from common import *
import math
from generators import Setup, doubling, doubling_tree
from fixed_point import *
# (c) full MSB of additive shares using n=32 cyclic one-hot correlations from D+A (XOR->additive lift)


def msb_protocol(l, aC, aS, w=4):
    h = 1 << (l - 1)
    c = aC % h
    d = (h - 1 - aS % h)          # carry = 1{d<c}: C holds c, S holds d
    m = math.ceil((l - 1) / w)
    n = 1 << (w + 1)
    opened = 0
    LT = [[], []]
    EQ = [[], []]
    for i in range(m):
        di = d >> (w * i) & ((1 << w) - 1)
        ci = c >> (w * i) & ((1 << w) - 1)
        su = Setup()
        e, _, s = doubling(su, w + 1, w + 1)
        # e_idx = d_i - c_i mod 2^(w+1): share of S (party1) = d_i, share of C (party0) = -c_i
        i0, i1 = (-ci) % n, di
        op = ((i0 - s[0]) + (i1 - s[1])) % n
        opened += 2 * (w + 1)
        tl = [0] * (n // 2) + [1] * (n // 2)
        te = [1] + [0] * (n - 1)
        for p in (0, 1):
            v = [(e[p] >> ((j - op) % n)) & 1 for j in range(n)]
            LT[p].append(sum(v[j] & tl[j] for j in range(n)) & 1)
            EQ[p].append(sum(v[j] & te[j] for j in range(n)) & 1)
    lt = [a ^ b for a, b in zip(*LT)]
    eq = [a ^ b for a, b in zip(*EQ)]
    r = 0
    for i in range(m):
        r = lt[i] ^ (eq[i] & r)
    return (aC >> (l - 1)) ^ (aS >> (l - 1)) ^ r, opened


bad = 0
for l in (8, 13, 32, 64):
    for _ in range(150):
        a = rng.getrandbits(l)
        aS = rng.choice([rng.getrandbits(l), 0, 1 << (l - 1), (1 << l) - 1])
        aC = (a - aS) % (1 << l)
        b, o = msb_protocol(l, aC, aS)
        bad += b != a >> (l - 1)
assert bad == 0
print('MSB end to end via D+A one-hots: wrong', bad)
# (a) sign folding
for _ in range(200):
    l = 64
    M = (1 << l) - 1
    n = 16
    T = [[rng.getrandbits(l) for _ in range(4)] for _ in range(n)]
    bC = [rng.getrandbits(1) for _ in range(n)]
    k = rng.randrange(n)
    bS = [b ^ int(i == k) for i, b in enumerate(bC)]
    tau = sum(bC) - sum(bS)
    z = [(sum(T[i][q] for i in range(n) if bC[i]) - sum(T[i][q] for i in range(n) if bS[i])) & M for q in range(4)]
    u = rng.getrandbits(12)
    pw = [(tau * u**q) & M for q in range(4)]
    assert sum(a * b for a, b in zip(z, pw)) & M == sum(T[k][q] * u**q for q in range(4)) & M
print('sign folding: sum_q z_q*(tau*u^q) = sum_q c_q u^q ok')
# (b) SP-LUT with N-1 messages
for _ in range(300):
    delta, sigma = 4, 8
    N = 16
    T = [rng.getrandbits(sigma) for _ in range(N)]
    x0, x1 = rng.randrange(N), rng.randrange(N)
    m = [rng.getrandbits(sigma) for _ in range(N)]
    s = rng.randrange(N)
    u = s ^ x1
    z0 = T[x0] ^ m[u]                       # forces v_0 = 0
    v = [T[i ^ x0] ^ m[i ^ u] ^ z0 for i in range(N)]
    assert v[0] == 0
    assert z0 ^ v[x1] ^ m[s] == T[x0 ^ x1]
print('SP-LUT with (N-1)*sigma online bits ok')
# leakage if index is opened without reduction mod n
n = 16
L = 8
seen = set()
for s in range(n):
    seen.add((200 - s) % (1 << L))
other = set((7 - s) % (1 << L) for s in range(n))
assert not seen & other
print('index share 200 vs 7 opened mod 2^8 with mask in Z_16: supports disjoint:', not (seen & other), '-> leak')
# non power of two: mod-n reduction of a share mod 2^L is wrong
n = 12
bad = 0
tot = 0
for x in range(n):
    for x0 in range(256):
        x1 = (x - x0) % 256
        bad += ((x0 % n) + (x1 % n)) % n != x
        tot += 1
assert (bad, tot) == (2994, 3072)
print('n=12, share in Z_256 reduced mod 12 gives wrong index in', bad, 'of', tot)
# XOR-share opened against additive mask
n = 16
bad = 0
for x in range(n):
    for a in range(n):
        bad += ((a - 3) + ((x ^ a) - 5)) % n != (x - 8) % n
assert bad > 128
print('boolean index used with an additive one-hot: wrong', bad, 'of 256')
# (d) better softmax: no truncation of the exponentials (scale 30), l=64


def smax(d, fe=15, F=12, trials=100):
    worst = 0
    for _ in range(trials):
        z = np.array([rng.gauss(0, 3) for _ in range(d)])
        X = np.round(z * 2**F).astype(int)
        T = X.max() - X
        e = []
        for t in T:
            if t >= 1 << 16:
                e.append(0)
                continue
            t0 = rng.randrange(1 << 17)
            t1 = (int(t) - t0) % (1 << 17)
            e.append(Ehi[((t0 >> 8) + (t1 >> 8)) % 512] * Elo[(t0 & 255) + (t1 & 255)])
        s = (sum(e) >> 14) - rng.randrange(2)            # one truncation of the sum to scale 16
        Y = round(nr(s / 2**16) * 2**16)
        out = [max(0, (v * Y >> (2 * fe + 16 - F)) - rng.randrange(2)) / 2**F for v in e]
        ref = np.exp(z - z.max())
        ref /= ref.sum()
        worst = max(worst, np.abs(np.array(out) - ref).max())
    return worst * 4096


worst = smax(128), smax(256)
assert max(worst) < 2.2
print('softmax, exponentials kept at scale 30: max err %.2f ulp (d=128), %.2f (d=256)' % worst)
