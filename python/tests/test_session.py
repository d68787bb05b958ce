"""Sessions: threads, processes, TLS; costs."""

from __future__ import annotations

import functools
import json
import os
import queue
import socket
import subprocess
import sys
import textwrap
import threading

import hushtable as ht
import numpy as np
import pytest


def scores(p):
    rng = np.random.default_rng(p.role)
    s = p.share(rng.uniform(-4, 4, 300), bits=16, fraction=8, range=(-8, 8))
    return p.open(ht.sigmoid(s, protocol="auto"))  # a table: the same whatever the shares are


def test_threads_and_processes_give_the_same():
    threads = ht.run_pair(scores)
    processes = ht.run_pair(scores, processes=True)
    for y in (*threads, *processes):
        assert np.array_equal(y, threads[0])


def test_open_to_one_party():
    def party(p):
        s = p.share([1.0])
        return p.open(s, to=0), p.open(s, to=1)

    assert ht.run_pair(party) == (([2.0], None), (None, [2.0]))


SCRIPT = textwrap.dedent(
    """
    import sys
    import numpy as np
    import hushtable as ht

    def work(p):
        rng = np.random.default_rng(p.role)
        s = p.share(rng.uniform(-4, 4, 300), bits=16, fraction=8, range=(-8, 8))
        np.save(sys.argv[3], p.open(ht.sigmoid(s, protocol="auto")))

    if sys.argv[1] == "listen":
        print_address = lambda address: print(address, flush=True)
        with ht.listen("127.0.0.1:0", identity=sys.argv[2], on_listening=print_address) as p:
            work(p)
    else:
        with ht.connect(sys.argv[1], identity=sys.argv[2]) as p:
            work(p)
    """
)


def test_two_programs_over_tls(tmp_path):
    for name in ("bank", "telecom"):
        ht.identity_new(tmp_path / name, name)
    for name, peer in (("bank", "telecom"), ("telecom", "bank")):
        fingerprint = ht.identity_fingerprint(tmp_path / peer)
        name_here = ht.identity_trust(tmp_path / name, tmp_path / peer / "cert.pem", fingerprint=fingerprint)
        assert name_here == peer
    script = tmp_path / "party.py"
    script.write_text(SCRIPT)

    def start(where, name):
        args = [sys.executable, script, where, tmp_path / name, tmp_path / f"{name}.npy"]
        return subprocess.Popen(args, stdout=subprocess.PIPE, text=True)

    with start("listen", "bank") as bank:
        address = bank.stdout.readline().strip()
        with start(address, "telecom") as telecom:
            assert telecom.wait(60) == 0
        assert bank.wait(60) == 0
    want = ht.run_pair(scores)[0]
    for name in ("bank", "telecom"):
        assert np.array_equal(np.load(tmp_path / f"{name}.npy"), want)


def test_a_peer_is_told_of_a_party_that_stops():
    """By an exception in the session, whose text stays here."""

    def party(p):
        if p.role == 0:
            with pytest.raises(ValueError, match="my own"), p:
                raise ValueError("my own")
        else:
            with pytest.raises(ht.PeerError, match="somebody stopped it") as told:
                p.barrier()
            assert "my own" not in str(told.value)

    ht.run_pair(party)


def test_a_connection_needs_an_identity_or_says_that_it_has_none(tmp_path):
    with pytest.raises(ht.ParamError, match="insecure_plain_tcp"):
        ht.connect("127.0.0.1:9")
    with pytest.raises(ht.IoError, match="none"):
        ht.connect("127.0.0.1:9", identity=tmp_path / "none")
    with pytest.raises(ht.IoError, match="127.0.0.1:9"):
        ht.connect("127.0.0.1:9", insecure_plain_tcp=True, wait=0.05)
    with pytest.raises(ht.PeerError, match="connection"):
        ht.listen("127.0.0.1:0", insecure_plain_tcp=True, wait=0.05)


