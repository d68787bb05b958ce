"""PSI and the hidden join end to end on small sets, with an ideal VOLE; what small fields and short hashes would leak; costs.
    python join.py            (about a minute)"""
import hashlib, math
import numpy as np
from gf import U, mul, rand
import okvs
from bounds import cuckoo_bins, placed
from vole import plan

rng = np.random.default_rng(5)


def ideal_vole(n):
    delta = rand(rng, 2)
    v, a = rand(rng, n, 2), rand(rng, n)
    return delta, v, a, v ^ mul(a[:, None], delta)


def word(x, key, n=1):
    h = hashlib.blake2b(bytes(x) if not isinstance(x, bytes) else x, key=key, digest_size=8 * n).digest()
    return np.frombuffer(h, "<u8").astype(U)


def oprf(X, Y, words=1):
    """R holds X (distinct 16-byte keys) and gets F(X); S gets F(Y). F(x) = H(decode(v', x) + h(x) Delta)."""
    salt, n = b"salt", len(X)
    def g(K): return np.array([word(k, b"h")[0] for k in K], U)
    P = okvs.encode(X, g(X)[:, None], salt)[:, 0]
    delta, v, a, w = ideal_vole(len(P))
    sent = a ^ P                                    # 8 bytes a column
    v ^= mul(sent[:, None], delta)                  # now w = v + P Delta
    at_r = okvs.decode(w, X, salt, n)
    at_s = okvs.decode(v, Y, salt, n) ^ mul(g(Y)[:, None], delta)
    def H(z): return np.array([word(r.tobytes(), b"out", words) for r in z])
    return H(at_r), H(at_s)


def psi(X, Y, bits):
    fr, fs = (f[:, 0] & U((1 << bits) - 1) for f in oprf(X, Y))
    order = np.argsort(fs)                          # never in the file's order
    return {X[i] for i in range(len(X)) if fr[i] in set(fs[order].tolist())}


def third(key, j, w):
    return j * w + (int(word(key, b"bin%d" % j)[0]) * w >> 64)


