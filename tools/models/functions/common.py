"""Bills of primitives (correlated OTs, bits offline, bits online, rounds online) and small helpers.
A correlated OT counts as one bit in `bytes`, as in the library. `+`: one after the other; `|`: side by side."""
from dataclasses import dataclass
from math import ceil, log2
import numpy as np


@dataclass
class Bill:
    cots: float = 0
    off: float = 0
    on: float = 0
    rounds: int = 0
    def __add__(s, o): return Bill(s.cots + o.cots, s.off + o.off, s.on + o.on, s.rounds + o.rounds)
    def __or__(s, o): return Bill(s.cots + o.cots, s.off + o.off, s.on + o.on, max(s.rounds, o.rounds))
    def __mul__(s, k): return Bill(s.cots * k, s.off * k, s.on * k, s.rounds)
    @property
    def bits(s): return s.cots + s.off + s.on
    @property
    def bytes(s): return s.bits / 8
    def __str__(s): return f'{s.bytes:6.1f} B ({s.cots:.0f} COT, {s.off:.0f} off, {s.on:.0f} on, {s.rounds} rounds)'


def lg(m): return ceil(log2(m)) if m > 1 else 0


def cut(bits, w):                       # digits, lowest first, widths differ by one at most
    m = -(-bits // w)
    base, more = divmod(bits, m)
    return [base + (i < more) for i in range(m)]


def leaves(bits, w, method, eq=False):
    c = cut(bits, w)
    off = on = 0
    for i, v in enumerate(c):
        if method == 'T':
            off += (v - 1) * 2**v + 1
            on += 2 * v
        else:
            on += v + (1 + (i > 0 or eq)) * (2**v - 1)
    return Bill(bits, off, on, 1 if method == 'T' else 2), len(c)


def compare(bits, w, method):           # millionaires' of so many bits
    b, m = leaves(bits, w, method)
    one = lg(m)
    two = m - 1 - one
    return b + Bill(2 * (one + two), 0, 4 * one + 6 * two, one)


def order(bits, w, method):             # order and equality
    b, m = leaves(bits, w, method, True)
    return b + Bill(2 * (m - 1), 0, 6 * (m - 1), lg(m))


def best(f, bits, goal='bytes'):
    weigh = {'bytes': lambda b: b.bits, 'total': lambda b: 30 * b.cots + b.off + 8 * b.on}[goal]
    return min((f(bits, w, m) for m in 'TL' for w in range(1, 7)), key=weigh)


def doubling(n, lift=None):             # additive index too; lift: its shares mod 2^lift (for the carry: n+1)
    lift = n if lift is None else lift
    return Bill(2 * (n - 1) + 1, 2 * (2**n - n - 1) + sum(lift - j - 1 for j in range(n)), 0, 0)


def tree(n, lift=None):
    if n <= 9:
        return doubling(n, lift)
    lift = n if lift is None else lift
    return Bill(2 * (n - 1) + 1, 256 * (n - 7) + 496 + sum(lift - j - 1 for j in range(n)), 0, 0)


def opening(n): return Bill(0, 0, 2 * n, 1)
def reading(widths): return Bill(2, 2, sum(2 * (w - 1) for w in widths), 1)          # sign removed
def mux(*widths): return Bill(2, 0, 2 + 2 * sum(widths), 1)


def b2a(w): return Bill(1, 0, w, 1)
def ext(l, k): return Bill(1, 0, k - l + 1, 1) if k > l else Bill()
def ands(k=1): return Bill(2, 0, 2 * (k + 1), 1)                                      # k ANDs of one operand
def splut(d, outs=1): return Bill(d, 0, d + outs * (2**d - 1), 2)                     # 1-bit outputs
def lines(numbers, payload): return Bill(2 * numbers, 0, 2 * numbers * (1 + payload), 1)  # bits of the peer's numbers


def product(w): return Bill(2 * w, 0, 2 * w + w * (w + 1), 1)


rng = np.random.default_rng(7)


def split(x, bits):
    a = rng.integers(0, 1 << bits, x.shape, dtype=np.int64) if bits < 63 else None
    return a, (x - a) & ((1 << bits) - 1)
