"""Support: random programs over shares, and what each of their steps gives in exact arithmetic.

A program is a list of inputs and a list of steps. Both parties run it from the same seed. What a step gives is compared
with exact arithmetic on what its operands are when opened, so that no error of an earlier step hides one of a later.
"""

from __future__ import annotations

import math
import random
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import hushtable as ht
import numpy as np
from hushtable import _words
from hushtable.prepared import Dry
from program_steps import SHAPES, Exact, Step, Steps, exact

REFUSALS = (ht.ParamError, ht.ShapeError, TypeError)


@dataclass
class Run:
    """A program as one party ran it."""

    inputs: list[str] = field(default_factory=list)
    given: list[Exact] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    kinds: list[dict[str, Any]] = field(default_factory=list)
    types: list[tuple[int, int, str, tuple[int, int], bool]] = field(default_factory=list)
    words: list[Any] = field(default_factory=list)
    opened: list[Any] = field(default_factory=list)


def _type(rng: random.Random, wrap: bool) -> dict[str, Any]:
    """A width, a scale and a range, in steps."""
    if rng.random() < 0.5:
        bits = rng.choice([4, 8, 9, 16, 16, 24, 32, 40, 63, 64, 64])
        kind: dict[str, Any] = {"bits": bits, "fraction": 0}
        if wrap and rng.random() < 0.3:
            kind["wrap"] = True
    else:
        bits = rng.choice([8, 12, 16, 16, 24, 32, 40, 48, 63, 64])
        kind = {"bits": bits, "fraction": rng.randint(1, min(bits - 2, 16))}
    most = min(bits, 50 if kind["fraction"] else 64)
    size = most if rng.random() < 0.4 else rng.randint(1, most)
    shape = rng.random()
    if shape < 0.25:
        ends = None
    elif shape < 0.6:
        ends = (-(1 << size - 1), 1 << size - 1)
    elif shape < 0.8:
        ends = (0, 1 << size)
    else:
        lo = rng.randint(-(1 << size - 1), 1 << size - 1)
        ends = (lo, lo + rng.randint(1, 1 << size))
    return {**kind, "ends": ends}


def _input(p: ht.Party, rng: random.Random, kind: dict[str, Any], owner: int) -> tuple[ht.Share, Exact]:
    shape = rng.choice(SHAPES)
    ends = kind["ends"]
    how = {name: value for name, value in kind.items() if name != "ends"}
    if ends is not None:
        how["range"] = ends if not how["fraction"] else tuple(Fraction(end, 1 << how["fraction"]) for end in ends)
    lo, hi = ends or (-(1 << how["bits"] - 1), 1 << how["bits"] - 1)
    hi = min(hi, 1 << 63)  # beyond, no array holds them together with a sign
    steps = []
    for _ in range(math.prod(shape)):
        edge = [lo, hi - 1, *(v for v in (0, 1, -1) if lo <= v < hi)]
        steps.append(rng.choice(edge) if rng.random() < 0.4 else rng.randrange(lo, hi))
    if how["fraction"]:
        # A float64 holds 53 bits.
        steps = [v if abs(v) < 1 << 52 else max(v >> 12 << 12, -(-lo >> 12 << 12)) for v in steps]
        given = np.array([v * 2.0 ** -how["fraction"] for v in steps]).reshape(shape)
    else:
        given = np.array(steps, dtype=np.int64).reshape(shape)
    share = p.input(given if p.role == owner else None, owner, shape=shape, **how)
    return share, exact(np.array([Fraction(v, 1 << how["fraction"]) for v in steps], dtype=object).reshape(shape))


def run(p: ht.Party, seed: int, wrap: bool = True) -> Run:
    """Runs the program of a seed as one party. What is refused is left out; then everything is opened."""
    rng, out = random.Random(seed), Run()
    kinds = [_type(rng, wrap)]
    kinds += [kinds[0] if rng.random() < 0.5 else {**kinds[0], "ends": _type(rng, wrap)["ends"]} for _ in range(2)]
    if rng.random() < 0.1:
        kinds[2] = _type(rng, wrap)
    live: list[ht.Share] = []
    for owner, kind in enumerate(kinds):
        try:
            share, values = _input(p, rng, kind, owner % 2)
        except REFUSALS as error:
            out.inputs.append(f"{kind}: {error}")
            continue
        live.append(share)
        out.given.append(values)
        out.kinds.append(kind)
        out.inputs.append(f"[{len(live) - 1}] {kind} {share.shape}")
    if live:
        for _ in range(rng.randint(2, 7)):
            step = Steps(rng, live).next()
            out.steps.append(step)
            try:
                made = step.run(*(live[i] for i in step.operands))
            except REFUSALS as error:
                step.refused = f"{type(error).__name__}: {error}"
                continue
            step.result = len(live)
            live.append(made)
    for share in live:
        out.types.append((share.bits, share.fraction, share.kind, share._range, share.wrap))
        out.words.append(p._open("open words", np.array(share._words), share.bits, share.kind, None, None))
        out.opened.append(p.open(share))
    return out


