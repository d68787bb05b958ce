#!/usr/bin/env python3
"""Writes the known-answer vectors that crates/he/tests/vectors.rs holds the lattice to.

    lattice_vectors.py [FILE]            writes FILE (default crates/he/tests/data/vectors.json)
    lattice_vectors.py --check [FILE]    fails if FILE is not what would be written; the first cases, all with LONG=1

Independent of the Rust code on purpose: plain Python, everything by its definition in docs/spec/lattice-spec.md and the
heads of the files. Polynomials are lists of whole numbers, their products are products of large integers, and a modulus is
one number, not residues. Transforms stand only where the wire has them: values at the odd powers of a root, which is
checked by evaluation at some of them.

Notation of the file. A case has the bits of a plaintext, the primes of the modulus, the bits of a weight, how many of them
there are, levels of packing, and a seed x: the encryptor draws from the generator of the block x, the evaluator from that of
x + 1, messages and then weights are the words of that of x + 2, reduced. Bytes and words are given by a digest: h = 1, and
for each byte, h = (h * 0x1234567 + byte + 1) mod 2^61 - 1; words have eight bytes, the lowest first.
"""
import functools
import json
import os
import sys
from math import prod
from pathlib import Path

from ciphers import aes, blake3, round_keys, stream

FILE = Path(__file__).parent.parent / "crates/he/tests/data/vectors.json"
N = 8192


# ---------------------------------------------------------------- generator

