"""Secret-shared permutation (n PPRFs), rotation with one PPRF, GGM + half-tree PPRF."""
from common import *
import itertools

# ---------- PPRF ----------


def ggm_full(pair, depth):
    """plain GGM: children (H(x,0),H(x,1)); returns leaves and per-level (K0,K1)=xor of all left/right children.
       The first level is the given pair (the two strings of the first random OT): no message for it."""
    lvl = list(pair)
    K = [tuple(pair)]
    for d in range(1, depth):
        nxt = []
        k = [0, 0]
        for x in lvl:
            for b in (0, 1):
                c = H(x, ('g', b))
                nxt.append(c)
                k[b] ^= c
        K.append(tuple(k))
        lvl = nxt
    return lvl, K


def ggm_punct(alpha_bits, sums):
    """receiver: alpha_bits msb first; sums[d] = K[d][1^alpha_d]. returns leaves with None at alpha"""
    lvl = [None]
    for d, a in enumerate(alpha_bits):
        nxt = []
        if d == 0:
            nxt = [None, None]
        else:
            for x in lvl:
                for b in (0, 1):
                    nxt.append(None if x is None else H(x, ('g', b)))
        # on-path node position p: children 2p, 2p+1; known sibling = 2p + (1^a)
        p = [i for i, x in enumerate(lvl) if x is None][0]
        sib = 2 * p + (1 ^ a)
        acc = sums[d]
        for i, x in enumerate(nxt):
            if i % 2 == (1 ^ a) and i != sib:
                acc ^= x
        nxt[sib] = acc
        lvl = nxt
    return lvl


def pprf_plain(C, S, net, n):
    """sender C (all), receiver S (punctured at random alpha, free from rOT choice bits).
       2*lambda bits per level C->S."""
    depth = nbit_len(n)
    assert 1 << depth == n
    ots = [rot(net) for _ in range(depth)]
    leaves, K = ggm_full(ots[0][0], depth)
    bits, sums = [], []
    for d in range(depth):
        (r0, r1), (b, rb) = ots[d]
        if d == 0:
            sums.append(rb)
        else:
            C.send(S, 2 * LAM, (K[d][0] ^ r0, K[d][1] ^ r1))
            m = S.recv()
            sums.append(m[b] ^ rb)
        bits.append(1 ^ b)      # puncture bit = complement of OT choice
    alpha = int(''.join(map(str, bits)), 2)
    pl = ggm_punct(bits, sums)
    assert pl[alpha] is None and all(pl[i] == leaves[i] for i in range(n) if i != alpha)
    return leaves, pl, alpha


def pprf_halftree(C, S, net, n, delta):
    """half-tree (correlated GGM): level sums of left+right children xor to delta at every level.
       left = H(x), right = H(x)^x. lambda bits per level, COT with global delta held by C."""
    depth = nbit_len(n)
    assert 1 << depth == n
    # level 1: nodes (k, delta^k)
    cots = [rcot(net, delta) for _ in range(depth)]
    k = cots[0][0]                              # first level free: k := q_1
    levels = [[k, k ^ delta]]
    for d in range(1, depth):
        nxt = []
        for x in levels[-1]:
            h = H(x, 'ht')
            nxt += [h, h ^ x]
        levels.append(nxt)
    leaves = levels[-1]
    bits, sums = [], []
    for d in range(depth):
        q, (b, t) = cots[d]                     # t = q ^ b*delta
        K0 = 0
        for x in levels[d][0::2]:
            K0 ^= x
        if d == 0:
            assert K0 ^ q == 0
            c = 0
        else:
            C.send(S, LAM, K0 ^ q)                # one lambda-bit string
            c = S.recv()
        sums.append(c ^ t)                        # = K0 ^ b*delta = K_b  (K1 = K0 ^ delta)
        bits.append(1 ^ b)
    alpha = int(''.join(map(str, bits)), 2)
    # receiver expansion
    lvl = [None]
    for d, a in enumerate(bits):
        if d == 0:
            nxt = [None, None]
            p = 0
        else:
            nxt = []
            for x in lvl:
                if x is None:
                    nxt += [None, None]
                else:
                    h = H(x, 'ht')
                    nxt += [h, h ^ x]
            p = lvl.index(None)
        sib = 2 * p + (1 ^ a)
        acc = sums[d]
        for i, x in enumerate(nxt):
            if i % 2 == (1 ^ a) and i != sib:
                acc ^= x
        nxt[sib] = acc
        lvl = nxt
    assert lvl[alpha] is None and all(lvl[i] == leaves[i] for i in range(n) if i != alpha)
    # the missing leaf is delta ^ xor(others): correlated -> must be hashed with a CCR hash before use
    x = delta
    for i in range(n):
        if i != alpha:
            x ^= leaves[i]
    assert x == leaves[alpha]
    return leaves, lvl, alpha