def faults(mine: Run, theirs: Run) -> list[str]:
    """What is wrong with a program that both parties ran."""
    found = []
    if [s.refused for s in mine.steps] != [s.refused for s in theirs.steps] or mine.inputs != theirs.inputs:
        found.append(f"the parties refuse different things: {mine.steps} {theirs.steps}")
    values = []
    for i, (words, (bits, fraction, _, (lo, hi), _)) in enumerate(zip(mine.words, mine.types, strict=True)):
        above = np.vectorize(lambda w, bits=bits, lo=lo: (int(w) - lo) % (1 << bits), otypes=[object])(words)
        value = np.asarray(above + lo, dtype=object)
        if np.any(value < lo) or np.any(value >= hi):
            found.append(f"[{i}] is outside of its range {lo}:{hi}: {value}")
        values.append(np.asarray(exact(value) / (1 << fraction), dtype=object))
        shown = mine.opened[i]
        same = [Fraction(float(v)) == Fraction(float(s)) if fraction else int(s) == v
                for v, s in zip(values[-1].ravel(), np.ravel(shown), strict=True)]  # fmt: skip
        if not all(same) or not np.array_equal(shown, theirs.opened[i]):
            found.append(f"[{i}] opens as {shown!r}, and is {value}")
    for i, given in enumerate(mine.given):
        if not np.array_equal(values[i], given):
            found.append(f"input [{i}] is {values[i]}, given was {given}")
    for step in mine.steps:
        if step.refused is not None:
            if step.refused.startswith("ParamError") and "accepted" not in step.refused:
                found.append(f"{step.text}: refused without help: {step.refused}")
            continue
        want, tolerance = step.check(*(values[i] for i in step.operands))
        got = values[step.result or 0]
        if np.shape(want) != np.shape(got):
            found.append(f"[{step.result}] {step.text} of {step.operands}: shape {np.shape(got)}, not {np.shape(want)}")
        elif not np.all(_near(got, want, np.broadcast_to(np.asarray(tolerance, dtype=object), np.shape(want)))):
            found.append(f"[{step.result}] {step.text} of {step.operands}: {_floats(got)}, not {_floats(want)}")
    return found


def advice(run: Run) -> list[str]:
    """What is wrong with advice: a step that was refused for its width is refused in the width that was named, with the
    same ranges. By a dry run, without a peer."""
    found = []
    for at, step in enumerate(run.steps):
        named = re.search(r"accepted: shares with bits=(\d+) and the same range=", step.refused or "")
        before = [s for s in run.steps[:at] if s.result is not None]
        widths = {kind["bits"] for kind in run.kinds}
        if any(run.types[i][4] for i in step.operands):
            continue  # what wraps in one width is another number in another
        if named is None or len(widths) > 1 or any("low_bits" in s.text for s in before):
            continue
        bits, p = int(named[1]), Dry(0)
        live = []
        for kind, (_, fraction, _, limits, wrap), given in zip(run.kinds, run.types, run.given, strict=False):
            live.append(ht.Share(p, np.zeros(given.shape, _words.dtype(bits)), bits, fraction, "additive", limits, wrap))
        try:
            for s in [*before, step]:
                live.append(s.run(*(live[i] for i in s.operands)))
        except ht.ParamError as error:
            found.append(f"{step.text} of {step.operands}: {step.refused}; but then: {error}")
        except (ht.ShapeError, TypeError):
            pass  # of another reason, which was not looked at
    return found


def _near(got: Exact, want: Exact, tolerance: Any) -> list[bool]:
    def one(g: Fraction, w: Any, t: Any) -> bool:
        if isinstance(w, tuple):  # a residue
            return bool((g - w[1]) % (2 * w[2]) == 0)
        return bool(abs(g - w) <= t)

    return [one(*three) for three in zip(np.ravel(got), np.ravel(want), np.ravel(tolerance), strict=True)]


def _floats(values: Exact) -> list[Any]:
    return [int(v) if isinstance(v, Fraction) and v.denominator == 1 else v if isinstance(v, tuple) else float(v)
            for v in np.ravel(values)]  # fmt: skip


def told(run: Run) -> str:
    """A program for people."""
    lines = [*run.inputs, *(f"[{s.result}] {s.text} of {s.operands}" + (f": {s.refused}" if s.refused else "") for s in run.steps)]
    return "\n  ".join(lines)