class Prg:
    """The generator of a block. What is drawn is drawn in whole blocks, but for single words."""

    def __init__(self, seed):
        self.seed, self.at, self.ready = seed, 0, b""

    def bytes(self, count):
        if count > len(self.ready):
            more = -(-(count - len(self.ready)) // 16)
            self.ready += stream(self.seed, self.at, more)
            self.at += more
        out, self.ready = self.ready[:count], self.ready[count:]
        return out

    def words(self, count):
        data = self.bytes(16 * -(-count // 2))
        return [int.from_bytes(data[8 * i:8 * i + 8], "little") for i in range(count)]


# ---------------------------------------------------------------- polynomials

def joined(x, width):
    """Signed numbers as digits of one, of so many bytes."""
    half = 1 << 8 * width - 1
    return int.from_bytes(b"".join((v + half).to_bytes(width, "little") for v in x), "little") - halves(len(x), width)


def halves(count, width):
    return int.from_bytes((b"\0" * (width - 1) + b"\x80") * count, "little")


def split(x, count, width):
    data = (x + halves(count, width)).to_bytes(count * width, "little")
    half = 1 << 8 * width - 1
    return [int.from_bytes(data[at:at + width], "little") - half for at in range(0, count * width, width)]


def times(x, y, wrap=-1):
    """The product of polynomials of whole numbers mod X^n + 1, or with `wrap` 1 mod X^n - 1."""
    width = (max(map(abs, x)).bit_length() + max(map(abs, y)).bit_length() + 13 + 2) // 8 + 1
    out = split(joined(x, width) * joined(y, width), 2 * N, width)
    return [a + wrap * b for a, b in zip(out[:N], out[N:])]


def is_prime(n):
    return all(n % d for d in range(3, int(n ** 0.5) + 1, 2))


@functools.cache
def primes():
    """The eight largest below 2^30 that are 1 mod 2 n."""
    found = (q for q in range((1 << 30) - 2 * N + 1, 0, -2 * N) if is_prime(q))
    return [next(found) for _ in range(8)]


@functools.cache
def root(q):
    """Of order 2 n, of the smallest number that gives one."""
    return next(psi for psi in (pow(x, (q - 1) // (2 * N), q) for x in range(2, q)) if pow(psi, N, q) == q - 1)


@functools.cache
def powers(q, inverse):
    psi, all_powers = pow(root(q), -1 if inverse else 1, q), [1]
    for _ in range(2 * N - 1):
        all_powers.append(all_powers[-1] * psi % q)
    return all_powers


def exponent(place):
    """At which power of the root a transform's place has the value: stages of halves leave odd powers in the order of
    reversed bits; of these, number 512 k + r is at place 16 r + k."""
    return 2 * int(f"{place % 16 * 512 + place // 16:013b}"[::-1], 2) + 1


def chirped(x, psi, q):
    """The sums of x_j psi^(2 j k) for each k: 2 j k = j^2 + k^2 - (k - j)^2, so that they are a cyclic product."""
    squares = [j * j % (2 * N) for j in range(N)]
    back = [psi[-square % (2 * N)] for square in squares]
    out = times([v * psi[square] % q for v, square in zip(x, squares)], back, 1)
    return [v * psi[square] % q for v, square in zip(out, squares)]


def transform(x, q):
    psi = powers(q, False)
    values = chirped([v * power % q for v, power in zip(x, psi)], psi, q)
    for place in (1, 4099):     # by evaluation
        at = psi[exponent(place)]
        assert values[exponent(place) // 2] == functools.reduce(lambda sum, v: (sum * at + v) % q, reversed(x), 0)
    return [values[exponent(place) // 2] for place in range(N)]


def coefficients(values, q):
    ordered = [0] * N
    for place, v in enumerate(values):
        ordered[exponent(place) // 2] = v
    psi, small = powers(q, True), pow(N, -1, q)
    return [v * power % q * small % q for v, power in zip(chirped(ordered, psi, q), psi)]


def whole(residues, moduli):
    """Numbers below the product of the moduli, by their residues."""
    q = prod(moduli)
    units = [q // p * pow(q // p, -1, p) for p in moduli]
    return [sum(x * unit for x, unit in zip(each, units)) % q for each in zip(*residues)]


# ---------------------------------------------------------------- scheme

def low(x, bits):
    return x & (1 << bits) - 1


def ternary(prg):
    return [(word * 3 >> 64) - 1 for word in prg.words(N)]


def error(prg):
    return [low(word, 21).bit_count() - low(word >> 21, 21).bit_count() for word in prg.words(N)]


def public(moduli, seed, number):
    """The second part of a ciphertext: a transform is what is drawn, numbers of 30 bits that are below the prime."""
    residues = []
    for q in moduli:
        key = blake3(number.to_bytes(8, "little") + q.to_bytes(4, "little"), seed)[:16]
        prg, values = Prg(int.from_bytes(key, "little")), []
        while len(values) < N:
            data = prg.bytes(16 * 256)
            drawn = (low(int.from_bytes(data[at:at + 4], "little"), 30) for at in range(0, len(data), 4))
            values += [x for x in drawn if x < q]
        residues.append(coefficients(values[:N], q))
    return whole(residues, moduli)


def bits_of(words, bits):
    """Words one after another, the lowest bit first."""
    number = int("".join(f"{word:0{bits}b}" for word in reversed(words)), 2) if bits else 0
    return number.to_bytes((len(words) * bits + 7) // 8, "little")


def sent(x, moduli):
    return b"".join(bits_of(transform([v % q for v in x], q), 30) for q in moduli)


class Encryptor:
    def __init__(self, bits, limbs, prg):
        self.bits, self.prg, self.number = bits, prg, 0
        self.moduli = primes()[:limbs]
        self.special = primes()[limbs:limbs + min(7 - limbs, 2)]
        self.q = prod(self.moduli)
        self.secret = ternary(prg)
        self.seed = blake3(prg.bytes(16))

    def zero(self, moduli):
        """An encryption of zero: b = -a s + e."""
        e, number = error(self.prg), self.number
        self.number += 1
        second = public(moduli, self.seed, number)
        return [x - y for x, y in zip(e, times(second, self.secret))], second

    def encrypt(self, numbers):
        """q m / 2^l to one of both whole numbers beside it, so that the mean is exact."""
        first, second = self.zero(self.moduli)
        for i, (m, word) in enumerate(zip(numbers, self.prg.words(len(numbers)))):
            below, rest = divmod(self.q * m, 1 << self.bits)
            first[i] += below + (low(word, self.bits) < rest)
        return [x % self.q for x in first], second

    def digits(self):
        """The primes of q that make up each digit of key switching: as many as are special."""
        size = max(len(self.special), 1)
        return [self.moduli[at:at + size] for at in range(0, len(self.moduli), size)]

    def packing_key(self, level):
        """Encryptions of P tau(s), digit by digit: there only mod the digit's primes."""
        image, out, everything = tau(self.secret, level), [], self.moduli + self.special
        for digit in self.digits():
            first, second = self.zero(everything)
            unit = whole([[prod(self.special) if q in digit else 0] for q in everything], everything)[0]
            out.append(([(x + unit * y) % (self.q * prod(self.special)) for x, y in zip(first, image)], second))
        return out

    def open(self, first, second, places):
        products = times(second, self.secret)
        return [low(((x << 8) + products[place] + (1 << 10)) >> 11, self.bits) for x, place in zip(first, places)]


def tau(x, level):
    """X to X^(n / 2^level + 1)."""
    out, by = [0] * N, (N >> level) + 1
    for j, v in enumerate(x):
        at = j * by % (2 * N)
        out[at % N] = v if at < N else -v
    return out


def shifted(x, by):
    return [-v for v in x[N - by:]] + x[:N - by]


def signed(x, moduli):
    """Of a residue mod one prime or two the number of least size, up to the rounding of a half."""
    least = moduli[-1] // 2 * prod(moduli[:-1])
    return (x + least) % prod(moduli) - least


def packed(encryptor, keys, of, number=0, level=0):
    """A + X^h B + switch(tau(A - X^h B)), with h = 2^level."""
    if level == len(keys):
        return of(number)
    h, special = 1 << level, encryptor.special
    a = packed(encryptor, keys, of, number, level + 1)
    b = packed(encryptor, keys, of, number + h, level + 1)
    b = [shifted(part, h) for part in b]
    images = [tau([x - y for x, y in zip(*parts)], level) for parts in zip(a, b)]
    digits = [[signed(x, digit) for x in images[1]] for digit in encryptor.digits()]
    out = [[x + y for x, y in zip(*parts)] for parts in zip(a, b)]
    out[0] = [x + y for x, y in zip(out[0], images[0])]
    for part in range(2):
        sums = map(sum, zip(*(times(digit, key[part]) for digit, key in zip(digits, keys[level]))))
        sums = [x % (encryptor.q * prod(special)) for x in sums]
        rounded = [(x - signed(x, special)) // prod(special) for x in sums] if special else sums
        out[part] = [(x + y) % encryptor.q for x, y in zip(out[part], rounded)]
    return out


def respond(encryptor, prg, key, of, places):
    """A fresh encryption of zero, flooding and mask, rounding."""
    bits, q = encryptor.bits, encryptor.q
    u = error(prg)
    first, second = ([x + y + e for x, y, e in zip(times(part, u), sums, error(prg))] for part, sums in zip(key, of))
    size = 30 * len(encryptor.moduli) - bits - 3
    each = -(-(size + 1) // 32)
    drawn, masks = prg.words(each * len(places)), [low(word, bits) for word in prg.words(len(places))]
    for i, (place, mask) in enumerate(zip(places, masks)):
        pieces = sum(low(word, 32) << 32 * k for k, word in enumerate(drawn[each * i:each * (i + 1)]))
        below, rest = divmod(q * low(-mask, bits), 1 << bits)
        first[place] += low(pieces, size + 1) - (1 << size) + below + (rest >> bits - 1)

    def rounded(x, to):
        return low((2 * (x % q << to) + q) // (2 * q), to)

    return [rounded(first[place], bits + 3) for place in places], [rounded(x, bits + 11) for x in second], masks


# ---------------------------------------------------------------- the file

def digest(data):
    h = 1
    for byte in data:
        h = (h * 0x1234567 + byte + 1) % ((1 << 61) - 1)
    return f"{h:x}"


def words(values):
    data = b"".join(x.to_bytes(8, "little") for x in values)
    return {"digest": digest(data), "first": [f"{x:x}" for x in values[:3]]}


def response_bytes(parts, bits):
    """The lower 64 bits of each number, then what is beyond."""
    out = b""
    for numbers, width in zip(parts, (bits + 3, bits + 11)):
        out += bits_of([low(x, 64) for x in numbers], min(width, 64))
        out += bits_of([x >> 64 for x in numbers], max(width - 64, 0))
    return out


def lattice_case(bits, limbs, weight_bits, terms, levels, seed):
    encryptor, data = Encryptor(bits, limbs, Prg(seed)), Prg(seed + 2)
    numbers = [low(word, bits) for word in data.words(N)]
    count = 1 << levels
    weights = [[((word ^ 1 << 63) - (1 << 63)) >> 64 - weight_bits for word in data.words(terms)] for _ in range(count)]
    key, x = encryptor.encrypt([]), encryptor.encrypt(numbers)
    keys = [encryptor.packing_key(level) for level in range(levels)]
    small = pow(count, -1, encryptor.q)

    def product(number):
        w = [v * small % encryptor.q for v in weights[number]] + [0] * (N - terms)
        return [[v % encryptor.q for v in times(part, w)] for part in x]

    places = [place for place in range(N) if place % 3 != 1]
    first, second, masks = respond(encryptor, Prg(seed + 1), key, packed(encryptor, keys, product), places)
    opened = encryptor.open(first, second, places)
    want = [times(numbers, w + [0] * (N - terms)) for w in weights]
    assert all(low(a + r - want[place % count][place - place % count], bits) == 0
               for a, r, place in zip(opened, masks, places))
    everything = encryptor.moduli + encryptor.special
    return {
        "bits": bits, "limbs": limbs, "weight_bits": weight_bits, "terms": terms, "levels": levels, "seed": seed,
        "encryptor_seed": encryptor.seed.hex(), "public_key": digest(sent(key[0], encryptor.moduli)),
        "ciphertext": digest(sent(x[0], encryptor.moduli)),
        "packing_keys": [digest(b"".join(sent(first, everything) for first, _ in key)) for key in keys],
        "response": digest(response_bytes((first, second), bits)), "mask": words(masks), "opened": words(opened),
    }


# Bits, primes, bits of a weight, weights, levels of packing, seed. Those after the first ones take longer.
FIRST = [(8, 3, 8, N, 0, 10), (37, 4, 15, 64, 1, 20), (64, 6, 64, 1000, 0, 30)]
MORE = [(37, 4, 37, 300, 2, 40), (48, 5, 16, 64, 2, 50), (64, 6, 20, N, 1, 60), (64, 7, 64, 64, 1, 70), (8, 3, 8, 100, 3, 80)]


def transform_vectors():
    """Numbers are the words of the generator of the block 5 + i mod the prime; of a short polynomial the first 64."""
    out = []
    for i, q in enumerate(primes()):
        x = [word % q for word in Prg(5 + i).words(N)]
        values, short = words(transform(x, q)), words(transform(x[:64] + [0] * (N - 64), q))
        out.append({"prime": q, "seed": 5 + i, "values": values, "short": short})
    return out


def main():
    assert blake3(b"").hex() == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    assert stream(7, 3, 2)[16:] == aes(round_keys((7).to_bytes(16, "little")), (4).to_bytes(16, "little"))
    check = sys.argv[1:2] == ["--check"]
    rest = sys.argv[1 + check:]
    file = Path(rest[0]) if rest else FILE
    cases = [lattice_case(*case) for case in (FIRST if check and "LONG" not in os.environ else FIRST + MORE)]
    made = {"about": "Made by tools/lattice_vectors.py, which explains the notation. Not to be edited.",
            "transforms": transform_vectors(), "cases": cases}
    if not check:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(made, indent=0) + "\n")
        return
    written = json.loads(file.read_text())
    written["cases"] = written["cases"][:len(cases)] if len(written["cases"]) == len(FIRST + MORE) else []
    if written != made:
        sys.exit(f"{file} is not what this script writes")


if __name__ == "__main__":
    main()
