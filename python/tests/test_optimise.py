"""What a session makes least: the same results with fewer bytes or rounds, whichever party asks."""

from __future__ import annotations

import queue
import threading

import hushtable as ht
import numpy as np
import pytest
from networks import perceptron

X = np.random.default_rng(0).normal(size=(400, 32))


def sizes(f, **how):
    """What `f` of shares of X gives, and bytes and rounds online of both parties."""

    def party(p):
        x = p.input(X if p.role == 0 else None, 0, shape=X.shape, bits=40, fraction=12, range=(-8, 8))
        p.barrier()
        before = p.cost
        made = f(x)
        p.barrier()
        cost = p.cost - before
        phases = (cost.setup, cost.offline, cost.online)
        return p.open(made), sum(phase.sent + phase.received for phase in phases), cost.online.rounds

    (made, size, rounds), (other, _, _) = ht.run_pair(party, **how)
    assert np.array_equal(made, other)
    return made, size, rounds


FUNCTIONS = {
    "softmax": (lambda x: ht.softmax(x), lambda x: np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)),
    "silu": (lambda x: ht.silu(x), lambda x: x / (1 + np.exp(-x))),
    "relu": (lambda x: ht.maximum(x, 0), lambda x: np.maximum(x, 0)),
    "matrix": (lambda x: x.reshape(20, 20, 32) @ x.reshape(20, 32, 20), None),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_fewer_bytes_and_rounds_and_the_same_results(name):
    f, plain = FUNCTIONS[name]
    want = plain(X) if plain else X.reshape(20, 20, 32) @ X.reshape(20, 32, 20)
    found = {how: sizes(f, optimise=how) for how in (None, "bytes", "rounds", "online", "total")}
    for made, _, _ in found.values():
        assert np.abs(made - want).max() < (40 if plain is None else 4) * 2**-12
    assert found["bytes"][1] <= found[None][1]
    assert found["rounds"][2] <= found[None][2]
    if name in ("softmax", "relu"):
        assert found["bytes"][1] < 0.9 * found[None][1]


@pytest.mark.parametrize(("ours", "theirs"), [("bytes", None), (None, "bytes"), ("bytes", "bytes"), ("bytes", "rounds")])
def test_one_party_is_enough_and_two_must_agree(ours, theirs):
    addresses, outcomes = queue.Queue(), {}

    def run(role):
        try:
            if role == 0:
                made = ht.listen("127.0.0.1:0", insecure_plain_tcp=True, on_listening=addresses.put, optimise=ours)
            else:
                made = ht.connect(addresses.get(timeout=30), insecure_plain_tcp=True, optimise=theirs)
            with made as p:
                x = p.input(X[:, 0] if p.role == 0 else None, 0, shape=400, bits=37, fraction=12)
                outcomes[role] = p.open(ht.maximum(x, 0))
        except ht.HushtableError as error:
            outcomes[role] = error

    threads = [threading.Thread(target=run, args=(role,)) for role in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if ours and theirs and ours != theirs:
        for error in outcomes.values():
            assert isinstance(error, ht.HandshakeError) and "bytes" in str(error) and "rounds" in str(error)
        return
    for made in outcomes.values():
        assert np.abs(made - np.maximum(X[:, 0], 0)).max() <= 2**-12


def test_what_is_no_aim_is_refused():
    for how in (lambda: ht.run_pair(lambda p: None, optimise="speed"), lambda: ht.connect("127.0.0.1:9", "x.id", optimise="speed")):
        with pytest.raises(ht.ParamError, match="'total', 'online', 'bytes' or 'rounds'"):
            how()


def test_processes_take_it_too():
    def party(p):
        return float(p.open(ht.maximum(p.input(-3.0 if p.role == 0 else None, 0, shape=(), bits=37, fraction=12), 0)))

    assert ht.run_pair(party, processes=True, optimise="bytes") == (0.0, 0.0)


@pytest.mark.parametrize("measure", [True, False])
def test_reports_are_about_what_is_least(measure):
    model = perceptron(np.random.default_rng(1), (6, 30, 4)).calibrate(np.random.default_rng(2).normal(size=(50, 6)))
    usual, least = (model.report(2000, measure=measure, optimise=how) for how in (None, "bytes"))
    assert usual.optimise is None and least.optimise == "bytes" and usual.error == least.error
    assert least.bytes < 0.9 * usual.bytes
    with pytest.raises(ht.ParamError, match="optimise"):
        model.report(2000, optimise="speed")
