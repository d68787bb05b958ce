"""What goes into a network: in its own scales, from one party or both, and nothing else."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest
from hushtable.nn.graph import Graph, Input
from hushtable.nn.layers.elementwise import Relu
from hushtable.nn.layers.linear import Linear
from hushtable.nn.model import Model
from networks import small


def linear(rng, sizes, **how):
    """A linear model of features of these sizes."""
    sizes = np.asarray(sizes, dtype=np.float64)
    graph = Graph([Input("x", (-1, len(sizes)))])
    own = {"weight": rng.normal(size=(len(sizes), 2)) / sizes[:, None], "bias": np.ones(2)}
    graph.outputs = [graph.add(Linear(len(sizes), 2), 0, own=own)]
    return Model(graph).calibrate(rng.normal(size=(60, len(sizes))) * sizes, **how)


def shared(p, *models):
    return [ht.nn.share(p, model if p.role == 0 else None, owner=0) for model in models]


def test_inputs_of_another_network_are_refused_before_any_work():
    rng = np.random.default_rng(0)
    large, tiny = linear(rng, [100.0, 0.01], bits=48), linear(rng, [0.01, 100.0], bits=48)
    other = linear(rng, [100.0, 0.01], bits=52)
    rows = np.array([[3.0, 0.002]])

    def party(p):
        a, b, c, again = shared(p, large, tiny, other, large)
        x = a.input(rows if p.role == 1 else None, owner=1, shape=1)
        before = p.cost
        for net, message in ((b, "scales or ranges"), (c, "bits=48 where 52")):
            with pytest.raises(ht.ParamError, match=rf"input 'x': inputs of another network .*{message}.* accepted"):
                net(x)
        prepared = b.prepare(1)
        with pytest.raises(ht.ParamError, match="inputs of another network"):
            prepared(x)
        assert (p.cost - before).online.sent == 0
        assert np.abs(p.open(again(x)) - p.open(a(x))).max() <= 2 * large.report(measure=False).error, "what has the same formats is the same input"
        own = b.input(rows[:, ::-1] if p.role == 1 else None, owner=1, shape=1)
        assert np.abs(p.open(prepared(own)) - tiny.plain(rows[:, ::-1])).max() <= tiny.report(measure=False).error

    ht.run_pair(party)


def test_both_parties_agree_on_which_inputs_fit():
    """Whoever told the network: of one that each owns, with the same formats, both take the inputs, or neither does."""
    rng = np.random.default_rng(3)
    model, other = linear(rng, [100.0, 0.01], bits=48), linear(rng, [1.0, 0.01], bits=48)
    rows = np.array([[3.0, 0.002]])

    def party(p):
        mine, theirs, odd = (ht.nn.share(p, m if p.role == o else None, owner=o) for m, o in ((model, 0), (model, 1), (other, 1)))
        x = mine.input(rows if p.role == 1 else None, owner=1, shape=1)
        with pytest.raises(ht.ParamError, match="inputs of another network"):
            odd(x)
        return p.open(theirs(x))

    for got in ht.run_pair(party):
        assert np.abs(got - model.plain(rows)).max() <= model.report(measure=False).error


def test_shares_of_unknown_scale_are_refused_and_inputs_are_not_computed_with():
    rng = np.random.default_rng(1)
    model = linear(rng, [100.0, 0.01], bits=48)

    def party(p):
        (net,) = shared(p, model)
        form = net.formats
        made = p.share(np.full((3, 2), 0.01), bits=form.bits, fraction=form.fraction, range=(-2, 2))
        with pytest.raises(TypeError, match=r"input 'x': Share\(.* whose scale is not known .* accepted: .*net.adapt"):
            net(made)
        x = net.input(np.zeros((3, 2)) if p.role == 0 else None, owner=0, shape=3)
        for wrong in (lambda: x + x, lambda: 2 * x, lambda: x[0] + 1, lambda: np.asarray(x), lambda: net.adapt(x), lambda: p.open(x)):
            with pytest.raises((TypeError, AttributeError)):
                wrong()
        with pytest.raises(TypeError):
            ht.concatenate([made, x])
        # A sum is scaled once, as each of its parts is.
        for share, size in ((made, 0.02), (made + made, 0.04)):
            assert np.abs(p.open(net(net.adapt(share))) - model.plain(np.full((3, 2), size))).max() < 0.1
        assert x.shape == (3, 2) and len(x) == 3 and len(x[1:]) == 2 and "Inputs" in repr(x)

    ht.run_pair(party)


@pytest.mark.parametrize("seed", range(6))
def test_columns_and_rows_of_both_parties(seed):
    """Each party has some features of the same rows, in any order and of any size; and each has rows."""
    rng = np.random.default_rng(seed)
    features = int(rng.integers(2, 9))
    sizes = 2.0 ** rng.integers(-9, 10, features)
    model = linear(rng, sizes, bits=56)
    rows = rng.normal(size=(7, features)) * sizes * 0.4
    order = [int(i) for i in rng.permutation(features)]
    cut = int(rng.integers(1, features))
    columns = {0: order[:cut], 1: order[cut:]}
    bound = model.report(measure=False).error

    def party(p):
        (net,) = shared(p, model)

        def part(owner, some, which):
            mine = rows[some][:, columns[owner]] if p.role == owner else None
            return net.input(mine, owner=owner, shape=(len(rows[some]), len(columns[owner])), columns=columns[owner])

        first = net.join(*(part(owner, slice(0, 4), columns) for owner in (seed % 2, 1 - seed % 2)))
        rest = net.input(rows[4:] if p.role == 1 else None, owner=1, shape=3)
        return p.open(net(net.join(first, rest)))

    for got in ht.run_pair(party):
        assert np.abs(got - model.plain(rows)).max() <= bound


def test_columns_that_were_shared_by_each_party_itself():
    rng = np.random.default_rng(9)
    model = linear(rng, [4.0, 2.0, 1.0, 8.0, 4.0])
    rows = rng.normal(size=(6, 5))

    def party(p):
        (net,) = shared(p, model)
        how = {"bits": net.formats.bits, "fraction": net.formats.fraction, "range": (-16, 16)}
        first = p.input(rows[:, :3] if p.role == 0 else None, owner=0, shape=(6, 3), **how)
        rest = p.input(rows[:, 3:] if p.role == 1 else None, owner=1, shape=(6, 2), **how)
        return p.open(net(net.adapt(ht.concatenate([first, rest], axis=1))))

    for got in ht.run_pair(party):
        assert np.abs(got - model.plain(rows)).max() <= model.report(measure=False).error


def test_what_columns_and_parts_are_refused():
    model = small()

    def party(p):
        (net,) = shared(p, model)

        def part(columns, rows=2):
            return net.input(np.zeros((rows, len(columns))) if p.role == 0 else None, owner=0, shape=(rows, len(columns)), columns=columns)

        whole = net.input(np.zeros((2, 5)) if p.role == 0 else None, owner=0, shape=2)
        with pytest.raises(ht.ParamError, match=r"input 'x': columns \[0, 1\] of 0 to 4.*net.join"):
            net(part([0, 1]))
        for parts, message in (
            ([part([0, 1]), part([2, 3])], r"columns \[0, 1, 2, 3\] .*each of 0 to 4 once"),
            ([part([0, 1, 2]), part([2, 3, 4])], "each of 0 to 4 once"),
            ([part([0, 1, 2]), part([3, 4], 3)], "rows"),
            ([part([0, 1, 2]), whole], "columns"),
            ([], "at least one"),
        ):
            with pytest.raises((ht.ParamError, ht.ShapeError), match=message):
                net.join(*parts)
        with pytest.raises(TypeError, match="net.input"):
            net.join(whole, p.share(np.zeros((2, 5))))
        for columns, message in (([0, 5], "5"), ([0, 0], "0"), ([], r"\[\]"), ([-1], "-1"), ([True], "True")):
            with pytest.raises(ht.ParamError, match=f"columns=.*{message}.* accepted"):
                net.input(np.zeros((2, max(len(columns), 1))), owner=p.role, columns=columns)
        with pytest.raises(ht.ShapeError, match=r"shape \(2, 3\) where \(-1, 2\)"):
            net.input(np.zeros((2, 3)), owner=p.role, columns=[0, 1])
        with pytest.raises(ht.ParamError, match=r"input 'x': .* at \(1, 1\), column 4"):
            net.input(np.array([[0, 0], [0, 1e9]]), owner=p.role, columns=[2, 4])

    ht.run_pair(party)


def test_columns_of_what_is_no_table_are_refused():
    graph = Graph([Input("x", (-1, 2, 2))])
    graph.outputs = [graph.add(Relu(), 0)]
    model = Model(graph).calibrate(np.ones((3, 2, 2)))

    def party(p):
        (net,) = shared(p, model)
        with pytest.raises(ht.ParamError, match="columns= .* accepted: for rows of numbers"):
            net.input(np.zeros((2, 2, 1)), owner=p.role, columns=[0])

    ht.run_pair(party)
