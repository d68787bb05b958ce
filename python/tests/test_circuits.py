"""Circuits on arrays of shares: every engine gives what plain evaluation does, whoever knows the inputs."""

from __future__ import annotations

from pathlib import Path

import hushtable as ht
import numpy as np
import pytest
from parties import differ

ROOT = Path(__file__).parents[2]
FLOATS = ("f32_add", "f32_sub", "f32_mul", "f32_div", "f32_sqrt", "f32_less", "f32_less_equal", "f32_equal")
# AES-128, AES-192, AES-256: FIPS 197, appendix C.
BLOCK = bytes.fromhex("00112233445566778899aabbccddeeff")
AES = {
    16: "69c4e0d86a7b0430d8cdb78070b4c55a",
    24: "dda97ca4864cdfe06eaf70a0ec0d7191",
    32: "8ea2b7ca516745bfeafc49904b496089",
}


def random_gates(rng, widths, gates, outputs):
    """Random gates as Bristol Fashion writes them: the text, and what they compute."""
    wires = sum(widths)
    lines, made = [], []
    for wire in range(wires, wires + gates):
        kind = rng.choice(["AND", "XOR", "INV"], p=[0.4, 0.45, 0.15])
        # Mostly the last ones, so that there are layers.
        read = [int(max(0, wire - 1 - rng.integers(0, 2 * wires))) for _ in range(1 if kind == "INV" else 2)]
        lines.append(f"{len(read)} 1 {' '.join(map(str, read))} {wire} {kind}")
        made.append((kind, read))
    text = f"{gates} {wires + gates}\n{len(widths)} {' '.join(map(str, widths))}\n{len(outputs)} {' '.join(map(str, outputs))}\n\n"

    def compute(values):
        """Outputs of Python's integers for each input."""
        bits = [value >> i & 1 for value, width in zip(values, widths, strict=True) for i in range(width)]
        for kind, read in made:
            a, b = bits[read[0]], bits[read[-1]]
            bits.append(a & b if kind == "AND" else a ^ b if kind == "XOR" else 1 - a)
        found, last = [], bits[len(bits) - sum(outputs) :]
        for width in outputs:
            found.append(sum(bit << i for i, bit in enumerate(last[:width])))
            last = last[width:]
        return found

    return text + "\n".join(lines) + "\n", compute


def numbers(rows):
    """Whole numbers from rows of bytes, the highest first."""
    return [int.from_bytes(bytes(row), "big") for row in rows]