def test_trust_follows_a_comparison(tmp_path):
    bank, telecom = tmp_path / "bank", tmp_path / "telecom"
    for folder in (bank, telecom):
        ht.identity_new(folder, folder.name)
    certificate, told = telecom / "cert.pem", ht.identity_fingerprint(telecom)
    with pytest.raises(TypeError):
        ht.identity_trust(bank, certificate)
    with pytest.raises(ht.IdentityError, match="not the peer's certificate"):
        ht.identity_trust(bank, certificate, fingerprint=ht.identity_fingerprint(bank))
    with pytest.raises(ht.ParamError, match="64 hexadecimal digits"):
        ht.identity_trust(bank, certificate, fingerprint=told[:47])
    forged = tmp_path / "forged.pem"
    forged.write_text("# x " + (bank / "cert.pem").read_text() + certificate.read_text())
    with pytest.raises(ht.IdentityError, match="besides one certificate"):
        ht.identity_trust(bank, forged, fingerprint=told)
    assert ht.identity_peers(bank) == {}

    assert ht.identity_trust(bank, certificate, fingerprint=told.lower(), name="mobile") == "mobile"
    assert ht.identity_peers(bank) == {"mobile": told}
    with pytest.raises(ht.IdentityError, match="it trusts: mobile"):
        ht.identity_untrust(bank, "telecom")
    assert ht.identity_untrust(bank, "mobile") == told
    assert ht.identity_peers(bank) == {}
    before = ht.identity_fingerprint(bank)
    assert ht.identity_rotate(bank) == ht.identity_fingerprint(bank) != before


def test_one_peer_is_let_in_and_may_be_idle(tmp_path, caplog):
    folders = {name: tmp_path / name for name in ("bank", "telecom", "retailer")}
    for name, folder in folders.items():
        ht.identity_new(folder, name)
    for mine, other in (("bank", "telecom"), ("bank", "retailer"), ("telecom", "bank"), ("retailer", "bank")):
        told = ht.identity_fingerprint(folders[other])
        ht.identity_trust(folders[mine], folders[other] / "cert.pem", fingerprint=told)
    with pytest.raises(ht.IdentityError, match="retailer, telecom"):
        ht.listen("127.0.0.1:0", identity=folders["bank"], wait=0.05)

    addresses, seen = queue.Queue(), []

    def bank():
        options = {"identity": folders["bank"], "on_listening": addresses.put, "timeout": 0.3}
        with ht.listen("127.0.0.1:0", peer="telecom", **options) as p:
            seen.extend((p.peer, p.peer_fingerprint, p.open(p.share([1.0]))[0]))

    thread = threading.Thread(target=bank, daemon=True)
    thread.start()
    address = addresses.get(timeout=60)
    with socket.create_connection(address.rsplit(":", 1)) as browser:
        browser.sendall(b"GET / HTTP/1.1\r\n\r\n")
    with pytest.raises(ht.HandshakeError, match="does not accept our certificate"):
        ht.connect(address, identity=folders["retailer"])
    with ht.connect(address, identity=folders["telecom"]) as p:
        threading.Event().wait(1)  # the bank waits for this party, which is doing something else
        assert p.open(p.share([1.0]))[0] == 2.0
    thread.join(60)
    assert seen == ["telecom", ht.identity_fingerprint(folders["telecom"]), 2.0]
    warned = [record.getMessage() for record in caplog.records if record.name == "hushtable"]
    assert len(warned) == 2 and all("was turned away, the wait goes on" in line for line in warned)
    assert any("this is retailer" in line for line in warned)


def test_cost_by_phase_and_operation(tmp_path):
    def party(p):
        s = p.share(np.zeros(100), bits=8, fraction=4)
        y = ht.sigmoid(s, protocol="rotl")
        before = p.cost
        p.open(y)
        p.trace(tmp_path / f"{p.role}.json")
        return p.cost, p.cost - before

    (cost, opening), (other, _) = ht.run_pair(party)
    assert list(cost.by_operation) == ["connect", "sigmoid", "open"]
    assert set(cost.by_operation["sigmoid"]) == {"setup", "offline", "online"}
    assert opening.online.sent >= 100 and opening.online.rounds == 1 and opening.offline == ht.Phase()
    assert cost.online.sent == other.online.received
    # What is announced counts where it is sent, and at the peer where it is read.
    sent = [c.setup.sent + c.offline.sent + c.online.sent for c in (cost, other)]
    assert [c.setup.received + c.offline.received + c.online.received for c in (other, cost)] == sent
    assert cost.setup.seconds > 0 and cost.setup.rounds > 0
    # 2 d + 2 (l - 1) bits a lookup, both directions together, and what is announced.
    assert cost.by_operation["sigmoid"]["online"].sent - 100 * (8 + 7) / 8 < 300
    text = str(cost)
    assert "set-up" in text and "sigmoid, offline" in text and "rounds" in text
    for role in (0, 1):
        trace = json.loads((tmp_path / f"{role}.json").read_text())
        spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        assert {"connect", "sigmoid", "open"} == {event["name"] for event in spans}
        assert all(event["dur"] >= 0 and event["ts"] >= 0 and event["pid"] == role for event in spans)


