"""Material of networks on disk: made in one session, spent by one call of another, and refused for anything else."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import warnings

import hushtable as ht
import numpy as np
import pytest
from hushtable import processes
from hushtable.nn import storing
from hushtable.nn.graph import Graph, Input
from hushtable.nn.layers.elementwise import Relu
from hushtable.nn.layers.embedding import Embed
from hushtable.nn.layers.linear import Linear
from hushtable.nn.layers.norm import LayerNorm
from hushtable.nn.model import Model
from networks import perceptron, small
from test_nn_report import random_model
from test_stores import over_tls

X = np.random.default_rng(3).normal(size=(20, 5))


def in_processes(tmp_path, work):
    """What `work(p, identity)` returns at both parties, each in a process of its own over TLS, with the identities of the
    folder."""
    folders = [tmp_path / "p0", tmp_path / "p1"]
    if not folders[0].exists():
        processes._identities(tmp_path)
    context = multiprocessing.get_context("fork")
    there, here = context.Pipe()
    pipes = [context.Pipe(duplex=False) for _ in folders]
    ends = [(processes._serve, here), (processes._call, there)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        running = [
            context.Process(target=run, args=(lambda p, i=folder: work(p, i), folder, {"wait": 60}, end, pipe[1]))
            for (run, end), folder, pipe in zip(ends, folders, pipes, strict=True)
        ]
        for process in running:
            process.start()
    for end in (here, there, pipes[0][1], pipes[1][1]):
        end.close()
    found = processes._collect([pipe[0] for pipe in pipes])
    for process in running:
        process.join(60)
    for _, error in found:
        if error is not None:
            raise error
    return [outcome for outcome, _ in found]


def shared(p, model, owner=0):
    return ht.nn.share(p, model if p.role == owner else None, owner=owner)


def prepared(tmp_path, model, rows, owner=0):
    """Makes material in the folder `net` of both parties' identities: what is made by the call besides."""

    def make(p, identity):
        with shared(p, model, owner).prepare(rows, store=identity / "net", identity=identity) as made:
            return made.made_now

    first, second = in_processes(tmp_path, make)
    assert first == second
    return first


def inputs(p, net, examples, giver=1):
    return [net.input(x if p.role == giver else None, giver, shape=x.shape, which=i) for i, x in enumerate(examples)]


def refused(tmp_path, work):
    """The errors that both parties raise."""

    def tried(p, identity):
        with pytest.raises((ht.HushtableError, OSError)) as error:
            work(p, identity)
        return (error.value,)  # no error of its own

    return [error for (error,) in over_tls(tmp_path, tried)]


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(s, marks=pytest.mark.long) for s in range(6, 60))])
def test_what_was_made_the_night_before_runs_the_next_day(tmp_path, seed):
    rng = np.random.default_rng(seed)
    model, examples = random_model(rng)
    while model.graph.nodes[-1].layer.gives != "number":
        model, examples = random_model(rng)
    rows, owner = len(examples[0]), seed % 2
    now = prepared(tmp_path, model, rows, owner)
    assert all(re.match("embedding|layer norm|layer_norm", name) for name in now)

    def spent(p, call, net):
        given = inputs(p, net, examples)
        p.barrier()
        before = p.cost
        made = call(*given)
        took = p.cost - before
        return p.open(made), took

    def run(p, identity):
        net = shared(p, model, owner)
        y, took = spent(p, net.stored(rows, store=identity / "net", identity=identity), net)
        return y, took, spent(p, net.prepare(rows), net)[1]

    steps = len(storing.read(tmp_path / "p0" / "net", tmp_path / "p0")[0].steps)
    for y, took, in_memory in in_processes(tmp_path, run):
        off = np.abs(y - model.plain(*examples))
        assert off.max() <= model.report(rows, measure=False).error
        assert took.online.rounds == in_memory.online.rounds and took.online.sent <= in_memory.online.sent
        if not now:
            # Offline there are names alone, which go with the first message. They say what comes from a store.
            assert took.setup == ht.Phase() and took.offline.rounds == took.offline.received == 0
            names = took.online.sent + took.offline.sent - in_memory.online.sent
            assert 0 <= names <= 60 * steps

    if not any((tmp_path / "p0" / "net").glob("0*")):
        return  # nothing is spent
    again = refused(tmp_path, lambda p, i: shared(p, model, owner).stored(rows, store=i / "net", identity=i))
    assert all(isinstance(error, ht.StoreError) and "used already" in str(error) for error in again)


