#!/usr/bin/env python3
"""Writes the known-answer vectors that crates/prim/tests/vectors.rs holds the kernels to.

    vectors.py [FILE]            writes FILE (default crates/prim/tests/data/vectors.json)
    vectors.py --check [FILE]    fails if FILE is not what would be written

Independent of the Rust code on purpose: plain Python, ciphers by their definitions (tools/ciphers.py), every algorithm
from its written definition, bit by bit where that is simplest. Deterministic: all inputs come from SHAKE-128 of a
label.

Notation of the file. A block is 128 bits, written as the 32 hex digits of its 16 bytes in memory order; as a number
it is little-endian, bit i being (x >> i) & 1. Other bit strings are bytes in hex, bit i being bit i % 8 of byte
i / 8. Words of up to 64 bits are hex numbers.
"""
import hashlib
import json
import sys
from pathlib import Path

from ciphers import LowMc, aes, round_keys

FILE = Path(__file__).parent.parent / "crates/prim/tests/data/vectors.json"
MASK64 = (1 << 64) - 1


# ---------------------------------------------------------------- blocks, hash, generator

def block(x):
    return x.to_bytes(16, "little")


def number(b):
    return int.from_bytes(b, "little")


def sigma(x):
    """sigma(L || R) = (L ^ R || L), L the high half."""
    left, right = x >> 64, x & MASK64
    return (left ^ right) << 64 | left


class Hash:
    """H(x) = AES_k(sigma(x)) ^ sigma(x)."""

    def __init__(self, key):
        self.keys = round_keys(block(key))

    def __call__(self, x):
        return number(aes(self.keys, block(sigma(x)))) ^ sigma(x)


def stream(seed, count, first=0):
    """AES-CTR: block i of the stream is AES_seed(i), i little-endian."""
    keys = round_keys(block(seed))
    return [number(aes(keys, block(first + i))) for i in range(count)]


class Inputs:
    """Test inputs: SHAKE-128 of a label and a counter."""

    def __init__(self, label):
        self.label, self.used = label, 0

    def bytes(self, count):
        self.used += 1
        return hashlib.shake_128(f"hushtable test input {self.label} {self.used}".encode()).digest(count)

    def block(self):
        return number(self.bytes(16))

    def blocks(self, count):
        return [self.block() for _ in range(count)]

    def below(self, bound):
        return number(self.bytes(16)) % bound


def hexes(blocks):
    return [block(x).hex() for x in blocks]


