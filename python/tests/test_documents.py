"""What is written runs: the README's and the tutorial's code, and the site in a browser."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import hushtable as ht
import pytest

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def blocks(path, language="python"):
    """The code of a Markdown file, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(encoding="utf-8"), flags=re.S | re.M)


def run(code, folder):
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_of_the_readme_runs_as_written(tmp_path):
    (code,) = blocks(ROOT / "README.md")
    shown = run(code, tmp_path)
    assert "set-up" in shown and "sigmoid, online" in shown
    printed = run(f"{code.rstrip()[: code.rindex('ht.run_pair')]}\nprint(ht.run_pair(party))", tmp_path)
    assert re.search(r"array\(\[0\.6796875( *, *0\.6796875){4}\]\)", printed)


def test_the_code_of_the_tutorial_and_of_the_front_page_runs(tmp_path):
    pages = ROOT / "docs" / "site" / "pages"
    run("\n".join(blocks(pages / "tutorial.md")), tmp_path)
    assert "0.6796875" in run("\n".join(blocks(pages / "index.md")), tmp_path)
    assert "of the bank's 200 customers" in run("\n".join(blocks(pages / "joins.md")), tmp_path)
    run("\n".join(blocks(pages / "embeddings.md")), tmp_path)
    assert "[3.75, 2.5]" in run("\n".join(blocks(pages / "circuits.md")), tmp_path)
    assert "MLPClassifier layer 1" in run("\n".join(blocks(pages / "networks.md")), tmp_path)


def test_every_page_with_code_is_run_here():
    run_here = {"tutorial", "index", "joins", "embeddings", "circuits", "networks", "two-machines"}
    assert {page.stem for page in (ROOT / "docs" / "site" / "pages").glob("*.md") if blocks(page)} == run_here


def test_the_code_of_two_machines_runs_at_both(tmp_path):
    make, trust, work, bank, telecom, tonight = blocks(ROOT / "docs" / "site" / "pages" / "two-machines.md")
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    other = {"bank": "telecom", "telecom": "bank"}

    def of(party, code):
        """What stands there for the bank, as this party writes it."""
        swapped = re.sub("bank|telecom", lambda name: other[name[0]], code)
        return code if party == "bank" else swapped

    folders = {party: tmp_path / party for party in other}
    told = {}
    for party, folder in folders.items():
        folder.mkdir()
        told[party] = run(of(party, make), folder).strip().split()[-1]
        numbers = "\n".join(str(i / 4 - 2) for i in range(16))
        (folder / "scores.csv").write_text(f"score\n{numbers}\n")
    for party, folder in folders.items():
        shutil.copy(folders[other[party]] / f"{other[party]}.id" / "cert.pem", folder / f"{other[party]}-cert.pem")
        answered = f"input = lambda asked: {told[other[party]]!r}\nimport hushtable as ht\n{of(party, trust)}"
        assert other[party] in run(answered, folder)
    running = []
    for party, session in (("bank", bank), ("telecom", telecom)):
        code = "\n".join((work, session)).replace("0.0.0.0:7000", address).replace("bank.example:7000", address)
        running.append(subprocess.Popen([sys.executable, "-c", code], cwd=folders[party], stderr=subprocess.PIPE, text=True))
    for process in running:
        said = process.communicate(timeout=100)[1]
        assert process.returncode == 0, said
    found = [(folder / "out.csv").read_text().split() for folder in folders.values()]
    assert found[0] == found[1] and found[0][0] == "at_least_0.8"
    assert [cell in ("1", "True") for cell in found[0][1:]] == [i / 2 - 4 >= 1.5 for i in range(16)]
    compile(tonight, "the night before", "exec")  # a million lookups


def test_everything_public_is_described():
    for name in ht.__all__:
        value = getattr(ht, name)
        if isinstance(value, ht.Function):
            assert value.about
            continue
        assert inspect.getdoc(value), name
        if inspect.isclass(value):
            members = [m for m in vars(value) if not m.startswith("_") and callable(getattr(value, m))]
            assert all(inspect.getdoc(getattr(value, member)) for member in members), name


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    command += ["--config-file", ROOT / "docs" / "site" / "mkdocs.yml"]
    quiet = {**os.environ, "DISABLE_MKDOCS_2_WARNING": "true", "NO_MKDOCS_2_WARNING": "true"}
    done = subprocess.run(command, capture_output=True, text=True, env=quiet)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.long
def test_the_site_has_a_page_for_every_protocol_and_a_card_for_every_function(site):
    pages = {path.stem for path in (site / "protocols").glob("*.html")}
    assert {"onehot-rotl", "onehot-doubling", "ot-ferret", "gates-mux"} <= pages and len(pages) > 40
    rotl = (site / "protocols" / "onehot-rotl.html").read_text(encoding="utf-8")
    for heading in ("Functionality", "Protocol", "Cost", "Source"):
        assert f'id="{heading.lower()}"' in rotl
    cards = (site / "functions.html").read_text(encoding="utf-8")
    assert all(f'id="{name}"' in cards for name in (*ht.functions(), "softmax", "layer_norm"))
    reference = (site / "reference.html").read_text(encoding="utf-8")
    for name in ("run_pair", "party", "share", "plan", "table"):
        assert f'id="{name}"' in reference


@pytest.mark.long
def test_a_page_opens_in_a_browser(site):
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip("no Chromium")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--virtual-time-budget=5000"]
    page = (site / "tutorial.html").as_uri()
    done = subprocess.run([*command, page], capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    assert "<title>Tutorial - hushtable</title>" in done.stdout
    assert re.search(r'<html[^>]*class="js', done.stdout), "the page's scripts run"
    assert "Offline first" in done.stdout