def meets(owner, role, values, type):
    """Arguments of `p.bits` for values of one party, or of both: P1 then has random bits, and P0 the XOR with them."""
    if owner is not None:
        return (values if role == owner else None, type, owner), {"shape": len(values)}
    rng = np.random.default_rng(len(values))
    width = int(type[1:])
    mask = [int.from_bytes(rng.bytes(-(-width // 8)), "big") >> -width % 8 for _ in values]
    return ([v ^ m for v, m in zip(values, mask, strict=True)] if role == 0 else mask, type), {}


@pytest.mark.parametrize("seed", range(6))
def test_random_circuits_by_every_engine_whoever_knows_the_inputs(seed, tmp_path):
    rng = np.random.default_rng(seed)
    widths = [int(w) for w in rng.choice([1, 3, 8, 63, 64, 65, 130], size=rng.integers(2, 4))]
    outputs = [int(w) for w in rng.choice([1, 5, 64, 70], size=rng.integers(1, 3))]
    text, compute = random_gates(rng, widths, 300, outputs)
    (tmp_path / "random.txt").write_text(text)
    types = {f"in{i}": f"b{width}" for i, width in enumerate(widths)} | {f"out{i}": f"b{w}" for i, w in enumerate(outputs)}
    circuit = ht.compile(tmp_path / "random.txt", types=types, max_inputs=int(rng.integers(2, 9)), purpose="bytes")
    count = int(rng.choice([1, 2, 64, 67]))
    values = [[int.from_bytes(rng.bytes(-(-w // 8)), "big") >> -w % 8 for _ in range(count)] for w in widths]
    expected = [list(column) for column in zip(*(compute(row) for row in zip(*values, strict=True)), strict=True)]

    def check(found):
        found = found if isinstance(found, tuple) else [found]
        assert [numbers(rows) for rows in found] == expected

    check(circuit.plain(*values))
    engines = [None, "gmw", "splut", "gc", "gc-ahead"] + ["lut"] * any(form.lookups for form in circuit.forms)
    owners = [[None if o == 2 else int(o) for o in rng.integers(0, 3, len(widths))] for _ in engines]
    owners[1], owners[2] = [0] * len(widths), [1] * len(widths)

    def party(p):
        opened = []
        for engine, own in zip(engines, owners, strict=True):
            given = []
            for value, width, owner in zip(values, widths, own, strict=True):
                args, more = meets(owner, p.role, value, f"b{width}")
                given.append(p.bits(*args, **more))
            found = circuit(*given, engine=engine)
            found = found if isinstance(found, tuple) else (found,)
            assert all(share.owner == (own[0] if len(set(own)) == 1 else None) for share in found)
            opened.append(tuple(p.open(share) for share in found))
        return opened

    for opened in ht.run_pair(party):
        for found in opened:
            check(found)


def floats(rng, count):
    """Random bit patterns, special values beside each other, and numbers of similar sizes."""
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-45, -1e-45, 1.1754944e-38, 3.4028235e38, 0.5], np.float32)
    pairs = np.stack([np.repeat(special, len(special)), np.tile(special, len(special))])
    bits = rng.integers(0, 1 << 32, (2, count), dtype=np.uint64).astype(np.uint32).view(np.float32)
    near = (rng.normal(size=(2, count)) * 2.0 ** rng.integers(-3, 3, (2, count))).astype(np.float32)
    return np.concatenate([pairs, bits, near], axis=1)


def by_numpy(name, a, b):
    with np.errstate(all="ignore"):
        of = {
            "f32_add": np.add, "f32_sub": np.subtract, "f32_mul": np.multiply, "f32_div": np.divide,
            "f32_sqrt": lambda a, _: np.sqrt(a),
            "f32_less": np.less, "f32_less_equal": np.less_equal, "f32_equal": np.equal,
        }
        return of[name](a, b)


def same(found, expected):
    """Bit by bit, but for which NaN it is."""
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if found.dtype == np.float32:
        nan = np.isnan(expected)
        assert np.array_equal(np.isnan(found), nan)
        found, expected = (np.where(nan, 0, x.view(np.uint32)) for x in (found, expected))
    assert np.array_equal(found, expected)


def test_floating_point_is_what_numpy_computes():
    a, b = floats(np.random.default_rng(7), 400)

    def party(p):
        x, y = p.bits(a if p.role == 0 else None, "f32", 0, shape=a.shape), p.bits(b if p.role else None, "f32", 1, shape=b.shape)
        found = {}
        for name in FLOATS:
            circuit = getattr(ht.circuits, name)
            found[name] = p.open(circuit(*(x, y)[: len(circuit.inputs)]))
        return found

    plain = {name: getattr(ht.circuits, name).plain(*(a, b)[: len(getattr(ht.circuits, name).inputs)]) for name in FLOATS}
    for found in (*ht.run_pair(party), plain):
        for name in FLOATS:
            same(found[name], by_numpy(name, a, b))


def test_whole_numbers_are_what_numpy_computes():
    rng = np.random.default_rng(3)
    ends = np.array([-(2**31), -1, 0, 1, 2**31 - 1], np.int32)
    a = np.concatenate([np.repeat(ends, 5), rng.integers(-(2**31), 2**31, 300).astype(np.int32)])
    b = np.concatenate([np.tile(ends, 5), rng.integers(-(2**31), 2**31, 300).astype(np.int32)])

    def party(p):
        x = p.bits(a if p.role == 0 else None, "i32", 0, shape=a.shape)
        y = p.bits(b if p.role == 1 else None, "i32", 1, shape=b.shape)
        u, v = x.view("u32"), y.view("u32")
        total = ht.circuits.add32(u, v)
        low, high = ht.circuits.exchange_i32(x, y)
        assert ht.circuits.exchange_i32(b=y, a=x)._fields == ("low", "high")
        return [p.open(s) for s in (total.view("i32"), ht.circuits.less_i32(x, y), low, high, ht.circuits.f32_of_i32(x))]

    with np.errstate(all="ignore"):
        expected = [a + b, a < b, np.minimum(a, b), np.maximum(a, b), a.astype(np.float32)]
    for found in ht.run_pair(party):
        for one, other in zip(found, expected, strict=True):
            same(one, other)


@pytest.mark.parametrize("engine", [None, "gmw", "lut", "lut:oplut", "splut", "gc", "gc-ahead"])
def test_aes_is_that_of_fips_197(engine):
    key = bytes(range(16))

    def party(p):
        k = p.bits(key if p.role == 0 else None, "b128", 0, shape=())
        block = p.bits([BLOCK] * 2 if p.role == 1 else None, "b128", 1, shape=2)
        return [bytes(row).hex() for row in p.open(ht.circuits.aes128(k, block, engine=engine))]

    assert ht.run_pair(party) == ([AES[16]] * 2, [AES[16]] * 2)


def test_one_who_knows_all_inputs_computes_alone_and_knows_the_results():
    def party(p):
        found = []
        for size, bits in ((16, 128), (24, 192), (32, 256)):
            key = p.bits(bytes(range(size)) if p.role == 1 else None, f"b{bits}", 1, shape=())
            before = p.cost
            keys = getattr(ht.circuits, f"aes{bits}_expand")(key, engine="gc")
            assert keys.owner == 1 and not (p.cost - before).records
            block = p.bits(BLOCK if p.role == 0 else None, "b128", 0, shape=())
            found.append(bytes(p.open(getattr(ht.circuits, f"aes{bits}_expanded")(keys, block))).hex())
        return found

    assert ht.run_pair(party)[0] == list(AES.values())


def test_tables_are_not_read_at_places_that_one_party_knows():
    """Of a circuit of lookups alone: the parties evaluate it, though one knows all inputs."""
    tables = ht.Circuit.load(ROOT / "circuits/built/aes128.hut")
    assert all(form.lookups for form in tables.forms)

    def party(p):
        given = [p.bits(value if p.role == 1 else None, "b128", 1, shape=()) for value in (bytes(range(16)), BLOCK)]
        found = tables(*given)
        assert found.owner is None
        return bytes(p.open(found)).hex()

    assert ht.run_pair(party) == (AES[16], AES[16])


def test_what_a_party_knows_costs_less():
    x = np.arange(100, dtype=np.uint64)

    def cost(owners):
        def party(p):
            given = [p.bits(x if p.role == owner else None, "u64", owner, shape=100) if owner is not None else p.bits(x, "u64")
                     for owner in owners]
            ht.circuits.multiply64(*given, engine="gmw")
            return p.cost.offline.sent + p.cost.online.sent

        return sum(ht.run_pair(party))

    assert cost((0, 1)) < 0.95 * cost((None, None))


def test_inputs_are_broadcast_and_public_ones_compared():
    a = np.arange(6, dtype=np.uint32).reshape(2, 3)

    def party(p, more=np.uint32(7)):
        x = p.bits(a if p.role == 1 else None, "u32", 1, shape=a.shape)
        y = p.bits([10, 20, 30] if p.role == 0 else None, "u32", 0, shape=3)
        none = p.bits(np.zeros((0, 3), np.uint32), "u32")
        known = ht.circuits.add32(x, more)
        assert known.owner == 1
        return [p.open(s) for s in (ht.circuits.add32(x, y), ht.circuits.add32(y[0], x[1, 2]), known, ht.circuits.add32(none, y))]

    both, one, known, nothing = ht.run_pair(party)[0]
    assert np.array_equal(both, a + np.array([10, 20, 30])) and one == 15 and one.shape == ()
    assert np.array_equal(known, a + 7) and nothing.shape == (0, 3) and nothing.dtype == np.uint32
    error = differ(party, lambda p: party(p, np.uint32(8)))
    assert "public numbers" in error.ours


def adds(circuit="add32", engine=None, type="u32", owner=0, rows=slice(None)):
    def party(p):
        x = p.bits([1, 2] if owner == p.role else None, type, owner, shape=2)[rows]
        y = p.bits([3, 4] if p.role == 1 else None, type, 1, shape=2)
        z = p.bits([3, 4], type)
        p.open(ht.circuits.__getattr__(circuit)(x, y, engine=engine) if owner == 0 else ht.circuits.add32(z, x))

    return party


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (adds(), adds("subtract32")),
        (adds(engine="gc"), adds(engine="gmw")),
        (adds(engine="gc"), adds(engine="gc-ahead")),
        (adds(), adds("add64", type="u64")),
        (adds(), adds(rows=slice(None, None, -1))),
    ],
)
def test_parties_that_differ_are_both_told(ours, theirs):
    differ(ours, theirs)


@pytest.mark.parametrize(("letter", "least", "most"), [("u", 0, 1 << 32), ("i", -(1 << 31), 1 << 31)])
def test_a_share_by_xor_fits_a_port_by_its_range(letter, least, most):
    """Every range between numbers where a type ends is right, or refused with the port and what it takes."""
    less = getattr(ht.circuits, f"less_{letter}32")
    ends = [end + i for end in (-(1 << 31), 0, 1 << 31, 1 << 32) for i in (-1, 0, 1)]
    ranges = [(lo, hi) for lo in ends for hi in ends if lo < hi <= lo + (1 << 32)]

    def party(p):
        taken = []
        for lo, hi in ranges:
            share = p.input([lo, hi - 1] if p.role == 0 else None, 0, shape=2, bits=32, fraction=0, range=(lo, hi), kind="xor")
            if least <= lo and hi <= most:
                taken.append((lo, hi))
                assert p.open(less(share, 5)).tolist() == [lo < 5, hi - 1 < 5]
            else:
                accepted = rf"port b: Share\(.*accepted: {letter}32, .*range= within \({least}, {most}\)"
                with pytest.raises(ht.ParamError, match=accepted):
                    less(5, share)
        return taken

    for taken in ht.run_pair(party):
        assert (least, most) in taken and len(taken) < len(ranges)


def test_what_does_not_fit_is_refused_with_the_port():
    ours = [None, None]
    ht.run_pair(lambda p: ours.__setitem__(p.role, p.bits([1], "u32")))

    def party(p):
        add, less = ht.circuits.f32_add, ht.circuits.less_u32
        f, u = p.bits([1.0], "f32"), p.bits([1, 2], "u32")
        short = p.share([1], bits=16, fraction=0, kind="xor")
        additive = p.share([1], bits=32, fraction=0)
        own = p.bits([1.0] if p.role == 0 else None, "f32", 0, shape=1)
        for error, match, call in [
            (TypeError, r"circuit f32_add, port b: BitShare\(shape=\(2,\), type='u32'\); accepted: f32, view\('f32'\)", lambda: add(f, u)),
            (TypeError, r"port a: Share\(.*; accepted: f32, as of p.bits\(..., 'f32'\)$", lambda: add(short, f)),
            (TypeError, "port a: .*by XOR of 32 bits.*ht.to_bits", lambda: less(additive, u)),
            (TypeError, "port b: .*by XOR of 32 bits", lambda: less(u, short)),
            (ht.ShapeError, r"less_u32: shapes that do not fit together: a \(2,\), b \(3,\)", lambda: less(u, np.ones(3, np.uint8))),
            (ht.ParamError, "port b: -1 at index 1 .*accepted: 0 to 4294967295", lambda: less(u, [1, -1])),
            (TypeError, "port b: values of dtype float64; accepted for u32: whole numbers", lambda: less(u, 1.0)),
            (TypeError, "1 in order, where its inputs are a f32, b f32", lambda: add(f)),
            (TypeError, "3 in order", lambda: add(f, f, f)),
            (TypeError, "2 in order, a, where", lambda: add(f, f, a=f)),
            (TypeError, "1 in order, c, where", lambda: add(f, c=f)),
            (TypeError, "no input is a share.*plain", lambda: add(1.0, 2.0)),
            (ht.ShapeError, "different sessions or parties", lambda: less(u, ours[p.role])),
            (ht.ParamError, 'engine "gm" is not supported; accepted: gmw, gc', lambda: add(f, f, engine="gm")),
            (ht.ParamError, 'engine "gm" is not supported', lambda: add(own, own, engine="gm")),
            (ht.ParamError, "f32_add has no form with lookups", lambda: add(f, f, engine="lut")),
        ]:
            with pytest.raises(error, match=match):
                call()
        with pytest.raises(AttributeError, match="no circuit 'f32_ad'; it has add32, "):
            ht.circuits.f32_ad  # noqa: B018
        return p.open(less(u, u))

    assert ht.run_pair(party)[0].tolist() == [False, False]