def bits_to_bytes(bits):
    out = bytearray((len(bits) + 7) // 8)
    for i, bit in enumerate(bits):
        out[i // 8] |= bit << (i % 8)
    return bytes(out)


def xor(values):
    total = 0
    for value in values:
        total ^= value
    return total


# ---------------------------------------------------------------- vectors, one function per kernel

def aes_vectors():
    known = [   # FIPS-197 appendix B and C.1: if these fail, nothing below means anything
        ("2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734", "3925841d02dc09fbdc118597196a0b32"),
        ("000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"),
    ]
    for key, plain, cipher in known:
        assert aes(round_keys(bytes.fromhex(key)), bytes.fromhex(plain)).hex() == cipher
    inputs = Inputs("aes")
    more = [(inputs.bytes(16), inputs.bytes(16)) for _ in range(14)] + [(bytes(16), bytes(16)), (b"\xff" * 16,) * 2]
    more = [(k.hex(), p.hex(), aes(round_keys(k), p).hex()) for k, p in more]
    return [{"key": k, "plain": p, "cipher": c} for k, p, c in known + more]


def lowmc_vectors():
    """The first one is that of the signature scheme Picnic, whose bytes have their highest bit first."""
    def reversed_bits(text):
        return number(bytes(int(f"{b:08b}"[::-1], 2) for b in bytes.fromhex(text)))

    inputs = Inputs("lowmc")
    picnic = [reversed_bits(text) for text in ("80" + "00" * 15, "abff" + "00" * 14, "0e30720b9f64d5c2a7771c8c238d8f70")]
    out = []
    for boxes, rounds, known in ((10, 20, picnic), (42, 13, None)):
        cipher = LowMc(boxes, rounds)
        cases = [(inputs.block(), inputs.block()) for _ in range(6)] + [(0, 0), ((1 << 128) - 1,) * 2]
        cases = [(k, x, cipher.encrypt(k, x)) for k, x in cases]
        if known:
            assert cipher.encrypt(*known[:2]) == known[2]
            cases.insert(0, known)
        cases = [dict(zip(("key", "plain", "cipher"), hexes(case))) for case in cases]
        out.append({"boxes": boxes, "rounds": rounds, "cases": cases})
    return out


def hash_vectors():
    """Batches of every length around the widths of the kernels."""
    inputs = Inputs("hash")
    out = []
    for count in (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 67):
        key, tweak, xs = inputs.block(), inputs.block(), inputs.blocks(count)
        h = Hash(key)
        out.append({"key": block(key).hex(), "x": hexes(xs), "sigma": hexes(map(sigma, xs)), "h": hexes(map(h, xs)),
                    "tweak": block(tweak).hex(), "h_tweaked": hexes(h(x ^ tweak) for x in xs)})
    return out


def prg_vectors():
    inputs = Inputs("prg")
    return [{"seed": block(s).hex(), "blocks": hexes(stream(s, count))}
            for count in (1, 2, 3, 8, 9, 33, 70) for s in [inputs.block()]]


def pack_vectors():
    inputs = Inputs("pack")
    out = []
    for width in range(1, 65):
        words = [number(inputs.bytes(8)) for _ in range(1 + inputs.below(21))]
        bits = [word >> i & 1 for word in words for i in range(width)]
        out.append({"bits": width, "words": [f"{word:x}" for word in words],
                    "low": [f"{word % (1 << width):x}" for word in words], "bytes": bits_to_bytes(bits).hex()})
    return out


def transpose_vectors():
    """128 columns of bits; block r of the answer has bit r of column c at position c."""
    inputs = Inputs("transpose")
    out = []
    for height in (128, 256, 640):
        columns = [inputs.bytes(height // 8) for _ in range(128)]
        rows = [sum((number(columns[c]) >> r & 1) << c for c in range(128)) for r in range(height)]
        out.append({"columns": [column.hex() for column in columns], "rows": hexes(rows)})
    return out


# ---------------------------------------------------------------- half-tree

def expand(h, delta, q):
    """The sender: leaves, and the correction of every level after the first.
    Invariant: the nodes of a level XOR to delta. First pair (q_1, q_1 ^ delta); then left H(x), right H(x) ^ x."""
    level, corrections = [q[0], q[0] ^ delta], []
    for q_j in q[1:]:
        level = [child for x in level for child in (h(x), h(x) ^ x)]
        corrections.append(xor(level[0::2]) ^ q_j)
    assert xor(level) == delta
    return level, corrections


def puncture(h, bits, t, corrections):
    """The receiver, who has t_j = q_j ^ b_j delta: all leaves but the one at alpha, whose bits, most significant
    first, are the complements of b_j. The missing leaf is None."""
    level, at = [None, None], 1 - bits[0]
    level[bits[0]] = t[0]
    for b, t_j, c in zip(bits[1:], t[1:], corrections):
        level = [child for x in level for child in ((None, None) if x is None else (h(x), h(x) ^ x))]
        known = xor(x for i, x in enumerate(level) if i % 2 == b and x is not None)
        level[2 * at + b] = c ^ t_j ^ known
        at = 2 * at + 1 - b
    return level, at


def tree_case(label, depth, bits=None):
    """One tree, and the receiver's answer to each of its corrections falsified in one bit. The lowest bit of delta is
    1 and that of every q_j is 0, so that the lowest bit of t_j is b_j."""
    inputs = Inputs(label)
    key, delta, q = inputs.block(), inputs.block() | 1, [x & ~1 for x in inputs.blocks(depth)]
    bits = bits or [inputs.below(2) for _ in range(depth)]
    h = Hash(key)
    leaves, corrections = expand(h, delta, q)
    t = [q_j ^ (delta if b else 0) for q_j, b in zip(q, bits)]
    punctured, alpha = puncture(h, bits, t, corrections)
    assert [x for i, x in enumerate(leaves) if i != alpha] == [x for x in punctured if x is not None]
    assert punctured[alpha] is None and leaves[alpha] == delta ^ xor(x for x in punctured if x is not None)
    bad = []
    for level in range(len(corrections)):
        wrong = list(corrections)
        wrong[level] ^= 1 << inputs.below(128)
        broken, same_alpha = puncture(h, bits, t, wrong)
        assert same_alpha == alpha and broken != punctured
        bad.append({"corrections": hexes(wrong), "punctured": hexes(x or 0 for x in broken)})
    return {"key": block(key).hex(), "delta": block(delta).hex(), "q": hexes(q), "t": hexes(t),
            "corrections": hexes(corrections), "leaves": hexes(leaves), "alpha": alpha,
            "punctured": hexes(x or 0 for x in punctured), "bad": bad}


def tree_vectors():
    every_alpha = [tree_case(f"tree 3 {a}", 3, [1 - (a >> i & 1) for i in (2, 1, 0)]) for a in range(8)]
    assert [case["alpha"] for case in every_alpha] == list(range(8))
    return every_alpha + [tree_case(f"tree {depth}", depth) for depth in (1, 2, 5, 8)]


# ---------------------------------------------------------------- rotation

def leaf_row(h, leaf, n):
    """n bits of H(leaf ^ 1), H(leaf ^ 2), .. as a number."""
    wide = sum(h(leaf ^ (i + 1)) << (128 * i) for i in range((n + 127) // 128))
    return wide & ((1 << n) - 1)


def shifted_back(group, n, row, by):
    """unshift: entry j is entry j + by (cyclic) or j ^ by (xor)."""
    places = [(j + by) % n if group == "cyclic" else j ^ by for j in range(n)]
    return sum((row >> place & 1) << j for j, place in enumerate(places))


def row_sums(h, group, leaves):
    """r = sum of d_i, a = sum of unshift_i(d_i)."""
    n = len(leaves)
    rows = [leaf_row(h, leaf, n) for leaf in leaves]
    return xor(rows), xor(shifted_back(group, n, row, i) for i, row in enumerate(rows))


def row_case(group, n):
    """The sender's sums over all leaves, and the receiver's with zero in the place of the leaf at alpha."""
    inputs = Inputs(f"rows {group} {n}")
    key, leaves, alpha = inputs.block(), inputs.blocks(n), inputs.below(n)
    h = Hash(key)
    r, a = row_sums(h, group, leaves)
    punctured = [0 if i == alpha else leaf for i, leaf in enumerate(leaves)]
    r_punctured, a_punctured = row_sums(h, group, punctured)
    # What makes the rotation work: shift_alpha(a) ^ r does not depend on the row at alpha.
    to = -alpha % n if group == "cyclic" else alpha
    assert shifted_back(group, n, a ^ a_punctured, to) == r ^ r_punctured
    assert n < 64 or r != r_punctured
    sums = {"r": r, "a": a, "r_punctured": r_punctured, "a_punctured": a_punctured}
    return {"group": group, "key": block(key).hex(), "leaves": hexes(leaves), "alpha": alpha,
            **{name: value.to_bytes((n + 7) // 8, "little").hex() for name, value in sums.items()}}


def row_vectors():
    return [row_case(group, n) for group in ("cyclic", "xor") for n in (2, 4, 8, 16, 32, 64, 128, 256)]


# ---------------------------------------------------------------- LPN

def lpn_case(log2_k, first_row, count):
    """Row i adds the ten entries of the table whose indices are the 32-bit little-endian words 10 i .. 10 i + 9 of
    the AES-CTR stream of the key, mod k. The table is itself a stream, so that it need not stand in the file."""
    inputs = Inputs(f"lpn {log2_k} {first_row}")
    key, table_seed, noise = inputs.block(), inputs.block(), inputs.blocks(count)
    assert first_row % 2 == 0 and count % 2 == 0        # two rows take five blocks
    data = b"".join(block(x) for x in stream(key, count // 2 * 5, first_row // 2 * 5))
    words = [int.from_bytes(data[at:at + 4], "little") for at in range(0, len(data), 4)]
    rows = [[word % (1 << log2_k) for word in words[10 * i:10 * i + 10]] for i in range(count)]
    table = {j: stream(table_seed, 1, j)[0] for row in rows for j in row}
    encoded = [xor(table[j] for j in row) ^ e for row, e in zip(rows, noise)]
    return {"key": block(key).hex(), "log2_k": log2_k, "table_seed": block(table_seed).hex(), "first_row": first_row,
            "noise": hexes(noise), "rows": rows, "encoded": hexes(encoded)}


def lpn_vectors():
    """Few columns make an index occur twice in a row; a late row has a counter of more than 32 bits."""
    return [lpn_case(2, 0, 32), lpn_case(7, 64, 64), lpn_case(14, 0, 96), lpn_case(17, (1 << 40) + 32, 32)]


# ---------------------------------------------------------------- F_2^64, and VOLE (join-spec, section 1)

def field_times(a, b):
    """Product modulo x^64 + x^4 + x^3 + x + 1."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a = (a << 1) ^ (0x1000000000000001B if a >> 63 & 1 else 0)
        b >>= 1
    return product


def field_inverse(a):
    """a^(2^64 - 2): the product of a^(2^i) for i = 1 .. 63."""
    product, power = 1, a
    for _ in range(63):
        power = field_times(power, power)
        product = field_times(product, power)
    return product


def scaled(a, v):
    """A word times a pair, both halves of a block."""
    return field_times(a, v >> 64) << 64 | field_times(a, v & MASK64)


def words(values):
    return [format(x, "x") for x in values]


def field_vectors():
    inputs, edges = Inputs("field"), [0, 1, 2, 0x1B, 1 << 63, MASK64, 0x1111111111111111]
    a = [x & MASK64 for x in inputs.blocks(12)] + edges
    b = [x & MASK64 for x in inputs.blocks(12)] + edges[::-1]
    v = inputs.blocks(len(a))
    inverses = [field_inverse(x) for x in a]
    assert all(field_times(x, y) == (x != 0) for x, y in zip(a, inverses))
    return [{"a": words(a), "b": words(b), "product": words(map(field_times, a, b)), "inverse": words(inverses),
             "v": hexes(v), "inner": block(xor(map(scaled, a, v))).hex(), "scaled": hexes(scaled(x, v[0]) for x in a)}]


def lpn_field_case(log2_k, first_row, count):
    """As `lpn_case`, each entry times a coefficient: the 64-bit words 10 i .. 10 i + 9 of the second key's stream. A
    second table has words, the low halves of blocks of another stream."""
    inputs = Inputs(f"lpn field {log2_k} {first_row}")
    keys, seeds, noise = inputs.blocks(2), inputs.blocks(2), inputs.blocks(count)
    data = [b"".join(block(x) for x in stream(key, count // 2 * per, first_row // 2 * per))
            for key, per in zip(keys, (5, 10))]
    places = [int.from_bytes(data[0][at:at + 4], "little") % (1 << log2_k) for at in range(0, len(data[0]), 4)]
    factors = [int.from_bytes(data[1][at:at + 8], "little") for at in range(0, len(data[1]), 8)]
    assert len(places) == len(factors) == 10 * count
    table = {j: stream(seeds[0], 1, j)[0] for j in places}
    of_words = {j: stream(seeds[1], 1, j)[0] & MASK64 for j in places}
    rows = [list(zip(places, factors))[10 * i:10 * i + 10] for i in range(count)]
    return {"keys": hexes(keys), "log2_k": log2_k, "table_seeds": hexes(seeds), "first_row": first_row,
            "noise": hexes(noise),
            "encoded": hexes(xor(scaled(c, table[j]) for j, c in row) ^ e for row, e in zip(rows, noise)),
            "words": words(xor(field_times(c, of_words[j]) for j, c in row) for row in rows)}


def lpn_field_vectors():
    return [lpn_field_case(2, 0, 32), lpn_field_case(7, 64, 64), lpn_field_case(17, (1 << 40) + 32, 32)]


def packed_case(label):
    """64 correlated OTs make a VOLE."""
    inputs = Inputs(label)
    delta, q = inputs.block() | 1, [x & ~1 for x in inputs.blocks(64)]
    bits = [inputs.below(2) for _ in q]
    t = [x ^ (delta if b else 0) for x, b in zip(q, bits)]
    v, w = (xor(scaled(1 << j, x) for j, x in enumerate(strings)) for strings in (q, t))
    a = sum(b << j for j, b in enumerate(bits))
    assert w == v ^ scaled(a, delta)
    return {"delta": block(delta).hex(), "q": hexes(q), "t": hexes(t), "v": block(v).hex(), "w": block(w).hex(),
            "a": words([a])[0]}


def text():
    vectors = {
        "about": "Made by tools/vectors.py, which explains the notation. Not to be edited.",
        "aes": aes_vectors(), "lowmc": lowmc_vectors(), "hash": hash_vectors(), "prg": prg_vectors(), "pack": pack_vectors(),
        "transpose": transpose_vectors(), "tree": tree_vectors(), "rows": row_vectors(), "lpn": lpn_vectors(),
        "field": field_vectors(), "lpn_field": lpn_field_vectors(), "packed": [packed_case("packed 0"), packed_case("packed 1")],
    }
    return json.dumps(vectors, indent=0) + "\n"


def main():
    check = sys.argv[1:2] == ["--check"]
    rest = sys.argv[1 + check:]
    file = Path(rest[0]) if rest else FILE
    if not check:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text())
    elif file.read_text() != text():
        sys.exit(f"{file} is not what this script writes")


if __name__ == "__main__":
    main()
