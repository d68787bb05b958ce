"""Shared helpers for the simulations (two parties as index 0/1; ideal OT/MUX/AND)."""
import hashlib, random
rng = random.Random(12345)      # everything random in these models: a run repeats exactly
LAM = 128
M128 = (1 << 128) - 1


def H(dom: bytes, seed: int, nbits: int) -> int:
    nb = (nbits + 7) // 8
    out = b""
    ctr = 0
    while len(out) < nb:
        out += hashlib.blake2b(seed.to_bytes(16, "little") + ctr.to_bytes(4, "little"),
                               digest_size=64, person=dom[:16]).digest()
        ctr += 1
    return int.from_bytes(out[:nb], "little") & ((1 << nbits) - 1)


def G2(seed):
    """length-doubling PRG with separate control bits: (sL,tL,sR,tR)"""
    v = H(b"ggm", seed, 258)
    return v & M128, (v >> 128) & 1, (v >> 129) & M128, (v >> 257) & 1


def conv(dom, seed, k):
    return H(b"conv" + dom, seed, k)


def share_bit(x):
    a = rng.getrandbits(1)
    return [a, a ^ x]


def share_xor(x, n):
    a = rng.getrandbits(n)
    return [a, a ^ x]


def share_ar(x, k):
    a = rng.getrandbits(k)
    return [a, (x - a) % (1 << k)]


def rec_ar(s, k): return (s[0] + s[1]) % (1 << k)


class Net:
    """Counts rounds / bits (per direction) of opened and ideal calls."""
    def __init__(s): s.rounds = 0; s.bits = 0; s.log = {}

    def tick(s, name, bits=0, rounds=1):
        s.rounds += rounds
        s.bits += bits
        c = s.log.setdefault(name, [0, 0])
        c[0] += 1
        c[1] += bits


def F_AND(net, a, b):
    net and net.tick("AND", 2)
    return share_bit((a[0] ^ a[1]) & (b[0] ^ b[1]))


def F_MUXB(net, x0, x1, c, n):
    net and net.tick("MUXB", n)
    sel = (x1[0] ^ x1[1]) if (c[0] ^ c[1]) else (x0[0] ^ x0[1])
    return share_xor(sel, n)


def F_MUXA(net, x0, x1, c, k):
    net and net.tick("MUXA", k)
    sel = rec_ar(x1, k) if (c[0] ^ c[1]) else rec_ar(x0, k)
    return share_ar(sel, k)


def open_xor(net, x, n): net and net.tick("open", n); return x[0] ^ x[1]
def open_ar(net, x, k): net and net.tick("open", k); return rec_ar(x, k)


class Permutation:
    """A public permutation of 128 bits that both ways are known of, in the place of AES under a fixed key."""
    def __init__(s, key): s.key = key

    def f(s, i, x):
        return int.from_bytes(hashlib.blake2b(s.key + bytes([i]) + x.to_bytes(8, "little"), digest_size=8).digest(), "little")

    def encrypt(s, x):
        l, r = x >> 64, x & ((1 << 64) - 1)
        for i in range(4):
            l, r = r, l ^ s.f(i, r)
        return l << 64 | r

    def decrypt(s, x):
        l, r = x >> 64, x & ((1 << 64) - 1)
        for i in reversed(range(4)):
            l, r = r ^ s.f(i, l), l
        return l << 64 | r


FIX = Permutation(bytes(range(16)))