def test_what_cannot_be_stored_is_made_by_the_call(tmp_path):
    rng = np.random.default_rng(0)
    graph = Graph([Input("x", (-1, 3), "ids")])
    value = graph.add(Embed(9, 4), 0, own={"weight": rng.normal(size=(9, 4))})
    value = graph.add(LayerNorm(4, 0.1), value, own={"weight": np.ones(4), "bias": np.ones(4)})
    value = graph.add(Linear(4, 6, False), value, own={"weight": rng.normal(size=(4, 6))})
    graph.outputs = [graph.add(Relu(), value)]
    ids = rng.integers(0, 9, (8, 3))
    model = Model(graph).calibrate(ids)
    names = [name.split("(")[0] for name in prepared(tmp_path, model, 8)]
    assert names == ["embedding", "layer_norm"]

    def run(p, identity):
        net = shared(p, model)
        return p.open(net.stored(8, store=identity / "net", identity=identity)(*inputs(p, net, [ids])))

    for y in over_tls(tmp_path, run):
        assert np.abs(y - model.plain(ids)).max() <= model.report(8, measure=False).error


def test_lookups_are_stored_too(tmp_path):
    sk = pytest.importorskip("sklearn.ensemble")
    fitted = sk.RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, X[:, 0] > X[:, 1])
    model = ht.nn.from_sklearn(fitted, output="probability").calibrate(X)
    assert prepared(tmp_path, model, 20) == []

    def run(p, identity):
        net = shared(p, model)
        given = inputs(p, net, [X])
        before = p.cost
        made = net.stored(20, store=identity / "net", identity=identity)(*given)
        return p.open(made), (p.cost - before).setup.sent

    for y, sent in over_tls(tmp_path, run):
        assert np.abs(y - model.plain(X)).max() <= model.report(20, measure=False).error and sent == 0
    again = refused(tmp_path, lambda p, i: shared(p, model).stored(20, store=i / "net", identity=i))
    assert all("used already" in str(error) for error in again)