# ---------- secret shared permutation ----------


def ss_perm(x, pi, mod):
    n = len(x)
    u = [[rng.randrange(mod) for _ in range(n)] for _ in range(n)]
    v = [[0 if j == pi[i] else u[i][j] for j in range(n)] for i in range(n)]
    r = [sum(u[i]) % mod for i in range(n)]
    a = [sum(u[i][j] for i in range(n)) % mod for j in range(n)]
    c = [(sum(v[i][pi[i]] for i in range(0)) + sum(v[k][pi[i]] for k in range(n)) - sum(v[i])) % mod for i in range(n)]
    msg = [(x[j] - a[j]) % mod for j in range(n)]
    yS = [(msg[pi[i]] + c[i]) % mod for i in range(n)]
    return r, yS

# ---------- rotation from a list of seeds ----------


def rr(v, k):                      # right rotate: y_i = v_{i-k}
    n = len(v)
    k %= n
    return v[n - k:] + v[:n - k]


def expand(seed, n, mod):
    return [H(seed, ('e', j), 64) % mod for j in range(n)]


def rotate(x, s, seeds, mod, variant):
    """seeds: list n of C; S misses seeds[s]"""
    n = len(x)
    d = [expand(seeds[i], n, mod) for i in range(n)]
    t = [[0] * n if i == s else d[i] for i in range(n)]
    def add(vs): return [sum(c) % mod for c in zip(*vs)]
    r, rS = add(d), add(t)
    sgn = +1 if variant in ('paper_draft', 'paper_final') else -1
    a = add([rr(d[i], sgn * i) for i in range(n)])
    aS = add([rr(t[i], sgn * i) for i in range(n)])
    msg = [(p - q) % mod for p, q in zip(x, a)]
    if variant == 'paper_draft':   # c_i = a_{i+s} - r_i ; out = (msg >>> s) + c
        c = [(aS[(i + s) % n] - rS[i]) % mod for i in range(n)]
        y = [(p + q) % mod for p, q in zip(rr(msg, s), c)]
    elif variant == 'paper_final':  # c = (a >>> s) - r
        c = [(p - q) % mod for p, q in zip(rr(aS, s), rS)]
        y = [(p + q) % mod for p, q in zip(rr(msg, s), c)]
    elif variant == 'left_fix':     # paper's rhombus, output is LEFT rotation
        d = None
        sgn = 1
        raise SystemExit
    elif variant == 'right':        # rotate-left in the column sums, output RIGHT rotation
        c = [(p - q) % mod for p, q in zip(rr(aS, s), rS)]
        y = [(p + q) % mod for p, q in zip(rr(msg, s), c)]
    return r, y


