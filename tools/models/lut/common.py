"""Shared helpers: two-party harness with per-direction bit counters and round depth,
ideal random OT, hash, GGM/half-tree PPRF."""
import hashlib, random
from collections import defaultdict
LAM = 128
MASK = (1 << LAM) - 1
rng = random.Random(12345)


def H(x, tweak=0, nbits=LAM):
    """random-oracle stand-in for CCR hash / PRG. returns int of nbits."""
    out = hashlib.shake_128(int(x).to_bytes(64, 'little') + str(tweak).encode()).digest((nbits + 7) // 8)
    return int.from_bytes(out, 'little') & ((1 << nbits) - 1)


class Net:
    def __init__(self):
        self.bits = defaultdict(float)     # (phase, src) -> bits
        self.clock = {}                    # party -> depth, per phase
        self.phase = 'prep'
        self.rounds = defaultdict(int)
        self.rot = 0                       # random OTs consumed

    def setphase(self, p):
        self.phase = p
        self.clock = {}

    def send(self, src, dst, nbits, value):
        d = self.clock.get(src.name, 0) + 1
        self.bits[(self.phase, src.name)] += nbits
        self.rounds[self.phase] = max(self.rounds[self.phase], d)
        dst.inbox.append((d, value))

    def total(self, phase):
        return sum(v for (p, _), v in self.bits.items() if p == phase)


class Party:
    def __init__(self, name, net):
        self.name, self.net, self.inbox = name, net, []

    def send(self, other, nbits, value):
        self.net.send(self, other, nbits, value)

    def recv(self):
        d, v = self.inbox.pop(0)
        self.net.clock[self.name] = max(self.net.clock.get(self.name, 0), d)
        return v


def swap(A, B, nbits, va, vb):
    """simultaneous exchange; each message counted once, one round"""
    A.send(B, nbits, va)
    # B's message must not be delayed by A's: send before receive
    B.send(A, nbits, vb)
    a_got = A.recv()
    b_got = B.recv()
    return a_got, b_got


def rot(net, nbits=LAM):
    """ideal random 1-of-2 OT on nbits strings: sender (r0,r1), receiver (b, r_b)"""
    net.rot += 1
    r = (rng.getrandbits(nbits), rng.getrandbits(nbits))
    b = rng.getrandbits(1)
    return r, (b, r[b])


def rcot(net, delta):
    """ideal random correlated OT: sender gets q, receiver (b, t = q ^ b*delta)"""
    net.rot += 1
    q = rng.getrandbits(LAM)
    b = rng.getrandbits(1)
    return q, (b, q ^ (delta if b else 0))


def nbit_len(n):
    k = (n - 1).bit_length()
    return k