def test_prepared_on_disk_it_may_be_called_at_once(tmp_path):
    """Also where layers are of one shape, by lattices: their material is for the numbers of each."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(64, 64))
    model = perceptron(rng, [64, 64, 64, 64], bend="tanh").calibrate(x)

    def run(p, identity):
        net = shared(p, model)
        made = net.prepare(64, store=identity / "net", identity=identity)
        assert sum("lattices" in (each / "header").read_text(errors="ignore") for each in (identity / "net").glob("0*")) == 3
        y = p.open(made(*inputs(p, net, [x])))
        with pytest.raises(ht.SpentError):
            made(*inputs(p, net, [x]))
        with pytest.raises(ht.StoreError, match="used already"):
            net.stored(64, store=identity / "net", identity=identity)
        return y

    for y in over_tls(tmp_path, run):
        assert np.abs(y - model.plain(x)).max() <= model.report(64, measure=False).error


def test_a_folder_serves_what_it_was_made_for_alone(tmp_path):
    model = small()
    prepared(tmp_path, model, 20)
    others = perceptron(np.random.default_rng(9), [5, 4, 3]).calibrate(X)
    # As `small`, but for one weight of it.
    changed = small()
    changed._held[0]["weight"] = changed._held[0]["weight"] + np.eye(*changed._held[0]["weight"].shape)

    def stored(of, rows=20, owner=0, folder="net"):
        return lambda p, i: shared(p, of, owner).stored(rows, store=i / folder, identity=i)

    for work, reason in [
        (stored(changed), "made for other weights of this network"),
        (stored(others), "made for another network"),
        (stored(model, rows=21), "made for rows=20, not for rows=21"),
        (stored(model, folder="none"), "no material of a network: no such folder"),
    ]:
        ours, theirs = refused(tmp_path, work)
        assert isinstance(ours, ht.StoreError) and reason in str(ours)
        # The other party has the same reason, or hears of it.
        assert isinstance(theirs, (ht.StoreError, ht.HandshakeError)), theirs

    def one_alone(p, identity):
        shared(p, model).stored(20, store=identity / ("net" if p.role else "none"), identity=identity)

    ours, theirs = refused(tmp_path, one_alone)
    assert isinstance(ours, ht.StoreError) and isinstance(theirs, ht.HandshakeError)
    assert "store of a network" in str(theirs) and theirs.theirs == "missing"

    def one_without(p, identity):
        net = shared(p, model)
        call = net.stored(20, store=identity / "net", identity=identity) if p.role else net
        call(*inputs(p, net, [X]))

    assert any(isinstance(error, ht.HandshakeError) for error in refused(tmp_path, one_without))

    # Nothing of all that has used it up.
    def run(p, identity):
        net = shared(p, model)
        made = net.stored(20, store=identity / "net", identity=identity)
        with pytest.raises(ht.ShapeError, match="prepared for"):
            made(*inputs(p, net, [X[:3]]))
        return p.open(made(*inputs(p, net, [X])))

    for y in over_tls(tmp_path, run):
        assert np.abs(y - model.plain(X)).max() <= model.report(20, measure=False).error


def test_a_folder_is_readable_by_its_owner_alone(tmp_path):
    """Whatever the process lets others read: it tells shapes, the session, and which folders are for the same weights."""
    before = os.umask(0)
    try:
        prepared(tmp_path, small(), 20)
    finally:
        os.umask(before)
    for party in ("p0", "p1"):
        folder = tmp_path / party / "net"
        for each in (folder, *folder.rglob("*")):
            assert each.stat().st_mode & 0o077 == 0, f"{each}: {each.stat().st_mode:o}"


def test_what_a_folder_says_of_weights_takes_an_identity_to_compare(tmp_path):
    """Else whoever reads it could try weights."""
    processes._identities(tmp_path)
    ours, theirs = (storing._numbers(small().held, tmp_path / party) for party in ("p0", "p1"))
    assert ours != theirs
    assert ours == storing._numbers(small().held, tmp_path / "p0") != storing._numbers(small(1).held, tmp_path / "p0")


def test_a_folder_that_was_restored_is_refused(tmp_path):
    model = small()
    prepared(tmp_path, model, 20)
    for party in ("p0", "p1"):
        shutil.copytree(tmp_path / party / "net", tmp_path / party / "backup")

    def run(p, identity):
        net = shared(p, model)
        net.stored(20, store=identity / "net", identity=identity)(*inputs(p, net, [X]))

    over_tls(tmp_path, run)
    for party in ("p0", "p1"):
        shutil.rmtree(tmp_path / party / "net")
        (tmp_path / party / "backup").rename(tmp_path / party / "net")
    assert all("restored from a backup" in str(error) for error in refused(tmp_path, run))


def test_one_party_that_used_its_half_stops_both(tmp_path):
    """As after a crash: what one party has begun to spend, the other does not spend either."""
    model = small()
    prepared(tmp_path, model, 20)

    def half(p, identity):
        if p.role == 0:
            shutil.copytree(identity / "net", identity / "kept")
            shutil.copytree(identity / "spent", identity / "marks")
        net = shared(p, model)
        net.stored(20, store=identity / "net", identity=identity)(*inputs(p, net, [X]))

    over_tls(tmp_path, half)
    # Party 0 has its half as it was, with its marks: it cannot know.
    for name, kept in (("net", "kept"), ("spent", "marks")):
        shutil.rmtree(tmp_path / "p0" / name)
        (tmp_path / "p0" / kept).rename(tmp_path / "p0" / name)
    ours, theirs = refused(tmp_path, lambda p, i: shared(p, model).stored(20, store=i / "net", identity=i))
    assert isinstance(ours, ht.HandshakeError) and ours.theirs == "used"
    assert isinstance(theirs, ht.StoreError) and "used already" in str(theirs)


def test_a_damaged_file_is_refused(tmp_path):
    model = small()
    prepared(tmp_path, model, 20)
    path = tmp_path / "p0" / "net" / "network.json"
    whole = path.read_text()
    rng = np.random.default_rng(1)
    places = rng.choice(len(whole), 12, replace=False)

    def stored(p, identity):
        shared(p, model).stored(20, store=identity / "net", identity=identity)

    other = json.loads(whole)
    other["of"] = other["of"].replace('"rows": 20', '"rows": 21')
    broken = [whole[: int(places[0])], "", "[]", json.dumps(other)]
    broken += [whole[:at] + chr((ord(whole[at]) + 1) % 128) + whole[at + 1 :] for at in map(int, places[:6])]
    for text in broken:
        path.write_text(text)
        ours, theirs = refused(tmp_path, stored)
        assert isinstance(ours, ht.StoreError) and "network.json is damaged" in str(ours), text
        assert theirs.theirs == "damaged"
    path.unlink()
    assert "interrupted" in str(refused(tmp_path, stored)[0])


def test_what_making_refuses(tmp_path):
    model = small()

    def without_tls(p):
        with pytest.raises(ht.ParamError, match="store= and identity= go together"):
            shared(p, model).prepare(20, store=tmp_path / "net")
        return "refused"

    assert ht.run_pair(without_tls) == ("refused", "refused")
    prepared(tmp_path, model, 20)
    again = refused(tmp_path, lambda p, i: shared(p, model).prepare(20, store=i / "net", identity=i))
    assert all("net: File exists; accepted: a new folder" in str(error) for error in again)
    at_one = refused(tmp_path, lambda p, i: shared(p, model).prepare(20, store=i / f"net{p.role or ''}", identity=i))
    assert isinstance(at_one[0], ht.StoreError) and isinstance(at_one[1], ht.HandshakeError)
