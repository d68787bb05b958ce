#!/usr/bin/env python3
"""Writes tug.csv and ferry.csv, invented tracks of two ships minute by minute, and two fleets; the same on every run.

python3 make.py          writes the files beside this script
python3 make.py --check  exits with 1 if the files differ from what would be written
"""

import math
import pathlib
import random
import sys

MINUTES = 600
WITHIN = 250.0
RADIUS = 6371008.8
# The tug works about here; the ferry passes on a round of an hour.
CENTRE = (54.18, 12.09)
METRES_A_DEGREE = math.tau * RADIUS / 360


def place(east, north):
    """Degrees of a place so many metres from the centre, as a receiver prints them."""
    latitude = CENTRE[0] + north / METRES_A_DEGREE
    longitude = CENTRE[1] + east / (METRES_A_DEGREE * math.cos(math.radians(CENTRE[0])))
    return round(latitude, 6), round(longitude, 6)


def distance(a, b):
    """On a sphere of the earth's mean radius."""
    (xa, ya), (xb, yb) = ([math.radians(v) for v in p] for p in (a, b))
    square = math.sin((xa - xb) / 2) ** 2 + math.cos(xa) * math.cos(xb) * math.sin((ya - yb) / 2) ** 2
    return 2 * RADIUS * math.asin(math.sqrt(square))


def tracks():
    rng = random.Random(20261123)
    east, north, tug, ferry = 0.0, 0.0, [], []
    for minute in range(MINUTES):
        east, north = (0.97 * v + rng.gauss(0, 40) for v in (east, north))
        tug.append(place(east, north))
        turn = math.tau * minute / 60
        ferry.append(place(700 * math.sin(turn) + rng.gauss(0, 15), 300 * math.sin(2 * turn) + rng.gauss(0, 15)))
    return tug, ferry


def table(track):
    lines = ["id,latitude,longitude"]
    for minute, (latitude, longitude) in enumerate(track):
        lines.append(f"{8 + minute // 60:02}:{minute % 60:02},{latitude:.6f},{longitude:.6f}")
    return "\n".join(lines) + "\n"


def fleet(track, count, letter, header="id,latitude,longitude"):
    """As many ships, each where the one of the track was at a minute."""
    lines = [header]
    lines += [f"{letter}{i:02},{place[0]:.6f},{place[1]:.6f}" for i, place in enumerate(track[:: len(track) // count][:count])]
    return "\n".join(lines) + "\n"


def main():
    tug, ferry = tracks()
    apart = [distance(a, b) for a, b in zip(tug, ferry)]
    # Nobody is so near to 250 m that rounding could decide.
    assert all(abs(d - WITHIN) > 0.23 for d in apart), min(abs(d - WITHIN) for d in apart)
    near = "\n".join(str(int(d <= WITHIN)) for d in apart)
    files = {"tug.csv": table(tug), "ferry.csv": table(ferry), "near.txt": near + "\n"}
    files |= {"tugs.csv": fleet(tug, 40, "T"), "ferries.csv": fleet(ferry, 25, "F")}
    files["pilots.csv"] = fleet(tug, 3, "P", header="boat,lat,lon")
    here = pathlib.Path(__file__).parent
    if sys.argv[1:] == ["--check"]:
        stale = [name for name, text in files.items() if (here / name).read_text() != text]
        sys.exit(f"out of date: {', '.join(stale)}" if stale else 0)
    for name, text in files.items():
        (here / name).write_text(text)


if __name__ == "__main__":
    main()
