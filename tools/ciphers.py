"""Ciphers by their definitions, for tools/vectors.py and tools/lattice_vectors.py: AES-128 from FIPS-197, with an S-box
computed from its definition, LowMC, and BLAKE3 of few bytes. Independent of the Rust code on purpose."""


# ---------------------------------------------------------------- AES-128, FIPS-197

def times(a, b):
    """Product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a = (a << 1) ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return product


def sbox_entry(x):
    """Section 5.1.1: the inverse, then the affine map."""
    inverse = next((y for y in range(256) if times(x, y) == 1), 0)
    out = 0
    for i in range(8):
        bit = 0x63 >> i
        for offset in (0, 4, 5, 6, 7):
            bit ^= inverse >> ((i + offset) % 8)
        out |= (bit & 1) << i
    return out


SBOX = [sbox_entry(x) for x in range(256)]
DOUBLE = [times(2, x) for x in range(256)]
TRIPLE = [times(3, x) for x in range(256)]


def round_keys(key):
    """Section 5.2: eleven round keys of 16 bytes."""
    words = [list(key[4 * i:4 * i + 4]) for i in range(4)]
    constant = 1
    for i in range(4, 44):
        word = list(words[i - 1])
        if i % 4 == 0:
            word = [SBOX[x] for x in word[1:] + word[:1]]
            word[0] ^= constant
            constant = times(constant, 2)
        words.append([a ^ b for a, b in zip(words[i - 4], word)])
    return [sum(words[4 * r:4 * r + 4], []) for r in range(11)]


def aes(keys, plain):
    """Section 5.1. Byte r + 4c of a state is row r, column c."""
    state = [a ^ b for a, b in zip(plain, keys[0])]
    for number in range(1, 11):
        state = [SBOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]     # SubBytes and ShiftRows
        if number < 10:
            mixed = []
            for c in range(0, 16, 4):
                for r in range(4):
                    a, b, d, e = (state[c + (r + j) % 4] for j in range(4))
                    mixed.append(DOUBLE[a] ^ TRIPLE[b] ^ d ^ e)
            state = mixed
        state = [a ^ b for a, b in zip(state, keys[number])]
    return bytes(state)


def stream(seed, first, count):
    """AES-CTR: block i is AES_seed(i), i little-endian; all blocks at once, as 16 strings of a byte of each."""
    keys = round_keys(seed.to_bytes(16, "little"))
    tables = bytes(SBOX), bytes(DOUBLE[x] for x in SBOX)
    every = int.from_bytes(b"\1" * count, "little")
    state = [int.from_bytes(bytes(i >> 8 * k & 255 for i in range(first, first + count)), "little") for k in range(16)]
    for number, key in enumerate(keys):
        if number > 0:
            planes = [x.to_bytes(count, "little") for x in state]
            planes = [planes[(i + 4 * (i % 4)) % 16] for i in range(16)]
            one, two = [[int.from_bytes(x.translate(table), "little") for x in planes] for table in tables]
            state = one
        if 0 < number < 10:
            state = []
            for c in range(0, 16, 4):
                for r in range(4):
                    a, b, d, e = (c + (r + j) % 4 for j in range(4))
                    state.append(two[a] ^ two[b] ^ one[b] ^ one[d] ^ one[e])
        state = [x ^ every * k for x, k in zip(state, key)]
    out = bytearray(16 * count)
    for i, x in enumerate(state):
        out[i::16] = x.to_bytes(count, "little")
    return bytes(out)


# ---------------------------------------------------------------- LowMC, from the designers' paper and script

class Grain:
    """The LFSR of 80 bits as a self-shrinking generator; what it gave is kept, as all instances begin alike."""
    state, bits = (1 << 80) - 1, []

    def __init__(self):
        self.used = 0

    @classmethod
    def step(cls):
        s = cls.state
        bit = (s ^ s >> 13 ^ s >> 23 ^ s >> 38 ^ s >> 51 ^ s >> 62) & 1
        cls.state = s >> 1 | bit << 79
        return bit

    def bit(self):
        if self.state == (1 << 80) - 1:
            for _ in range(160):
                self.step()
        while self.used == len(self.bits):
            choice, bit = self.step(), self.step()
            if choice:
                self.bits.append(bit)
        self.used += 1
        return self.bits[self.used - 1]

    def row(self):
        return sum(self.bit() << i for i in range(128))

    def matrix(self):
        while True:
            rows = [self.row() for _ in range(128)]
            leading = {}
            for x in rows:
                while x and x.bit_length() in leading:
                    x ^= leading[x.bit_length()]
                if x:
                    leading[x.bit_length()] = x
            if len(leading) == 128:
                return rows


class LowMc:
    def __init__(self, boxes, rounds):
        grain = Grain()
        self.boxes = boxes
        self.linear = [grain.matrix() for _ in range(rounds)]
        self.constants = [grain.row() for _ in range(rounds)]
        self.keys = [grain.matrix() for _ in range(rounds + 1)]

    @staticmethod
    def times(rows, x):
        return sum(((row & x).bit_count() & 1) << i for i, row in enumerate(rows))

    def encrypt(self, key, x):
        x ^= self.times(self.keys[0], key)
        for linear, constant, key_matrix in zip(self.linear, self.constants, self.keys[1:]):
            y = x >> 3 * self.boxes << 3 * self.boxes
            for i in range(self.boxes):
                y |= (0, 1, 3, 6, 7, 4, 5, 2)[x >> 3 * i & 7] << 3 * i
            x = self.times(linear, y) ^ constant ^ self.times(key_matrix, key)
        return x


# ---------------------------------------------------------------- BLAKE3, from its authors' paper

def blake3(message, key=None):
    """Of at most 64 bytes: one block, which is chunk and root."""
    def rotated(x, by):
        return (x >> by | x << 32 - by) & 0xffffffff

    start = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]
    m = [int.from_bytes(message.ljust(64, b"\0")[4 * i:4 * i + 4], "little") for i in range(16)]
    chain = [int.from_bytes(key[4 * i:4 * i + 4], "little") for i in range(8)] if key else start
    v = chain + start[:4] + [0, 0, len(message), 1 | 2 | 8 | (16 if key else 0)]
    for _ in range(7):
        for i, (a, b, c, d) in enumerate([(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                                          (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]):
            for word, (first, second) in ((m[2 * i], (16, 12)), (m[2 * i + 1], (8, 7))):
                v[a] = v[a] + v[b] + word & 0xffffffff
                v[d] = rotated(v[d] ^ v[a], first)
                v[c] = v[c] + v[d] & 0xffffffff
                v[b] = rotated(v[b] ^ v[c], second)
        m = [m[i] for i in (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)]
    return b"".join((v[i] ^ v[i + 8]).to_bytes(4, "little") for i in range(8))