def test_the_start_of_the_ot_extension_is_set_up():
    def multiplied(s):
        return s * s[...]

    def party(p, ahead):
        like = ht.Like(16_000, bits=16, fraction=0, wrap=True)
        s = p.share(np.zeros(16_000), bits=16, fraction=0, wrap=True)
        costs = []
        for _ in range(2):
            before = p.cost
            with p.offline():
                ht.prepare(multiplied, like) if ahead else multiplied(s)
            costs.append(p.cost - before)
        return costs

    # Over a slow link Ferret makes so many.
    for ahead in (False, True):
        for first, second in ht.run_pair(lambda p, ahead=ahead: party(p, ahead), net="100:1ms"):
            # The second time the extension goes on; an operation's name is what is left.
            assert first.setup.sent > 50_000 and first.setup.rounds == 2
            assert second.setup.sent < 200 and second.setup.rounds == 0


def test_progress_is_drawn(capsys):
    def party(p):
        s = p.share(np.zeros(60_000), bits=12, fraction=8, range=(-8, 8))
        return ht.sigmoid(s).shape

    ht.run_pair(party, progress=True, net="100:1ms")
    shown = capsys.readouterr().err
    assert "/60,000" in shown and "100% |####" in shown


def test_results_that_cannot_be_handed_over_say_so():
    with pytest.raises(ht.HushtableError, match="cannot be handed over"):
        ht.run_pair(lambda p: p.share([1.0]), processes=True)


def test_the_package_imports_fast():
    code = "import time, numpy; t = time.perf_counter(); import hushtable; print(time.perf_counter() - t)"
    times = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    assert min(times) < 0.3 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)), times


def test_a_party_that_would_not_run_is_refused():
    async def waits(p):
        return p.open(p.share([1.0]))

    def yields(p):
        yield p.open(p.share([1.0]))

    async def both(p):
        yield p

    class Party:
        async def __call__(self, p):
            return 1

    for f in (waits, functools.partial(waits), Party(), lambda p: waits(p)):
        with pytest.raises(TypeError, match=r"asynchronous: calling it runs nothing.*asyncio.to_thread"):
            ht.run_pair(f)
    with pytest.raises(TypeError, match="waits is asynchronous"):
        ht.run_pair(lambda p: None, waits, processes=True)
    for f in (yields, both):
        with pytest.raises(TypeError, match="is a generator"):
            ht.run_pair(f)
    with pytest.raises(TypeError, match="prepare: the function is asynchronous"):
        ht.count(waits, 3)


def test_threads_that_share_a_session_are_told():
    told = threading.Event()

    def party(p):
        s = p.share([1.0])
        if p.role == 1:
            assert told.wait(60)  # the other's first thread waits for this party, so that its others come meanwhile
            with pytest.raises(ht.PeerError):
                p.open(s)
            return []
        errors = []

        def opens():
            with pytest.raises(ht.HushtableError) as caught:
                p.open(s)
            errors.append(str(caught.value))
            told.set()

        threads = [threading.Thread(target=opens) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        with pytest.raises(ht.HushtableError, match="two threads"):
            p.barrier()
        return errors

    errors, _ = ht.run_pair(party)
    assert len(errors) == 4 and all("a session serves one thread at a time; make one for each" in text for text in errors), errors


def test_a_session_may_go_to_another_thread():
    def party(p):
        found = []
        for _ in range(3):
            thread = threading.Thread(target=lambda: found.append(p.open(p.share([1.0]))[0]))
            thread.start()
            thread.join(60)
        return found

    assert ht.run_pair(party) == ([2.0] * 3,) * 2


def test_what_open_gives_is_typed(tmp_path):
    """An array to both; maybe none where it goes to one party."""
    mypy = pytest.importorskip("mypy.api")
    code = tmp_path / "typed.py"
    code.write_text(
        "import hushtable as ht\n"
        "def party(p: ht.Party, s: ht.Share, to: int) -> None:\n"
        "    reveal_type(p.open(s))\n"
        "    reveal_type(p.open(s, to=to))\n"
        "    p.open(s).sum()\n"
    )
    shown, errors, status = mypy.run(["--strict", "--cache-dir", str(tmp_path / "cache"), str(code)])
    assert status == 0 and not errors, shown + errors
    first, second = [line for line in shown.splitlines() if "Revealed type" in line]
    assert "None" not in first and "| None" in second, shown
