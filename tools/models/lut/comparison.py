"""millionaires', MSB, CMP, B2A, MUX. exhaustive for small widths."""
from common import *
import math

# (1) one block: e=c-d mod 2^(w+1); lt table, eq table; check moduli


def tables(w, modbits):
    n = 1 << modbits
    lt = [0] * (1 << w) + [1] * (n - (1 << w))
    eq = [1] + [0] * (n - 1)
    return n, lt, eq


for w in (1, 2, 3, 4, 5):
    for modbits in (w, w + 1):
        bad = 0
        if modbits == w:
            # is there ANY table on Z_{2^w}? conflict check
            val = {}
            conflict = False
            for c in range(1 << w):
                for d in range(1 << w):
                    e = (c - d) % (1 << w)
                    v = int(c < d)
                    if val.setdefault(e, v) != v:
                        conflict = True
            assert conflict
            print('w', w, 'mod 2^w: any table possible?', not conflict)
        else:
            n, lt, eq = tables(w, modbits)
            for c in range(1 << w):
                for d in range(1 << w):
                    e = (c - d) % n
                    bad += lt[e] != int(c < d) or eq[e] != int(c == d)
            assert bad == 0
            print('w', w, 'mod 2^(w+1): wrong pairs', bad)

# (2) tree combination, count ANDs


def combine(lts, eqs):
    """lists low..high; returns lt over all, number of ANDs, rounds"""
    ands = 0
    rounds = 0
    cur = list(zip(lts, eqs))      # index 0 = least significant block
    lowest = True
    while len(cur) > 1:
        nxt = []
        rounds += 1
        for i in range(0, len(cur) - 1, 2):
            lo, hi = cur[i], cur[i + 1]
            l = hi[0] ^ (hi[1] & lo[0])
            ands += 1
            if i == 0:
                q = None                    # eq of the lowest block group is never used
            else:
                q = hi[1] & lo[1]
                ands += 1
            nxt.append((l, q))
        if len(cur) % 2:
            nxt.append(cur[-1])
        cur = nxt
    return cur[0][0], ands, rounds


for l in (4, 8, 12, 16, 31, 32, 63, 64):
    w = 4
    m = math.ceil(l / w)
    for _ in range(300):
        c = rng.getrandbits(l)
        d = rng.getrandbits(l) if rng.random() < .6 else c ^ rng.choice([0, 1, 1 << (l - 1)])
        n, lt, eq = tables(w, w + 1)
        L = []
        Q = []
        for i in range(m):
            e = ((c >> (w * i) & 15) - (d >> (w * i) & 15)) % n
            L.append(lt[e])
            Q.append(eq[e])
        r, ands, rounds = combine(L, Q)
        assert r == int(c < d)
    assert ands == 2 * m - 2 - math.ceil(math.log2(m)) and rounds == math.ceil(math.log2(m))
    print('l', l, 'blocks', m, 'ANDs', ands, 'rounds', rounds, '2m-2-ceil(log2 m)=', 2 * m - 2 - math.ceil(math.log2(m)), ' 2m-3=', 2 * m - 3)

# (3) MSB from shares: paper's d = 2^{l-1} - a'_S  vs  corrected d' = 2^{l-1}-1-a'_S, carry = 1{d' < c}
l = 8
h = 1 << (l - 1)
badP = badR = badF = 0
tot = 0
for a in range(1 << l):
    for aS in range(1 << l):
        aC = (a - aS) % (1 << l)
        msb = a >> (l - 1)
        cC, cS = aC % h, aS % h
        mC, mS = aC >> (l - 1), aS >> (l - 1)
        dp = (h - cS) % h                      # reduced to l-1 bits as in the text (d in Z_{2^(l-1)})
        carry_paper_red = 1 ^ int(cC < dp)
        badR += (mC ^ mS ^ carry_paper_red) != msb
        carry_paper = 1 ^ int(cC < h - cS)
        badP += (mC ^ mS ^ carry_paper) != msb    # d allowed to be 2^(l-1) (l bits)
        carry = int((h - 1 - cS) < cC)
        badF += (mC ^ mS ^ carry) != msb
        tot += 1
assert (badR, badF) == (512, 0)
print('MSB l=8: wrong with d reduced mod 2^(l-1):', badR, '/', tot, '; d as l-bit value:', badP, '; corrected:', badF)

# (4) CMP range
bad = 0
badsafe = 0
for x in range(-128, 128):
    for y in range(-128, 128):
        b = 1 ^ (((x - y) % 256) >> 7)
        bad += b != int(x >= y)
        if -64 <= x < 64 and -64 <= y < 64:
            badsafe += b != int(x >= y)
assert (bad, badsafe) == (16384, 0)
print('CMP = 1^MSB(x-y): wrong pairs on full signed range', bad, 'of 65536; on [-2^(l-2),2^(l-2)):', badsafe)

# (5) B2A by one COT of (l-1) bits, (6) MUX exhaustive l=5
for l in (1, 2, 5, 8):
    M = (1 << l) - 1
    for x in (0, 1):
        for x0 in (0, 1):
            x1 = x ^ x0
            # COT: sender corr x0 (mod 2^(l-1)) receiver choice x1 -> p0+p1 = x0*x1 mod 2^(l-1)
            p0 = rng.randrange(max(1, 1 << (l - 1)))
            p1 = (x0 * x1 - p0) % max(1, 1 << (l - 1))
            a0 = (x0 - 2 * p0) & M
            a1 = (x1 - 2 * p1) & M
            assert (a0 + a1) & M == x
print('B2A ok: product needed only mod 2^(l-1); l=1 free')

# paper's Table 8 reconstruction
for l, tot, on, pr in ((32, 5546, 132, 5414), (64, 11114, 276, 10838)):
    m = l // 4
    for n in (16, 32):
        per = 128.6 * math.log2(n) + n
        print(f'l={l} n={n}: m*LUTprep={m*per:.1f} rest prep {pr-m*per:.1f}; online m*2log n={m*2*int(math.log2(n))} rest {on-m*2*int(math.log2(n))} = {(on-m*2*int(math.log2(n)))/4} ANDs')