def rotate_left_variant(x, s, seeds, mod):
    """keep the paper's a = sum(d_i >>> i); S uses left rotation everywhere -> realises x <<< s"""
    n = len(x)
    d = [expand(seeds[i], n, mod) for i in range(n)]
    t = [[0] * n if i == s else d[i] for i in range(n)]
    def add(vs): return [sum(c) % mod for c in zip(*vs)]
    r, rS = add(d), add(t)
    a, aS = add([rr(d[i], i) for i in range(n)]), add([rr(t[i], i) for i in range(n)])
    msg = [(p - q) % mod for p, q in zip(x, a)]
    y = [(p + q - w) % mod for p, q, w in zip(rr(msg, -s), rr(aS, -s), rS)]
    return r, y

# XOR-group rotation: y_i = x_{i ^ s}


def xrotate(x, s, seeds, mod):
    n = len(x)
    d = [expand(seeds[i], n, mod) for i in range(n)]
    t = [[0] * n if i == s else d[i] for i in range(n)]
    def add(vs): return [sum(c) % mod for c in zip(*vs)]
    def perm(v, k): return [v[i ^ k] for i in range(n)]
    r, rS = add(d), add(t)
    a, aS = add([perm(d[i], i) for i in range(n)]), add([perm(t[i], i) for i in range(n)])
    msg = [(p - q) % mod for p, q in zip(x, a)]
    c = [(p - q) % mod for p, q in zip(perm(aS, s), rS)]
    return r, [(p + q) % mod for p, q in zip(perm(msg, s), c)]


def main():
    for n in range(1, 7):
        for pi in itertools.permutations(range(n)):
            for mod in (2, 256):
                x = [rng.randrange(mod) for _ in range(n)]
                r, y = ss_perm(x, pi, mod)
                assert [(a + b) % mod for a, b in zip(r, y)] == [x[pi[i]] for i in range(n)]
    print('perm: exhaustive n<=6 ok (y_i = x_{pi(i)})')
    stats = {}
    for variant in ('paper_draft', 'paper_final', 'right'):
        okR = okL = tot = 0
        for n in range(2, 12):
            for s in range(n):
                for mod in (2, 1 << 16):
                    x = [rng.randrange(mod) for _ in range(n)]
                    seeds = [rng.getrandbits(128) for _ in range(n)]
                    r, y = rotate(x, s, seeds, mod, variant)
                    z = [(p + q) % mod for p, q in zip(r, y)]
                    okR += z == rr(x, s)
                    okL += z == rr(x, -s)
                    tot += 1
        stats[variant] = (okR, okL, tot)
    okL = tot = 0
    for n in range(2, 12):
        for s in range(n):
            x = [rng.randrange(1 << 16) for _ in range(n)]
            seeds = [rng.getrandbits(128) for _ in range(n)]
            r, y = rotate_left_variant(x, s, seeds, 1 << 16)
            okL += [(p + q) % (1 << 16) for p, q in zip(r, y)] == rr(x, -s)
            tot += 1
    print('rotation variants (correct-right, correct-left, total):', stats, ' left-variant ok', okL, '/', tot)
    assert stats['right'][0] == stats['right'][2] and okL == tot
    for n in (2, 4, 8, 16):
        for s in range(n):
            x = [rng.randrange(256) for _ in range(n)]
            seeds = [rng.getrandbits(128) for _ in range(n)]
            r, y = xrotate(x, s, seeds, 256)
            assert [(p + q) % 256 for p, q in zip(r, y)] == [x[i ^ s] for i in range(n)]
    print('xor-rotation ok')
    for n in (2, 4, 8, 16, 64, 256):
        net = Net()
        C = Party('C', net)
        S = Party('S', net)
        pprf_plain(C, S, net, n)
        b1 = net.total('prep')
        net2 = Net()
        C = Party('C', net2)
        S = Party('S', net2)
        delta = rng.getrandbits(128) | 1
        pprf_halftree(C, S, net2, n, delta)
        b2 = net2.total('prep')
        assert (b1, b2) == (256 * ((n - 1).bit_length() - 1), 128 * ((n - 1).bit_length() - 1))
        print(f'PPRF n={n}: plain GGM {b1} bits, half-tree {b2} bits, rOT {net.rot},{net2.rot}')


if __name__ == '__main__':
    main()
