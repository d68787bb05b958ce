"""Networks in fixed-point numbers without a peer: as two parties compute, or an error where theirs would wrap around."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest
from hushtable.nn.graph import Graph, Input
from hushtable.nn.layers.arrange import Concatenate, Reshape, Transpose
from hushtable.nn.layers.elementwise import Add, Clip, Curve, Multiply, Relu
from hushtable.nn.layers.embedding import Embed
from hushtable.nn.layers.linear import Convolution, Linear, Offset, Scale
from hushtable.nn.layers.norm import LayerNorm, RmsNorm, Softmax
from hushtable.nn.layers.pool import Mean
from hushtable.nn.model import Model
from networks import holds, private


def fitting(model, rows):
    """For each row whether the fixed-point network takes it; what it names else."""
    found, named = [], []
    for i in range(len(rows)):
        try:
            model.fixed(rows[i : i + 1])
            found.append(True)
        except ht.ParamError as error:
            found.append(False)
            named.append(str(error))
    return np.array(found), named


def never_silent(model, rows):
    """Every row is within the bound on shares, or is refused in fixed-point numbers. The rows that are taken."""
    taken, named = fitting(model, rows)
    bound = model.report(measure=False).error
    got, want = private(model, rows)[0], model.plain(rows)
    off = np.abs(got - want).reshape(len(rows), -1).max(axis=1)
    assert (off[taken] <= bound).all(), f"{off[taken].max()} beyond {bound}"
    if taken.any():
        fixed = model.fixed(rows[taken])
        assert np.abs(fixed - want[taken]).max() <= bound and np.abs(fixed - got[taken]).max() <= bound
    for text in named:
        assert "layer '" in text and "accepted: " in text and ("wrap around" in text or "lower end" in text)
    return taken, off > bound, named


def network(rng, size):
    """A linear layer, one that bends, another linear one, and perhaps a norm, products or a softmax."""
    graph = Graph([Input("x", (-1, size))])

    def linear(value, inputs, outputs):
        own = {"weight": rng.normal(size=(inputs, outputs)) / inputs**0.5, "bias": rng.normal(size=outputs)}
        return graph.add(Linear(inputs, outputs), value, own=own)

    value = linear(0, size, 6)
    kind = str(rng.choice(["relu", "tanh", "norm", "rms", "square", "softmax"]))
    if kind == "norm":
        value = graph.add(LayerNorm(6, 0.1), value, own={"weight": rng.normal(size=6), "bias": rng.normal(size=6)})
    elif kind == "rms":
        value = graph.add(RmsNorm(6, 0.1), value, own={"weight": rng.normal(size=6)})
    elif kind == "square":
        value = graph.add(Multiply(), value, value)
    elif kind == "softmax":
        value = graph.add(Softmax(), value)
    else:
        value = graph.add(Relu() if kind == "relu" else Curve("tanh"), value)
    graph.outputs = [graph.add(Relu(), linear(linear(value, 6, 5), 5, 3))]
    return Model(graph)


@pytest.mark.parametrize("seed", [*range(10), *(pytest.param(s, marks=pytest.mark.long) for s in range(10, 80))])
def test_what_leaves_a_range_is_refused_and_what_does_not_is_right(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 9))
    scale = 2.0 ** rng.integers(-6, 7, size) if seed % 2 else np.ones(size)
    model = network(rng, size).calibrate(rng.normal(size=(40, size)) * scale * rng.choice([0.2, 1.0]), margin=float(rng.choice([1.0, 1.5])))
    how = model.formats.inputs[0]
    most = 2.0**how.exponent / (how.factors() if how.scale else np.ones(size))
    usual = rng.normal(size=(20, size)) * scale
    wide = rng.uniform(-1, 1, (20, size)) * most
    corners = rng.choice([-1.0, 1.0], (20, size)) * most
    rows = np.concatenate([np.clip(usual, -most, most), wide, corners])
    _, _, named = never_silent(model, rows)
    assert not any("layer 'linear 0'" in text for text in named), "the first layer holds all inputs in their range"


def test_wrong_numbers_are_met_and_refused():
    """The sweep above is of use: there are rows that are wrong on shares, and all of them are refused."""
    wrong = refused = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        graph = Graph([Input("x", (-1, 4))])
        value = 0
        for size in (5, 3):
            own = {"weight": rng.normal(size=(4 if size == 5 else 5, size)), "bias": rng.normal(size=size)}
            value = graph.add(Linear(*own["weight"].shape), value, own=own, name=f"into {size}")
        graph.outputs = [value]
        model = Model(graph).calibrate(rng.normal(size=(4, 4)) * 0.01 + np.eye(4), margin=1)  # one large feature at a time
        how = model.formats.inputs[0]
        rows = rng.choice([-1.0, 1.0], (30, 4)) * 2.0**how.exponent / how.factors()
        taken, off, named = never_silent(model, rows)
        wrong, refused = wrong + off.sum(), refused + (~taken).sum()
        assert all("layer 'into 3' (linear)" in text for text in named)
    assert wrong > 0 and refused >= wrong


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(s, marks=pytest.mark.long) for s in range(8, 60))])
@pytest.mark.parametrize("fewer", [0, 5, 8])
def test_the_first_weights_hold_the_worst_of_their_inputs(seed, fewer):
    """Examples that are near 0 but in one row: all inputs in the range are right, at its corners too."""
    rng = np.random.default_rng(seed)
    kind = ["linear", "moved", "scale", "convolution", "beside", "offset"][seed % 6]
    shape = (2, 3, 3) if kind in ("moved", "convolution") else (5,)
    graph = Graph([Input("x", (-1, *shape))])
    value = 0
    if kind == "moved":
        value = graph.add(Reshape((-1, 18)), graph.add(Transpose((0, 2, 3, 1)), value))
    if kind == "beside":
        value = graph.add(Concatenate(1), value, value)
    if kind == "scale":
        graph.add(Scale((5,), bool(seed % 4)), 0, own={"weight": rng.normal(size=5)} | ({"bias": rng.normal(size=5)} if seed % 4 else {}))
    elif kind == "convolution":
        own = {"weight": rng.normal(size=(4, 2, 2, 2)), "bias": rng.normal(size=4)}
        graph.add(Convolution(2, 4, (2, 2), (1, 1), (1, 0, 0, 1)), 0, own=own)
    else:
        inputs = {"moved": 18, "beside": 10}.get(kind, 5)
        own = {"weight": rng.normal(size=(inputs, 3)) * 2.0 ** rng.integers(-4, 3, (inputs, 1))}
        value = graph.add(Linear(inputs, 3, False), value, own=own)
        if kind == "offset":
            graph.add(Offset((3,)), value, own={"bias": rng.normal(size=3)})
    graph.outputs = [len(graph.nodes)]
    examples = rng.normal(size=(30, *shape)) * 1e-3
    examples[0].flat[0] = examples[1].flat[-1] = 1.0
    model = Model(graph).calibrate(examples, margin=1)
    if fewer:  # factors of few digits, which may be larger when they were rounded
        try:
            model.calibrate(examples, margin=1, bits=max(model.formats.bits - fewer, 16))
        except ht.ParamError as error:
            assert "accepted: bits=" in str(error)  # fewer than there are for factors
    how = model.formats.inputs[0]
    most = 2.0**how.exponent / (how.factors() if how.scale else 1.0)
    signs = rng.choice([-1.0, 1.0], (20, *shape))
    worst = np.sign(own["weight"][:5, 0]) if kind in ("linear", "offset") else np.ones(shape)
    rows = np.concatenate([signs, worst[None], -worst[None], rng.uniform(-1, 1, (10, *shape))]) * most
    taken, _, _ = never_silent(model, rows)
    assert taken.all()


def test_rows_of_an_embedding_that_no_example_has():
    matrix = np.full((9, 3), 0.01)
    matrix[8] = 100.0
    graph = Graph([Input("x", (-1, 2), "ids")])
    value = graph.add(Mean((1,), False), graph.add(Embed(9, 3), 0, own={"weight": matrix}))
    graph.outputs = [value, graph.add(Multiply(), value, value)]
    model = Model(graph).calibrate(np.zeros((4, 2), dtype=np.int64))
    assert model.formats.layers[0].out == 7
    rows = np.array([[0, 1], [8, 0], [8, 8]])
    with pytest.raises(ht.ParamError, match=r"layer 'multiply 2' \(multiply\): result 2500.* at \(1, 0\) is not supported; accepted: -.* to "):
        model.fixed(rows)
    assert np.abs(private(model, rows)[0] - model.plain(rows)[0]).max() <= model.report(measure=False).error


@pytest.mark.parametrize("seed", range(6))
def test_features_that_share_a_range_are_right_all_over_it(seed):
    """Features within 2^4 of each other have one range, of the largest: smaller ones may use all of it."""
    rng = np.random.default_rng(seed)
    sizes = 2.0 ** rng.integers(-4, 1, 5)
    sizes[:2] = 1.0, 2.0**-4
    graph = Graph([Input("x", (-1, 5))])
    own = {"weight": rng.normal(size=(5, 3)) / sizes[:, None], "bias": rng.normal(size=3)}
    value = graph.add(Linear(5, 3), 0, own=own)
    graph.outputs = [graph.add(Add(), value, value)] if seed % 2 else [value]
    model = Model(graph).calibrate(rng.uniform(-1, 1, (50, 5)) * sizes, margin=1)
    assert len(set(model.formats.inputs[0].scale)) == 1
    most = float((2.0 ** model.formats.inputs[0].exponent / model.formats.inputs[0].factors()).min())
    rows = np.concatenate([rng.choice([-1, 1], (20, 5)) * most, rng.uniform(-1, 1, (20, 5)) * most, rng.uniform(-1, 1, (20, 5)) * sizes])
    taken, _, named = never_silent(model, rows)
    assert taken[-20:].all() and not any("linear" in text for text in named)


def test_what_is_bounded_by_itself_holds_its_bound():
    for layer in (Clip(-1.0, 1.0), Curve("sigmoid"), Curve("tanh"), Curve("erf"), Softmax()):
        graph = Graph([Input("x", (-1, 2))])
        graph.outputs = [graph.add(Relu(), graph.add(layer, 0))]
        model = Model(graph).calibrate(np.array([[0.1, 0.1], [-7.0, -7.0]]), margin=1)
        never_silent(model, np.array([[7.0, -7.0], [0.2, 7.0]]))
        assert model.formats.layers[0].out == 1
    graph = Graph([Input("x", (-1, 2))])
    graph.outputs = [graph.add(Offset(()), graph.add(Multiply(), 0, 0), own={"bias": np.asarray(3.0)}, name="three more")]
    model = Model(graph).calibrate(np.full((2, 2), 0.7), margin=1)
    with pytest.raises(ht.ParamError, match=r"layer 'multiply 0' \(multiply\): result 0.80982.* at \(0, 1\) is not supported; accepted: -0.5 to 0.5"):
        model.fixed(np.array([[0.1, 0.9]]))


def test_results_that_are_rounded_up_to_a_power_of_two():
    """The examples themselves are always in range."""
    for size in (1 - 2.0**-14, 1 - 2.0**-12, 1 - 2.0**-30, 0.5 + 2.0**-14):
        graph = Graph([Input("x", (-1, 2))])
        graph.outputs = [graph.add(Multiply(), graph.add(Relu(), 0), 0)]
        model = Model(graph).calibrate(np.full((2, 2), size**0.5), margin=1)
        taken, _, _ = never_silent(model, np.full((2, 2), size**0.5))
        assert taken.all()


def test_rows_of_an_rms_norm_reach_the_root_of_their_length():
    """Which is a power of two: rounded up, what one large number is divided to is one."""
    for length, small in ((4, 8.0), (16, 1.0)):
        graph = Graph([Input("x", (-1, length))])
        graph.outputs = [graph.add(RmsNorm(length, 1e-6), 0, own={"weight": np.ones(length)})]
        x = np.full((2, length), small)
        x[:, 0] = 256
        taken, _, _ = never_silent(Model(graph).calibrate(x, margin=1, fraction=8), x)
        assert taken.all()


def test_factors_that_are_0_in_the_digits_that_there_is_room_for():
    """A bound of the error as large as what they make, and no error of another kind."""
    graph = Graph([Input("x", (-1, 1024))])
    graph.outputs = [graph.add(Linear(1024, 1, False), graph.add(Relu(), 0), own={"weight": np.full((1024, 1), 0.9 * 2.0**-22)})]
    x = np.full((2, 1024), 0.99 * 2.0**37)
    holds(Model(graph).calibrate(x, margin=1, fraction=24), x)


def test_gains_of_layer_norms_are_rounded():
    rng = np.random.default_rng(31)
    graph = Graph([Input("x", (-1, 1024))])
    own = {"weight": 1 + rng.uniform(0, 2**-9, size=1024), "bias": rng.uniform(0, 2**-9, size=1024)}
    graph.outputs = [graph.add(LayerNorm(1024, 1e-3), 0, own=own)]
    # One of a row is far from the others: it is the root of 1023 deviations off the mean, and so is what its gain lost.
    x = rng.normal(size=(16, 1024))
    x[np.arange(16), np.arange(16)] = rng.uniform(128, 256, size=16)
    assert holds(Model(graph).calibrate(x), x) > 0


@pytest.mark.parametrize("fraction", (8, 12, 16))
@pytest.mark.parametrize("slope", (0.01, 0.1, 0.2, 0.25, 0.3, 0.5, 0.99))
def test_slopes_have_the_digits_of_results(slope, fraction):
    """A slope of 0.2 in the digits that the least width had room for was off by 1 %."""
    graph = Graph([Input("x", (-1, 4))])
    graph.outputs = [graph.add(Relu(slope), 0)]
    x = np.random.default_rng(3).uniform(-8, 8, (100, 4))
    model = Model(graph).calibrate(x, margin=1, fraction=fraction)
    assert holds(model, x) <= (2 + 8 / 2) * 2.0**-fraction
    assert model.report(measure=False).error <= (2 + 16 / 2) * 2.0**-fraction


def test_a_width_without_room_for_a_slope_is_refused():
    graph = Graph([Input("x", (-1, 4))])
    graph.outputs = [graph.add(Relu(0.3), 0, name="leaky")]
    with pytest.raises(ht.ParamError, match=r"layer 'leaky' \(relu\): a slope of 0.3 .* in 20 bits"):
        Model(graph).calibrate(np.full((1, 4), 7.0), margin=1, bits=20)