def hidden_join(R, S, pay):
    """R: list of ids; S: ids with one 64-bit column. Returns, for each bin, shares of the match and of the column."""
    m = cuckoo_bins(len(R))
    w = m // 3
    pl = [[third(x, j, w) for j in range(3)] for x in R]
    ok, _ = placed(pl, m)
    assert ok
    owner = match(pl, m)
    mine = {b: i for b, i in enumerate(owner) if i >= 0}
    def key(x, j): return hashlib.blake2b(x + bytes([j]), digest_size=16).digest()
    bins = sorted(mine)
    q = [key(R[mine[b]], b // w) for b in bins]
    K = [(y, j) for y in range(len(S)) for j in range(3)]
    fr, fs = oprf(q, [key(S[y], j) for y, j in K], 2)
    r, mask = rand(rng, m), rand(rng, m)            # S's target and mask of every bin
    val = np.array([[r[third(S[y], j, w)], U((int(pay[y]) - int(mask[third(S[y], j, w)])) % 2**64)] for y, j in K], U)
    hint = okvs.encode([key(S[y], j) for y, j in K], val ^ fs, b"hint")
    got = okvs.decode(hint, q, b"hint", len(K)) ^ fr
    z, col = rand(rng, m), rand(rng, m)             # empty bins: random, no query
    z[bins], col[bins] = got[:, 0], got[:, 1]
    return owner, z, r, col, mask


def match(rows, m):
    owner = [-1] * m
    for key in range(len(rows)):
        parent, queue, seen, end = {}, [key], set(), -1
        for x in queue:
            for b in rows[x]:
                if b not in seen:
                    seen.add(b)
                    parent[b] = x
                    if owner[b] < 0:
                        end = b
                        break
                    queue.append(owner[b])
            if end >= 0:
                break
        while True:
            x = parent[end]
            prev = next((b for b in rows[x] if owner[b] == x), -1)
            owner[end] = x
            if x == key:
                break
            end = prev
    return owner


# ---- costs: bytes of both directions, COTs counted apart -----------------------------------------------------------
COT = {"M": 1.2 / 8, "L": 0.36 / 8}


def psi_cost(nx, ny, both=False):
    b, m = okvs.columns(nx)
    hash_bytes = -(-(43 + math.ceil(math.log2(max(2, nx * ny)))) // 8)
    _, cots, by = plan(b * m)
    setup = by + cots * COT["M"] + 94e3 + 90e3      # S for M, SoftSpoken for S
    return dict(voles=b * m, columns=8 * b * m, hashes=hash_bytes * ny, setup=round(setup), back=ny // 8 if both else 0,
                total=round(8 * b * m + hash_bytes * ny + setup + (ny // 8 if both else 0)))


def join_cost(nr, ns, words, own_words, digit, cot="M"):
    bins = cuckoo_bins(nr)
    b, m = okvs.columns(nr)
    hb, hm = okvs.columns(3 * ns)
    l = min(64, 44 + math.ceil(math.log2(bins)))    # bits compared
    if digit == 1:
        eq_bits, eq_cots, ands = 4 * (l - 1), 2 * (l - 1), l - 1
    else:                                           # 1-of-16: 4 COTs, 15 bits and 4 of choice; then a tree
        d = -(-l // digit)
        eq_bits, eq_cots, ands = d * (2**digit - 1 + digit) + 4 * (d - 1), digit * d + 2 * (d - 1), d - 1
    mux_bits, mux_cots = words * 130 + own_words * 65, 2 * words + own_words
    _, vc, vb = plan(b * m)
    cots = bins * (eq_cots + mux_cots) + vc
    parts = dict(columns=8 * b * m, hint=8 * (1 + words) * hb * hm, equality=bins * eq_bits / 8, mux=bins * mux_bits / 8,
                 cots=cots * COT[cot] + 184e3 + (360e3 if cot == "L" else 0), vole=vb)
    return {k: round(v / 1e6, 2) for k, v in parts.items()} | dict(total=round(sum(parts.values()) / 1e6, 1), bits=l,
                                                                   MCOT=round(cots / 1e6, 1), Mand=round(bins * ands / 1e6, 1))


if __name__ == "__main__":
    ids = [rng.bytes(16) for _ in range(160)]
    for nx, ny, common in ((0, 3, 0), (3, 0, 0), (1, 1, 1), (40, 60, 0), (60, 60, 60), (60, 50, 17)):
        X, Y = ids[:nx], ids[nx - common:nx - common + ny]
        if nx and ny:
            assert psi(X, Y, 60) == set(X) & set(Y)
    R, S = ids[:40], ids[25:75]
    pay = rng.integers(0, 1000, len(S))
    owner, z, r, col, mask = hidden_join(R, S, pay)
    for b, i in enumerate(owner):
        hit = i >= 0 and R[i] in S
        assert (z[b] == r[b]) == hit
        if hit:
            assert (int(col[b]) + int(mask[b])) % 2**64 == pay[S.index(R[i])]
    print("PSI and hidden join: ok; matches", sum(z == r), "=", len(set(R) & set(S)))
    # A base field of l bits: y outside X whose h(y) is what P decodes to has F(y) known to R: n_y 2^-l, not n_x n_y 2^-l.
    X, Y = ids[:100], [rng.bytes(16) for _ in range(600)]
    P = okvs.encode(X, np.array([[word(k, b"h")[0]] for k in X], U), b"salt")
    for l in (4, 6, 8):
        d = okvs.decode(P, Y, b"salt", len(X))[:, 0] ^ np.array([word(k, b"h")[0] for k in Y], U)
        exposed = int(np.sum(d & U((1 << l) - 1) == 0))
        assert abs(exposed - 600 / 2**l) < 4 * (600 / 2**l)**.5 + 1
        print(f"  base field of {l} bits: {exposed} of 600 outsiders exposed, expected {600 / 2**l:.1f}")
    print("PSI bytes:")
    for nx, ny in ((1 << 10, 1 << 10), (1 << 16, 1 << 16), (1 << 20, 1 << 20), (1 << 24, 1 << 24), (1000, 10**6), (10**6, 1000)):
        print(" ", nx, ny, psi_cost(nx, ny, True))
    print("join, MB:")
    for n in (10**5, 1 << 16, 1 << 20):
        for words, own in ((0, 0), (1, 1)):
            for digit, cot in ((1, "L"), (1, "M"), (4, "M")):
                if n > 10**5 * 0.6:
                    print(f"  n {n} words {words}+{own} digit {digit} set {cot}:", join_cost(n, n, words, own, digit, cot))
